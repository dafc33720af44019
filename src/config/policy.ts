/** Limits and fees of orders. */

import { ONE_IN_MICRO } from '../money.ts'
import type { Environment } from './environment.ts'
import type { PolicyConfig } from './types.ts'

const CONTRACT_TRANSFER_TX_CAP_MICRO = 50_000n * ONE_IN_MICRO
const CONTRACT_TRANSFER_DAY_CAP_MICRO = 250_000n * ONE_IN_MICRO
const CONTRACT_NON_RESIDENT_LIMIT_MICRO = 100_000n * ONE_IN_MICRO

/** Reads the policy. The contract's limits can be lowered, never raised. Live has no limits of mints that nobody chose. */
export function readPolicy(settings: Environment, environment: 'sandbox' | 'live'): PolicyConfig {
  const maxAmount = 999_999_999_999n * ONE_IN_MICRO
  if (environment === 'live') {
    if (!settings.isSet('MINT_CEILING'))
      settings.report('MINT_CEILING is required in live: the most that one mint may be.')
    if (!settings.isSet('MINT_DAY_CAP')) {
      settings.report('MINT_DAY_CAP is required in live: the most that one key may mint in a UTC day.')
    }
  }
  return {
    mintFloorMicro: settings.amount('MINT_FLOOR', { max: maxAmount, fallback: ONE_IN_MICRO }),
    mintCeilingMicro: settings.amount('MINT_CEILING', { max: maxAmount, fallback: 1_000_000_000n * ONE_IN_MICRO }),
    mintDayCapMicro: settings.isSet('MINT_DAY_CAP')
      ? settings.amount('MINT_DAY_CAP', { max: maxAmount, fallback: 0n })
      : null,
    redeemCeilingMicro: settings.amount('REDEEM_CEILING', { max: maxAmount, fallback: 1_000_000n * ONE_IN_MICRO }),
    nonResidentLimitMicro: settings.amount('NON_RESIDENT_LIMIT', {
      max: CONTRACT_NON_RESIDENT_LIMIT_MICRO,
      fallback: CONTRACT_NON_RESIDENT_LIMIT_MICRO,
    }),
    monthlyWithdrawalCapMicro: settings.amount('MONTHLY_WITHDRAWAL_CAP', {
      max: maxAmount,
      fallback: 500_000n * ONE_IN_MICRO,
    }),
    transferTxCapMicro: settings.amount('TRANSFER_TX_CAP', {
      max: CONTRACT_TRANSFER_TX_CAP_MICRO,
      fallback: CONTRACT_TRANSFER_TX_CAP_MICRO,
    }),
    transferDayCapMicro: settings.amount('TRANSFER_DAY_CAP', {
      max: CONTRACT_TRANSFER_DAY_CAP_MICRO,
      fallback: CONTRACT_TRANSFER_DAY_CAP_MICRO,
    }),
    feeMicro: {
      MINT: settings.amount('MINT_FEE', { max: maxAmount, fallback: 0n }),
      REDEEM: settings.amount('REDEEM_FEE', { max: maxAmount, fallback: 0n }),
    },
  }
}
