/** What is known of a completed order that the chain has lost, in a sentence that says who must act (pure). */
import type { Order } from '../../orders/order.ts'
import { REFUNDS, REMINTS } from '../../values/house.ts'

/** `batchId`: the batch that was given up. `remint`: the reference of the latest order that mints it again. `isClosed`: it was made good otherwise. */
export type LostFacts = { batchId: bigint; remint: string | null; remintStatus: string | null; isClosed: boolean }

/** Whether what was lost has been made good. */
export function isGood({ isClosed, remintStatus }: Pick<LostFacts, 'isClosed' | 'remintStatus'>): boolean {
  return isClosed || remintStatus === 'completed'
}

const TO_DO = {
  MINT: 'the coin is not there. Run "order make-good", and it is minted again.',
  REDEEM:
    'the holder has the coin again. Its payout is held if no rail was asked: run "payout release" if it is to be paid. Once its payout is paid, or its coin was minted back, run "order make-good": the books say then that its integration owes the ringgit, as for a mint. If its partner does not want it any more, "order make-good --unpaid" ends it: nobody is paid.',
  TRANSFER:
    'the sender has the coin again. Have the partner send it under another reference, then run "order make-good", which notes that.',
} as const

const OF_REFUND =
  ' Where the chain has lost the burn of its redeem, too, nothing is: the holder has that coin, and both are noted.'

/** What became of it. */
export function sayLost(
  { direction, integrationId }: Pick<Order, 'direction' | 'integrationId'>,
  lost: LostFacts,
): string {
  const what = `lost: the chain has lost batch ${lost.batchId}, which was given up`
  if (integrationId === REMINTS) return `${what}, as what it had minted again: that order is made good once more.`
  const remint = `${REMINTS}/${lost.remint}`
  if (lost.isClosed) return `${what}; it was made good.`
  if (lost.remint === null) return `${what}: ${TO_DO[direction]}${integrationId === REFUNDS ? OF_REFUND : ''}`
  if (lost.remintStatus === 'completed') return `${what}; ${remint} has minted it again.`
  if (lost.remintStatus === 'failed')
    return `${what}, and ${remint}, which was to mint it again, has failed: see "order show ${remint}", then run "order make-good" once more.`
  if (lost.remintStatus === 'lost')
    return `${what}, and so is ${remint}, which had minted it again: run "order make-good" once more.`
  return `${what}; ${remint} mints it again: see "order show ${remint}".`
}
