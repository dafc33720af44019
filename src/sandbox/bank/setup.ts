/** The accounts at the simulated bank: the issuer's own, and those from which partners pay for their mints. */
import type { BankSetup } from '../../bank-files/setup.ts'

export const SANDBOX_ACCOUNT = {
  key: 'sandbox',
  bic: 'SNDBMYKL',
  account: '100000000001',
  name: 'Sandbox Issuer Sdn Bhd',
} as const

/** The demo partner's, which is registered for it; and one that all others share, which nobody has registered. */
export const DEMO_REMITTER = '200000000001'
export const OTHER_REMITTER = '200000000002'

export function sandboxBankSetup(folder: string): BankSetup {
  return { folder, accounts: [SANDBOX_ACCOUNT], csv: undefined, payments: undefined }
}
