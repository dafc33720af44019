/** Proves that nobody changed the books: every entry is as it was when it was sealed, and the totals are their sums. */
import type { Queryable } from '../db/database.ts'
import { GENESIS, type Seal, sealAfter } from './seal.ts'
import {
  countEntries,
  findInserted,
  findWrongCarried,
  readSeals,
  readTotals,
  type StoredSeal,
  type Totals,
} from './verify.sql.ts'

const PAGE = 2_000
const ENTRIES_A_STEP = 20_000n

export type Fault =
  | 'entry changed or seal forged'
  | 'entry missing'
  | 'seal missing'
  | 'entry inserted'
  | 'end cut off, or another chain'
  | 'total differs'
  | 'carried balance differs'

/** `head` is the newest seal, entries that still wait for theirs not included. */
export type Verification = {
  ok: boolean
  entries: bigint
  head: Seal
  firstBad: { fault: Fault; subject: string } | null
}

/**
 * Walks the whole chain. It takes time in proportion to the number of entries, and holds nothing up.
 * @param known a head that was logged earlier: the chain must still run through it
 */
export async function verifyLedger(db: Queryable, known?: Seal): Promise<Verification> {
  const { position: until, totals } = await readTotals(db)
  const { highest, entries } = await countEntries(db)
  const summed: Totals = new Map()
  let head = GENESIS
  let firstBad: Verification['firstBad'] = null
  let passedKnown = known === undefined || isSame(known, GENESIS)
  while (firstBad === null && head.position < until) {
    const page = await readSeals(db, { after: head.position, until, limit: PAGE })
    if (page.length === 0) firstBad = { fault: 'seal missing', subject: `position ${head.position + 1n}` }
    for (const stored of page) {
      firstBad = faultOf(head, stored)
      if (firstBad !== null) break
      head = { position: stored.position, hash: stored.hash }
      passedKnown ||= known !== undefined && isSame(known, head)
      addUp(summed, stored)
    }
  }
  firstBad ??= passedKnown ? null : { fault: 'end cut off, or another chain', subject: `position ${known?.position}` }
  firstBad ??= await inserted(db, highest)
  firstBad ??= wrongTotal(summed, totals)
  firstBad ??= await wrongCarried(db)
  return { ok: firstBad === null, entries, head, firstBad }
}

function isSame(one: Seal, other: Seal): boolean {
  return one.position === other.position && one.hash === other.hash
}

function faultOf(head: Seal, stored: StoredSeal): Verification['firstBad'] {
  if (stored.position !== head.position + 1n)
    return { fault: 'seal missing', subject: `position ${head.position + 1n}` }
  if (stored.entry === undefined) return { fault: 'entry missing', subject: `entry ${stored.entryId}` }
  if (isSame(sealAfter(head, stored.entry), stored)) return null
  return { fault: 'entry changed or seal forged', subject: `entry ${stored.entryId}` }
}

function addUp(summed: Totals, { entry }: StoredSeal): void {
  entry?.accounts.forEach((account, index) => {
    const key = `${account} ${entry.day}`
    const { debit, credit } = summed.get(key) ?? { debit: 0n, credit: 0n }
    const amount = BigInt(entry.amountsMicro[index] ?? '0')
    summed.set(key, amount > 0n ? { debit: debit + amount, credit } : { debit, credit: credit - amount })
  })
}

async function inserted(db: Queryable, highest: bigint): Promise<Verification['firstBad']> {
  for (let after = 0n; after < highest; after += ENTRIES_A_STEP) {
    const entryId = await findInserted(db, { after, until: after + ENTRIES_A_STEP })
    if (entryId !== undefined) return { fault: 'entry inserted', subject: `entry ${entryId}` }
  }
  return null
}

async function wrongCarried(db: Queryable): Promise<Verification['firstBad']> {
  const subject = await findWrongCarried(db)
  return subject === undefined ? null : { fault: 'carried balance differs', subject }
}

function wrongTotal(summed: Totals, stored: Totals): Verification['firstBad'] {
  for (const key of new Set([...summed.keys(), ...stored.keys()])) {
    const [one, other] = [summed.get(key), stored.get(key)]
    if (one?.debit !== other?.debit || one?.credit !== other?.credit) return { fault: 'total differs', subject: key }
  }
  return null
}
