import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { keccak256, stringToBytes } from 'viem'
import { keccak256Hex } from './keccak.ts'

test('it is the hash of Ethereum, not the SHA-3 that was standardised later', () => {
  assert.equal(keccak256Hex(''), 'c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470')
})

test('texts and bytes hash as viem hashes them', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      assert.equal(`0x${keccak256Hex(text)}`, keccak256(stringToBytes(text)))
    }),
  )
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      assert.equal(`0x${keccak256Hex(bytes)}`, keccak256(bytes))
    }),
  )
})
