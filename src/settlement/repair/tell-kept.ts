/** What people must hear of batches of others that were read and kept (history.ts). */
import type { EndedOrder } from '../tables/ended-alike.sql.ts'
import type { Work } from '../work.ts'

/** Coin that was moved for an order that has ended without it is nobody's until an operator makes it good. */
export function tellEnded({ chain, logger }: Work, ended: readonly EndedOrder[]): void {
  const { chainId } = chain.config
  for (const { batchId, index, integrationId, referenceId, status } of ended) {
    logger.fatal(
      { chainId, batchId: String(batchId), index, integrationId, referenceId, status },
      'a foreign batch has moved coin for an order that had ended without it: make it good, see "coin batch show CHAIN ID"',
    )
  }
}

/** The chain had lost it, and has it again. */
export function tellAgain(
  { chain, logger }: Work,
  {
    payoutIds,
    refunds,
    madeGood,
  }: { payoutIds: readonly string[]; refunds: readonly bigint[]; madeGood: readonly bigint[] },
): void {
  const { chainId } = chain.config
  if (payoutIds.length > 0)
    logger.error(
      { chainId, payoutIds },
      'payouts are held because the chain had lost their burns, which it has again: run "coin payout release ID --held … --reason …" for each',
    )
  if (refunds.length > 0)
    logger.error(
      { chainId, orderIds: refunds.map(String) },
      'refunds are held because the chain had lost the burns that they mint back, which it has again: run "coin order release ORDER --held … --reason …" for each',
    )
  if (madeGood.length > 0)
    logger.fatal(
      { chainId, orderIds: madeGood.map(String) },
      'the chain has again what it had lost of orders that were made good meanwhile: that was done twice, see "coin order show"',
    )
}
