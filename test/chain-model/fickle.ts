/**
 * What people do where the chain executes final batches again with another outcome: payers look for burns, and operators say so, too, and make good
 * whatever its partner was told otherwise. And whether it is all right at the end: no coin is there that the books do not have, nor the other way round.
 */
import assert from 'node:assert/strict'
import { pino } from 'pino'
import type { RpcNode } from '../../src/chain/node.ts'
import { createWitness } from '../../src/chain/witness.ts'
import { ChainError } from '../../src/chain-errors.ts'
import type { ChainConfig } from '../../src/config.ts'
import type { Database } from '../../src/db/database.ts'
import { readBalances } from '../../src/ledger/balances.sql.ts'
import { findLostOrders } from '../../src/operator/orders/lost.sql.ts'
import { findOtherOutcomes } from '../../src/operator/reconcile/foreign.sql.ts'
import type { Order } from '../../src/orders/order.ts'
import { BATCH_OF_ORDER, ORDER_COLUMNS, type OrderRow, orderFromRow } from '../../src/orders/row.sql.ts'
import { lookForBurns } from '../../src/payouts/burns.ts'
import { releasePayout } from '../../src/payouts/payouts.sql.ts'
import { findUnburnt } from '../../src/payouts/unburnt.sql.ts'
import { proveDoneByOthers } from '../../src/settlement/explain/done-by-others.ts'
import { whyMaybeBurnt } from '../../src/settlement/explain/lost-burn.ts'
import { endRedeem, makeGood } from '../../src/settlement/explain/make-good.ts'
import { explainOutcome, proveOutcome } from '../../src/settlement/explain/outcome.ts'
import { rejectUnsettled } from '../../src/settlement/explain/reject.ts'
import { proveUnburnt, resettle } from '../../src/settlement/explain/resettle.ts'
import { findDoneByOthers } from '../../src/settlement/tables/ended-alike.sql.ts'
import { findLostBatch } from '../../src/settlement/tables/lost.sql.ts'
import { REMINTS } from '../../src/values/house.ts'
import { orderTag } from '../../src/values/order-tag.ts'
import type { Asked } from './orders.ts'

type Chain = { config: ChainConfig; nodes: readonly RpcNode[] }
type Say = (what: string) => void

const silent = pino({ level: 'silent' })

/** What the nodes say, or that they do not agree. */
const asked = async <T>(asking: Promise<T>): Promise<T | 'unknown'> =>
  await asking.catch((error: unknown) => {
    if (error instanceof ChainError) return 'unknown' as const
    throw error
  })

export type Fickle = ReturnType<typeof createFickle>

/** @param db as operators use it @param paying the same, as payers do @param isPaid others see to payouts */
export function createFickle(
  { db, paying }: { db: Database; paying: Database },
  chain: Chain,
  say: Say,
  isPaid = false,
) {
  const { chainId } = chain.config
  const witness = createWitness(chain.config, chain.nodes)
  const count = { explained: 0, forgotten: 0, turned: 0, made: 0, ended: 0, resettled: 0, rejected: 0 }

  async function explain(): Promise<void> {
    for (const { batchId } of await findOtherOutcomes(db)) {
      const proven = await asked(proveOutcome(db, chain, batchId))
      if (proven === undefined || proven === 'unknown') continue
      const done = await db.transaction((tx) => explainOutcome(tx, { chainId, batchId }, 'a wallet was frozen', proven))
      if ('refused' in done) say(`batch ${batchId} is not explained: ${done.refused}`)
      else {
        count.explained += 1
        count.forgotten += done.forget.length
        count.turned += done.turn.length
        say(`batch ${batchId} is explained: ${Object.entries(done).map(([what, { length }]) => `${what} ${length}`)}`)
      }
    }
  }

  /** What is about to be minted, and is there already, as far as a settler has seen. */
  async function readHeld(): Promise<Order[]> {
    const rows = await db.query<OrderRow>(
      `select ${ORDER_COLUMNS} from order_holds h join orders o on o.order_id = h.order_id ${BATCH_OF_ORDER}
       where o.chain_id = $1 and o.integration_id = '${REMINTS}' order by o.order_id`,
      [chainId],
    )
    return rows.map(orderFromRow)
  }

  async function rejectHeld(): Promise<void> {
    for (const order of await readHeld()) {
      const done = await db.transaction((tx) => rejectUnsettled(tx, order, []))
      say(`${order.referenceId}, which is held, is rejected: ${done}`)
      if (done === 'rejected') count.rejected += 1
    }
  }

  async function makeAllGood(): Promise<void> {
    const rows = await db.query<OrderRow>(
      `select ${ORDER_COLUMNS} from lost_orders l join orders o on o.order_id = l.order_id ${BATCH_OF_ORDER}
       where l.chain_id = $1 and l.closed_at is null order by l.order_id`,
      [chainId],
    )
    for (const order of rows.map(orderFromRow)) await makeOneGood(order)
  }

  async function makeOneGood(order: Order): Promise<void> {
    const done = await db.transaction((tx) => makeGood(tx, order, undefined))
    if (typeof done === 'string' || 'remint' in done) {
      count.made += 1
      say(`${order.referenceId} is made good: ${JSON.stringify(done)}`)
    } else if (done.refused === 'unpaid') await endUnpaid(order)
  }

  /** Bytes of a batch that was given up were executed after all: they are others'. */
  const readDoneByOthers = async (): Promise<Order[]> =>
    (
      await db.query<OrderRow>(
        `select ${ORDER_COLUMNS} from tag_conflicts t join orders o on o.order_id = t.order_id ${BATCH_OF_ORDER}
         where o.chain_id = $1 and o.status in ('failed', 'cancelled') order by o.order_id`,
        [chainId],
      )
    ).map(orderFromRow)

  async function makeOthersGood(): Promise<void> {
    for (const order of await readDoneByOthers()) {
      const proven = await asked(proveDoneByOthers(db, chain, order))
      if (proven === undefined || proven === 'unknown') continue
      const done = await db.transaction((tx) => makeGood(tx, order, proven))
      say(`${order.referenceId}, which others have carried out, is made good: ${JSON.stringify(done)}`)
      if (typeof done === 'string') count.made += 1
    }
  }

  /** Nobody pays in a life. */
  async function endUnpaid(order: Order): Promise<void> {
    const batchId = (await findLostBatch(db, order.orderId))?.batchId
    if (batchId === undefined) return
    if ((await asked(whyMaybeBurnt(db, chain, { batchId, orderId: order.orderId }))) !== undefined) return
    const done = await db.transaction((tx) => endRedeem(tx, order, { batchId, isOfLostChain: false }))
    say(`${order.referenceId} ends unpaid: ${JSON.stringify(done)}`)
    if (done === 'ended') count.ended += 1
  }

  /** What is burnt after all, as where a lost batch was signed again, is looked for by payers once more. */
  async function resettleUnburnt(): Promise<void> {
    const held = `select payout_id as id from payouts where status = 'held' and hold_reason = 'burn_not_seen' order by 1`
    for (const { id } of await db.query<{ id: string }>(held)) {
      const unburnt = await findUnburnt(db, id)
      const proven = unburnt && (await asked(proveUnburnt(db, chain, unburnt)))
      if (proven === 'burnt' && (await db.transaction((tx) => releasePayout(tx, id)))) say(`payout ${id} is released`)
      if (typeof proven !== 'object') continue
      const done = await db.transaction((tx) => resettle(tx, proven))
      say(`the burn of ${proven.unburnt.referenceId} awaits a batch again: ${JSON.stringify(done)}`)
      if (typeof done === 'object') count.resettled += 1
    }
  }

  return {
    count,
    lookAtBurns: async (): Promise<void> => {
      // For payers no time passes in a life.
      await lookForBurns({ db: paying, chain: { chainId, witness }, logger: silent, againMs: 0 })
    },
    async operate(): Promise<void> {
      await rejectHeld()
      await explain()
      await makeAllGood()
      await makeOthersGood()
      if (!isPaid) await resettleUnburnt()
    },
    /** Whether people have anything left to do, or see come to its end. */
    async isAnyLeft(): Promise<boolean> {
      const left = await Promise.all([findOtherOutcomes(db), findLostOrders(db), readHeld()])
      if (left.some(({ length }) => length > 0)) return true
      for (const { orderId } of await readDoneByOthers())
        if ((await findDoneByOthers(db, orderId)) !== undefined) return true
      return false
    },
  }
}

/**
 * Orders whose partner was told otherwise than the chain has it, and for which people have done something; and those that were minted again, or back,
 * under their tag, of which the chain may have done the contrary since.
 */
export async function readMadeGood(db: Database, chainId: number): Promise<(order: Asked) => boolean> {
  const tags = new Set(await readMadeGoodTags(db, chainId))
  return ({ tag }) => tags.has(tag)
}

/** Their tags. */
export async function readMadeGoodTags(db: Database, chainId: number): Promise<string[]> {
  const lost = await db.query<{ integrationId: string; referenceId: string }>(
    `select o.integration_id as "integrationId", o.reference_id as "referenceId" from lost_orders l join orders o using (order_id) where l.chain_id = $1`,
    [chainId],
  )
  const minted = await db.query<{ tag: string }>(
    `select split_part(reference_id, '/', 1) as tag from orders where chain_id = $1 and integration_id = '${REMINTS}'`,
    [chainId],
  )
  const ended = await db.query<{ integrationId: string; referenceId: string }>(
    `select o.integration_id as "integrationId", o.reference_id as "referenceId" from payouts p join orders o using (order_id)
     where o.chain_id = $1 and p.refunds > 0
     union select o.integration_id, o.reference_id from foreign_instructions i join orders o using (order_id)
     where i.chain_id = $1 and i.succeeded and o.status in ('failed', 'cancelled')`,
    [chainId],
  )
  return [
    ...[...lost, ...ended].map(({ integrationId, referenceId }) => orderTag(integrationId, referenceId)),
    ...minted.map(({ tag }) => tag),
  ]
}

/** The books have the coin that the chain has, whatever it did twice. */
export async function judgeSupply(db: Database, supply: bigint): Promise<void> {
  const coins = (await readBalances(db)).filter(({ kind }) => kind === 'coins')
  const booked = coins.reduce((sum, { balanceMicro }) => sum - balanceMicro, 0n)
  assert.equal(booked, supply, 'the books have the coin of the chain')
}
