import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { checksumAddress, parseAddress } from './address.ts'

/** The examples of EIP-55. */
const EXAMPLES = [
  '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
  '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
  '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
  '0x52908400098527886E0F7030069857D2E4169EE7',
  '0xde709f2102306220921060314715629080e2fb77',
]

const hexAddress = fc
  .uint8Array({ minLength: 20, maxLength: 20 })
  .map((bytes) => `0x${Buffer.from(bytes).toString('hex')}`)
const mixedCase = (address: string) => /[a-f]/.test(address) && /[A-F]/.test(address)

test('writes the checksums of EIP-55', () => {
  for (const example of EXAMPLES) {
    assert.equal(checksumAddress(example.toLowerCase()), example)
    assert.equal(parseAddress(example, 'required'), example)
  }
})

test('accepts addresses in a single case only where the checksum is optional', () => {
  const [example = ''] = EXAMPLES
  for (const oneCase of [example.toLowerCase(), `0x${example.slice(2).toUpperCase()}`]) {
    assert.equal(parseAddress(oneCase, 'required'), undefined)
    assert.equal(parseAddress(oneCase, 'optional'), example)
  }
})

test('never accepts a mixed case that is not the checksum', () => {
  fc.assert(
    fc.property(hexAddress, fc.nat(39), (address, at) => {
      const right = checksumAddress(address)
      const letter = right.charAt(2 + at)
      const flipped = letter === letter.toUpperCase() ? letter.toLowerCase() : letter.toUpperCase()
      const wrong = right.slice(0, 2 + at) + flipped + right.slice(3 + at)
      fc.pre(wrong !== right)
      assert.equal(parseAddress(wrong, 'required'), undefined)
      assert.equal(parseAddress(wrong, 'optional'), mixedCase(wrong.slice(2)) ? undefined : right)
    }),
  )
})

test('refuses what is not an address, and the zero address', () => {
  const [example = ''] = EXAMPLES
  const bad = [
    undefined,
    null,
    1,
    {},
    '',
    '0x',
    example.slice(2),
    example.replace('0x', '0X'),
    `${example}0`,
    example.slice(0, -1),
    ` ${example}`,
    `${example}\n`,
    `${example.slice(0, -1)}g`,
    `0x${'0'.repeat(40)}`,
  ]
  for (const value of bad) assert.equal(parseAddress(value, 'optional'), undefined, String(value))
})
