/** Operators close the differences that foreign batches leave behind. */
import type { Queryable } from '../../db/database.ts'
import type { OrderName } from '../../orders/order.ts'
import { orderTag } from '../../values/order-tag.ts'
import {
  deleteTagConflict,
  type ForeignState,
  insertExplanation,
  insertGivenUp,
  lockConflict,
  markNotOf,
  readForeignState,
} from '../tables/explanations.sql.ts'
import { readSettledTags, type SettledTag } from '../tables/foreign.sql.ts'
import { endMovementOf } from '../tables/movements.sql.ts'
import { readRedeemTags, tagsOf } from '../tables/redeem-tags.sql.ts'
import { type Disowned, disown, letGo } from './disown.ts'
import type { Replaced } from './replaced.ts'

/** Why something cannot be explained, or not so. */
export type ExplainRefusal =
  | {
      refused:
        | 'no_batch'
        | 'explained_already'
        | 'not_in_conflict'
        | 'none_chosen'
        | 'would_settle_twice'
        | 'minted_back'
    }
  | { refused: Exclude<Replaced, 'replaced' | 'gone'> | 'not_as_seen' | 'lost_since' }
  | { refused: 'orders_wait' | 'minting'; orders: string[] }

type Batch = { chainId: number; batchId: bigint }

/**
 * Keeps why a foreign batch did what no order asked for, which closes the difference in supply. Refused while an order
 * waits because of it.
 */
export async function explainBatch(
  tx: Queryable,
  { chainId, batchId }: Batch,
  reason: string,
): Promise<ExplainRefusal | 'explained'> {
  const state = await readForeignState(tx, chainId, batchId)
  const refusal = refusalOf(state)
  if (refusal !== undefined) return refusal
  if (state?.isExplained) return { refused: 'explained_already' }
  if (state !== undefined && state.waitingOrders.length > 0)
    return { refused: 'orders_wait', orders: state.waitingOrders }
  await insertExplanation(tx, chainId, batchId, reason)
  await endMovementOf(tx, chainId, batchId)
  return 'explained'
}

/**
 * Keeps that a final batch, which the chain has lost for good, is given up with everything behind it (repair/replaced.ts, repair/gone.ts).
 * @param replaced what the chain says of it
 */
export async function giveUpBatch(
  tx: Queryable,
  { chainId, batchId }: Batch,
  reason: string,
  replaced: Replaced,
): Promise<ExplainRefusal | 'given_up'> {
  const state = await readForeignState(tx, chainId, batchId)
  if (state === undefined) return { refused: 'no_batch' }
  if (state.isGivenUp) return { refused: 'explained_already' }
  if (!state.isOwn && !state.isForeign) return { refused: 'own_batch' }
  if (replaced !== 'replaced' && replaced !== 'gone') return { refused: replaced }
  await insertGivenUp(tx, chainId, batchId, reason)
  return 'given_up'
}

/**
 * Takes an operator's word that instructions of a foreign batch are not those of an order that waits because of them.
 * The order goes on when nothing is left to say about its tag.
 * @param index only this instruction of the batch; otherwise each with the order's tag
 */
export async function disownInBatch(
  tx: Queryable,
  { chainId, batchId }: Batch,
  name: OrderName,
  index: number | undefined,
): Promise<ExplainRefusal | Exclude<Disowned, { refused: string }>> {
  const refusal = refusalOf(await readForeignState(tx, chainId, batchId))
  if (refusal !== undefined) return refusal
  const conflict = await lockConflict(tx, chainId, name)
  if (conflict === undefined) return { refused: 'not_in_conflict' }
  const { order, tag } = conflict
  const settled = await readSettledTags(tx, [tag])
  const isChosen = (each: SettledTag) =>
    each.chainId === chainId && each.batchId === batchId && (index === undefined || each.index === index)
  const own = [orderTag(order.integrationId, order.referenceId), ...tagsOf(await readRedeemTags(tx, [order]))]
  const result = own.includes(tag) ? disown(order, settled, isChosen) : letGo(order, settled.filter(isChosen))
  if ('refused' in result) return result
  await markNotOf(tx, chainId, result.chosen, order.orderId)
  if (result.next !== 'waits') await deleteTagConflict(tx, order.orderId)
  return result
}

function refusalOf(state: ForeignState | undefined): ExplainRefusal | undefined {
  if (state === undefined) return { refused: 'no_batch' }
  return state.isForeign ? undefined : { refused: 'own_batch' }
}
