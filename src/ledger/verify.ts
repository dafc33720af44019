/** Proves that nobody changed the books: every entry is as it was when it was sealed, and the totals are their sums. */
import type { Queryable } from '../db/database.ts'
import type { Seal } from '../seals/chain.ts'
import { type SealFault, type Verification as VerificationOf, verifyLog } from '../seals/verify.ts'
import { SEALED_BOOKS } from './sealed-books.ts'
import type { SealedContent } from './seals.sql.ts'
import { findWrongCarried, readTotals, type Totals } from './verify.sql.ts'

export type Fault = SealFault | 'total differs' | 'carried balance differs'
export type Verification = VerificationOf<Fault>

/**
 * Walks the whole chain. It takes time in proportion to the number of entries, and holds nothing up.
 * @param known a head that was logged earlier: the chain must still run through it
 */
export async function verifyLedger(db: Queryable, known?: Seal): Promise<Verification> {
  const { position: until, totals } = await readTotals(db)
  const summed: Totals = new Map()
  const chain = await verifyLog(SEALED_BOOKS, db, { until, known, seen: (entry) => addUp(summed, entry) })
  const firstBad = chain.firstBad ?? wrongTotal(summed, totals) ?? (await wrongCarried(db))
  return { ...chain, ok: firstBad === null, firstBad }
}

function addUp(summed: Totals, { day, accounts, amountsMicro }: SealedContent): void {
  accounts.forEach((account, index) => {
    const key = `${account} ${day}`
    const { debit, credit } = summed.get(key) ?? { debit: 0n, credit: 0n }
    const amount = BigInt(amountsMicro[index] ?? '0')
    summed.set(key, amount > 0n ? { debit: debit + amount, credit } : { debit, credit: credit - amount })
  })
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
