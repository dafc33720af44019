/**
 * Compares the counters of usage with this month's orders, and costs the same however many there are: an order that has ended is
 * added up once. A part of them is read again each minute; when all were, the new sums must be the old ones, and replace them.
 */
import type { Database, Queryable } from '../../db/database.ts'
import type { WrongUsage } from './counted.sql.ts'
import { addEnded, beginPass, completePass, disputePass, lockPasses, readOn } from './passes.sql.ts'
import { comparePasses, findWrongUsage } from './usage.sql.ts'

/** So many orders are read in one transaction. */
const AT_ONCE = 25_000
/** So many are read again each minute and, beside as many as are new, in each run. */
const AGAIN = 500
/**
 * Younger orders are not passed, because one with a lower number may still come: its transaction lasts no longer than a few
 * time limits of statements.
 */
const YOUNG_MS = 15 * 60_000

type Options = { atOnce: number; again: number; youngMs: number }

export type UsageFindings = {
  /** Counters that are not what their orders come to. */
  counters: WrongUsage[]
  /** Sums of ended orders that are not what they were when those were read before. */
  sums: WrongUsage[]
}

/** Reads what is new, then compares the counters. */
export async function checkUsage(
  db: Database,
  { atOnce = AT_ONCE, again = AGAIN, youngMs = YOUNG_MS }: Partial<Options> = {},
): Promise<UsageFindings> {
  let isNew = 0
  for (;;) {
    const read = await db.transaction((tx) => readNew(tx, { atOnce, youngMs }))
    isNew += read
    if (read < atOnce) break
  }
  return db.transaction(async (tx) => {
    const { pass } = await readAgain(tx, again + isNew)
    return { counters: await findWrongUsage(tx, pass), sums: pass.disputed }
  })
}

/** Reads a part again. @returns whether sums turned out to differ: the next run names them */
export async function checkUsagePart(
  db: Database,
  { again = AGAIN }: Partial<Pick<Options, 'again'>> = {},
): Promise<boolean> {
  return (await db.transaction((tx) => readAgain(tx, again))).isNews
}

/** Goes on with the complete pass or, in the beginning, makes one. @returns how many orders were read */
async function readNew(tx: Queryable, { atOnce, youngMs }: Omit<Options, 'again'>): Promise<number> {
  const { complete, running } = await lockPasses(tx)
  const { pass, read } = await readOn(tx, complete ?? running ?? (await beginPass(tx)), { most: atOnce, youngMs })
  if (complete === undefined && read < atOnce) await completePass(tx, pass, undefined)
  return read
}

/** Goes on with the pass that reads again, up to where the complete one has come. @returns the complete pass */
async function readAgain(tx: Queryable, most: number) {
  const { complete, running } = await lockPasses(tx)
  // The month began a moment ago, between two transactions.
  if (complete === undefined) {
    return { pass: await completePass(tx, running ?? (await beginPass(tx)), undefined), isNews: false }
  }
  await addEnded(tx, complete.month)
  const { throughOrderId: upTo } = complete
  const { pass, read } = await readOn(tx, running ?? (await beginPass(tx)), { most, upTo })
  if (read === most && pass.throughOrderId < upTo) return { pass: complete, isNews: false }
  const disputed = await comparePasses(tx, complete, pass)
  if (disputed.length === 0) return { pass: await completePass(tx, pass, complete), isNews: false }
  const isNews = namesOf(disputed) !== namesOf(complete.disputed)
  return { pass: await disputePass(tx, complete, pass, disputed), isNews }
}

const namesOf = (sums: readonly WrongUsage[]) =>
  sums.map(({ direction, owner, period }) => `${direction} ${owner} ${period}`).join()
