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
 * round while the others go on.
 * @returns what may be signed; `held` when orders were held, so that others are due; `waiting` when nobody could be asked
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
  const isAny = (screening: Screening) => (order: PendingOrder) =>
    walletsOf(order).some((wallet) => said.get(wallet) === screening)
  const listed = due.flat().filter(isAny('sanctioned'))
  if (listed.length > 0) {
    await holdListed(work, listed)
    return 'held'
  }
  const answered = due.map((orders) => orders.filter((order) => !isAny('unanswered')(order)))
  const passed = answered.filter((orders) => orders.length > 0)
  if (passed.length > 0) return passed
  setHeld(work, 'sanctions-oracle', {
    unanswered: wallets.filter((wallet) => said.get(wallet) === 'unanswered').length,
  })
  return 'waiting'
}

async function holdListed({ db, lease, chain, logger }: Work, listed: readonly PendingOrder[]): Promise<void> {
  const held = listed.map(({ orderId }) => ({ orderId, reason: SANCTIONED }))
  await underLease(db, lease, (tx) => holdOrders(tx, held))
  for (const { orderId, reason } of held) {
    const fields = { chainId: chain.config.chainId, orderId: String(orderId), reason }
    logger.warn(fields, 'an order is held: an operator decides')
  }
}
