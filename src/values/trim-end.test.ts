import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { trimEndOf } from './trim-end.ts'

test('what is left is the text up to its last other character', () => {
  fc.assert(
    fc.property(fc.string(), fc.nat(20), (text, ends) => {
      const left = trimEndOf(`${text}${'/'.repeat(ends)}`, '/')
      assert.ok(text.startsWith(left) && !left.endsWith('/'))
      assert.equal(text.slice(left.length).replaceAll('/', ''), '')
    }),
  )
})

test('a run of millions that is not the last does not keep a process busy', () => {
  // An expression that begins anew at each of them would not end.
  const long = `${'0'.repeat(5_000_000)}1`
  assert.equal(trimEndOf(`${long}00`, '0'), long)
})
