/** Whether a life is right at each moment: what orders say is what the chain has done, and what waits has a reason. */
import assert from 'node:assert/strict'
import { KIND } from '../../src/chain/instructions.ts'
import type { Order } from '../../src/orders/order.ts'
import { doneOn, NOTHING } from './done.ts'
import { readMadeGood } from './fickle.ts'
import type { End } from './orders.ts'
import type { World } from './world.ts'

/** How an order has ended, as its partner is told, or was burnt; undefined while it has not. */
function endOf({ status, failureReason, orderId }: Order, paid: ReadonlySet<bigint>): End | undefined {
  if (status === 'failed') return failureReason === 'rejected' ? 'rejected' : 'failed'
  if (status === 'completed') return 'completed'
  return paid.has(orderId) ? 'burnt' : undefined
}

/** Nothing was carried out twice; what has ended has done so on the chain, at full depth, and stays as it was told. */
export async function judgeMoment(
  { db, blocks, config, orders, traits, torn, wokeLately }: World,
  say: (what: string) => void,
): Promise<void> {
  const done = doneOn(blocks.all())
  const known = await orders.read()
  const paid = new Set((await db.query<{ id: bigint }>('select order_id as id from payouts')).map(({ id }) => id))
  // What a batch of others had settled may have been taken back, deeper than final, before anybody looked for it again: it is signed again, or given up.
  const taken = await db.query<{ id: bigint; succeeded: boolean }>(
    'select order_id as id, succeeded from foreign_instructions where order_id is not null',
  )
  const mayBeGone = new Map(traits.hasDeep ? taken.map(({ id, succeeded }) => [id, succeeded ? 'done' : 'failed']) : [])
  const { number } = blocks.newest()
  const isOfBefore = traits.hasDeep && wokeLately()
  const isMadeGood = traits.isFickle ? await readMadeGood(db, config.chainId) : () => false
  for (const order of orders.asked) {
    const name = orders.nameOf(order)
    if (torn?.isExcused(order.tag)) continue
    // What was made good has moved coin twice: the books are judged at the end.
    if (isMadeGood(order)) continue
    const { times, failed, block } = done.get(order.tag) ?? NOTHING
    assert.ok(times <= 1, `${name} was carried out ${times} times`)
    const { deep } = order
    order.deep =
      Number(number - block) + 1 < config.confirmations
        ? undefined
        : times === 1
          ? 'done'
          : failed > 0
            ? 'failed'
            : undefined
    const found = known.get(name)
    const end = found && endOf(found, paid)
    // People have said that its burn awaits a batch again.
    if (traits.isFickle && end === undefined && order.told === 'burnt') delete order.told
    if (end === undefined || end === order.told) continue
    say(`    ${order.referenceId} is ${end}${block < 0n ? '' : `, block ${block}`}`)
    // A database that was put back says again what it said before.
    const isPaidNow = traits.isPaid && end === 'completed' && order.direction === 'REDEEM' && order.told !== 'failed'
    const isOpen = order.told === undefined || isPaidNow || (traits.hasDeep && traits.hasRestores)
    assert.ok(isOpen, `${name} was ${order.told}, and is ${end} now`)
    order.told = end
    // Its burn was seen when it was paid, however late that is said; the end is judged by what was paid.
    if (isPaidNow) continue
    if (end === 'rejected') assert.equal(times, 0, `${name} was rejected, and carried out`)
    else {
      const isSo = end === 'failed' ? failed > 0 && times === 0 : times === 1
      // Whoever slept writes what was so before a reorganisation deeper than final.
      const as = end === 'failed' ? 'failed' : 'done'
      const isGone = (isOfBefore && deep === as) || mayBeGone.get(found?.orderId ?? 0n) === as
      assert.ok(isSo || isGone, `${name} is ${end}, and the chain does not say so`)
      const depth = Number(number - block) + 1
      // One that was deep enough may have been taken back since.
      assert.ok(depth >= config.confirmations || traits.hasDeep, `${name} is ${end} at a depth of ${depth}`)
    }
  }
}

/** How long an order may wait for a batch, or in one for its block, before somebody must be told why: several raises take that long. */
const LONG_MS = 120_000
/** What is told is told by the end of the next rounds. */
const MOST_UNEXPLAINED = 6

const WAITING = `select o.direction, o.amount_micro as "amountMicro",
    o.order_id || '/' || coalesce(b.batch_id || '/' || b.signer || '/' || b.nonce, '') as wait from orders o
  left join signed_orders f using (order_id) left join batches b on b.chain_id = o.chain_id and b.batch_id = f.batch_id
  where o.chain_id = $1 and o.status = 'pending' and coalesce(b.status, 'signed') = 'signed'
    and not exists (select from order_holds h where h.order_id = o.order_id)`

/** Nothing waits for long without a reason that operators see. */
export async function judgeWaiting({ db, blocks, config, waiting, nowMs }: World): Promise<void> {
  const rows = await db.query<Pick<Order, 'direction' | 'amountMicro'> & { wait: string }>(WAITING, [config.chainId])
  // Those that are above a limit are told of by themselves.
  const most = blocks.newest().state.buckets.map(({ capacity }) => capacity)
  const waits = rows.filter(({ direction, amountMicro }) => amountMicro <= (most[KIND[direction]] ?? 0n))
  waiting.since = new Map(waits.map(({ wait }) => [wait, waiting.since.get(wait) ?? nowMs()]))
  const [hold] = await db.query<{ reason: string; blocked: string[] }>(
    'select reason, blocked from settlement_holds where chain_id = $1',
    [config.chainId],
  )
  const isLong = [...waiting.since.values()].some((since) => nowMs() - since > LONG_MS)
  const isSaid = hold !== undefined && (hold.reason !== 'none' || hold.blocked.length > 0)
  waiting.unexplained = isLong && !isSaid ? waiting.unexplained + 1 : 0
  assert.ok(waiting.unexplained < MOST_UNEXPLAINED, `${waits.length} orders wait, and nothing says why`)
}
