import assert from 'node:assert/strict'
import path from 'node:path'
import { test } from 'node:test'
import { accepted } from '../../test/support/bank-files.ts'
import { loadBankSetup } from '../bank-files/load-setup.ts'
import { bankCalendarOf, payeeProblemOf } from './bank.ts'
import type { Parts } from './parts.ts'

const setup = accepted(loadBankSetup(path.join(import.meta.dirname, '../../docs/samples/bank-profile.json')))
const parts = (type: string, changes: object = {}) =>
  ({ config: { payout: { type } }, bank: { setup: { ...setup, ...changes } } }) as unknown as Parts

test('accounts are judged by the bank list where payment files pay them, and by nobody here where another rail does', () => {
  const problem = payeeProblemOf(parts('bank_files'))
  const account = { bic: 'MBBEMYKL', account: '514012345678', name: 'Aminah' }
  assert.equal(problem?.(account), undefined)
  assert.match(problem?.({ ...account, bic: 'DBSSSGSG' }) ?? '', /not in the bank list/)
  assert.equal(payeeProblemOf(parts('http')), undefined)
  assert.equal(payeeProblemOf({ config: { payout: { type: 'bank_files' } } } as unknown as Parts), undefined)
})

test('the calendar is that of the bank profile, where payment files are written', () => {
  assert.equal(bankCalendarOf(parts('bank_files')), setup.payments?.calendar)
  assert.equal(bankCalendarOf(parts('http', { payments: undefined })), undefined)
})
