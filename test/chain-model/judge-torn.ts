/** Whether a life with restores, in which batches were executed again with another outcome, is right at its end: nothing is left that people have to end. */
import assert from 'node:assert/strict'
import { decodeSettle, KIND, unpackInstructions } from '../../src/chain/instructions.ts'
import { readExpectedSupply } from '../../src/operator/reconcile/findings.sql.ts'
import type { Direction } from '../../src/orders/order.ts'
import { REMINTS } from '../../src/values/house.ts'
import type { ModelBlock } from './blocks.ts'
import type { World } from './world.ts'

const coinOf = (direction: Direction, micro: bigint) =>
  direction === 'MINT' ? micro : direction === 'REDEEM' ? -micro : 0n

export async function judgeTorn(world: World): Promise<void> {
  assert.equal(await world.torn?.isAnyLeft(), false, 'nothing that a restore has left waits for people')
  await judgeExpected(world)
  await judgePayouts(world)
  await judgeReminted(world)
}

/** Nothing is minted once more that a lost history has minted already. */
async function judgeReminted({ db, config }: World): Promise<void> {
  const twice = await db.query(
    `select i.batch_id::text as "there", o.integration_id || '/' || o.reference_id as name, o.batch_id::text as "batchId"
     from foreign_instructions i join orders o on o.chain_id = i.chain_id and o.integration_id = '${REMINTS}'
       and split_part(o.reference_id, '/', 1) = i.tag
       join batches b on b.chain_id = o.chain_id and b.batch_id = o.batch_id and not b.is_foreign
     where i.chain_id = $1 and i.succeeded and i.order_id is null and i.direction = 'MINT' and o.status = 'completed' and i.batch_id < o.batch_id`,
    [config.chainId],
  )
  assert.deepEqual(twice, [], 'what was minted again in a lost history is not minted once more')
}

type Taken = { batchId: bigint; index: number; succeeded: boolean; direction: Direction; amount: bigint; name: string }

/** The books, and what was explained beside them, have the coin of the chain; but for what the log alone names (docs/DECISIONS.md, 361). */
async function judgeExpected({ db, config, blocks, lines }: World): Promise<void> {
  const { state } = blocks.newest()
  const expected = await readExpectedSupply(db, config.chainId)
  const taken = await db.query<Taken>(
    `select i.batch_id as "batchId", i.instruction_index::int as index, i.succeeded, i.direction, i.amount_micro::bigint as amount,
       o.integration_id || '/' || o.reference_id as name
     from foreign_instructions i join orders o on o.order_id = i.order_id where i.chain_id = $1`,
    [config.chainId],
  )
  let unlike = 0n
  for (const { batchId, index, succeeded, direction, amount, name } of taken) {
    const isDone = (((state.records.get(batchId)?.bitmap ?? 0n) >> BigInt(index)) & 1n) === 1n
    if (isDone === succeeded) continue
    const told = `${name} was ${isDone ? 'executed' : 'refused'}`
    const isSaid = lines.some(({ orders }) => Array.isArray(orders) && orders.includes(told))
    assert.ok(isSaid, `the log says that ${told}`)
    unlike += coinOf(direction, isDone ? amount : -amount)
  }
  assert.equal((expected?.expectedMicro ?? 0n) + unlike, state.supply, 'the books have the coin of the chain')
}

/** What would be paid was burnt, once, and was not minted back. */
async function judgePayouts({ db, blocks, orders, torn }: World): Promise<void> {
  const net = netOf(blocks.all())
  const queued = await db.query<{ name: string; amount: bigint }>(
    `select o.integration_id || '/' || o.reference_id as name, o.amount_micro as amount from payouts p join orders o using (order_id)
     where p.status = 'queued' and p.burn is not null order by o.order_id`,
  )
  const cases = await db.query(
    `select payout_id from payouts where status in ('rejected', 'returned') or hold_reason = 'burn_not_seen'`,
  )
  assert.deepEqual(cases, [], 'every payout that was refused, or whose burn no payer sees, has ended')
  for (const { name, amount } of queued) {
    const micro = net.get(orders.tagOf(name) ?? '') ?? 0n
    assert.equal(
      micro,
      -amount,
      `${name} is to be paid${torn?.isExcused(orders.tagOf(name) ?? '') ? ' (excused)' : ''}`,
    )
  }
}

/** What the chain has of each tag: what was minted less what was burnt. */
function netOf(blocks: readonly ModelBlock[]): Map<string, bigint> {
  const net = new Map<string, bigint>()
  for (const { receipts, state } of blocks)
    for (const { transaction, succeeded } of receipts) {
      const call = succeeded ? decodeSettle(transaction.data) : undefined
      if (call === undefined) continue
      const bitmap = state.records.get(call.batchId)?.bitmap ?? 0n
      for (const [index, { tag, kind, amount }] of (unpackInstructions(call.packed) ?? []).entries()) {
        if (((bitmap >> BigInt(index)) & 1n) === 0n) continue
        const micro = kind === KIND.MINT ? amount : kind === KIND.REDEEM ? -amount : 0n
        net.set(tag, (net.get(tag) ?? 0n) + micro)
      }
    }
  return net
}
