import assert from 'node:assert/strict'
import { test } from 'node:test'
import { executionOf } from './wire.ts'

test('an execution is one Bind, one Execute and one Sync', () => {
  const bind = [
    ...[...[0x42, 0, 0, 0, 35, 0], ...Buffer.from('s1'), 0],
    ...[0, 0, 0, 4],
    ...[...[0, 0, 0, 3], ...Buffer.from('abc')],
    ...[0xff, 0xff, 0xff, 0xff],
    ...[0, 0, 0, 0],
    ...[...[0, 0, 0, 2], ...Buffer.from('é')],
    ...[0, 0],
  ]
  const rest = [...[0x45, 0, 0, 0, 9, 0, 0, 0, 0, 0], ...[0x53, 0, 0, 0, 4]]
  assert.deepEqual([...executionOf('s1', ['abc', null, '', 'é'])], [...bind, ...rest])
})

test('without values it is as long as it says', () => {
  const bytes = executionOf('s22', [])
  assert.equal(bytes.readInt32BE(1), bytes.length - 15 - 1)
})
