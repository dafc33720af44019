import assert from 'node:assert/strict'
import { test } from 'node:test'
import { accepted, PROFILE, refusalOf } from '../../test/support/bank-files.ts'
import { bankOf, parseBankList } from './banks.ts'
import { carries, RAIL_RULES, railFor, railRulesWith } from './rails.ts'

test('each rail carries the amounts within its limits and no others', () => {
  const limits = [
    ['ibg', 0n, false],
    ['ibg', 1n, true],
    ['ibg', 100_000_000n, true],
    ['ibg', 100_000_001n, false],
    ['rentas', 999_999n, false],
    ['rentas', 1_000_000n, true],
    ['duitnow', 1n, true],
    ['duitnow', 0n, false],
  ] as const
  for (const [rail, amountSen, expected] of limits)
    assert.equal(carries(RAIL_RULES, rail, amountSen), expected, `${rail} ${amountSen}`)
})

test('the first preferred rail that carries an amount is taken', () => {
  const preferred = ['ibg', 'rentas'] as const
  assert.equal(railFor(RAIL_RULES, preferred, 100_000_000n), 'ibg')
  assert.equal(railFor(RAIL_RULES, preferred, 100_000_001n), 'rentas')
  assert.equal(railFor(RAIL_RULES, ['rentas'], 999_999n), undefined)
})

test('a bank lowers limits and changes words, and never raises a limit', () => {
  const rules = railRulesWith({ duitnow: { maxSen: 5_000_000n, localInstrument: 'DNOW' } })
  assert.deepEqual(rules.duitnow, { minSen: 1n, maxSen: 5_000_000n, localInstrument: 'DNOW' })
  assert.deepEqual(rules.ibg, RAIL_RULES.ibg)
  assert.throws(() => railRulesWith({ ibg: { maxSen: 100_000_001n } }), RangeError)
  assert.throws(() => railRulesWith({ rentas: { minSen: 1n } }), RangeError)
  assert.throws(() => railRulesWith({ ibg: { minSen: 10n, maxSen: 9n } }), RangeError)
  for (const localInstrument of ['RENTAS', '', 'x'.repeat(36), 'IBG\n']) {
    assert.throws(() => railRulesWith({ ibg: { localInstrument } }), RangeError, localInstrument)
  }
})

test('a bank is known by its BIC, with or without a branch', () => {
  assert.equal(bankOf(PROFILE.banks, 'MBBEMYKL')?.name, 'Malayan Banking')
  assert.equal(bankOf(PROFILE.banks, 'MBBEMYKLXXX')?.name, 'Malayan Banking')
  for (const bic of ['MBBEMYKLXX', 'MBBEMYK', 'DBSSSGSG', 'mbbemykl', ''])
    assert.equal(bankOf(PROFILE.banks, bic), undefined, bic)
})

test('a bank list is refused for what is wrong in it', () => {
  const bank = { bic: 'MBBEMYKL', name: 'Maybank', accountDigits: [12] }
  const list = (...banks: unknown[]) => parseBankList(JSON.stringify({ banks }))
  assert.equal(accepted(list(bank)).size, 1)
  assert.equal(refusalOf(list(bank, bank)).code, 'duplicated_id')
  for (const wrong of [
    { bic: 'DBSSSGSG' },
    { accountDigits: [18] },
    { accountDigits: ['12'] },
    { name: '' },
    { more: 1 },
  ]) {
    assert.equal(refusalOf(list({ ...bank, ...wrong })).code, 'wrong_content', JSON.stringify(wrong))
  }
  assert.equal(refusalOf(list()).code, 'wrong_content')
  assert.equal(refusalOf(parseBankList('{')).code, 'malformed')
  assert.equal(refusalOf(parseBankList(' '.repeat(1_000_001))).code, 'too_large')
})
