import assert from 'node:assert/strict'
import { test } from 'node:test'
import { patient } from './patient.ts'

test('a request is asked five times, and no more', async () => {
  const failing = (failures: number) => {
    const asked: unknown[] = []
    const request = async (...each: unknown[]) => {
      asked.push(each)
      if (asked.length <= failures) throw new Error(`failure ${asked.length}`)
      return 'answer'
    }
    return { asked, node: patient({ label: 'one', request }) }
  }
  const four = failing(4)
  assert.equal(await four.node.request('eth_call', [1], 7), 'answer')
  assert.deepEqual(
    four.asked,
    Array.from({ length: 5 }, () => ['eth_call', [1], 7]),
  )
  const five = failing(5)
  await assert.rejects(five.node.request('eth_call', []), /failure 5/)
  assert.equal(five.asked.length, 5)
})
