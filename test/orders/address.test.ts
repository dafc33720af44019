import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { getAddress } from 'viem'
import { checksumAddress } from '../../src/orders/address.ts'

const hexAddress = fc
  .uint8Array({ minLength: 20, maxLength: 20 })
  .map((bytes) => `0x${Buffer.from(bytes).toString('hex')}`)

test('checksums agree with an independent implementation', () => {
  fc.assert(fc.property(hexAddress, (address) => assert.equal(checksumAddress(address), getAddress(address))))
})
