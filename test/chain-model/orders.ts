/** What partners ask for in a life, what they were told of it, and what operators said; none of it is forgotten when the database is. */
import type { ChainConfig } from '../../src/config.ts'
import type { Database } from '../../src/db/database.ts'
import { holdOrders, releaseOrder } from '../../src/orders/life/hold.sql.ts'
import type { Order } from '../../src/orders/order.ts'
import { BATCH_OF_ORDER, ORDER_COLUMNS, type OrderRow, orderFromRow } from '../../src/orders/row.sql.ts'
import { rejectUnsettled } from '../../src/settlement/explain/reject.ts'
import { REFUNDS } from '../../src/values/house.ts'
import { orderTag } from '../../src/values/order-tag.ts'
import { placeOrders, type TestOrder, wallet } from '../settlement/fixture.ts'
import { PARTIES } from '../settlement/parties.ts'
import type { Random } from '../support/random.ts'

/** `burnt`: a redeem whose payout is queued. */
export type End = 'completed' | 'failed' | 'rejected' | 'burnt'

export type Asked = Required<Pick<TestOrder, 'direction' | 'amountMicro' | 'party' | 'referenceId'>> &
  Pick<TestOrder, 'to' | 'from'> & {
    tag: string
    /** What the partner was told last. */
    told?: End
    /** How it stood on the chain at full depth, when that was judged last. */
    deep?: 'done' | 'failed' | undefined
    /** An operator has rejected it, and says so again to a database that has forgotten it. */
    isRejected: boolean
  }

export const WALLETS = [1, 2, 3, 4, 5].map(wallet)
const FUNDS_MICRO = 10_000_000n

export type Orders = ReturnType<typeof createOrders>

type Databases = { db: Database; operating: Database }

export function createOrders(
  { db, operating }: Databases,
  config: ChainConfig,
  random: Random,
  say: (what: string) => void,
) {
  const asked: Asked[] = []
  const { chainId } = config
  const nameOf = ({ party, referenceId }: Asked) => `${party.integrationId}/${referenceId}`

  async function read(): Promise<Map<string, Order>> {
    const rows = await db.query<OrderRow>(
      `select ${ORDER_COLUMNS} from orders o ${BATCH_OF_ORDER} where o.chain_id = $1 order by o.order_id`,
      [chainId],
    )
    return new Map(rows.map((row) => [`${row.integration_id}/${row.reference_id}`, orderFromRow(row)]))
  }
  const hold = (orderId: bigint, reason: string) => operating.transaction((tx) => holdOrders(tx, [{ orderId, reason }]))
  const reject = (order: Order) => operating.transaction((tx) => rejectUnsettled(tx, order, []))

  async function add(direction: Asked['direction'], micro: bigint, wallets: Pick<Asked, 'to' | 'from'>): Promise<void> {
    const party = random.pick(PARTIES)
    const referenceId = `life-order-${String(asked.length).padStart(4, '0')}`
    // Each amount names its order; all are whole sen, so that no payout leaves parts of one.
    const amountMicro = micro + BigInt(asked.length) * 10_000n
    const tag = orderTag(party.integrationId, referenceId)
    const order: Asked = { direction, party, referenceId, amountMicro, ...wallets, tag, isRejected: false }
    asked.push(order)
    say(`${direction} ${referenceId}`)
    await placeOrders(db, config, [order])
  }

  return {
    asked,
    read,
    nameOf,
    fund: (to: string) => add('MINT', FUNDS_MICRO, { to }),

    /** @param redeems more redeems than usual */
    async ask(redeems = false): Promise<void> {
      const direction = random.pick(
        redeems ? (['MINT', 'REDEEM', 'REDEEM'] as const) : (['MINT', 'MINT', 'MINT', 'REDEEM', 'TRANSFER'] as const),
      )
      const wallets = {
        ...(direction === 'REDEEM' ? {} : { to: random.pick(WALLETS) }),
        ...(direction === 'MINT' ? {} : { from: random.pick(WALLETS) }),
      }
      await add(direction, BigInt(random.between(1, 4)) * 1_000_000n, wallets)
    },

    tagOf: (name: string): string | undefined => asked.find((order) => nameOf(order) === name)?.tag,

    wasToldFailed: (tag: string) => asked.some((order) => order.tag === tag && order.told === 'failed'),

    /**
     * Partners post again what the service does not know any more, as far as they were not told that it was rejected.
     * @param isHeeded nor that it has failed
     */
    async askAgain(share: number, isHeeded = false): Promise<void> {
      const known = await read()
      for (const order of asked) {
        if (known.has(nameOf(order)) || order.isRejected || (isHeeded && order.told === 'failed')) continue
        if (!random.chance(share)) continue
        say(`again ${order.referenceId}`)
        await placeOrders(db, config, [order])
      }
    },

    /** Whether an order with a tag is open, or will be posted again. */
    async mayCome(): Promise<(tag: string) => boolean> {
      const known = await read()
      const open = asked.filter((order) => {
        const found = known.get(nameOf(order))
        if (found === undefined) return !order.isRejected && order.told !== 'failed'
        return found.status === 'pending' || found.status === 'processing'
      })
      const tags = new Set(open.map(({ tag }) => tag))
      return (tag) => tags.has(tag)
    },

    async areAnyOpen(): Promise<boolean> {
      const open = `select 1 from orders where chain_id = $1 and status in ('pending', 'payment_pending') limit 1`
      return (await db.query(open, [chainId])).length > 0
    },

    async hold(): Promise<void> {
      const open = [...(await read()).values()].filter(({ status }) => status === 'pending' || status === 'processing')
      if (open.length === 0) return
      const { orderId, referenceId } = random.pick(open)
      if ((await hold(orderId, 'by the model')).length > 0) say(`held ${referenceId}`)
    },
    /** @param isOfHouse also what mints coin back */
    async release(share = 1, isOfHouse = true): Promise<void> {
      const held = await db.query<{ orderId: bigint }>(
        `select h.order_id as "orderId" from order_holds h join orders o on o.order_id = h.order_id
         where $1 or o.integration_id <> '${REFUNDS}' order by 1`,
        [isOfHouse],
      )
      const known = await read()
      const isRejected = (orderId: bigint) =>
        asked.some((order) => order.isRejected && known.get(nameOf(order))?.orderId === orderId)
      for (const { orderId } of held) {
        if (isRejected(orderId) || !random.chance(share)) continue
        if (await operating.transaction((tx) => releaseOrder(tx, orderId))) say(`released ${orderId}`)
      }
    },
    async reject(): Promise<void> {
      const order = random.pick(asked)
      const found = (await read()).get(nameOf(order))
      if (found === undefined || (await reject(found)) !== 'rejected') return
      order.isRejected = true
      say(`rejected ${order.referenceId}`)
    },
    /** After a restore: what was rejected is kept from settling at once. @param isTried whether it is rejected again, too */
    async rejectAgain(isTried: boolean): Promise<void> {
      const known = await read()
      for (const order of asked) {
        const found = known.get(nameOf(order))
        if (!order.isRejected || found === undefined || found.status === 'failed') continue
        if (isTried) await reject(found)
        else await hold(found.orderId, 'was rejected')
      }
    },
  }
}
