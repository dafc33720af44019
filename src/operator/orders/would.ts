/** What a command would do with an order, in a sentence for whoever asks for it and whoever decides about it (pure). */
import { formatAmount } from '../../money.ts'
import type { Order } from '../../orders/order.ts'
import { REFUNDS, REMINTS } from '../../values/house.ts'
import { isGood, type LostFacts } from './lost.ts'
import type { WaitingFacts } from './waiting.ts'

type Of = Pick<Order, 'direction' | 'integrationId' | 'amountMicro' | 'walletAddress' | 'debitAddress'>
type Facts = Pick<WaitingFacts, 'lost' | 'isDoneByOthers' | 'isChainLost' | 'hasTagConflict'>

const coinOf = ({ amountMicro }: Of) => `${formatAmount(amountMicro)} coin`

/** What settling it moves. */
function sayMove(order: Of): string {
  const { direction, walletAddress, debitAddress } = order
  if (direction === 'MINT') return `${coinOf(order)} would be minted to ${walletAddress}`
  if (direction === 'REDEEM') return `${coinOf(order)} would be burnt from ${walletAddress}, and its ringgit paid`
  return `${coinOf(order)} would be moved from ${debitAddress} to ${walletAddress}`
}

const STAYS = 'The order stays as its partner was told.'
const NOTHING_MOVES = 'No coin is moved.'
const ON_LOST_CHAIN = 'Its chain is gone for good: nothing would be minted, and that coin stays owed to its holder.'
const PAYOUT_ENDS = `The coin is there: its payout would end as minted back; where that was paid since, the books would say that its integration owes the ringgit. ${NOTHING_MOVES}`

/** Where nothing is to be made good, or is being minted again already: undefined. By others only where what the chain has made of its own batch is good. */
export function sayMakingGood(order: Of, { lost, isDoneByOthers, isChainLost }: Facts): string | undefined {
  if (lost === undefined || isGood(lost)) return isDoneByOthers ? ofOthers(order) : undefined
  if (isUnderWay(lost)) return undefined
  if (lost.isExecuted) return ofExecuted(order, isChainLost)
  return order.integrationId === REMINTS ? undefined : ofLost(order, isChainLost)
}

/** In these the payout of a redeem that was made good is nobody's any more: its payment came back. */
const CAME_BACK: ReadonlySet<string> = new Set(['held', 'rejected', 'returned'])

/** Whether it can be ended so that nobody is paid for it: only a redeem whose burn is lost; one that was made good while it was paid, once that payment came back. */
export function mayEndUnpaid(
  { direction }: Pick<Of, 'direction'>,
  { lost, payout }: Pick<WaitingFacts, 'lost' | 'payout'>,
): boolean {
  if (direction !== 'REDEEM' || lost === undefined || lost.isExecuted) return false
  return !isGood(lost) || (lost.isClosed && payout !== undefined && CAME_BACK.has(payout.status))
}

export const sayEndingUnpaid = (order: Of): string =>
  `It would fail, and its partner would be told, unless it had completed: its holder keeps ${coinOf(order)}, and nobody would ever be paid for it.`

const isUnderWay = ({ remintStatus }: LostFacts) => remintStatus === 'pending' || remintStatus === 'processing'

function ofLost(order: Of, isChainLost: boolean): string {
  const { direction, integrationId, walletAddress } = order
  if (direction === 'REDEEM')
    return `Its holder has ${coinOf(order)} again: the books would say that its integration owes the ringgit which was paid. Where that coin was minted back, and this is lost, too, both would only be noted. ${NOTHING_MOVES}`
  if (direction === 'TRANSFER')
    return `It would be noted that its sender has sent ${coinOf(order)} again. ${NOTHING_MOVES}`
  const refund =
    integrationId === REFUNDS
      ? ' Where the chain has lost the burn of its redeem, too, nothing would be minted: the holder has that coin, and both would be noted.'
      : ''
  if (isChainLost) return `${ON_LOST_CHAIN}${refund}`
  return `${coinOf(order)} would be minted again to ${walletAddress}, by an order of the house. ${STAYS}${refund}`
}

function ofExecuted(order: Of, isChainLost: boolean): string {
  const { direction, integrationId, walletAddress } = order
  if (integrationId === REFUNDS) return PAYOUT_ENDS
  if (integrationId === REMINTS)
    return `The coin is there: what it was to mint again would be good; where that was minted again since, the books would say that its integration owes the ringgit. ${NOTHING_MOVES}`
  if (direction === 'MINT')
    return `${coinOf(order)} is there: the books would say that its integration owes the ringgit, as for a mint. ${NOTHING_MOVES} ${STAYS}`
  if (direction === 'TRANSFER')
    return `It would be noted that its partner knows of ${coinOf(order)} at ${walletAddress}. ${NOTHING_MOVES}`
  if (isChainLost) return ON_LOST_CHAIN
  return `${coinOf(order)} would be minted back to ${walletAddress}, by an order of the house. ${STAYS}`
}

function ofOthers(order: Of): string {
  const { direction, integrationId, walletAddress } = order
  if (integrationId === REFUNDS) return PAYOUT_ENDS
  if (direction === 'TRANSFER')
    return `It would be noted that its partner knows of ${coinOf(order)} at ${walletAddress}, moved by others' batch. ${NOTHING_MOVES}`
  if (direction === 'MINT')
    return `${coinOf(order)} is there, minted by others' batch: the books would say that its integration owes the ringgit, as for a mint. ${NOTHING_MOVES} ${STAYS}`
  return `${coinOf(order)} is burnt, by others' batch: the books would say that its integration is owed the ringgit, which covers its next mints or which you pay back. ${NOTHING_MOVES} ${STAYS}`
}

export function sayReleasing(order: Of, { hasTagConflict }: Facts): string {
  if (hasTagConflict)
    return 'It would be held no more, and go on once it is said what others have settled under its tag.'
  return `It would go on, and settle: ${sayMove(order)}.`
}

export function sayRejecting({ integrationId }: Pick<Of, 'integrationId'>): string {
  if (integrationId === REFUNDS)
    return 'It would fail for good: the coin of its payout would not be minted back, and the payout is as it was before.'
  if (integrationId === REMINTS) return 'It would fail for good: what it was to mint again stays lost.'
  return 'It would fail for good, and its partner would be told: no coin is moved for it, and what it held is given back.'
}

/** What becomes of it where an operator says that an instruction of others is not its own. */
export function sayDisowning(order: Of & Pick<Order, 'status'>): string {
  if (order.status === 'failed' || order.status === 'cancelled')
    return `It stays ${order.status}, as its partner was told: whoever has the coin that others moved keeps it, and nobody owes anything by it.`
  return `It would go on, and settle: ${sayMove(order)}. Where just one other instruction with its tag is left that does what it asks for, it takes that outcome.`
}
