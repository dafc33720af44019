/** /payouts: ringgit on its way to customers. */
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Queryable } from '../../db/database.ts'
import { HOLD_REASONS, PAYOUT_STATUSES, type Payout } from '../../payouts/payout.ts'
import { appendAudit, audited } from '../audit.sql.ts'
import type { OperatorDeps } from '../deps.ts'
import { found, OperatorError } from '../errors.ts'
import { nextOf, oneOf, PageQuery, pageOf, parse, text } from '../parse.ts'
import { viewPayout } from '../payout-view.ts'

const Query = Type.Object(
  {
    ...PageQuery,
    status: Type.Optional(oneOf(PAYOUT_STATUSES)),
    olderThan: Type.Optional(Type.String({ pattern: '^\\d{1,4}$', description: 'a number of days, such as 3' })),
  },
  { additionalProperties: false },
)
const Release = Type.Object({ reason: text(1, 500) }, { additionalProperties: false })
const Assign = Type.Object({ to: text(1, 200) }, { additionalProperties: false })
const Paid = Type.Object({ reference: text(1, 200) }, { additionalProperties: false })
const Nothing = Type.Object({}, { additionalProperties: false })

type ById = { Params: { payoutId: string } }

export function payoutRoutes(app: FastifyInstance, { db, payouts }: OperatorDeps): void {
  app.get('/payouts', async ({ query }) => {
    const { status, olderThan, ...rest } = parse(Query, query)
    const page = pageOf(rest)
    const olderThanDays = olderThan === undefined ? undefined : Number(olderThan)
    const listed = await payouts.list(db, { status, olderThanDays, ...page })
    return { ok: true, payouts: listed.map(viewPayout), next: nextOf(listed, page, (payout) => payout.payoutId) }
  })

  app.get<ById>('/payouts/:payoutId', async ({ params: { payoutId } }) => {
    const payout = found(await payouts.find(db, payoutId), 'payout', payoutId, 'payout list')
    await appendAudit(db, { action: 'payout.show', target: payoutId })
    return {
      ok: true,
      payout: { ...viewPayout(payout), bankName: payout.bankName, payments: await payouts.payments(db, payoutId) },
    }
  })

  app.post<ById>('/payouts/:payoutId/assign', async ({ params: { payoutId }, body }) => {
    const { to } = parse(Assign, body)
    return await say(payoutId, 'payout.assign', { to }, (tx) => payouts.assign(tx, payoutId, to))
  })

  app.post<ById>('/payouts/:payoutId/retry', async ({ params: { payoutId }, body }) => {
    parse(Nothing, body)
    const payout = await audited(
      db,
      async (tx) => {
        const before = found(await payouts.find(tx, payoutId), 'payout', payoutId, 'payout list')
        const retried = await payouts.retry(tx, payoutId)
        if (retried !== undefined) return { ...retried, earlierError: before.lastError }
        throw new OperatorError('CONFLICT', whyNotRetried(before))
      },
      ({ earlierError, attempts }) => ({
        action: 'payout.retry',
        target: payoutId,
        details: { attempts, earlierError },
      }),
    )
    return { ok: true, payout: viewPayout(payout) }
  })

  /** Runs what an operator says about a payout that the bank may have paid before. */
  const say = async (
    payoutId: string,
    action: string,
    details: Record<string, string>,
    run: (tx: Queryable) => Promise<Payout | undefined>,
  ) => {
    const payout = await audited(
      db,
      async (tx) => {
        found(await payouts.find(tx, payoutId), 'payout', payoutId, 'payout list')
        const done = await run(tx)
        if (done !== undefined) return done
        throw new OperatorError('CONFLICT', `${payoutId} is in no state for that: see "payout show ${payoutId}".`)
      },
      () => ({ action, target: payoutId, details }),
    )
    return { ok: true, payout: viewPayout(payout) }
  }

  app.post<ById>('/payouts/:payoutId/hold', async ({ params: { payoutId }, body }) => {
    const { reason } = parse(Release, body)
    return await say(payoutId, 'payout.hold', { reason }, (tx) => payouts.hold(tx, payoutId))
  })

  app.post<ById>('/payouts/:payoutId/refund', async ({ params: { payoutId }, body }) => {
    parse(Nothing, body)
    return await say(payoutId, 'payout.refund', {}, (tx) => payouts.refund(tx, payoutId))
  })

  app.post<ById>('/payouts/:payoutId/release', async ({ params: { payoutId }, body }) => {
    const { reason } = parse(Release, body)
    return await say(payoutId, 'payout.release', { reason }, (tx) => payouts.release(tx, payoutId))
  })

  app.post<ById>('/payouts/:payoutId/mark-paid', async ({ params: { payoutId }, body }) => {
    const { reference } = parse(Paid, body)
    return await say(payoutId, 'payout.mark-paid', { reference }, (tx) => payouts.markPaid(tx, payoutId, reference))
  })
}

function whyNotRetried({ payoutId, status, rail, holdReason }: Payout): string {
  if (status === 'rejected' || status === 'returned')
    return `The coin of ${payoutId} is being minted back, or was: see "payout show ${payoutId}" and "batch list --unexplained".`
  if (status === 'refunded' || status === 'paid_by_hand') return `${payoutId} is ${status}: there is nothing to retry.`
  if (holdReason === null) return `The rail has accepted ${payoutId} already: there is nothing to retry.`
  if (holdReason === 'maybe_paid_before') return `${payoutId} is held: ${HOLD_REASONS[holdReason]}.`
  return `${payoutId} is held: ${HOLD_REASONS[holdReason]} (${rail}). It continues by itself once that is put right.`
}
