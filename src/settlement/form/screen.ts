/** The sanctions oracle is asked once more before anything is signed: since an order was accepted, a wallet of it may have been listed. */

import type { AgreedHead } from '../../chain/quorum.ts'
import { readScreenings, type Screening } from '../../chain/sanctions.ts'
import { ChainError } from '../../chain-errors.ts'
import { underLease } from '../../leases/leases.sql.ts'
import { holdOrders } from '../../orders/life/hold.sql.ts'
import { setHeld } from '../holds.ts'
import type { PendingOrder } from '../tables/waiting.sql.ts'
import type { Work } from '../work.ts'

/** Why an order is held with a wallet that the oracle lists. */
export const SANCTIONED = 'wallet_sanctioned'

const walletsOf = ({ walletAddress, debitAddress }: PendingOrder) =>
  [walletAddress, debitAddress].filter((wallet) => wallet !== null).map((wallet) => wallet.toLowerCase())

/**
 * Asks the oracle about every wallet of these orders, in one call. What it lists is held; what it does not answer about waits for another
 * round while the others go on, and so does what it lists and nobody can hold: an order that was signed before, in a batch that was abandoned.
 * @returns what may be signed; `held` when orders were held, so that others are due; `waiting` when none may be signed now
 */
export async function screenDue(
  work: Work,
  at: AgreedHead,
  due: readonly PendingOrder[][],
): Promise<PendingOrder[][] | 'held' | 'waiting'> {
  const oracle = work.chain.config.sanctionsOracle
  if (oracle === undefined) return [...due]
  const wallets = [...new Set(due.flat().flatMap(walletsOf))]
  let said: Map<string, Screening>
  try {
    said = await readScreenings(at.nodes, oracle, wallets, { blockHash: at.head.hash })
  } catch (error) {
    if (!(error instanceof ChainError)) throw error
    setHeld(work, 'sanctions-oracle', { error: error.message })
    return 'waiting'
  }
  const isListed = (order: PendingOrder) => walletsOf(order).some((wallet) => said.get(wallet) === 'sanctioned')
  const listed = due.flat().filter(isListed)
  if (listed.length > 0 && (await areHeld(work, listed))) return 'held'
  const isClean = (order: PendingOrder) => walletsOf(order).every((wallet) => said.get(wallet) === 'clean')
  const passed = due.map((orders) => orders.filter(isClean)).filter((orders) => orders.length > 0)
  if (passed.length > 0) return passed
  const count = (screening: Screening) => wallets.filter((wallet) => said.get(wallet) === screening).length
  setHeld(work, 'sanctions-oracle', { unanswered: count('unanswered'), listed: count('sanctioned') })
  return 'waiting'
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
