/**
 * Orders that await settlement although a foreign batch has their tags: they were settled before, or are in conflict
 * with it.
 */
import { apart } from '../../db/apart.ts'
import type { Queryable } from '../../db/database.ts'
import { underLease } from '../../leases/leases.sql.ts'
import { REMINTS } from '../../values/house.ts'
import { orderTag } from '../../values/order-tag.ts'
import type { FollowedHead } from '../finality.ts'
import { messageOf } from '../holds.ts'
import type { Hold } from '../memory.ts'
import { readUnpaidAlike } from '../tables/ended-alike.sql.ts'
import { insertTagConflict, readSettledTags, type SettledTag } from '../tables/foreign.sql.ts'
import { type RedeemTag, readRedeemTags, tagsOf } from '../tables/redeem-tags.sql.ts'
import { type PendingOrder, readHeld } from '../tables/waiting.sql.ts'
import type { Work } from '../work.ts'
import { amongTries, askedBy, mintedBack } from './minted-back.ts'
import { partByChain } from './still-settled.ts'
import { take } from './take-outcome.ts'

export type Verdict =
  | { order: PendingOrder; takes: SettledTag }
  /** The order must not settle, and nothing says what became of it. */
  | { order: PendingOrder; conflict: SettledTag }

/**
 * What settled instructions mean for orders of a chain with the same tags (pure): an order takes the outcome of the one
 * instruction with its tag, if chain, kind, wallets and amount are its own and no other order has taken that outcome. Orders
 * without such a tag are left out, as are instructions of which an operator has said that they are not the order's.
 * @param redeemTags see `readRedeemTags`
 */
export function judge(
  chainId: number,
  orders: readonly PendingOrder[],
  settled: readonly SettledTag[],
  redeemTags: ReadonlyMap<bigint, RedeemTag> = new Map(),
): Verdict[] {
  const taken = new Set<SettledTag>()
  return orders.flatMap((order): Verdict[] => {
    const tag = orderTag(order.integrationId, order.referenceId)
    const own = settled.filter((each) => each.tag === tag && each.notOfOrderId !== order.orderId)
    const back = own.length > 0 ? [] : mintedBack(order, redeemTags.get(order.orderId), settled)
    const found = order.integrationId === REMINTS ? amongTries(own, taken) : [...own, ...back]
    const [first, ...more] = found
    if (first === undefined) return []
    const isAsAsked = isSettledAs({ ...askedBy(order, redeemTags.get(order.orderId), first), chainId }, first)
    const isItsOwn = more.length === 0 && first.orderId === null && !taken.has(first) && isAsAsked
    // What moved coin, where anything has: an order that ends otherwise is told of for that.
    if (!isItsOwn) return [{ order, conflict: found.find(({ succeeded }) => succeeded) ?? first }]
    taken.add(first)
    return [{ order, takes: first }]
  })
}

/** Whether an instruction did exactly what the order is about. */
export function isSettledAs(
  order: Omit<PendingOrder, 'integrationId' | 'referenceId'> & { chainId: number },
  settled: SettledTag,
): boolean {
  return (
    order.chainId === settled.chainId &&
    order.direction === settled.direction &&
    order.amountMicro === settled.amountMicro &&
    isSameWallet(order.walletAddress, settled.walletAddress) &&
    isSameWallet(order.debitAddress, settled.debitAddress)
  )
}

const isSameWallet = (one: string | null, other: string | null) => one?.toLowerCase() === other?.toLowerCase()

const ownTagsOf = (orders: readonly PendingOrder[]) =>
  orders.map(({ integrationId, referenceId }) => orderTag(integrationId, referenceId))

/** Judges orders by what is stored of their tags, and of those of the redeems that refunds among them mint back. */
async function judgeWithRedeems(db: Queryable, chainId: number, orders: readonly PendingOrder[]): Promise<Verdict[]> {
  const redeemTags = await readRedeemTags(db, orders)
  const settled = await readSettledTags(db, [...ownTagsOf(orders), ...tagsOf(redeemTags)])
  return judge(chainId, orders, settled, redeemTags)
}

/** What became of orders with verdicts. */
export type Ended = {
  /** Some will not be chosen again, so that others are due. */
  areAny: boolean
  /** What could not be ended: it is settled, and must enter no batch. */
  undecided: ReadonlySet<bigint>
}

/** Ends orders that were settled, and keeps those in conflict out of batches. One that cannot be ended stops no other: it is said, and tried again. */
export async function endSettled(work: Work, at: FollowedHead, orders: readonly PendingOrder[]): Promise<Ended> {
  const { db, chain, lease, logger, memory } = work
  const { chainId } = chain.config
  const judged = await judgeWithRedeems(db, chainId, orders)
  const before = memory.holds.unended
  memory.holds.unended = undefined
  if (judged.length === 0) return { areAny: false, undecided: new Set() }
  const { certain: verdicts, waiting } = await partByChain(work, at, judged)
  tellWaiting(work, waiting, before)
  const failed = await underLease(db, lease, (tx) => endEach(tx, chainId, verdicts))
  tellUnended(work, failed)
  const undecided = new Set([...failed.map(({ verdict }) => verdict), ...waiting].map(({ order }) => order.orderId))
  const done = verdicts.filter(({ order }) => !undecided.has(order.orderId))
  for (const verdict of done) {
    const fields = fieldsOf(verdict)
    if ('takes' in verdict) logger.warn(fields, 'an order was settled before and takes that outcome')
    else
      logger.error(fields, 'an order has the tag of an instruction with other details: it alone waits for an operator')
  }
  return { areAny: done.length > 0, undecided }
}

/**
 * Keeps as what holds them that orders wait for batches that the chain does not have, and says so, once for each change: rounds follow one another.
 * @param before what held such orders in the round before
 */
function tellWaiting({ logger, memory }: Work, waiting: readonly Verdict[], before: Hold | undefined): void {
  const lost = Map.groupBy(waiting, (verdict) => fieldsOf(verdict).batchId)
  if (lost.size === 0) return
  const settledIn = [...lost.keys()].join(', ')
  memory.holds.unended = { reason: 'chain-behind', details: { settledIn } }
  if (before?.details.settledIn === settledIn) return
  for (const [first, ...more] of lost.values())
    if (first !== undefined) logger.warn({ ...fieldsOf(first), orders: 1 + more.length }, NOT_THERE)
}

const NOT_THERE =
  'orders were settled before, by a batch that is not final on the chain any more: they wait until that is there again, or given up'

/**
 * Ends what nobody would choose for a batch although foreign batches from `fromBatchId` on have settled it: mints that wait for their
 * payment, which was confirmed in a history that the database has lost; and orders that are held, after a batch with them was signed. The caller
 * has read these batches just now; of earlier ones it is not known that the chain still has them.
 * @returns what could not be ended; it is tried again when it is confirmed or released
 */
export async function endSettledAside(tx: Queryable, chainId: number, fromBatchId: bigint): Promise<Unended[]> {
  const unpaid = await readUnpaidAlike(tx, chainId, fromBatchId)
  const orders = [...unpaid, ...(await readHeld(tx, chainId))]
  const verdicts = judge(chainId, orders, await readSettledTags(tx, ownTagsOf(orders)))
  const taken = verdicts.filter((verdict) => 'takes' in verdict && verdict.takes.batchId >= fromBatchId)
  return await endEach(tx, chainId, taken)
}

/**
 * Of a chain that is gone for good: orders that it had settled, as was read before, end so, for what was final there stays; of those for which others
 * have moved coin otherwise it is kept that they have. No node can be asked any more.
 * @returns how many took an outcome, and which are left to fail
 */
export async function endAsSettled(
  tx: Queryable,
  chainId: number,
  orders: readonly PendingOrder[],
): Promise<{ taken: number; left: PendingOrder[]; unended: Unended[] }> {
  const judged = await judgeWithRedeems(tx, chainId, orders)
  const verdicts = judged.filter((verdict) => 'takes' in verdict || verdict.conflict.succeeded)
  const unended = await endEach(tx, chainId, verdicts)
  const takes = new Set(verdicts.filter((verdict) => 'takes' in verdict).map(({ order }) => order.orderId))
  const kept = new Set(unended.map(({ verdict }) => verdict.order.orderId))
  return {
    taken: [...takes].filter((orderId) => !kept.has(orderId)).length,
    left: orders.filter(({ orderId }) => !takes.has(orderId) && !kept.has(orderId)),
    unended,
  }
}

/** A verdict that could not be recorded, and why. */
export type Unended = { verdict: Verdict; error: unknown }

/** Each by itself: what cannot be recorded of one order is undone and left out, and the others end in the same transaction. */
async function endEach(tx: Queryable, chainId: number, verdicts: readonly Verdict[]): Promise<Unended[]> {
  const failed: Unended[] = []
  for (const verdict of verdicts) {
    const { order } = verdict
    const failure = await apart(tx, async () => {
      if ('takes' in verdict) await take(tx, chainId, order, verdict.takes)
      else await insertTagConflict(tx, verdict.conflict.chainId, order.orderId, verdict.conflict.tag)
    })
    if (failure !== undefined) failed.push({ verdict, ...failure })
  }
  return failed
}

/** Says what could not be ended, and keeps the first as what holds it. */
export function tellUnended({ logger, memory }: Work, failed: readonly Unended[]): void {
  for (const { verdict, error } of failed) {
    const { batchId, integrationId, referenceId } = fieldsOf(verdict)
    logger.error(
      { ...fieldsOf(verdict), err: error },
      'an order that was settled before could not be ended; it enters no batch and is tried again',
    )
    memory.holds.unended ??= {
      reason: 'batch-undecided',
      details: { batchId, order: `${integrationId}/${referenceId}`, error: messageOf(error) },
    }
  }
}

function fieldsOf(verdict: Verdict) {
  const { integrationId, referenceId } = verdict.order
  const { chainId, batchId, index } = 'takes' in verdict ? verdict.takes : verdict.conflict
  return { chainId, integrationId, referenceId, batchId: String(batchId), index }
}
