/** /orders: orders of all integrations, what holds them up, and everything done with one of them. */
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { findIntegration } from '../../integrations/integrations.sql.ts'
import { parseAddress } from '../../orders/address.ts'
import { type OrderName, type OrderStatus, STATUSES } from '../../orders/order.ts'
import { viewOrder } from '../../orders/view.ts'
import { isOfHouse } from '../../values/house.ts'
import { orderAsSeen } from '../as-seen.ts'
import { SLOW, statusOfChains } from '../chain-status.ts'
import type { OperatorChain, OperatorDeps } from '../deps.ts'
import { found, OperatorError } from '../errors.ts'
import { principalOf } from '../guard.ts'
import { readOrderHolds } from '../holds.ts'
import { parseDuration } from '../instants.ts'
import { withOrder, withParties, withPayout } from '../orders/commands-in.ts'
import { findOrderIds, searchedSince } from '../orders/find.sql.ts'
import { readHistory } from '../orders/history.sql.ts'
import { isOrderName, orderNamed } from '../orders/name.ts'
import { listOrdersById, listOrdersOfAll, type OrderPage, type OrderWithFacts } from '../orders/orders.sql.ts'
import { requireOrder } from '../orders/required.ts'
import { type ChainSigns, waitingReason } from '../orders/waiting.ts'
import { mayEndUnpaid, sayEndingUnpaid, sayMakingGood } from '../orders/would.ts'
import { nextOf, oneOf, PageQuery, pageOf, parse, serialAfter, text } from '../parse.ts'
import { seesPeople } from '../sees-people.ts'

const Query = Type.Object(
  {
    ...PageQuery,
    status: Type.Optional(oneOf(STATUSES)),
    integrationId: Type.Optional(text(1, 100)),
    stuck: Type.Optional(oneOf(['true', 'false'])),
    olderThan: Type.Optional(text(1, 10)),
  },
  { additionalProperties: false },
)

const Search = Type.Object({ text: text(1, 200) }, { additionalProperties: false })
/** More than one person looks through. */
const MOST_FOUND = 100

/** What a person holds, or has to decide about, is stuck from the first moment. */
const DEFAULT_STUCK_AGE = '10m'
const AGE_OF_STUCK = '"olderThan" is only about stuck orders: choose "Stuck only" (--stuck) too.'
const MAX_STUCK_AGE_MS = 365 * 86_400_000
/**
 * The statuses that this service must move on. An unconfirmed mint waits for the partner, so it is listed as stuck only
 * when asked for by status.
 */
const OURS: readonly OrderStatus[] = ['pending', 'processing']
/** What has ended is stuck only where a foreign batch has moved coin for it, or the chain has lost it or done the contrary, and somebody must decide. */
const ENDED: readonly OrderStatus[] = ['completed', 'failed', 'cancelled']
const ENDED_WITHOUT_COIN: readonly OrderStatus[] = ['failed', 'cancelled']

export function orderRoutes(app: FastifyInstance, { db, chains }: OperatorDeps): void {
  app.get('/orders', async ({ query }) => {
    const { status, integrationId, stuck, olderThan, ...rest } = parse(Query, query)
    const page = pageOf(rest)
    if (integrationId !== undefined && !isOfHouse({ integrationId })) {
      found(await findIntegration(db, integrationId), 'integration', integrationId, 'integration list')
    }
    const isStuck = stuck === 'true'
    // Left aside, it would show what is new as if it were old.
    if (olderThan !== undefined && !isStuck) throw new OperatorError('BAD_REQUEST', AGE_OF_STUCK)
    const listed = await listOrdersOfAll(db, {
      ...statusesOf(status, isStuck),
      integrationId,
      idleMs: isStuck ? parseDuration('olderThan', olderThan ?? DEFAULT_STUCK_AGE, MAX_STUCK_AGE_MS) : undefined,
      withAwaited: olderThan === undefined,
      before: serialAfter(page),
      limit: page.limit,
    })
    const signs = await readSigns(chains, listed)
    const orders = listed.map((item) => show(item, signs))
    return { ok: true, orders, next: nextOf(listed, page, ({ order }) => order.orderId.toString()) }
  })

  app.get('/orders/find', async (request) => {
    const wanted = parse(Search, request.query).text.trim()
    const ids = await findOrderIds(db, {
      text: wanted,
      address: parseAddress(wanted, 'optional'),
      limit: MOST_FOUND + 1,
      named: namedBy(wanted),
      byExternalId: seesPeople(principalOf(request)),
    })
    const listed = await listOrdersById(db, ids.slice(0, MOST_FOUND))
    const signs = await readSigns(chains, listed)
    const orders = listed.map((item) => show(item, signs))
    return { ok: true, orders, isWhole: ids.length <= MOST_FOUND, searchedSince: await searchedSince(db) }
  })

  app.get<{ Params: OrderName }>('/orders/:integrationId/:referenceId', async ({ params }) => {
    const item = await requireOrder(db, params)
    const { order, facts } = item
    const { order: view, held, ...rest } = describe(item, await readSigns(chains, [item]))
    const name = `${order.integrationId}/${order.referenceId}`
    return {
      ok: true,
      order: view,
      ...rest,
      held,
      // All for which it is held, as they end together.
      holds: (await readOrderHolds(db, name, facts.held)).now,
      asSeen: await orderAsSeen(db, name, held),
      debitAddress: order.debitAddress,
      bankReference: order.bankReference,
      ...(await readHistory(db, order)),
    }
  })
}

function statusesOf(
  status: OrderStatus | undefined,
  isStuck: boolean,
): Pick<OrderPage, 'statuses' | 'conflicting' | 'lost'> {
  if (!isStuck) return { statuses: status === undefined ? STATUSES : [status], conflicting: [], lost: [] }
  if (status === undefined) return { statuses: OURS, conflicting: ENDED_WITHOUT_COIN, lost: ENDED }
  if (!ENDED.includes(status)) return { statuses: [status], conflicting: [], lost: [] }
  return { statuses: [], conflicting: [status], lost: [status] }
}

function namedBy(wanted: string): OrderName | undefined {
  const named = orderNamed(wanted)
  return named !== undefined && isOrderName(named) ? named : undefined
}

function describe({ order, confirmedKeyId, facts }: OrderWithFacts, signs: ReadonlyMap<number, ChainSigns>) {
  const said = waitingReason(order, facts, signs.get(order.chainId))
  const waiting = said && facts.payout ? withPayout(said, facts.payout.payoutId) : said
  return {
    order: viewOrder(order),
    integrationId: order.integrationId,
    customerId: order.customerId,
    keyId: order.keyId,
    confirmedKeyId,
    failureReason: order.failureReason,
    waiting: waiting && withParties(withOrder(waiting, `${order.integrationId}/${order.referenceId}`), order),
    held: facts.held,
    hasTagConflict: facts.hasTagConflict,
    awaitsBatch: OURS.includes(order.status) && order.batchId === null,
    makeGood: sayMakingGood(order, facts) ?? null,
    endUnpaid: mayEndUnpaid(order, facts) ? sayEndingUnpaid(order) : null,
  }
}

function show(item: OrderWithFacts, signs: ReadonlyMap<number, ChainSigns>) {
  const { order, ...rest } = describe(item, signs)
  return { ...order, ...rest }
}

/** Of several nodes one that is away is waited for long, and settlers say in the database what they wait for. */
const PATIENCE_MS = 2_000

/** Asks the chains only when an order waits for one. Of one that answers late nothing is said but what its settler says. */
async function readSigns(
  chains: readonly OperatorChain[],
  items: readonly OrderWithFacts[],
): Promise<Map<number, ChainSigns>> {
  const waiting = new Set(items.filter(({ order }) => OURS.includes(order.status)).map(({ order }) => order.chainId))
  const asked = chains.filter(({ config }) => waiting.has(config.chainId))
  const statuses = await statusOfChains(asked, new Map(), PATIENCE_MS)
  return new Map(
    asked.map(({ config }, index) => {
      const status = statuses[index]
      const signs: ChainSigns = {
        readable: status?.head !== null || status.error === SLOW,
        paused: status?.paused === true,
        // Where others sign, one of them may be in reserve: the settler says what it waits for.
        emptySigners: (config.signers.length > 0 ? (status?.signers ?? []) : [])
          .filter((signer) => signer.gasBalance === '0')
          .map((signer) => signer.address),
        confirmations: config.confirmations,
        finality: config.finality,
      }
      return [config.chainId, signs]
    }),
  )
}
