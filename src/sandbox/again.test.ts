import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ChainError } from '../chain-errors.ts'
import { again } from './again.ts'

/** Work that fails so often, and then succeeds. */
function failing(failures: number, error: Error) {
  let tries = 0
  return {
    tries: () => tries,
    async work() {
      tries += 1
      if (tries <= failures) throw error
      return 'done'
    },
  }
}

test('what the chain did not do is tried again, up to twenty times', async () => {
  const late = failing(19, new ChainError('late'))
  assert.equal(await again(late.work, 1), 'done')
  assert.equal(late.tries(), 20)
  const dead = failing(20, new ChainError('dead'))
  await assert.rejects(again(dead.work, 1), /dead/)
  assert.equal(dead.tries(), 20)
})

test('any other error is told at once', async () => {
  const wrong = failing(1, new Error('wrong'))
  await assert.rejects(again(wrong.work, 1), /wrong/)
  assert.equal(wrong.tries(), 1)
})
