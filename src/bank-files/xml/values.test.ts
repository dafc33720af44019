import assert from 'node:assert/strict'
import { test } from 'node:test'
import { accepted, bytesOf, refusalOf } from '../../../test/support/bank-files.ts'
import { catchRefusal } from '../refusal.ts'
import { parseXml } from './parse.ts'
import { senOf } from './values.ts'

const read = (text: string) => catchRefusal(() => senOf(parseXml(bytesOf(`<Amt Ccy="MYR">${text}</Amt>`)).root))

test('an amount is what it says, with as many zeros as a bank writes', () => {
  const same: [string, bigint][] = [
    ['1234.50', 123_450n],
    ['1234.5', 123_450n],
    ['1234.50000', 123_450n],
    ['0001234.5', 123_450n],
    ['+1234.50', 123_450n],
    ['1234', 123_400n],
    ['1200.000', 120_000n],
    ['100', 10_000n],
    ['.05', 5n],
    ['7.', 700n],
    ['0', 0n],
    ['0.00000', 0n],
    ['000', 0n],
    ['999999999999.99', 99_999_999_999_999n],
  ]
  for (const [text, sen] of same) assert.equal(accepted(read(text)), sen, text)
})

test('an amount that is not whole sen, or no decimal, is refused', () => {
  for (const text of ['1.005', '0.00001', '-1', '--1', '.', '+', '1,000', '1e3', '1.2.3', '1 000', '1000000000000'])
    assert.equal(refusalOf(read(text)).code, 'wrong_amount', text)
})
