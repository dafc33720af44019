/** One question to a rail about one payout, and what its answer is recorded as. */
import type { Logger } from 'pino'
import { openDetails } from '../bank-details/bank-details.ts'
import type { Database, Queryable } from '../db/database.ts'
import type { SecretBox } from '../secrets/secrets.ts'
import { type CarriedOut, findCarriedOut, sayCarriedOut, whyNotPaid } from './before-paying.ts'
import {
  allowToPay,
  type ClaimedPayout,
  markWithoutAccount,
  postponePayout,
  returnClaim,
  type SentPayment,
} from './claims.sql.ts'
import type { News } from './news.sql.ts'
import type { NewsOutcome } from './news.ts'
import { keptReference, reasonOf, stepOf } from './payout.ts'
import type { PayoutInstruction, Rail, RailAnswer, RailStatus, SealedInstruction } from './rail.ts'
import { markRefused, recordNews } from './record-news.ts'
import type { MaybeHad } from './unretried.sql.ts'

export type AskMetrics = { answered(result: RailStatus['result']): void }

/** `secrets`: opens the bank accounts that payouts go to. */
export type AskDeps = { db: Database; rail: Rail; secrets: SecretBox; logger: Logger; metrics?: AskMetrics }

/** For how long nobody else asks about a claimed payout: longer than any rail call takes. */
export const CLAIM_MS = 60_000
/** How long a payout waits whose bank account does not open. */
const UNOPENED_MS = 60_000

/**
 * Asks the rail about a claimed payout, outside of any transaction, and records what it says.
 * @param maybeHad where a lost history may have had the payout
 */
export async function askRail(deps: AskDeps, claimed: ClaimedPayout, maybeHad?: MaybeHad): Promise<void> {
  const { db, rail, logger, metrics } = deps
  const { payoutId } = claimed
  const earlier = await safely(() => findCarriedOut(deps, claimed))
  const { carriedOut = [], isBeside = true } = earlier !== undefined && 'carriedOut' in earlier ? earlier : {}
  if (!isBeside) {
    const instead: News = { kind: 'rejected', reason: sayCarriedOut(carriedOut), effectiveAt: new Date() }
    return await record(deps, claimed, instead, carriedOut)
  }
  const answer = earlier !== undefined && 'result' in earlier ? earlier : await answerOf(deps, claimed, maybeHad)
  if (answer === undefined) return
  metrics?.answered(answer.result)
  const news = newsOf(answer, claimed, rail)
  if ('afterMs' in news) {
    await postponePayout(db, claimed, news)
    logger.warn(
      { payoutId, timesAsked: claimed.timesAsked, reason: news.reason },
      'payout not answered; it is asked about again',
    )
    return
  }
  await record(deps, claimed, news, carriedOut)
}

/**
 * Asks what became of a payment that the rail has accepted. Only what it says of the end is recorded.
 * @returns why the rail has said nothing; undefined when it has
 */
export async function askAboutSent({ db, rail, logger }: AskDeps, payment: SentPayment): Promise<string | undefined> {
  const { payoutId, attempt } = payment
  const status = await safely(async () => await rail.status?.(payment))
  const { name, bankAccount = name } = rail
  if (status?.result === 'unknown') return status.reason
  if (status === undefined || status.result === 'accepted') return undefined
  if (status.result === 'none') {
    logger.error({ payoutId, attempt }, 'the rail has accepted a payment that it now knows nothing of')
    return undefined
  }
  const news: News =
    status.result === 'refused'
      ? { kind: 'rejected', reason: reasonOf(status.reason), effectiveAt: new Date() }
      : newsOfEnd(status, bankAccount)
  const result = await db.transaction((tx) => recordNews(tx, payment, news))
  if (result?.outcome === 'recorded' && news.kind !== 'paid')
    logger.error({ payoutId, attempt, news: news.kind }, 'an accepted payout was not carried out; an operator must act')
  return undefined
}

/** What the rail is to be told; undefined where there is no bank account, or it does not open, and then that is recorded. */
async function instructionOf(
  { db, secrets, logger }: AskDeps,
  claimed: ClaimedPayout,
): Promise<PayoutInstruction | undefined> {
  const { payoutId, payment } = claimed
  if (payment === undefined) {
    await markWithoutAccount(db, claimed, 'The customer has no bank account.')
    logger.error({ payoutId }, 'payout refused: the customer has no bank account; an operator must act')
    return undefined
  }
  const instruction = openInstruction(secrets, payment)
  if (instruction === undefined) {
    const reason =
      'Its bank account does not open: SECRETS_KEY is not the key under which it was sealed, or the account is not its customer’s.'
    await returnClaim(db, claimed, { afterMs: UNOPENED_MS, reason })
    logger.error(
      { payoutId },
      'payout waits: its bank account does not open under SECRETS_KEY or SECRETS_KEY_PREVIOUS as its customer’s',
    )
  }
  return instruction
}

/** Undefined when the bank account does not open. */
function openInstruction(secrets: SecretBox, payment: SealedInstruction): PayoutInstruction | undefined {
  const { sealed, customerId, ...rest } = payment
  try {
    const { bic, account, name } = openDetails(secrets, { bankId: rest.bankId, customerId, sealed })
    return bic === null || account === null || name === null ? undefined : { ...rest, bic, account, name }
  } catch {
    return undefined
  }
}

/**
 * Undefined when there is nothing to tell the rail, or the payout was decided, or claimed again, while it said that it knows nothing of it. What
 * it may know is asked for first, for which no bank account is needed: a lost history may have had one, and have paid to it.
 */
async function answerOf(
  deps: AskDeps,
  claimed: ClaimedPayout,
  maybeHad: MaybeHad | undefined,
): Promise<Exclude<RailStatus, { result: 'none' }> | undefined> {
  const { db, rail } = deps
  const { payoutId, endToEndId, attempt, askFirst } = claimed
  if (askFirst) {
    const status = await safely(async () => await rail.status?.({ payoutId, endToEndId }))
    if (status !== undefined && status.result !== 'none') return status
    if (status === undefined) return { result: 'unknown', reason: 'The rail cannot be asked.' }
  }
  const unpaid = await safely(
    async () => maybeHad && (await whyNotPaid(deps, { payoutId, endToEndId, isUnknown: askFirst }, maybeHad)),
  )
  if (unpaid !== undefined) return unpaid
  const instruction = await instructionOf(deps, claimed)
  // Also about what it had refused before, which may have taken as long as the claim.
  const isAsked = askFirst || maybeHad !== undefined || attempt > 1
  if (instruction === undefined || (isAsked && !(await allowToPay(db, claimed, CLAIM_MS)))) return undefined
  return await safely(() => rail.initiate(instruction))
}

async function safely<R>(ask: () => Promise<R>): Promise<R | RailAnswer> {
  try {
    return await ask()
  } catch (error) {
    return { result: 'unknown', reason: error instanceof Error ? error.name : 'unknown cause' }
  }
}

/** What the answer is recorded as, or when to ask again. */
function newsOf(
  answer: Exclude<RailStatus, { result: 'none' }>,
  { timesAsked }: ClaimedPayout,
  { name, bankAccount = name }: Rail,
): News | { afterMs: number; reason: string } {
  if (answer.result === 'paid' || answer.result === 'returned') return newsOfEnd(answer, bankAccount)
  const step = stepOf(answer, timesAsked)
  if (step.kind === 'ask again') return step
  return { ...step, effectiveAt: new Date() }
}

/** Dated by the rail. That nothing took effect later than now, the books see to, by a clock that all processes share. */
function newsOfEnd(status: Extract<RailStatus, { result: 'paid' | 'returned' }>, bankAccount: string): News {
  const line = { bankAccount, reference: keptReference(status.reference), effectiveAt: status.effectiveAt }
  if (status.result === 'paid') return { kind: 'paid', ...line }
  return { kind: 'returned', ...line, reason: reasonOf(status.reason) }
}

/** @param carriedOut earlier payments that its rail has after all: one of them is the payout's where the claimed one is refused, and each other is extra */
async function record(deps: AskDeps, claimed: ClaimedPayout, news: News, carriedOut: readonly CarriedOut[]) {
  const { payoutId, attempt } = claimed
  const told = await deps.db.transaction(async (tx) => {
    const result =
      news.kind === 'rejected'
        ? (await markRefused(tx, claimed, news.reason)) && ({ outcome: 'recorded' } as const)
        : await recordNews(tx, { payoutId, attempt }, news)
    if (!result) return undefined
    return { outcome: result.outcome, late: await recordLate(tx, deps.rail, claimed, carriedOut) }
  })
  if (told === undefined) return
  for (const { status, outcome, ...payment } of told.late) {
    deps.metrics?.answered(status.result)
    const fields = { payoutId, ...payment, result: status.result }
    if (outcome === 'extra') deps.logger.fatal(fields, EXTRA)
    else if (outcome === 'recorded') deps.logger.error(fields, LATE)
  }
  if (news.kind !== 'rejected' || told.late.length === 0) tell(deps.logger, claimed, news, told.outcome)
}

const EXTRA = 'a payment was accepted for a payout that is settled otherwise: see "coin payout show"'
const LATE =
  'the rail has a payment after all that it had refused; it counts, and no other was made: ask the bank why it was refused'

/** In the transaction of whatever became of the claimed one: nobody asks about these again. */
async function recordLate(tx: Queryable, rail: Rail, claimed: ClaimedPayout, carriedOut: readonly CarriedOut[]) {
  const told: (CarriedOut & { outcome: NewsOutcome | undefined })[] = []
  for (const each of carriedOut) {
    const news = newsOf(each.status, claimed, rail)
    if ('afterMs' in news) continue
    const result = await recordNews(tx, { payoutId: claimed.payoutId, attempt: each.attempt }, news)
    told.push({ ...each, outcome: result?.outcome })
  }
  return told
}

function tell(logger: Logger, { payoutId, attempt }: ClaimedPayout, news: News, outcome: NewsOutcome): void {
  if (outcome === 'extra') {
    logger.fatal({ payoutId, attempt }, EXTRA)
  } else if (news.kind === 'rejected') {
    // By the rail, or because of what a lost history may have had: the reason says which.
    logger.error({ payoutId, reason: news.reason }, 'payout refused; an operator must act')
  } else if (news.kind === 'returned') {
    logger.error({ payoutId, reason: news.reason }, 'payout returned by the bank; an operator must act')
  } else logger.info({ payoutId }, 'payout accepted by the rail')
}
