/** The account that the sandbox's issuer has at the simulated bank. */
import type { BankSetup } from '../../bank-files/setup.ts'

export const SANDBOX_ACCOUNT = {
  key: 'sandbox',
  bic: 'SNDBMYKL',
  account: '100000000001',
  name: 'Sandbox Issuer Sdn Bhd',
} as const

export function sandboxBankSetup(folder: string): BankSetup {
  return { folder, accounts: [SANDBOX_ACCOUNT], csv: undefined, payments: undefined }
}
