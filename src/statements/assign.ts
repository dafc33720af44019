/** An operator says what money is that nothing explains. */
import type { Queryable } from '../db/database.ts'
import { type Account, accountOf } from '../ledger/accounts.ts'
import { recordEntries } from '../ledger/entries.sql.ts'
import { byHandName, lockByHand, returnByHand } from '../payouts/by-hand.sql.ts'
import { BY_HAND } from '../payouts/rail.ts'
import type { SecretBox } from '../secrets/secrets.ts'
import { whyNotAsked, whyNotByHand } from './asked.sql.ts'
import { applyPayment } from './book.ts'
import { chargesSaidOf, type SaidCharges } from './charges.ts'
import { assignToClaim, type ClaimExplanation, findClaimGivenBack } from './claims.ts'
import { findBookedWith, lockLine, namesAnother } from './facts.sql.ts'
import { type Belonging, hasLineOf, insertPaidMints, lockBooking, markAssigned } from './lines.sql.ts'
import type { Line } from './match.ts'
import { findAttemptIn, findMeant } from './meant.ts'
import { mintsNamedIn } from './named-mints.ts'
import { entryOfAssignment } from './postings.ts'

export type Explanation =
  /** It pays an integration's mints, or its fees; or the issuer gives such money back. */
  | { kind: 'mints' | 'fees'; integrationId: string }
  /** It is the issuer's own: charges, interest, money that it put in. */
  | { kind: 'own_funds' }
  /**
   * A debit paid a payout, by hand perhaps, or a credit gave one back, without naming its end-to-end id.
   */
  | ({ kind: 'payout'; payoutId: string; attempt: number; amountSen: bigint } & SaidCharges)
  /** A debit paid a payout once more than it was to be paid, or a credit gave that back. */
  | ({ kind: 'claim' } & ClaimExplanation)

export type Assignment =
  /** `mints`: of a debit that reverses a credit, those that the credit no longer pays by name. */
  | { result: 'assigned'; amountMicro: bigint; place: string; belongsTo: Belonging; mints?: readonly bigint[] }
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
  if (explanation.kind === 'payout' || explanation.kind === 'claim') {
    const chargesMicro = (await namesOther(tx, line, explanation)) ?? chargesSaidOf(line, explanation)
    if (typeof chargesMicro === 'string') return contradiction(chargesMicro)
    const belongsTo =
      explanation.kind === 'claim'
        ? await assignToClaim(tx, line, explanation, { chargesMicro, now })
        : await assignToPayout(tx, line, explanation, { chargesMicro, reason, now })
    return typeof belongsTo === 'string' ? contradiction(belongsTo) : await done(belongsTo)
  }
  const { account, belongsTo } = explainedBy(explanation, line.bankAccount)
  await recordEntries(tx, [entryOfAssignment(line, account, now)])
  return await done(await byName({ tx, secrets }, line, belongsTo))
}

/**
 * Money for mints pays those that it names, where that is certain by now: it may have come before they were asked for, or while another payment counted
 * that the bank has taken back since. Not what was taken back from something before: people have found that it is otherwise than it says.
 */
async function byName(
  { tx, secrets }: { tx: Queryable; secrets: SecretBox },
  line: Line,
  belongsTo: Belonging,
): Promise<Belonging> {
  if (belongsTo.kind !== 'remitter' || line.takenBack > 0) return belongsTo
  const mints = await mintsNamedIn(tx, secrets, line, belongsTo.to)
  if (mints.length === 0) return belongsTo
  await insertPaidMints(tx, line.lineNo, mints)
  return { kind: 'mint', to: belongsTo.to }
}

/** @returns what the line belongs to, or why it does not: then what was written must not stay */
async function assignToPayout(
  tx: Queryable,
  line: Line,
  explanation: PayoutExplanation,
  { chargesMicro, reason, now }: { chargesMicro: bigint; reason: string; now: Date },
): Promise<Belonging | string> {
  const { payoutId } = explanation
  const named = await findMeant(tx, line, payoutId)
  // What names a payment by a rail, and is the first to say so, or must be that of one, is not about one by hand.
  const byHand = named === undefined ? await lockByHand(tx, payoutId) : undefined
  const name = byHandName(payoutId, byHand ?? 1)
  const isShown = byHand !== undefined && (await hasLineOf(tx, name, 'debit'))
  const isCredit = line.amountMicro > 0n
  const claim = isCredit ? await findClaimGivenBack(tx, line, payoutId) : undefined
  if (claim !== undefined)
    return `${claim.place} of ${claim.bookedOn} paid it once more and is claimed back. If the credit gives that back, say so ("--claim ${payoutId}", or "--claims" in an allocation); if not, take that line back first.`
  if (byHand !== undefined && isCredit && !isShown) {
    return 'The payout was paid by hand, and its debit is not assigned yet: assign that first.'
  }
  const book = (account: Account) => recordEntries(tx, [entryOfAssignment(line, account, now, chargesMicro)])
  // Its debit, and then a credit that gives it back; another debit is about a payment by a rail.
  if (byHand !== undefined && isShown === isCredit) {
    const tooEarly = await whyNotByHand(tx, line, payoutId)
    if (tooEarly !== undefined) return tooEarly
    await book(accountOf('payout_clearing', BY_HAND))
    if (isShown) await returnByHand(tx, payoutId, `The payment by hand came back: ${reason}`, now)
    return { kind: 'payout', to: name }
  }
  const attempt = named ?? explanation.attempt
  const told = await findAttemptIn(tx, line, payoutId)
  if (told !== undefined && told !== attempt) return alreadyTold(`${payoutId}/${told}`, isCredit)
  const later = await whyNotAsked(tx, line, { payoutId, attempt })
  if (later !== undefined) return later
  // Said to have come back, it would be paid anew, while the bank may still carry it out.
  if (isCredit && told === undefined && (await findBookedWith(tx, { payoutId, attempt }, 'paid')) === undefined)
    return `Nothing says that ${payoutId}/${attempt} was paid: assign its debit first. If the credit gives back what was paid twice, claim that back first ("--claim").`
  // The payout's own life books the reserve anew.
  await book(accountOf('reserve', line.bankAccount))
  const what = isCredit ? 'returned' : 'paid'
  const payment = { ...explanation, attempt }
  const belongsTo = await applyPayment(tx, line, { payment, what, isAssigned: true }, now)
  const again = isCredit
    ? ''
    : ` If the bank has paid it twice, claim that back: "--claim ${payoutId}", or "--claims" in an allocation.`
  return belongsTo ?? `The payout was ${what} before, by another line.${again}`
}

/** Why a line that names a payment of which another line has said the same is not about the next one, which may still be made. */
function alreadyTold(name: string, isCredit: boolean): string {
  return isCredit
    ? `The line names ${name}, which another line has given back, so this one gives back a second debit. Claim that debit back first ("--claim"), then assign this line to the claim.`
    : `The line names ${name}, and another line is the debit of that payment: if the bank has paid it twice, claim that back ("--claim", or "--claims" in an allocation).`
}

/** Why a line is not about a payout: it names a payment of another one. */
async function namesOther(tx: Queryable, line: Line, { payoutId }: { payoutId: string }): Promise<string | undefined> {
  return await namesAnother(tx, line, (name) => name.startsWith(`${payoutId}/`))
}

type PayoutExplanation = Extract<Explanation, { kind: 'payout' }>

/** Rolled back by the caller, which refuses the command. */
function contradiction(sentence: string): Assignment {
  return { result: 'contradiction', sentence }
}

function explainedBy(
  explanation: Exclude<Explanation, { kind: 'payout' | 'claim' }>,
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
