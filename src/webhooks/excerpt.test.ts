import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { EXCERPT_BYTES, excerptOf } from './excerpt.ts'

test('keeps ordinary text, on one line', () => {
  assert.equal(excerptOf(Buffer.from('{"ok": true}\r\n\tterima kasih ✓')), '{"ok": true} terima kasih ✓')
})

test('NUL, terminal escapes, bidirectional overrides and invalid bytes do not survive', () => {
  assert.equal(excerptOf(Buffer.from('a\0b\u001B[31mc\u202Ed\u0085e\u2028f')), 'a?b?[31mc?d?e?f')
  assert.equal(excerptOf(Buffer.from([0x61, 0xff, 0xc3])), 'a??')
  assert.equal(excerptOf(Buffer.from('a\u0378\uE000b')), 'a??b', 'unassigned and private characters')
})

test('is at most 1 KiB and printable, whatever the answer', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 3000 }), (bytes) => {
      const excerpt = excerptOf(Buffer.from(bytes))
      assert.ok(Buffer.byteLength(excerpt) <= EXCERPT_BYTES)
      assert.doesNotMatch(excerpt, /\p{C}/u)
    }),
  )
  assert.equal(excerptOf(Buffer.alloc(5000, 'é')).length, EXCERPT_BYTES / 2)
})
