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

export type SentPayout = {
  payoutId: string
  /** Which time it was sent: a payout that came back is sent again. */
  attempt: number
  integrationId: string
  rail: string
  amountSen: bigint
  effectiveAt: Date
}

/** The entry of a payout that the rail has accepted. */
export function entryOfSent({ payoutId, attempt, integrationId, rail, amountSen, effectiveAt }: SentPayout): Entry {
  const amountMicro = amountSen * SEN_IN_MICRO
  return {
    reference: `payout/${payoutId}/sent/${attempt}`,
    effectiveAt,
    lines: [
      { account: accountOf('redeem_payable', integrationId), amountMicro },
      { account: accountOf('payout_clearing', rail), amountMicro: -amountMicro },
    ],
  }
}

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n)
}

function moves({ amountMicro }: Line): boolean {
  return amountMicro !== 0n
}
