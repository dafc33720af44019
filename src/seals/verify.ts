/** Proves that nobody changed a log: every entry is as it was when it was sealed, and none is there past the service. */
import type { Queryable } from '../db/database.ts'
import { GENESIS, isSameSeal, type Seal, type SealedEntry, sealAfter } from './chain.ts'
import type { InsertedStep, SealedLog, StoredSeal } from './sealed-log.ts'

const PAGE = 2_000
const ENTRIES_A_STEP = 20_000

export type SealFault =
  | 'entry changed or seal forged'
  | 'entry missing'
  | 'seal missing'
  | 'entry inserted'
  | 'end cut off, or another chain'

export type FirstBad<Fault extends string = SealFault> = { fault: Fault; subject: string } | null

/** `head` is the newest seal, entries that still wait for theirs not included. */
export type Verification<Fault extends string = SealFault> = {
  ok: boolean
  entries: bigint
  head: Seal
  firstBad: FirstBad<Fault>
}

/**
 * Walks the whole chain. It takes time in proportion to the number of entries, and holds nothing up.
 * @param given.until the newest position to walk to
 * @param given.known a head that was logged earlier: the chain must still run through it
 * @param given.seen called with every entry that is as it was sealed
 */
export async function verifyLog<E extends SealedEntry>(
  log: SealedLog<E>,
  db: Queryable,
  given: { until?: bigint; known?: Seal | undefined; seen?: (entry: E) => void } = {},
): Promise<Verification> {
  const { known, seen } = given
  const until = given.until ?? (await log.readNewest(db)).position
  const { highest, entries } = await log.count(db)
  let firstBad: FirstBad = null
  let head = GENESIS
  let passedKnown = known === undefined || isSameSeal(known, GENESIS)
  while (firstBad === null && head.position < until) {
    const page = await log.readSeals(db, { after: head.position, until, limit: PAGE })
    if (page.length === 0) firstBad = { fault: 'seal missing', subject: `position ${head.position + 1n}` }
    for (const stored of page) {
      firstBad = faultOf(head, stored)
      if (firstBad !== null) break
      head = { position: stored.position, hash: stored.hash }
      passedKnown ||= known !== undefined && isSameSeal(known, head)
      if (stored.entry !== undefined) seen?.(stored.entry)
    }
  }
  firstBad ??= passedKnown ? null : { fault: 'end cut off, or another chain', subject: `position ${known?.position}` }
  firstBad ??= await inserted(log, db, highest)
  return { ok: firstBad === null, entries, head, firstBad }
}

function faultOf(head: Seal, stored: StoredSeal<SealedEntry>): FirstBad {
  if (stored.position !== head.position + 1n)
    return { fault: 'seal missing', subject: `position ${head.position + 1n}` }
  if (stored.entry === undefined) return { fault: 'entry missing', subject: `entry ${stored.entryId}` }
  if (isSameSeal(sealAfter(head, stored.entry), stored)) return null
  return { fault: 'entry changed or seal forged', subject: `entry ${stored.entryId}` }
}

async function inserted<E extends SealedEntry>(log: SealedLog<E>, db: Queryable, highest: bigint): Promise<FirstBad> {
  for (let after: bigint | null = null; ; ) {
    const step: InsertedStep = await log.findInserted(db, { after, until: highest, limit: ENTRIES_A_STEP })
    if (step.inserted !== null) return { fault: 'entry inserted', subject: `entry ${step.inserted}` }
    if (step.last === null) return null
    after = step.last
  }
}
