/**
 * What banks and people do with the payouts of a fickle life: a rail refuses some; they are to be paid again, or their coin is minted back; and what is held
 * because of what the chain has made of that is let go, or rejected, as people are told. Nothing is ever paid.
 */
import type { Database, Queryable } from '../../src/db/database.ts'
import { whyMintedBack, whyReminted } from '../../src/operator/minted-back.ts'
import type { Order } from '../../src/orders/order.ts'
import { BATCH_OF_ORDER, ORDER_COLUMNS, type OrderRow, orderFromRow } from '../../src/orders/row.sql.ts'
import { payoutAdmin } from '../../src/payouts/admin.ts'
import { markRejected } from '../../src/payouts/record-news.ts'
import { rejectUnsettled } from '../../src/settlement/explain/reject.ts'
import { isOrderLost } from '../../src/settlement/tables/lost.sql.ts'
import { REFUNDS } from '../../src/values/house.ts'
import type { Random } from '../support/random.ts'

type Row = { id: string; orderId: bigint; status: string; attempt: number }

export type Refunds = ReturnType<typeof createRefunds>

/** @param db as operators use it @param paying the same, as payers do */
export function createRefunds(
  { db, paying }: { db: Database; paying: Database },
  chainId: number,
  random: Random,
  say: (what: string) => void,
) {
  const count = { refused: 0, retried: 0, refunded: 0, released: 0, rejected: 0 }

  const read = async (which: string): Promise<Row[]> =>
    await db.query<Row>(
      `select p.payout_id as id, p.order_id as "orderId", p.status, p.attempt from payouts p join orders o using (order_id)
       where o.chain_id = $1 and ${which} order by p.payout_id`,
      [chainId],
    )

  /** Its claim comes first, as where a payer asks. */
  async function refuse({ id, attempt }: Row): Promise<void> {
    await paying.transaction(async (tx) => {
      await tx.query(`update payouts set rail = 'http', times_asked = times_asked + 1 where payout_id = $1`, [id])
      await tx.query(
        `insert into payout_attempts (payout_id, attempt, end_to_end_id, rail, bank_id)
         select payout_id, attempt, end_to_end_id, rail, bank_id from payouts where payout_id = $1 on conflict do nothing`,
        [id],
      )
      await markRejected(tx, { payoutId: id, attempt }, { reason: 'closed account', effectiveAt: new Date() })
    })
    count.refused += 1
    say(`the bank refuses ${id}`)
  }

  /** As the commands have it. */
  async function goOn({ id, orderId }: Row, refunds: boolean): Promise<void> {
    const done = await db.transaction(async (tx) => {
      if ((await whyMintedBack(tx, id)) !== undefined) return 'minted back'
      if (!refunds && (await whyReminted(tx, id)) !== undefined) return 'reminted'
      if (refunds && (await isOrderLost(tx, orderId))) return 'lost'
      const after = refunds ? await payoutAdmin.refund(tx, id) : await payoutAdmin.retry(tx, id)
      return after === undefined ? 'refused' : refunds ? 'refunded' : 'retried'
    })
    if (done === 'refunded' || done === 'retried') count[done] += 1
    say(`${id} is to be ${refunds ? 'minted back' : 'paid again'}: ${done}`)
  }

  async function isSettledOtherwise(tx: Queryable, { id, orderId }: Row): Promise<boolean> {
    return (await isOrderLost(tx, orderId)) || (await whyMintedBack(tx, id)) !== undefined
  }

  async function release(row: Row): Promise<void> {
    const done = await db.transaction(async (tx) => {
      if (await isSettledOtherwise(tx, row)) return false
      return (await payoutAdmin.release(tx, row.id)) !== undefined
    })
    if (!done) return
    count.released += 1
    say(`${row.id} is released`)
  }

  async function readHeld(): Promise<Order[]> {
    const rows = await db.query<OrderRow>(
      `select ${ORDER_COLUMNS} from order_holds h join orders o on o.order_id = h.order_id ${BATCH_OF_ORDER}
       where o.chain_id = $1 and o.integration_id = '${REFUNDS}' order by o.order_id`,
      [chainId],
    )
    return rows.map(orderFromRow)
  }

  return {
    count,
    /** @param isEnd no bank refuses anything more */
    async operate(isEnd: boolean): Promise<void> {
      for (const order of await readHeld()) {
        const done = await db.transaction((tx) => rejectUnsettled(tx, order, []))
        say(`refund ${order.referenceId}, which is held, is rejected: ${done}`)
        if (done === 'rejected') count.rejected += 1
      }
      for (const row of await read(`p.status = 'held' and p.hold_reason = 'by_operator'`)) await release(row)
      if (isEnd) return
      for (const row of await read(`p.status = 'queued' and p.burn is not null and p.rail is null`))
        if (random.chance(0.8)) await refuse(row)
      for (const row of await read(`p.status = 'rejected'`)) if (random.chance(0.9)) await goOn(row, random.chance(0.6))
    },
    isAnyLeft: async (): Promise<boolean> => {
      const rows = await db.query(
        `select from orders where integration_id = '${REFUNDS}' and chain_id = $1 and status in ('pending', 'processing')`,
        [chainId],
      )
      return rows.length > 0
    },
  }
}
