/** What is known of a completed order that the chain has lost, or a failed one that it has executed after all, in a sentence that says who must act (pure). */
import type { Order } from '../../orders/order.ts'
import { REFUNDS, REMINTS } from '../../values/house.ts'

/**
 * `batchId`: the batch that was given up, or whose second execution has refused it (`wasRefused`), or done it although the first had failed (`isExecuted`).
 * `remint`: the reference of the latest order that mints it again. `isClosed`: it was made good otherwise.
 */
export type LostFacts = {
  batchId: bigint
  remint: string | null
  remintStatus: string | null
  isClosed: boolean
  isExecuted: boolean
  wasRefused: boolean
}

/** Whether what was lost has been made good. */
export function isGood({ isClosed, remintStatus }: Pick<LostFacts, 'isClosed' | 'remintStatus'>): boolean {
  return isClosed || remintStatus === 'completed'
}

const TO_DO = {
  MINT: 'the coin is not there. Run "coin order make-good", and it is minted again.',
  REDEEM:
    'the holder has the coin again. Its payout is held if no rail was asked: run "coin payout release" if it is to be paid. Once its payout is paid, or its coin was minted back, run "coin order make-good": the books say then that its integration owes the ringgit, as for a mint. If its partner does not want it any more, "coin order make-good --unpaid" ends it: nobody is paid.',
  TRANSFER:
    'the sender has the coin again. Have the partner send it under another reference, then run "coin order make-good", which notes that.',
} as const

const TO_DO_EXECUTED = {
  MINT: 'the coin is there, and its partner was told otherwise. Agree with the partner: it pays, or has the coin redeemed. Run "coin order make-good": the books say then that its integration owes the ringgit, as for a mint.',
  REDEEM:
    'the coin is burnt, its partner was told otherwise, and nobody is paid. Run "coin order make-good", and it is minted back.',
  TRANSFER:
    'its receiver has the coin, and its partner was told otherwise. Agree with the partner whether it is sent back, then run "coin order make-good", which notes that.',
} as const

const OF_HOUSE = 'the coin is there. Run "coin order make-good", by which '
const REFUND_EXECUTED = `${OF_HOUSE}its payout ends as minted back; where that was paid since, the books say that its integration owes the ringgit.`
const REMINT_EXECUTED = `${OF_HOUSE}what it was to mint again is good; where that was minted again since, the books say that its integration owes the ringgit.`

function toDoExecuted({ direction, integrationId }: Pick<Order, 'direction' | 'integrationId'>): string {
  if (integrationId === REFUNDS) return REFUND_EXECUTED
  return integrationId === REMINTS ? REMINT_EXECUTED : TO_DO_EXECUTED[direction]
}

const BY_OTHERS = {
  MINT: 'the coin is there. Agree with the partner, which pays or has the coin redeemed, then run "coin order make-good": the books say then that its integration owes the ringgit, as for a mint.',
  REDEEM:
    'the coin is burnt, and nobody is paid. Run "coin order make-good": the books say then that its integration is owed the ringgit, which covers its next mints, or which you pay back to it.',
  TRANSFER:
    'its receiver has the coin. Agree with the partner whether it is sent back, then run "coin order make-good", which notes that.',
} as const

/** Who must act where a batch that this service did not make has done what an order asks for that had ended. */
export function toDoByOthers({ direction, integrationId }: Pick<Order, 'direction' | 'integrationId'>): string {
  return integrationId === REFUNDS ? REFUND_EXECUTED : BY_OTHERS[direction]
}

/** The same, with what has happened. */
export const sayDoneByOthers = (order: Pick<Order, 'direction' | 'integrationId'>): string =>
  `the order had ended when a batch that this database did not make did what it asks for: ${toDoByOthers(order)}`

const OF_REFUND =
  ' Where the chain has lost the burn of its redeem, too, nothing is: the holder has that coin, and both are noted.'

/** What became of it. */
export function sayLost(
  { direction, integrationId }: Pick<Order, 'direction' | 'integrationId'>,
  lost: LostFacts,
): string {
  const what = sayWhat(lost)
  if (integrationId === REMINTS && !lost.isExecuted)
    return `${what}, as what it had minted again: that order is made good once more.`
  const remint = `${REMINTS}/${lost.remint}`
  if (lost.isClosed) return `${what}; it was made good.`
  if (lost.isExecuted && lost.remint === null) return `${what}: ${toDoExecuted({ direction, integrationId })}`
  if (lost.remint === null) return `${what}: ${TO_DO[direction]}${integrationId === REFUNDS ? OF_REFUND : ''}`
  if (lost.remintStatus === 'completed') return `${what}; ${remint} has minted it again.`
  if (lost.remintStatus === 'failed')
    return `${what}, and ${remint}, which was to mint it again, has failed: see "coin order show ${remint}", then run "coin order make-good" once more.`
  if (lost.remintStatus === 'lost')
    return `${what}, and so is ${remint}, which had minted it again: run "coin order make-good" once more.`
  return `${what}; ${remint} mints it again: see "coin order show ${remint}".`
}

function sayWhat({ batchId, isExecuted, wasRefused }: LostFacts): string {
  if (isExecuted)
    return `executed after all: the chain had lost batch ${batchId}, and has done it when it executed that again`
  if (wasRefused) return `lost: the chain had lost batch ${batchId}, and has refused it when it executed that again`
  return `lost: the chain has lost batch ${batchId}, which was given up`
}
