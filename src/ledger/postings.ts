/** What happens to money, as journal entries (pure). Debits are positive, credits negative, all in micro units. */
import { SEN_IN_MICRO } from '../money.ts'
import { type Account, accountOf } from './accounts.ts'

export type Line = { account: Account; amountMicro: bigint }

/** `reference` names what happened, once and for ever; `effectiveAt` is when, by the clock of whoever did it. */
export type Entry = { reference: string; effectiveAt: Date; lines: readonly Line[] }

/** A mint whose coin exists now. */
export type Minted = { integrationId: string; amountMicro: bigint; feeMicro: bigint }

/** A redeem whose coin no longer exists; `payoutSen` is what is paid for it, 0 when its part of a sen is kept for later. */
export type Burnt = Minted & { payoutSen: bigint }

export type Settled = {
  chainId: number
  /** The batch, or the single order of a foreign batch, such as `batch/1/7`: one entry each integration. */
  source: string
  effectiveAt: Date
  minted: readonly Minted[]
  burnt: readonly Burnt[]
}

/** The entries of orders that were settled on a chain, one for each of their integrations. Transfers book nothing. */
export function entriesOfSettled({ chainId, source, effectiveAt, minted, burnt }: Settled): Entry[] {
  const integrations = new Set([...minted, ...burnt].map(({ integrationId }) => integrationId))
  return [...integrations].sort().map((integrationId) => {
    const mints = minted.filter((each) => each.integrationId === integrationId)
    const redeems = burnt.filter((each) => each.integrationId === integrationId)
    const mintedMicro = sum(mints.map(({ amountMicro }) => amountMicro))
    const burntMicro = sum(redeems.map(({ amountMicro }) => amountMicro))
    const payableMicro = sum(redeems.map(({ payoutSen }) => payoutSen)) * SEN_IN_MICRO
    const feeMicro = sum([...mints, ...redeems].map((each) => each.feeMicro))
    const lines = [
      { account: accountOf('mint_receivable', integrationId), amountMicro: mintedMicro },
      { account: accountOf('coins', chainId), amountMicro: -mintedMicro },
      { account: accountOf('coins', chainId), amountMicro: burntMicro },
      { account: accountOf('redeem_payable', integrationId), amountMicro: -payableMicro },
      { account: accountOf('residual', integrationId), amountMicro: payableMicro - burntMicro },
      { account: accountOf('fees_receivable', integrationId), amountMicro: feeMicro },
      { account: accountOf('fees', integrationId), amountMicro: -feeMicro },
    ]
    return { reference: `${source}/${integrationId}`, effectiveAt, lines: lines.filter(moves) }
  })
}

export type Unburnt = {
  chainId: number
  /** The batch under which the burn was booked, such as `batch/1/7`. */
  source: string
  /** Of what is undone: a redeem may be called burnt more than once. */
  name: string
  burnt: Burnt
  effectiveAt: Date
}

/** The entry of a redeem that was booked as burnt and is not: the opposite of what it was booked with. */
export function entryOfUnburnt({ chainId, source, name, burnt, effectiveAt }: Unburnt): Entry {
  const settled = { chainId, source, effectiveAt, minted: [], burnt: [burnt] }
  return entriesOfSettled(settled).map(({ reference, lines }) => ({
    reference: `${reference}/unburnt/${name}`,
    effectiveAt,
    lines: lines.map(({ account, amountMicro }) => ({ account, amountMicro: -amountMicro })),
  }))[0] as Entry
}

/** What happened to a payment of a payout. `bankAccount` is the issuer's, where the ringgit left or came back. */
export type PayoutEvent = {
  payoutId: string
  /** Which payment it was: a payout that came back is paid again. */
  attempt: number
  /** How often this payment was said to be with the rail, above 1 when the rail changed its mind; or was made by hand. */
  timesSent: number
  integrationId: string
  rail: string
  amountSen: bigint
  effectiveAt: Date
} & (
  | { what: 'sent' | 'unsent' | 'byHand' | 'byHandReturned' }
  | {
      what:
        | ('paid' | 'unpaid' | 'unshown' | 'returned')
        | ('extraPaid' | 'extraUnshown' | 'extraReturned' | 'extraTaken')
      bankAccount: string
      /** The account from which it was paid, when that is another one: there nothing explains what was paid once too often. */
      paidFrom?: string
    }
)

/** Debited and credited account of each event. */
const PAYOUT_ACCOUNTS = {
  /** The rail has accepted it. */
  sent: ['payable', 'clearing'],
  /** The rail had it, and did not carry it out. */
  unsent: ['clearing', 'payable'],
  /** An operator has paid it outside of every rail. */
  byHand: ['payable', 'clearing'],
  /** What that had paid came back. */
  byHandReturned: ['clearing', 'payable'],
  paid: ['clearing', 'reserve'],
  /** The rail's word was wrong: nothing has left the bank. */
  unpaid: ['reserve', 'payable'],
  /** The line that showed it was another payment's: it is with the rail. */
  unshown: ['reserve', 'clearing'],
  returned: ['reserve', 'payable'],
  /** Ringgit left for which nothing was owed any more. */
  extraPaid: ['unallocated', 'reserve'],
  extraReturned: ['reserve', 'unallocated'],
  /** The line that showed it was another payment's, and nothing explains that one. */
  extraUnshown: ['reserve', 'unallocated'],
  /** That payment settles what is owed after all. */
  extraTaken: ['payable', 'unallocated'],
} as const

type PayoutAccount = (typeof PAYOUT_ACCOUNTS)[keyof typeof PAYOUT_ACCOUNTS][number]

/** What can happen to a payment more than once. */
const REPEATED: ReadonlySet<PayoutEvent['what']> = new Set([
  ...(['sent', 'unsent', 'byHand', 'byHandReturned'] as const),
  ...(['paid', 'unpaid', 'unshown', 'extraPaid', 'extraUnshown', 'extraTaken'] as const),
])

/** The entry of a payout's payment. Each can be booked once, but for those that count how often. */
export function entryOfPayout(event: PayoutEvent): Entry {
  const { payoutId, attempt, timesSent, what, amountSen, effectiveAt } = event
  const amountMicro = amountSen * SEN_IN_MICRO
  const [debited, credited] = PAYOUT_ACCOUNTS[what]
  const again = timesSent > 1 && REPEATED.has(what) ? `/${timesSent}` : ''
  return {
    reference: `payout/${payoutId}/${what}/${attempt}${again}`,
    effectiveAt,
    lines: [
      { account: nameOf(debited, event), amountMicro },
      { account: nameOf(credited, event), amountMicro: -amountMicro },
    ],
  }
}

/** A payout whose coin was minted back: `residualMicro` is the part of a sen that goes back with it, or comes back from it. */
export type Refunded = {
  payoutId: string
  name: string
  integrationId: string
  chainId: number
  amountSen: bigint
  residualMicro: bigint
  effectiveAt: Date
}

/** The entry of a refund: what was payable is coin again. */
export function entryOfRefund(refund: Refunded): Entry {
  const { payoutId, name, integrationId, chainId, amountSen, residualMicro, effectiveAt } = refund
  const payableMicro = amountSen * SEN_IN_MICRO
  const lines = [
    { account: accountOf('redeem_payable', integrationId), amountMicro: payableMicro },
    { account: accountOf('residual', integrationId), amountMicro: residualMicro },
    { account: accountOf('coins', chainId), amountMicro: -(payableMicro + residualMicro) },
  ]
  return { reference: `payout/${payoutId}/refunded/${name}`, effectiveAt, lines: lines.filter(moves) }
}

/** Parts of a sen that add up to whole ones and are paid without a redeem. */
export type ResidualPaid = { payoutId: string; integrationId: string; amountSen: bigint; effectiveAt: Date }

/** The entry of a payout of parts of a sen: what was kept is payable. */
export function entryOfResidual({ payoutId, integrationId, amountSen, effectiveAt }: ResidualPaid): Entry {
  const amountMicro = amountSen * SEN_IN_MICRO
  const lines = [
    { account: accountOf('residual', integrationId), amountMicro },
    { account: accountOf('redeem_payable', integrationId), amountMicro: -amountMicro },
  ]
  return { reference: `residual/${payoutId}`, effectiveAt, lines }
}

function nameOf(account: PayoutAccount, event: PayoutEvent): Account {
  if (account === 'payable') return accountOf('redeem_payable', event.integrationId)
  if (account === 'clearing') return accountOf('payout_clearing', event.rail)
  if (!('bankAccount' in event)) throw new Error(`${event.what} needs a bank account`)
  return accountOf(account, account === 'unallocated' ? (event.paidFrom ?? event.bankAccount) : event.bankAccount)
}

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n)
}

function moves({ amountMicro }: Line): boolean {
  return amountMicro !== 0n
}
