/** /orders/…/make-good: what the chain has lost of a completed order is minted again, or booked, or noted to be made good otherwise. */
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { type MadeGood, makeGood, type NotMadeGood } from '../../settlement/explain/make-good.ts'
import { REMINTS } from '../../values/order-tag.ts'
import { audited } from '../audit.sql.ts'
import type { OperatorDeps } from '../deps.ts'
import { OperatorError } from '../errors.ts'
import { type OrderParams, requireOrder } from '../orders/required.ts'
import { parse, text } from '../parse.ts'

const Because = Type.Object({ reason: text(1, 300) }, { additionalProperties: false })

const REFUSED: Readonly<Record<NotMadeGood, string>> = {
  not_lost:
    'The chain has not lost it: this is for completed orders of a final batch that was given up with "batch explain".',
  is_remint:
    'It had minted again what was lost before: run "order make-good" for that order once more, see "reconcile".',
  is_good: 'It was made good already: see "order show".',
  under_way: 'It is being minted again: see "order show".',
  unsure:
    'Others may have settled it, in a batch that was not read yet: see that "chain status" reads the chain and that a settler works, then try again.',
  unfenced:
    'What is lost may be executed yet, until the fence is final: try again when "overview" no longer says "fence" of its chain.',
  unpaid:
    'Its payout is not paid, so that nobody owes its ringgit: run "payout retry" or "payout mark-paid" first. Its coin is there, so nothing is to be refunded.',
}

export function orderMakeGoodRoutes(app: FastifyInstance, { db }: OperatorDeps): void {
  app.post<{ Params: OrderParams }>('/orders/:integrationId/:referenceId/make-good', async ({ params, body }) => {
    const { reason } = parse(Because, body)
    const name = `${params.integrationId}/${params.referenceId}`
    const { result } = await audited(
      db,
      async (tx) => {
        const { order } = await requireOrder(tx, params)
        const done = await makeGood(tx, order)
        if (typeof done === 'object' && 'refused' in done) throw new OperatorError('CONFLICT', REFUSED[done.refused])
        return { result: resultOf(done) }
      },
      (done) => ({ action: 'order.make-good', target: name, details: { reason, ...done.result } }),
    )
    return { ok: true, orderId: name, ...result }
  })
}

function resultOf(done: MadeGood): { result: string; order?: string } {
  return typeof done === 'string' ? { result: done } : { result: 'minting again', order: `${REMINTS}/${done.remint}` }
}
