/** The issuer's bank setup and a bank that keeps its account, for the tests of statements. */
import type { BankSetup } from '../../src/bank-files/setup.ts'
import { DEBTOR, PROFILE } from './bank-files.ts'
import { createFakeBank, type FakeBankOptions } from './fake-bank/bank.ts'

export const SETUP: BankSetup = {
  folder: '/nowhere',
  accounts: [
    { key: 'main', ...DEBTOR },
    { key: 'second', ...DEBTOR, account: '514099999999' },
  ],
  csv: undefined,
  payments: undefined,
}

/** A bank with RM 1,000,000 in the account, which opens on 2026-11-20. */
export function someBank(options: Partial<FakeBankOptions> = {}) {
  return createFakeBank({
    seed: 'one',
    profile: PROFILE,
    account: DEBTOR.account,
    openingSen: 100_000_000n,
    day: '2026-11-20',
    fateOf: () => 'paid',
    ...options,
  })
}
