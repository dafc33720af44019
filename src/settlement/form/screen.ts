/** The sanctions oracle is asked once more before anything is signed: since an order was accepted, a wallet of it may have been listed. */

import type { AgreedHead } from '../../chain/quorum.ts'
import { readScreenings, type Screening } from '../../chain/sanctions.ts'
import { ChainError } from '../../chain-errors.ts'
import { underLease } from '../../leases/leases.sql.ts'
import { holdOrders } from '../../orders/life/hold.sql.ts'
import { setHeld } from '../holds.ts'
import type { PendingOrder } from '../tables/waiting.sql.ts'
import type { Work } from '../work.ts'
import { FIRST_SEARCH } from './search.ts'
import { without } from './select.ts'
import { afterAsking, dueForAsking, withUnanswered } from './unanswered.ts'

/** Why an order is held with a wallet that the oracle lists. */
const SANCTIONED = 'wallet_sanctioned'

const walletsOf = ({ walletAddress, debitAddress }: PendingOrder) =>
  [walletAddress, debitAddress].filter((wallet) => wallet !== null).map((wallet) => wallet.toLowerCase())

/**
 * Asks the oracle about every wallet of these orders, in one call. What it lists is held; what it does not answer about is remembered
 * and left out from now on.
 * @returns what may be signed; `again` when that is none, and orders were held or are left out by now, so that others are due;
 *   `waiting` when it answers about none
 */
export async function screenDue(
  work: Work,
  at: AgreedHead,
  due: readonly PendingOrder[][],
): Promise<PendingOrder[][] | 'again' | 'waiting'> {
  const oracle = work.chain.config.sanctionsOracle
  if (oracle === undefined) return [...due]
  const wallets = [...new Set(due.flat().flatMap(walletsOf))]
  let said: Map<string, Screening>
  try {
    said = await readScreenings(at.nodes, work.chain.config.quorum, oracle, wallets, { blockHash: at.head.hash })
  } catch (error) {
    if (!(error instanceof ChainError)) throw error
    setHeld(work, 'sanctions-oracle', { error: error.message })
    return 'waiting'
  }
  const isListed = (order: PendingOrder) => walletsOf(order).some((wallet) => said.get(wallet) === 'sanctioned')
  const listed = due.flat().filter(isListed)
  const areAnyHeld = listed.length > 0 && (await areHeld(work, listed))
  const unanswered = wallets.filter((wallet) => said.get(wallet) === 'unanswered')
  const areAnyLeftOut = leaveOut(work, unanswered)
  if (unanswered.length === wallets.length) {
    setHeld(work, 'sanctions-oracle', { unanswered: work.memory.form.unanswered.sinceMs.size })
    return 'waiting'
  }
  const isClean = (order: PendingOrder) => walletsOf(order).every((wallet) => said.get(wallet) === 'clean')
  const others = due.flat().filter((order) => !isClean(order))
  const passed = without(due, new Set(others.map(({ orderId }) => orderId)))
  // Of those that are not signed there may be very many, and nobody waits for what becomes of them.
  if (passed.length > 0) return passed
  if (areAnyHeld || areAnyLeftOut) return 'again'
  setHeld(work, 'sanctions-oracle', { unanswered: unanswered.length, listed: listed.length })
  return 'waiting'
}

/** @returns whether any of these wallets was not left out before, so that others are due */
function leaveOut({ memory, nowMs }: Work, wallets: readonly string[]): boolean {
  const before = memory.form.unanswered
  memory.form.unanswered = withUnanswered(before, wallets, nowMs())
  return memory.form.unanswered.sinceMs.size > before.sinceMs.size
}

/** Asks the oracle again about the wallets that are left out, once for each head: as many of them as one call takes, in turn. */
export async function askAgain({ chain, memory, nowMs }: Work, at: AgreedHead): Promise<void> {
  const { sinceMs, askedAtHash } = memory.form.unanswered
  const oracle = chain.config.sanctionsOracle
  const { hash } = at.head
  if (oracle === undefined || sinceMs.size === 0 || askedAtHash === hash) return
  const wallets = dueForAsking(memory.form.unanswered)
  let [said, askedAt] = [new Map<string, Screening>(wallets.map((wallet) => [wallet, 'unanswered'])), askedAtHash]
  try {
    said = await readScreenings(at.nodes, chain.config.quorum, oracle, wallets, { blockHash: hash })
    askedAt = hash
  } catch (error) {
    // Nodes may refuse to ask about just these together, while they would answer about some of them: those are forgotten, too.
    if (!(error instanceof ChainError)) throw error
  }
  memory.form.unanswered = afterAsking(memory.form.unanswered, said, { hash: askedAt, nowMs: nowMs() })
  // They may be older than where the search for orders begins by now.
  if (memory.form.unanswered.sinceMs.size < sinceMs.size) memory.form.search = FIRST_SEARCH
}

/** Holds what can be held. @returns whether anything is held now that was not before: it is not selected again */
async function areHeld({ db, lease, chain, logger }: Work, orders: readonly PendingOrder[]): Promise<boolean> {
  const listed = orders.map(({ orderId }) => ({ orderId, reason: SANCTIONED }))
  const held = await underLease(db, lease, (tx) => holdOrders(tx, listed))
  for (const orderId of held) {
    const fields = { chainId: chain.config.chainId, orderId: String(orderId), reason: SANCTIONED }
    logger.warn(fields, 'an order is held: an operator decides')
  }
  return held.length > 0
}
