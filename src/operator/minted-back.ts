/** What is to be known before a payout is paid again, or outside of the service: its customer may get the coin back as well, or have the ringgit already. */
import type { Queryable } from '../db/database.ts'
import { hasCameBack, type Payout, type PayoutStatus } from '../payouts/payout.ts'
import { findReminted, sayReminted } from '../payouts/reminted.sql.ts'
import { MINTED_AFTER_ALL, saysBurnIsLost } from '../payouts/said-by-settlers.ts'
import { findUnfencedRefund, isUnfenced } from '../settlement/tables/fences.sql.ts'
import { findLostBatch } from '../settlement/tables/lost.sql.ts'
import { findExecutedRefund, isRefusedNow } from '../settlement/tables/outcomes.sql.ts'
import { findLostPayment, whyMaybeRetried } from '../statements/lost-payments.sql.ts'
import { whyMaybeNotBack } from '../statements/not-left.sql.ts'
import { REFUNDS } from '../values/house.ts'
import { DECISIONS } from './approvals/decided.ts'
import { readNewestOf } from './audit.sql.ts'
import { readHoldsSaid } from './holds.sql.ts'

/**
 * Undefined where nothing speaks against paying it:
 * - the chain has the burn that it pays;
 * - its coin was not minted back, and nothing that the database may have lost can mint it back yet;
 * - nothing that the database may have lost has paid it again, where it came back;
 * - the bank has shown that it left, where it came back;
 * - nobody holds it, where its rail has refused it, or it came back, meanwhile; nor has anybody said of it, while it was held, that it was paid.
 * @param besides what a settler says of it, which is not said twice
 */
export async function bewareOf(
  db: Queryable,
  payout: Pick<Payout, 'payoutId' | 'orderId' | 'status' | 'burn'>,
  besides = '',
): Promise<string | undefined> {
  const { payoutId, status } = payout
  const isCase = hasCameBack(status)
  const paid = isCase ? ((await findLostPayment(db, payoutId)) ?? (await whyMaybeRetried(db, payoutId))) : undefined
  const said = [
    saysBurnIsLost(besides) ? undefined : await isBurnLost(db, payout),
    besides.startsWith(MINTED_AFTER_ALL) ? undefined : await whyMintedBack(db, payoutId),
    await whyReminted(db, payoutId),
    await mayBeMintedBack(db, payout),
    paid,
    await whyMaybeNotBack(db, payoutId),
    isCase ? await whyHeldStill(db, payoutId) : undefined,
    isCase ? await whySaidPaid(db, payoutId) : undefined,
  ].filter((each) => each !== undefined)
  return said.length === 0 ? undefined : said.join(' ')
}

/** The word of its bank has ended what people held it for, and none of them has. */
async function whyHeldStill(db: Queryable, payoutId: string): Promise<string | undefined> {
  const { said, endedBy } = await readHoldsSaid(db, 'payout', payoutId)
  const held = said.filter(({ auditId }) => auditId > endedBy).reverse()
  if (held.length === 0) return undefined
  const words = held.map(({ actor, at, reason }) => `${actor} has held it at ${at.toISOString()} for “${reason}”`)
  return `${words.join('; ')}, and nobody has let it go: it was refused, or came back, meanwhile. Ask them before it is paid again, or its coin minted back.`
}

/** People have paid it otherwise while its rail gave no answer, perhaps, and then that has refused it, or given it back. */
async function whySaidPaid(db: Queryable, payoutId: string): Promise<string | undefined> {
  const newest = await readNewestOf(db, DECISIONS.payout, { target: payoutId })
  if (newest?.action !== 'payout.mark-paid' || newest.before?.status !== 'held') return undefined
  const { actor, at, details } = newest
  return `${actor} has said at ${at.toISOString()}, while it was held, that it was paid as “${details.reference}”, and its bank says since that its own payment was not made, or came back. Where it was paid otherwise, the payee has that ringgit: ask them first, then run "coin payout mark-paid" again.`
}

/** Undefined where the chain has the burn of a payout. */
async function isBurnLost(
  db: Queryable,
  { orderId, status, burn }: Pick<Payout, 'orderId' | 'status' | 'burn'>,
): Promise<string | undefined> {
  if (orderId === null) return undefined
  const lost = await findLostBatch(db, orderId)
  if (lost?.isClosed) return TO_BE_PAID.has(status) ? BURN_BOOKED : undefined
  if (lost === undefined && !(await isRefusedNow(db, orderId))) return undefined
  return lost === undefined && burn === null ? BURN_UNSEEN : BURN_LOST
}

const TO_BE_PAID: ReadonlySet<PayoutStatus> = new Set(['queued', 'held', 'rejected', 'returned'])

const BURN_LOST =
  'The chain has lost the burn that it pays: the holder has the coin again. Agree with the partner first. Once it is paid, "coin order make-good" books that the integration owes it; with --unpaid, it is never paid.'

/** Nobody can make good what nobody has seen: it is in no list of what was lost. */
const BURN_UNSEEN =
  'The chain has refused the burn that it pays, which no payer had seen: the holder has the coin. Do not pay it by hand. Where it is held for anything else, "coin payout release" has payers look for the burn, and hold it for that; then "coin payout resettle" has its redeem burnt again.'

const BURN_BOOKED =
  'The chain has lost the burn that it pays: the holder has the coin again, and its integration owes the ringgit, as it had been paid before. Agree with the partner first. Paid again, all of that stays; "coin order make-good" with --unpaid has nobody paid, and nobody owe anything.'

/** Why a payout is neither paid again nor its coin minted back: a refund that had failed was executed after all, or may be yet. */
export async function whyMintedBack(db: Queryable, payoutId: string): Promise<string | undefined> {
  const refund = await findExecutedRefund(db, payoutId)
  if (refund === undefined) return await whyMaybeExecuted(db, payoutId)
  const name = `${REFUNDS}/${refund.name}`
  const before = refund.isByOthers
    ? ''
    : '; before that "coin batch explain CHAIN ID --reason …", where "coin reconcile" still names its batch'
  return `The chain has executed ${name} after all, so that the holder has the coin: run "coin order make-good ${name} --reason …", which ends the payout as minted back${before}.`
}

async function whyMaybeExecuted(db: Queryable, payoutId: string): Promise<string | undefined> {
  const name = await findUnfencedRefund(db, payoutId)
  if (name === undefined) return undefined
  return `Its chain was called lost while ${REFUNDS}/${name} was to mint its coin back, and is found: what was sent of that may be executed yet, until the fence is final. Try again when "coin overview" no longer says "fence" of its chain.`
}

/** Why a payout is not paid: a history that a restore has lost minted its coin back, unless operators have said that this was none of it. */
export async function whyReminted(db: Queryable, payoutId: string): Promise<string | undefined> {
  const reminted = await findReminted(db, payoutId)
  return reminted === undefined || reminted.isExplained ? undefined : sayReminted(reminted)
}

/** Undefined where nothing that the database may have lost can mint the coin of a payout back. */
async function mayBeMintedBack(db: Queryable, { orderId }: Pick<Payout, 'orderId'>): Promise<string | undefined> {
  return orderId !== null && (await isUnfenced(db, orderId)) ? BEWARE : undefined
}

const BEWARE =
  'The database was restored, or another has taken over: what it has lost may have minted the coin of this payout back, and until the fence of its chain is final anybody may have that executed. If the ringgit has not left, pay it only then. If it has, look at "coin batch list --unexplained" then.'
