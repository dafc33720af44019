/**
 * Databases on PostgreSQL that wait for the next test of this process. To make one, connect to it and plan every statement costs three times
 * as much as to empty one.
 */
import type { Database } from '../../src/db/database.ts'
import { howMade, type Made, makeAnew } from './as-made.ts'
import { type Lent, lend } from './lent-database.ts'
import { atTheEnd } from './run/at-the-end.ts'

/** A test has rarely more than two; what is beyond is dropped. */
const MOST_KEPT = 3
/** Tells the connections that stay from all others. */
const STAYING = 'kept for the next test'

export type Whole = {
  readonly db: Database
  readonly url: string
  /** Opens what stays as long as the database does, such as a login of its own: once for each name. */
  also(name: string, open: () => Promise<Database>): Promise<Database>
  /** Closes every connection, and drops the database. */
  end(): Promise<void>
}

let areKept: boolean | undefined
let isOver = false
/** What each was like when it was new. */
const made = new WeakMap<Whole, Made>()
const waiting = new Map<string, Whole[]>()
/** By the database's URL: what its present test has in hand. */
const inHand = new Map<string, Lent[]>()

/** Of a connection that may stay. */
export function staying(url: string): string {
  const named = new URL(url)
  named.searchParams.set('application_name', STAYING)
  return named.href
}

/**
 * A database for one test.
 * @param kind whose databases are alike
 * @param make makes one
 */
export async function borrow(
  kind: string,
  make: () => Promise<Whole>,
): Promise<Database & { url: string; whole: Whole }> {
  areKept ??= atTheEnd(endWaiting)
  const whole = waiting.get(kind)?.pop() ?? (await make())
  if (areKept && !made.has(whole)) made.set(whole, await howMade(whole.db))
  const lent = lend(whole.db)
  inHand.set(whole.url, [lent])
  let closing: Promise<void> | undefined
  return {
    ...lent.db,
    url: whole.url,
    whole,
    close() {
      closing ??= giveBack(kind, whole)
      return closing
    },
  }
}

/** One more way to the database of `url`, which ends with the test that has it. */
export function lendAlso(url: string, db: Database): Database {
  const lent = lend(db)
  inHand.get(url)?.push(lent)
  return { ...lent.db, close: async () => {} }
}

async function giveBack(kind: string, whole: Whole): Promise<void> {
  const lents = inHand.get(whole.url) ?? []
  inHand.delete(whole.url)
  await Promise.all(lents.map((lent) => lent.takeBack()))
  const how = made.get(whole)
  const isGood = !isOver && how !== undefined && (await isAsMade(whole, how))
  const others = waiting.get(kind) ?? []
  if (!isGood || isOver || others.length >= MOST_KEPT) return await whole.end()
  waiting.set(kind, [...others, whole])
}

async function isAsMade({ db }: Whole, how: Made): Promise<boolean> {
  try {
    return await makeAnew(db, how, STAYING)
  } catch {
    // Whatever has become of it, such as a server that was stopped.
    return false
  }
}

/** A test file's own hooks may come later, and then nothing is kept any more. */
async function endWaiting(): Promise<void> {
  isOver = true
  const all = [...waiting.values()].flat()
  waiting.clear()
  await Promise.all(all.map((whole) => whole.end()))
}
