/**
 * Compares the counters of usage with this month's orders, and costs the same however many there are: an order that has ended is
 * added up once. Each time a part of them is read again; when all were, the new sums must be the old ones, and replace them.
 */
import type { Database, Queryable } from '../../db/database.ts'
import type { WrongUsage } from './counted.sql.ts'
import { addEnded, beginPass, completePass, disputePass, lockPasses, type Pass, readOn } from './passes.sql.ts'
import { comparePasses, findWrongUsage } from './usage.sql.ts'

/** So many orders are read in one transaction, and again in each run beside as many as are new. */
const AT_ONCE = 25_000
/**
 * Younger orders are not passed, because one with a lower number may still come: its transaction lasts no longer than a few
 * time limits of statements.
 */
const YOUNG_MS = 15 * 60_000

type Options = { atOnce: number; youngMs: number }

export type UsageFindings = {
  /** Counters that are not what their orders come to. */
  counters: WrongUsage[]
  /** Sums of ended orders that are not what they were when those were read before. */
  sums: WrongUsage[]
}

/** @param options.atOnce how many orders are read again */
export async function checkUsage(
  db: Database,
  { atOnce = AT_ONCE, youngMs = YOUNG_MS }: Partial<Options> = {},
): Promise<UsageFindings> {
  let isNew = 0
  for (;;) {
    const read = await db.transaction((tx) => readNew(tx, { atOnce, youngMs }))
    isNew += read
    if (read < atOnce) break
  }
  return db.transaction(async (tx) => {
    const pass = await readAgain(tx, { atOnce: atOnce + isNew, youngMs })
    return { counters: await findWrongUsage(tx, pass), sums: pass.disputed }
  })
}

/** Goes on with the complete pass or, in the beginning, makes one. @returns how many orders were read */
async function readNew(tx: Queryable, { atOnce, youngMs }: Options): Promise<number> {
  const { complete, running } = await lockPasses(tx)
  const { pass, read } = await readOn(tx, complete ?? running ?? (await beginPass(tx)), { most: atOnce, youngMs })
  if (complete === undefined && read < atOnce) await completePass(tx, pass, undefined)
  return read
}

/** Goes on with the pass that reads again. @returns the complete pass */
async function readAgain(tx: Queryable, { atOnce: most, youngMs }: Options): Promise<Pass> {
  const { complete, running } = await lockPasses(tx)
  // The month began a moment ago, between two transactions.
  if (complete === undefined) return completePass(tx, running ?? (await beginPass(tx)), undefined)
  await addEnded(tx, complete.month)
  const { throughOrderId: upTo } = complete
  const { pass, read } = await readOn(tx, running ?? (await beginPass(tx)), { most, youngMs, upTo })
  if (read === most && pass.throughOrderId < upTo) return complete
  const disputed = await comparePasses(tx, complete, pass)
  return disputed.length === 0 ? completePass(tx, pass, complete) : disputePass(tx, complete, pass, disputed)
}
