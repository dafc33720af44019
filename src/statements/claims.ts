/** A debit of a payment that was paid already is claimed back, from the bank or the payee, and closed by the credit that gives it back. */
import type { Queryable } from '../db/database.ts'
import { accountOf } from '../ledger/accounts.ts'
import { recordEntries } from '../ledger/entries.sql.ts'
import { lockPayout, paymentName } from '../payouts/attempts.sql.ts'
import { byHandName, findByHand } from '../payouts/by-hand.sql.ts'
import type { SaidCharges } from './charges.ts'
import { findLastShown, findOpenClaim, findOpenClaimOf, nextClaim, type OpenClaim } from './claims.sql.ts'
import { type Belonging, hasLineOf, markMatched } from './lines.sql.ts'
import type { Line, Payment } from './match.ts'
import { findAttemptIn, findMeant, findTwice, type Said } from './meant.ts'
import { entryOfAssignment, entryOfLine } from './postings.ts'

export type ClaimExplanation = { payoutId: string; attempt: number; amountSen: bigint } & SaidCharges

/** @returns what the line belongs to, or why it does not: then what was written must not stay */
export async function assignToClaim(
  tx: Queryable,
  line: Line,
  explanation: ClaimExplanation,
  { chargesMicro, now }: { chargesMicro: bigint; now: Date },
): Promise<Belonging | string> {
  const { payoutId } = explanation
  if (line.amountMicro > 0n) {
    const open = await findClaimGivenBack(tx, line, payoutId)
    if (open === undefined)
      return `Nothing of ${payoutId} is claimed back: if the credit gives its payment back, assign it with "--payout".`
    await recordEntries(tx, [entryOfAssignment(line, accountOf('claims', open.bankAccount), now, chargesMicro)])
    return { kind: 'claim', to: open.to }
  }
  const to = await openClaim(tx, line, explanation)
  if (typeof to !== 'string') {
    await recordEntries(tx, [entryOfAssignment(line, accountOf('claims', line.bankAccount), now, chargesMicro)])
  }
  return to
}

/** The open claim of a payout that a credit would give back: one of the payment that it names, else the oldest, of its own account first. */
export async function findClaimGivenBack(
  tx: Queryable,
  line: Pick<Line, 'endToEndId' | 'bankAccount'>,
  payoutId: string,
): Promise<OpenClaim | undefined> {
  const attempt = await findAttemptIn(tx, line, payoutId)
  const named = attempt === undefined ? [] : [paymentName({ payoutId, attempt })]
  const open = await findOpenClaim(tx, named, line.bankAccount)
  return open ?? (await findOpenClaimOf(tx, payoutId, line.bankAccount))
}

/** Of a payout that came back, too: while a claim is open, nothing pays it anew. @returns the claim, or why there is none */
async function openClaim(tx: Queryable, line: Line, explanation: ClaimExplanation): Promise<Belonging | string> {
  await lockPayout(tx, explanation.payoutId)
  const { counting, before } = await findBefore(tx, line, explanation)
  if (before === undefined) return `No other line is the debit of ${counting}: assign this one with "--payout".`
  const to = await nextClaim(tx, before)
  return to === undefined ? `Too much of ${before} is claimed back already.` : { kind: 'claim', to }
}

/** `before`: the payment of which a debit is a second one; undefined when no other line is the debit of it, which is `counting` then. */
async function findBefore(
  tx: Queryable,
  line: Said,
  { payoutId, attempt }: Pick<Payment, 'payoutId' | 'attempt'>,
): Promise<{ counting: string; before: string | undefined }> {
  const byHand = await findByHand(tx, payoutId)
  const meant = await findMeant(tx, line, payoutId)
  const counting =
    byHand === undefined ? paymentName({ payoutId, attempt: meant ?? attempt }) : byHandName(payoutId, byHand)
  const isShown = await hasLineOf(tx, counting, 'debit')
  // It was paid anew perhaps before anybody looked: while no debit of that is shown, this one is a second one of the payment before.
  const settling = isShown ? counting : await findSettling(tx, line, payoutId, meant)
  // What gives it back will name the payment that it names, be that an earlier one than the one that has settled the payout.
  const named = await findAttemptIn(tx, line, payoutId)
  return { counting, before: settling && named !== undefined ? `${payoutId}/${named}` : settling }
}

async function findSettling(tx: Queryable, line: Said, payoutId: string, meant: number | undefined) {
  if (meant === undefined) return await findLastShown(tx, payoutId)
  const twice = await findTwice(tx, line, payoutId)
  return twice === undefined ? undefined : `${payoutId}/${twice}`
}

/** What a line would be about if it were said to be of a claim: the payment that it paid once more, or the claim that it gives back; undefined when there is none. */
export async function findClaimMeant(
  tx: Queryable,
  line: Said & Pick<Line, 'bankAccount'>,
  payment: Pick<Payment, 'payoutId' | 'attempt'>,
): Promise<string | undefined> {
  if (line.amountMicro > 0n) return (await findClaimGivenBack(tx, line, payment.payoutId))?.to
  return (await findBefore(tx, line, payment)).before
}

/** A credit that names a payment of which a debit too many is claimed back gives that back, and not the payment. @returns whether it does */
export async function closeClaim(tx: Queryable, line: Line, payment: Payment, now: Date): Promise<boolean> {
  const open = await findOpenClaim(tx, [paymentName(payment)], line.bankAccount)
  if (open === undefined) return false
  await recordEntries(tx, [entryOfLine(line, accountOf('claims', open.bankAccount), now)])
  await markMatched(tx, line.lineNo, { kind: 'claim', to: open.to })
  return true
}
