/** /orders/…/make-good: what the chain has lost of a completed order is minted again, or booked, or noted to be made good otherwise; or a redeem ends without it. */
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Queryable } from '../../db/database.ts'
import { isChainLost } from '../../db/lost-chains.sql.ts'
import type { Order, OrderName } from '../../orders/order.ts'
import { findPayoutOf, findRedeemOf, findUnpaidOf } from '../../payouts/lost-burn.sql.ts'
import { proveDoneByOthers } from '../../settlement/explain/done-by-others.ts'
import { type MayBeBurnt, whyMaybeBurnt } from '../../settlement/explain/lost-burn.ts'
import type { MadeGood, NotMadeGood } from '../../settlement/explain/made-good.ts'
import { endRedeem, type LostBurnBatch, makeGood } from '../../settlement/explain/make-good.ts'
import type { DoneByOthers } from '../../settlement/tables/ended-alike.sql.ts'
import { findLostBatch } from '../../settlement/tables/lost.sql.ts'
import { findLostPayment, whyMaybeRetried } from '../../statements/lost-payments.sql.ts'
import { findPaymentShown, lockPayeesDebit } from '../../statements/shown.sql.ts'
import { REFUNDS, REMINTS } from '../../values/house.ts'
import { audited } from '../audit.sql.ts'
import { chooseChain } from '../choose-chains.ts'
import type { OperatorDeps } from '../deps.ts'
import { OperatorError } from '../errors.ts'
import { withOrder, withParties, withPayout } from '../orders/commands-in.ts'
import { requireOrder } from '../orders/required.ts'
import { Flag, parse, text } from '../parse.ts'

const Because = Type.Object({ reason: text(1, 300), unpaid: Type.Optional(Flag) }, { additionalProperties: false })

const REFUSED: Readonly<Record<NotMadeGood | MayBeBurnt | 'no_redeem', string>> = {
  not_lost:
    'The chain has not lost it: this is for completed orders of a final batch that was given up, and for those of which the chain has done the contrary since, once that is explained; and for those that others have carried out, just as they ask for, once they had ended.',
  is_remint:
    'It had minted again what was lost before: run "coin order make-good ORDER --reason …" for that order once more, see "coin reconcile".',
  is_good: 'It was made good already: see "coin order show".',
  unexplained:
    'What the chain has made of its batch when it executed that once more is not explained: run "coin batch explain CHAIN ID --reason …" for that batch first, see "coin batch show CHAIN ID".',
  reminted:
    'The chain has executed after all what was to mint it again, and had failed: "coin reconcile" names that order, under remints/. Run "coin order make-good ORDER --reason …" for that one, by which this one is good, too.',
  under_way: 'It is being minted again: see "coin order show".',
  unsure:
    'Others may have settled it, in a batch that was not read yet: see that "coin chain status" reads the chain and that a settler works, then try again.',
  unfenced:
    'What is lost may be executed yet, until the fence is final: try again when "coin overview" no longer says "fence" of its chain.',
  unpaid:
    'Its payout is not paid, so that nobody owes its ringgit: have it paid first, by "coin payout release" if it is held, "coin payout retry" if it came back, or "coin payout mark-paid"; or, if its partner does not want it any more, "coin order make-good --unpaid", after which nobody is paid. Its coin is there, so nothing is to be refunded.',
  unproven:
    'The nodes do not say, in a final block, that a batch of others has done what it asks for: see "coin batch show CHAIN ID" and that "coin chain status" reads the chain, then try again. While its chain is lost nobody can say so of a redeem: agree with the partner, then run "coin batch explain CHAIN ID --not-order ORDER --reason …".',
  no_redeem: 'Only of a redeem somebody is to be paid: run "coin order make-good" without --unpaid.',
  burnt: 'Its coin was burnt after all: see "coin order show".',
  unread:
    'The chain has batches that were not read yet: see that "coin chain status" reads the chain and that a settler works, then try again.',
  unlike_chain:
    'The nodes have other batches than the database, so that its burn may be among them: compare "coin chain status" with an explorer, then try again.',
  may_be_burnt:
    'Its burn may come back: nothing else is final under the id of its batch yet. Try again in a few blocks.',
  queued: 'Its payout is about to be paid: run "coin payout hold" first.',
  paid: 'Its payout was paid, or its coin minted back, or it is less than a sen: run "coin order make-good" without --unpaid.',
  maybe_paid:
    'Its payout may have been paid: see "coin payout show" and look at the bank. Once its rail has refused it, or it came back, run this again.',
  refunding:
    'Its coin is being minted back: run "coin order reject ORDER --reason …" for that order first, see "coin payout show".',
}

/** What it says of commands is about the order, and about its payout where there is one. */
async function refuse(tx: Queryable, why: keyof typeof REFUSED, order: Order): Promise<OperatorError> {
  const { integrationId, referenceId, orderId } = order
  const said = withParties(withOrder(REFUSED[why], `${integrationId}/${referenceId}`), order)
  const payoutId = await findPayoutOf(tx, orderId)
  return new OperatorError('CONFLICT', payoutId === undefined ? said : withPayout(said, payoutId))
}

export function orderMakeGoodRoutes(app: FastifyInstance, { db, chains }: OperatorDeps): void {
  /** Before anything is locked: nodes are slow. Of a chain that is gone for good the two people alone say so. */
  const askChain = async (params: OrderName): Promise<LostBurnBatch> => {
    const { order } = await requireOrder(db, params)
    const batchId = (await findLostBatch(db, order.orderId))?.batchId
    if (await isChainLost(db, order.chainId)) return { batchId, isOfLostChain: true }
    const chain = chooseChain(chains, order.chainId)
    const why = batchId === undefined ? undefined : await whyMaybeBurnt(db, chain, { batchId, orderId: order.orderId })
    if (why !== undefined) throw await refuse(db, why, order)
    return { batchId, isOfLostChain: false }
  }

  const askOthers = async (params: OrderName): Promise<DoneByOthers | undefined> => {
    const { order } = await requireOrder(db, params)
    const chain = chains.find(({ config }) => config.chainId === order.chainId)
    return chain && (await proveDoneByOthers(db, chain, order))
  }

  app.post<{ Params: OrderName }>('/orders/:integrationId/:referenceId/make-good', async ({ params, body }) => {
    const { reason, unpaid = false } = parse(Because, body)
    const name = `${params.integrationId}/${params.referenceId}`
    const lostBatch = unpaid ? await askChain(params) : undefined
    const byOthers = unpaid ? undefined : await askOthers(params)
    const { result } = await audited(
      db,
      async (tx) => {
        const { order } = await requireOrder(tx, params)
        const done = await (lostBatch ? end(tx, order, lostBatch) : good(tx, order, byOthers))
        if (typeof done === 'object' && 'refused' in done) throw await refuse(tx, done.refused, order)
        return { result: resultOf(done) }
      },
      (done) => ({ action: 'order.make-good', target: name, details: { reason, ...done.result } }),
    )
    return { ok: true, orderId: name, ...result }
  })
}

/** @throws OperatorError CONFLICT where a payout that would end as minted back was paid, or may have been */
async function good(tx: Queryable, order: Order, byOthers: DoneByOthers | undefined): ReturnType<typeof makeGood> {
  const redeem = order.integrationId === REFUNDS ? await findRedeemOf(tx, order) : undefined
  const payoutId = redeem && (await findUnpaidOf(tx, redeem.orderId))
  if (order.status === 'failed' && payoutId !== undefined) await refusePaid(tx, payoutId)
  return await makeGood(tx, order, byOthers)
}

/** @throws OperatorError CONFLICT where the bank has paid it, or may have, as far as statements and what a restore has lost go */
async function end(tx: Queryable, order: Order, lostBatch: LostBurnBatch): ReturnType<typeof endRedeem> {
  const payoutId = await findPayoutOf(tx, order.orderId)
  if (payoutId !== undefined) await refusePaid(tx, payoutId)
  return await endRedeem(tx, order, lostBatch)
}

async function refusePaid(tx: Queryable, payoutId: string): Promise<void> {
  // Takes the lock under which lines are booked, before the payout's.
  const why = (await lockPayeesDebit(tx, payoutId)) ?? (await whyMaybePaid(tx, payoutId))
  if (why !== undefined) throw new OperatorError('CONFLICT', why)
}

async function whyMaybePaid(tx: Queryable, payoutId: string): Promise<string | undefined> {
  const place = await findPaymentShown(tx, payoutId)
  if (place !== undefined) return `A statement shows that ${payoutId} was paid: ${place}.`
  return (await findLostPayment(tx, payoutId)) ?? (await whyMaybeRetried(tx, payoutId))
}

function resultOf(done: MadeGood | 'ended'): { result: string; order?: string } {
  return typeof done === 'string' ? { result: done } : { result: 'minting again', order: `${REMINTS}/${done.remint}` }
}
