/** Ringgit that partners said to have settled for mints, and that the bank has not shown. */
import type { Queryable } from '../db/database.ts'
import { readBalances } from '../ledger/balances.sql.ts'
import { formatAmount } from '../money.ts'
import { listUnpaidMints } from './lists.sql.ts'

const DAY_MS = 86_400_000
/** So many integrations, those with the most outstanding, are shown mint by mint; of the others, what they come to. */
const MAX_INTEGRATIONS = 100

/** `openMyr`: what of it is awaited, where a part of the oldest was paid. */
export type AwaitedMint = {
  referenceId: string
  amountMyr: string
  openMyr: string
  completedAt: string
  ageDays: number
}

/**
 * `receivable` below zero: it has paid more than its mints came to. `mints`: the newest that make it up, oldest last. `notListed`: what of it stands in none
 * of these: of older mints, or owed for something else, as for a redeem that was made good. `oldestDays` is of those that are listed.
 */
export type Awaited = {
  integrationId: string
  receivable: string
  oldestDays: number | null
  notListed: string
  mints: AwaitedMint[]
}

/** One for each integration whose mints and payments differ. */
export async function readAwaited(db: Queryable, now: Date): Promise<Awaited[]> {
  const balances = (await readBalances(db)).filter(
    ({ kind, balanceMicro }) => kind === 'mint_receivable' && balanceMicro !== 0n,
  )
  balances.sort((one, other) => (one.balanceMicro < other.balanceMicro ? 1 : -1))
  const awaited: Awaited[] = []
  for (const [place, { owner: integrationId, balanceMicro }] of balances.entries()) {
    const isShown = place < MAX_INTEGRATIONS && balanceMicro > 0n
    const unpaid = isShown ? await listUnpaidMints(db, integrationId, balanceMicro) : []
    const listedMicro = unpaid.reduce((total, { openMicro }) => total + openMicro, 0n)
    const mints = unpaid.map(({ referenceId, amountMicro, openMicro, completedAt }) => ({
      referenceId,
      amountMyr: formatAmount(amountMicro),
      openMyr: formatAmount(openMicro),
      completedAt: completedAt.toISOString(),
      ageDays: Math.floor((now.getTime() - completedAt.getTime()) / DAY_MS),
    }))
    const oldestDays = mints.at(-1)?.ageDays ?? null
    const notListed = formatAmount(balanceMicro > listedMicro ? balanceMicro - listedMicro : 0n)
    awaited.push({ integrationId, receivable: formatAmount(balanceMicro), oldestDays, notListed, mints })
  }
  return awaited
}
