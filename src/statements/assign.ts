/** An operator says what money is that nothing explains. */
import type { Queryable } from '../db/database.ts'
import { type Account, accountOf } from '../ledger/accounts.ts'
import { recordEntries } from '../ledger/entries.sql.ts'
import { SEN_IN_MICRO } from '../money.ts'
import { BY_HAND, byHandName, lockByHand, returnByHand } from '../payouts/by-hand.sql.ts'
import type { SecretBox } from '../secrets.ts'
import { applyPayment } from './book.ts'
import { lockLine } from './facts.sql.ts'
import { type Belonging, hasLineOf, lockBooking, markAssigned } from './lines.sql.ts'
import { entryOfAssignment } from './postings.ts'

export type Explanation =
  /** It pays an integration's mints, or its fees; or the issuer gives such money back. */
  | { kind: 'mints' | 'fees'; integrationId: string }
  /** It is the issuer's own: charges, interest, money that it put in. */
  | { kind: 'own_funds' }
  /** A debit paid a payout, by hand perhaps, or a credit gave one back, without naming its end-to-end id. */
  | { kind: 'payout'; payoutId: string; attempt: number; amountSen: bigint }

export type Assignment =
  | { result: 'assigned'; amountMicro: bigint; place: string; belongsTo: Belonging }
  /** No such line, or it is explained. */
  | { result: 'not_unallocated' }
  | { result: 'contradiction'; sentence: string }

/** Assigns an unallocated line, once. The caller's transaction also records who did it and why. */
export async function assignLine(
  { tx, secrets }: { tx: Queryable; secrets: SecretBox },
  lineNo: bigint,
  { explanation, reason, now }: { explanation: Explanation; reason: string; now: Date },
): Promise<Assignment> {
  await lockBooking(tx)
  const line = await lockLine(tx, secrets, lineNo, 'unallocated')
  if (line === undefined) return { result: 'not_unallocated' }
  const done = async (belongsTo: Belonging): Promise<Assignment> => {
    await markAssigned(tx, lineNo, belongsTo, reason)
    return { result: 'assigned', amountMicro: line.amountMicro, place: line.place, belongsTo }
  }
  if (explanation.kind !== 'payout') {
    const { account, belongsTo } = explainedBy(explanation, line.bankAccount)
    await recordEntries(tx, [entryOfAssignment(line, account, now)])
    return await done(belongsTo)
  }
  const { payoutId, amountSen } = explanation
  const movedMicro = line.amountMicro < 0n ? -line.amountMicro : line.amountMicro
  if (movedMicro !== amountSen * SEN_IN_MICRO) return contradiction('The payout is of another amount.')
  const byHand = await lockByHand(tx, payoutId)
  const name = byHandName(payoutId, byHand ?? 1)
  const isShown = byHand !== undefined && (await hasLineOf(tx, name, 'debit'))
  const isCredit = line.amountMicro > 0n
  if (byHand !== undefined && isCredit && !isShown) {
    return contradiction('It was paid by hand, and no line is assigned to that yet: assign the debit first.')
  }
  // Its debit, and then a credit that gives it back; another debit is about a payment by a rail.
  if (byHand !== undefined && isShown === isCredit) {
    await recordEntries(tx, [entryOfAssignment(line, accountOf('payout_clearing', BY_HAND), now)])
    if (isShown) await returnByHand(tx, payoutId, `The payment by hand came back: ${reason}`, now)
    return await done({ kind: 'payout', to: name })
  }
  // The payout's own life books the reserve anew.
  await recordEntries(tx, [entryOfAssignment(line, accountOf('reserve', line.bankAccount), now)])
  const what = line.amountMicro < 0n ? 'paid' : 'returned'
  const belongsTo = await applyPayment(tx, line, { payment: explanation, what }, now)
  return belongsTo === undefined
    ? contradiction(`The payout was ${what} before, by another line.`)
    : await done(belongsTo)
}

/** Rolled back by the caller, which refuses the command. */
function contradiction(sentence: string): Assignment {
  return { result: 'contradiction', sentence }
}

function explainedBy(
  explanation: Exclude<Explanation, { kind: 'payout' }>,
  bankAccount: string,
): { account: Account; belongsTo: Belonging } {
  if (explanation.kind === 'own_funds') {
    return { account: accountOf('own_funds', bankAccount), belongsTo: { kind: 'own_funds', to: bankAccount } }
  }
  const { kind, integrationId: to } = explanation
  return kind === 'fees'
    ? { account: accountOf('fees_receivable', to), belongsTo: { kind: 'fees', to } }
    : { account: accountOf('mint_receivable', to), belongsTo: { kind: 'remitter', to } }
}
