/** What is offered for a transfer of nothing that fills a nonce (pure). */
import { bumpedFees, type Fees, outbiddingFees } from '../../chain/fees.ts'

/** The last offer for a nonce. `isOutbid`: pools keep other bytes under it. */
export type Offered = { fees: Fees; isOutbid: boolean }

/**
 * More than the last offer where pools keep other bytes under the nonce, such as those of a history that the database has lost, which nobody
 * knows the fees of; otherwise the same, so that it is the same transaction, until the market asks for more.
 * @param dearest the most that a batch has offered under the nonce
 */
export function feesToFill(
  before: Offered | undefined,
  { dearest, market, capWei }: { dearest: Fees | undefined; market: Fees; capWei: bigint },
): Fees {
  if (before === undefined) return (dearest && bumpedFees(dearest, market, capWei)) ?? market
  const { fees, isOutbid } = before
  if (!isOutbid && market.maxFeePerGas <= fees.maxFeePerGas) return fees
  return bumpedFees(fees, market, capWei) ?? (isOutbid ? outbiddingFees(fees, capWei) : undefined) ?? fees
}
