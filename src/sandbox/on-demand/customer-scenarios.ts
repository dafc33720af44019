/** Customers made on demand: one row for each outcome that depends on the customer, and the requests that show it. */
import type { PolicyConfig } from '../../config.ts'
import type { BankAccount } from '../../customers/bank-account.ts'
import type { CustomerDetails } from '../../customers/customer.ts'
import { ONE_IN_MICRO } from '../../money.ts'
import type { Direction } from '../../orders/order.ts'
import { CUSTOMER_TRIES } from './customer-tries.ts'
import type { Subject, Try } from './try.ts'

export type CustomerScenario = {
  /** What such a customer is, in a sentence without its subject. */
  says: string
  details?: Partial<CustomerDetails>
  /** Null: it has none. Absent: one that is paid. */
  bank?: BankAccount | null
  /** Whether the wallet is linked to the customer. Otherwise it only has an address. */
  isLinked?: boolean
  /** Coin that is minted to the wallet. */
  coin?: string
  /** Orders that use up part of a limit before the answer. */
  uses?: { direction: 'REDEEM' | 'TRANSFER'; amountCoin: string }
  /** The wallet is frozen in the end; `unseen`: acceptance does not see it, as if it had happened a moment later. */
  frozen?: 'seen' | 'unseen'
  /** Whether screening denies the recipient of the requests. */
  deniesRecipient?: true
  /** A key of the customer's own to try it with, with these caps, under which all of the above was done. */
  key?: { transferDayCapMicro: bigint; mintDayCapMicro: bigint }
  tries: (subject: Subject, policy: PolicyConfig) => Try[]
}

const bank = (account: string) => ({ bic: 'MBBEMYKL', account, name: 'Sandbox Customer' })

export const BANK = bank('512345678901')

const FUNDED = { isLinked: true, coin: '1000' } as const

/** A funded customer whose payouts go to an account number that brings about an outcome (docs/SANDBOX.md). */
function paidTo(account: string): Pick<CustomerScenario, 'bank' | 'isLinked' | 'coin'> {
  return { ...FUNDED, bank: bank(account) }
}

const CUSTOMER_SCENARIOS = {
  verified: { says: 'may do everything, and has 1,000 coin', ...FUNDED, tries: CUSTOMER_TRIES.verified },
  wrong_requests: {
    says: 'may do everything and has no coin: for requests that are refused for what they say',
    isLinked: true,
    tries: CUSTOMER_TRIES.wrongRequests,
  },
  unverified: {
    says: 'is not verified',
    details: { status: 'UNVERIFIED', level: 'TIER_0' },
    tries: CUSTOMER_TRIES.unverified,
  },
  suspended: {
    says: 'was verified, and is suspended',
    details: { status: 'SUSPENDED' },
    tries: CUSTOMER_TRIES.unverified,
  },
  foreigner: {
    says: 'is not resident in Malaysia',
    details: { countryCode: 'SG', isResident: false },
    tries: CUSTOMER_TRIES.foreigner,
  },
  no_bank_account: {
    says: 'has no bank account',
    isLinked: true,
    bank: null,
    tries: CUSTOMER_TRIES.noBankAccount,
  },
  no_wallet: { says: 'has no linked wallet', tries: CUSTOMER_TRIES.noWallet },
  switched_off: {
    says: 'is verified, but may neither mint nor redeem nor transfer',
    details: { canMint: false, canRedeem: false, canTransfer: false },
    tries: CUSTOMER_TRIES.switchedOff,
  },
  near_monthly_limit: {
    says: 'has redeemed 900 of 1,000 that this month allows',
    isLinked: true,
    coin: '2000',
    details: { monthlyCapMicro: 1_000n * ONE_IN_MICRO },
    uses: { direction: 'REDEEM', amountCoin: '900' },
    tries: CUSTOMER_TRIES.nearMonthlyLimit,
  },
  near_daily_caps: {
    says: 'comes with a key that has minted 1,000 of 1,100 and transferred 90 of 100 that this day allows',
    ...FUNDED,
    key: { transferDayCapMicro: 100n * ONE_IN_MICRO, mintDayCapMicro: 1_100n * ONE_IN_MICRO },
    uses: { direction: 'TRANSFER', amountCoin: '90' },
    tries: CUSTOMER_TRIES.nearDailyCaps,
  },
  wallet_frozen: { says: 'has a frozen wallet', ...FUNDED, frozen: 'seen', tries: CUSTOMER_TRIES.walletFrozen },
  fails_on_chain: {
    says: 'has a wallet that was frozen a moment after each order was accepted, so that all of them fail on chain',
    ...FUNDED,
    frozen: 'unseen',
    tries: CUSTOMER_TRIES.failsOnChain,
  },
  recipient_denied: {
    says: 'wants to transfer to somebody whom screening denies',
    ...FUNDED,
    deniesRecipient: true,
    tries: CUSTOMER_TRIES.recipientDenied,
  },
  payout_refused: { says: 'has a bank that takes no payout', ...paidTo('00000'), tries: CUSTOMER_TRIES.payoutRefused },
  payout_returned: {
    says: 'has a bank that gives each payout back',
    ...paidTo('00001'),
    tries: CUSTOMER_TRIES.payoutReturned,
  },
  payout_rejected: {
    says: 'has a bank that accepts each payout, and says within a minute or two that it was not carried out',
    ...paidTo('00002'),
    tries: CUSTOMER_TRIES.payoutRejected,
  },
  payout_late: {
    says: 'has a bank that gives no answer for ten seconds, and then pays',
    ...paidTo('00003'),
    tries: CUSTOMER_TRIES.payoutLate,
  },
} as const satisfies Record<string, CustomerScenario>

export type CustomerScenarioName = keyof typeof CUSTOMER_SCENARIOS
export const CUSTOMER_SCENARIO_NAMES = Object.keys(CUSTOMER_SCENARIOS) as CustomerScenarioName[]

/** The row of a name. */
export function customerScenario(name: CustomerScenarioName): CustomerScenario {
  return CUSTOMER_SCENARIOS[name]
}

/** Whether it can be made here: with the keys and the bank that it needs. */
export function canBeMade(
  { isLinked, frozen, bank: account }: CustomerScenario,
  has: { linker: boolean; freezer: boolean; simulatedBank: boolean },
): boolean {
  const isAboutBank = account !== undefined && account !== null
  return (
    (isLinked !== true || has.linker) && (frozen === undefined || has.freezer) && (!isAboutBank || has.simulatedBank)
  )
}

/** The orders that are made before the answer; each needs the scopes of its kind. */
export function ordersOf({ coin, uses }: CustomerScenario): Direction[] {
  return [...(coin === undefined ? [] : ['MINT' as const]), ...(uses === undefined ? [] : [uses.direction])]
}
