/**
 * What people do after a restore of the database, beside what they do in any fickle life (docs/OPERATIONS.md, docs/RUNBOOKS.md): they say which
 * instructions of lost batches are not those of an order that waits because of them, make good with its partner what moved coin for one that has
 * ended, or for none, and explain each batch once nobody posts anything of it again.
 */
import type { ChainConfig } from '../../src/config.ts'
import type { Database } from '../../src/db/database.ts'
import { type BatchRow, listBatches } from '../../src/operator/batches/batches.sql.ts'
import type { Order } from '../../src/orders/order.ts'
import { BATCH_OF_ORDER, ORDER_COLUMNS, type OrderRow, orderFromRow } from '../../src/orders/row.sql.ts'
import { lockPayout } from '../../src/payouts/attempts.sql.ts'
import { beginRefund } from '../../src/payouts/refund.sql.ts'
import { findReminted } from '../../src/payouts/reminted.sql.ts'
import { disownInBatch, explainBatch } from '../../src/settlement/explain/explain.ts'
import { makeGood } from '../../src/settlement/explain/make-good.ts'
import { rejectUnsettled } from '../../src/settlement/explain/reject.ts'
import { isSettledAs } from '../../src/settlement/form/settled-tags.ts'
import { findDoneByOthers } from '../../src/settlement/tables/ended-alike.sql.ts'
import { readForeignInstructions, readSettledTags, type SettledTag } from '../../src/settlement/tables/foreign.sql.ts'
import { orderTag } from '../../src/values/order-tag.ts'
import { readMadeGoodTags } from './fickle.ts'
import type { Line } from './settlers.ts'

const MOST = 100

/** @property wasToldFailed by its tag, what a partner was told of an order last @property isPaid others see to payouts */
type Options = { say: (what: string) => void; wasToldFailed: (tag: string) => boolean; isPaid: boolean }

export type Torn = ReturnType<typeof createTorn>

export function createTorn(db: Database, { chainId }: ChainConfig, { say, wasToldFailed, isPaid }: Options) {
  const count = { disowned: 0, ended: 0, unasked: 0, rejected: 0, refunded: 0, kept: 0 }
  /** Tags of what was put right: what the database has noted of that is undone with it. */
  const excused = new Set<string>()

  const readConflicts = async (): Promise<Order[]> =>
    (
      await db.query<OrderRow>(
        `select ${ORDER_COLUMNS} from tag_conflicts t join orders o on o.order_id = t.order_id ${BATCH_OF_ORDER} order by o.order_id`,
      )
    ).map(orderFromRow)

  const readUnexplained = () =>
    listBatches(db, { chainId, foreign: true, unexplained: true, after: undefined, limit: MOST })

  async function decide(order: Order): Promise<void> {
    const name = { integrationId: order.integrationId, referenceId: order.referenceId }
    const tag = orderTag(order.integrationId, order.referenceId)
    if (wasToldFailed(tag) && (await reject(order))) return
    if (await keep(order)) return
    const settled = (await readSettledTags(db, [tag])).filter(
      ({ orderId, notOfOrderId }) => ![orderId, notOfOrderId].includes(order.orderId),
    )
    for (const each of notIts(order, settled)) {
      const { batchId, index } = each
      const done = await db.transaction((tx) => disownInBatch(tx, { chainId, batchId }, name, index))
      say(`${batchId}/${index} is not what ${order.referenceId} (${order.status}) is about: ${toldOf(done)}`)
      if ('refused' in done) continue
      count.disowned += 1
      if (each.succeeded) excused.add(tag)
      if (done.next === 'stays_ended') count.ended += 1
      if (done.next !== 'waits') return
    }
  }

  /** Of a redeem of which its partner was told that it failed: its coin was burnt after all, and minted back. */
  async function reject(order: Order): Promise<boolean> {
    if (order.direction !== 'REDEEM') return false
    const done = await db.transaction((tx) => rejectUnsettled(tx, order, []))
    say(`${order.referenceId}, which was to be failed, is rejected: ${done}`)
    if (done !== 'rejected') return false
    count.rejected += 1
    excused.add(orderTag(order.integrationId, order.referenceId))
    return true
  }

  /** Of a mint that failed here, and whose coin a lost history has minted: its integration owes the ringgit. */
  async function keep(order: Order): Promise<boolean> {
    if (order.direction !== 'MINT' || order.status !== 'failed') return false
    const done = await db.transaction(async (tx) => makeGood(tx, order, await findDoneByOthers(tx, order.orderId)))
    say(`${order.referenceId}, which had failed, is made good: ${JSON.stringify(done)}`)
    if (done !== 'booked' && done !== 'even') return false
    count.kept += 1
    excused.add(orderTag(order.integrationId, order.referenceId))
    return true
  }

  /** @param mayCome whether an order with the tag may take its outcome yet */
  async function explain({ batchId }: BatchRow, mayCome: (tag: string) => boolean): Promise<void> {
    const untaken = (await readForeignInstructions(db, chainId, batchId)).filter(({ orderId }) => orderId === null)
    if (untaken.some(({ tag }) => mayCome(tag))) return
    const done = await db.transaction((tx) => explainBatch(tx, { chainId, batchId }, 'a restore has lost it'))
    say(`batch ${batchId}, which a restore has lost, is explained: ${typeof done === 'string' ? done : done.refused}`)
    if (done !== 'explained') return
    count.unasked += untaken.length
    for (const { tag } of untaken) excused.add(tag)
  }

  /** Of what a lost history has minted back: that is only to be recorded. */
  async function refund(): Promise<void> {
    const rejected = await db.query<{ id: string }>(
      `select payout_id as id from payouts where status = 'rejected' order by 1`,
    )
    for (const { id } of rejected) {
      const isBegun = await db.transaction(async (tx) => {
        const locked = await lockPayout(tx, id)
        return locked !== undefined && (await findReminted(tx, id)) !== undefined && (await beginRefund(tx, locked))
      })
      if (!isBegun) continue
      count.refunded += 1
      say(`payout ${id} was minted back`)
    }
  }

  return {
    count,
    isExcused: (tag: string) => excused.has(tag),
    /** Before the database is put back, and whenever something is judged. */
    async remember(): Promise<void> {
      for (const tag of await readMadeGoodTags(db, chainId)) excused.add(tag)
    },
    /** Of a batch of others that was executed again with another outcome only the log names the orders. */
    heed(lines: readonly Line[], tagOf: (name: string) => string | undefined): void {
      for (const { msg, orders } of lines) {
        if (!/another outcome/.test(msg) || !Array.isArray(orders)) continue
        for (const told of orders) {
          const tag = tagOf(String(told).split(' ')[0] ?? '')
          if (tag !== undefined) excused.add(tag)
        }
      }
    },
    async operate(mayCome: (tag: string) => boolean): Promise<void> {
      if (!isPaid) await refund()
      for (const order of await readConflicts()) await decide(order)
      for (const batch of await readUnexplained()) if (batch.explanation === null) await explain(batch, mayCome)
    },
    async isAnyLeft(): Promise<boolean> {
      return (await readConflicts()).length + (await readUnexplained()).length > 0
    },
  }
}

const toldOf = (done: object) => ('refused' in done ? String(done.refused) : 'next' in done ? String(done.next) : '')

/** What has other details; then, of several with the order's own, what moved nothing, and all but one of those that moved coin. All, where it has ended. */
function notIts(order: Order, settled: readonly SettledTag[]): SettledTag[] {
  if (order.status === 'failed' || order.status === 'cancelled') return [...settled]
  const like = settled.filter((each) => each.orderId === null && isSettledAs(order, each))
  const unlike = settled.filter((each) => !like.includes(each))
  const [moved, failed] = [like.filter(({ succeeded }) => succeeded), like.filter(({ succeeded }) => !succeeded)]
  return [...unlike, ...(moved.length > 0 ? [...failed, ...moved.slice(1)] : failed.slice(1))]
}
