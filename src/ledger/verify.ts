/** Proves that nobody changed the books: every entry is as it was when it was sealed, and what was added up is their sums. */
import type { Database, Queryable } from '../db/database.ts'
import type { Seal } from '../seals/chain.ts'
import { type SealFault, type Verification as VerificationOf, verifyLog } from '../seals/verify.ts'
import { movedBy } from './flows.ts'
import { SEALED_BOOKS } from './sealed-books.ts'
import { linesOfContent, type SealedContent } from './seals.sql.ts'
import { type Flows, findReopened, findWrongCarried, readAdded, type Totals } from './verify.sql.ts'

export type Fault = SealFault | 'total differs' | 'flow differs' | 'carried balance differs' | 'closed days differ'
export type Verification = VerificationOf<Fault>

/**
 * Walks the whole chain. It takes time in proportion to the number of entries, and holds nothing up.
 * @param known a head that was logged earlier: the chain must still run through it
 */
export async function verifyLedger(db: Database, known?: Seal): Promise<Verification> {
  const { position: until, totals, flows, unsealed } = await readAdded(db)
  const summed: Totals = new Map()
  const moved: Flows = new Map()
  const seen = (entry: SealedContent) => {
    addUp(summed, entry)
    addFlows(moved, entry)
  }
  const chain = await verifyLog(SEALED_BOOKS, db, { until, known, seen })
  for (const entry of unsealed) addFlows(moved, entry)
  const firstBad = chain.firstBad ?? wrongTotal(summed, totals) ?? wrongFlow(moved, flows) ?? (await wrongClosing(db))
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

const NO_FLOW: readonly bigint[] = [0n, 0n, 0n, 0n]

function addFlows(moved: Flows, entry: SealedContent): void {
  for (const flow of movedBy(linesOfContent(entry))) {
    const key = `${flow.integrationId} ${flow.chainId} ${entry.day}`
    const added = [flow.mintedMicro, flow.refundedMicro, flow.redeemedMicro, flow.feesMicro]
    const before = moved.get(key) ?? NO_FLOW
    moved.set(
      key,
      added.map((amount, place) => amount + (before[place] ?? 0n)),
    )
  }
}

async function wrongClosing(db: Queryable): Promise<Verification['firstBad']> {
  const reopened = await findReopened(db)
  if (reopened !== undefined) return { fault: 'closed days differ', subject: reopened }
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

/** A day on which there were only transfers has a flow and no entry. */
function wrongFlow(moved: Flows, stored: Flows): Verification['firstBad'] {
  for (const key of new Set([...moved.keys(), ...stored.keys()])) {
    const [one, other] = [moved.get(key) ?? NO_FLOW, stored.get(key) ?? NO_FLOW]
    if (one.some((amount, place) => amount !== other[place])) return { fault: 'flow differs', subject: key }
  }
  return null
}
