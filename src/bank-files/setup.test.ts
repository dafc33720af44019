import assert from 'node:assert/strict'
import path from 'node:path'
import { test } from 'node:test'
import { accepted, refusalOf, sample } from '../../test/support/bank-files.ts'
import { loadBankSetup } from './load-setup.ts'
import { ownAccountOf, parseBankSetup } from './setup.ts'

const FILE = path.join(import.meta.dirname, '../../docs/samples/bank-profile.json')
const profile = JSON.parse(sample('bank-profile.json')) as Record<string, unknown> & {
  payments: object
}

const reading = (changes: object) => parseBankSetup(JSON.stringify({ ...profile, ...changes }), sample)
const refused = (changes: object) => refusalOf(reading(changes))

test('the sample is read, with the files that it names', () => {
  const setup = accepted(loadBankSetup(FILE))
  assert.equal(setup.folder, '/var/lib/coin/bank')
  assert.deepEqual(setup.payments?.from, setup.accounts[0])
  assert.equal(setup.payments?.profile.rails.duitnow.maxSen, 5_000_000n)
  assert.equal(setup.payments?.profile.rails.ibg.maxSen, 100_000_000n)
  assert.ok((setup.payments?.profile.banks.size ?? 0) > 5)
  assert.equal(setup.csv?.delimiter, ',')
})

test('a profile with a mistake is refused with its place', () => {
  const [account = {}] = profile.accounts as Record<string, unknown>[]
  assert.match(refused({ accounts: [] }).sentence, /accounts/)
  assert.equal(refused({ accounts: [account, { ...account, account: '12345' }] }).code, 'duplicated_id')
  assert.equal(refused({ accounts: [account, { ...account, key: 'other' }] }).code, 'duplicated_id')
  // As a bank's CSV may write it: its money would count once under each name.
  const same = { ...account, key: 'other', account: `00${String(account.account)}` }
  assert.match(refused({ accounts: [account, same] }).sentence, /other than by leading zeros/)
  assert.equal(reading({ accounts: [account, { ...same, bic: 'OTHRMYKL' }] }).ok, true)
  assert.match(refused({ payments: { ...profile.payments, from: 'other' } }).sentence, /payments.from/)
  assert.match(
    refused({ payments: { ...profile.payments, rules: { ibg: { max: '2000000' } } } }).sentence,
    /ibg carries/,
  )
  for (const [field, limit] of [
    ['max', '050000'],
    ['min', '00.10'],
  ] as const) {
    const { code, sentence } = refused({ payments: { ...profile.payments, rules: { duitnow: { [field]: limit } } } })
    assert.equal(code, 'wrong_content')
    assert.match(sentence, new RegExp(`payments.rules.duitnow.${field} must be ringgit .*without leading zeros`))
  }
  assert.equal(refused({ accounts: [{ ...account, bic: 'NOBKMYKL' }] }).code, 'unpayable')
  assert.match(refused({ unknown: 1 }).sentence, /: \/unknown is not known here\.$/)
  const misspelt = refused({ payments: { ...profile.payments, residncy: {} } }).sentence
  assert.match(misspelt, /: \/payments\/residncy is not known here\.$/)
  const rails = refused({ payments: { ...profile.payments, rails: ['fpx'] } }).sentence
  assert.match(rails, /: \/payments\/rails\/0 must be one of duitnow, ibg, rentas\.$/)
})

test('a file that is missing is named', () => {
  assert.match(refusalOf(loadBankSetup('/nowhere/profile.json')).sentence, /"profile.json"/)
})

test('another account of ours is known however its bank groups the digits; an account is none of its own', () => {
  const accounts = [
    { key: 'main', bic: 'MBBEMYKL', account: '514012345678', name: 'A' },
    { key: 'second', bic: 'MBBEMYKL', account: '514099999999', name: 'A' },
  ]
  const of = (number: string | null) => ownAccountOf({ accounts }, number, 'main')
  for (const number of ['514099999999', '5140 9999 9999', '5140-9999-9999', '514.099.999.999']) {
    assert.equal(of(number), 'second')
  }
  for (const none of [null, '', '514012345678', '51409999999', '0514099999999', 'X514099999999']) {
    assert.equal(of(none), null)
  }
})
