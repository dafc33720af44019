/**
 * Where a tag is among the batches of a chain, the planned ones included. Their instructions are packed anew from what is stored, and the
 * running hash over them must be the contract's, so that nothing can have been executed that this does not see; and the one that the next
 * batch names, so that the next batch executes on nothing else.
 */
import type { Hex } from 'viem'
import { digestOf, packInstructions, runningHashAfter, taggedInstruction } from '../../chain/instructions.ts'
import type { Past } from '../../chain/past.ts'
import type { Queryable } from '../../db/database.ts'
import { readBatch } from '../../payouts/burns.sql.ts'
import { readRunningHash } from '../tables/batches.sql.ts'
import { findFirstSince, type Plan } from '../tables/plan.sql.ts'

/** More are not walked through: a burn that was never made is found within seconds. */
export const MOST_WALKED = 10_000n

export type Walk = { nextBatchId: bigint; runningHash: Hex; places: { batchId: bigint; index: number }[] }

/** What keeps a walk from its end: a batch of the database is not that of the chain, or not that of the plan. */
export type Astray = { astray: 'too_long' | 'unlike_chain' | 'unlike_plan' }

type Sought = { chainId: number; orderId: bigint; batchId: bigint; tag: Hex; acceptedAt: Date }

/** Walks from before the first batch that may have an order, and from no later than the last that is executed, to the next id. */
export async function walkPlan(
  db: Queryable,
  sought: Sought,
  { past, plan }: { past: Past; plan: Plan },
): Promise<Walk | Astray> {
  const first = (await findFirstSince(db, sought.chainId, sought, MOST_WALKED)) ?? plan.nextBatchId
  const before = first - 1n < past.lastBatchId ? first - 1n : past.lastBatchId
  if (plan.nextBatchId - before > MOST_WALKED) return { astray: 'too_long' }
  const runningHash = await readRunningHash(db, sought.chainId, before)
  if (before === past.lastBatchId && runningHash !== past.runningHash) return { astray: 'unlike_chain' }
  return await walkOn(db, sought, { from: { nextBatchId: before + 1n, runningHash, places: [] }, plan, past })
}

/** Goes on to where the plan is by now. */
export async function walkOn(
  db: Queryable,
  { chainId, tag }: Pick<Sought, 'chainId' | 'tag'>,
  { from, plan, past }: { from: Walk; plan: Plan; past?: Past },
): Promise<Walk | Astray> {
  let { nextBatchId, runningHash } = from
  const places = [...from.places]
  for (; nextBatchId < plan.nextBatchId; nextBatchId += 1n) {
    const batch = await readBatch(db, chainId, nextBatchId)
    const instructions = batch?.instructions ?? []
    runningHash = runningHashAfter(
      runningHash,
      digestOf(packInstructions(instructions.map((each) => taggedInstruction(each, each.tag)))),
    )
    if (nextBatchId === past?.lastBatchId && runningHash !== past.runningHash) return { astray: 'unlike_chain' }
    for (const [index, each] of instructions.entries())
      if (each.tag === tag) places.push({ batchId: nextBatchId, index })
  }
  const isPlan = nextBatchId === plan.nextBatchId && runningHash === plan.runningHash
  return isPlan ? { nextBatchId, runningHash, places } : { astray: 'unlike_plan' }
}
