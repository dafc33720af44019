/** /payouts: ringgit on its way to customers. */
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { HOLD_REASONS, PAYOUT_STATUSES, type Payout } from '../../payouts/payout.ts'
import { audited } from '../audit.sql.ts'
import type { OperatorDeps } from '../deps.ts'
import { found, OperatorError } from '../errors.ts'
import { nextOf, oneOf, PageQuery, pageOf, parse } from '../parse.ts'
import { viewPayout } from '../payout-view.ts'

const Query = Type.Object(
  { ...PageQuery, status: Type.Optional(oneOf(PAYOUT_STATUSES)) },
  { additionalProperties: false },
)
const Nothing = Type.Object({}, { additionalProperties: false })

type ById = { Params: { payoutId: string } }

export function payoutRoutes(app: FastifyInstance, { db, payouts }: OperatorDeps): void {
  app.get('/payouts', async ({ query }) => {
    const { status, ...rest } = parse(Query, query)
    const page = pageOf(rest)
    const listed = await payouts.list(db, { status, ...page })
    return { ok: true, payouts: listed.map(viewPayout), next: nextOf(listed, page, (payout) => payout.payoutId) }
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
}

function whyNotRetried({ payoutId, rail, holdReason }: Payout): string {
  if (holdReason === null) return `The rail has accepted ${payoutId} already: there is nothing to retry.`
  return `${payoutId} is held: ${HOLD_REASONS[holdReason]} (${rail}). It continues by itself once that is put right.`
}
