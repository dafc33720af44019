/** The books of orders that the chain has executed after all, or done the contrary of once they were made good. */
import type { Queryable } from '../db/database.ts'
import { readNow } from '../db/now.sql.ts'
import { recordEntries } from '../ledger/entries.sql.ts'
import { entryOfBeside, entryOfExecuted, entryOfTurn } from '../ledger/lost-postings.ts'
import type { Direction, Order } from '../orders/order.ts'

/** An order that was made good, and of which the chain has then done the contrary. `turns`: how often that was so before. `isExecuted`: what it has done now. */
export type Turn = {
  chainId: number
  batchId: bigint
  orderId: bigint
  integrationId: string
  direction: Direction
  amountMicro: bigint
  turns: number
  isExecuted: boolean
}

/** Books the coin that is there now and was not before, which its integration owes; or that was and is not, which its integration is owed. */
export async function bookTurns(tx: Queryable, turns: readonly Turn[]): Promise<void> {
  const effectiveAt = await readNow(tx)
  const entries = turns.flatMap(({ direction, amountMicro, isExecuted, ...turn }) => {
    if (direction === 'TRANSFER') return []
    const moreMicro = (direction === 'MINT') === isExecuted ? amountMicro : -amountMicro
    return [entryOfTurn({ ...turn, moreMicro, effectiveAt })]
  })
  await recordEntries(tx, entries)
}

/** A redeem that had left a batch, and that the batch has burnt after all. `isBeside`: the books have that burn already, and the chain has lost it again. */
type Beside = Pick<Turn, 'orderId' | 'integrationId' | 'amountMicro'> & { isBeside: boolean }

/** Books such burns, for which nothing is paid: its integration is owed the coin; or, where that is there again, is owed it no more. */
export async function bookBurnsBeside(
  tx: Queryable,
  batch: Pick<Turn, 'chainId' | 'batchId'>,
  burns: readonly Beside[],
): Promise<void> {
  if (burns.length === 0) return
  const effectiveAt = await readNow(tx)
  const entries = burns.map(({ orderId, integrationId, amountMicro, isBeside }) =>
    entryOfBeside({ ...batch, orderId, integrationId, moreMicro: isBeside ? amountMicro : -amountMicro, effectiveAt }),
  )
  await recordEntries(tx, entries)
}

/** An order that had ended, and that a batch of others has carried out. */
export type ByOthers = Pick<Turn, 'batchId' | 'orderId' | 'integrationId' | 'direction' | 'amountMicro'>

/**
 * Books what others have carried out: its integration owes what was minted, and is owed what was burnt.
 * @param options.isGone the chain has lost that again, so that the opposite is booked; both may come more than once
 */
export async function bookByOthers(
  tx: Queryable,
  chainId: number,
  orders: readonly ByOthers[],
  { isGone = false } = {},
): Promise<void> {
  if (orders.length === 0) return
  const effectiveAt = await readNow(tx)
  const entries = orders.map(({ direction, amountMicro, ...order }) => {
    const moreMicro = (direction === 'MINT') === isGone ? -amountMicro : amountMicro
    return entryOfBeside({ ...order, chainId, moreMicro, effectiveAt })
  })
  await recordEntries(tx, entries)
}

/** Books a mint that had failed, and whose coin is there: its integration owes the ringgit; of an order of the house, that of its customer. */
export async function bookExecuted(
  tx: Queryable,
  { orderId, chainId, batchId, customerId, amountMicro }: Order,
): Promise<void> {
  if (batchId === null) throw new Error(`order ${orderId} was in no batch`)
  const [owner] = await tx.query<{ integration_id: string }>(
    'select integration_id from customers where customer_id = $1',
    [customerId],
  )
  if (owner === undefined) throw new Error(`order ${orderId} has no customer`)
  const { integration_id: integrationId } = owner
  await recordEntries(tx, [
    entryOfExecuted({ integrationId, chainId, batchId, orderId, amountMicro, effectiveAt: await readNow(tx) }),
  ])
}
