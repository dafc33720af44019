/** /payouts: ringgit on its way to customers. */
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { findCustomerOfAny } from '../../customers/customers.sql.ts'
import type { Queryable } from '../../db/database.ts'
import { formatAmount, SEN_IN_MICRO } from '../../money.ts'
import { findFiledAs } from '../../payment-files/reported.sql.ts'
import { withdrawPayment } from '../../payment-files/undue.sql.ts'
import { PAYOUT_STATUSES, type Payout } from '../../payouts/payout.ts'
import { findPaymentShown, lockPayeesDebit } from '../../statements/shown.sql.ts'
import { whyMaybePaid } from '../../statements/unshown.sql.ts'
import { appendAudit, audited } from '../audit.sql.ts'
import { openBanks } from '../customer-bank.ts'
import type { OperatorDeps } from '../deps.ts'
import { found, OperatorError } from '../errors.ts'
import { parseAge } from '../instants.ts'
import { nextOf, oneOf, PageQuery, pageOf, parse, text } from '../parse.ts'
import { whyNotDone, whyNotRetried } from '../payout-refusals.ts'
import { viewPayment, viewPayout } from '../payout-view.ts'

const Query = Type.Object(
  {
    ...PageQuery,
    status: Type.Optional(oneOf(PAYOUT_STATUSES)),
    olderThan: Type.Optional(text(1, 10)),
  },
  { additionalProperties: false },
)
const Release = Type.Object({ reason: text(1, 500) }, { additionalProperties: false })
const Assign = Type.Object({ to: text(1, 200) }, { additionalProperties: false })
const Paid = Type.Object({ reference: text(1, 200) }, { additionalProperties: false })
const Settle = Type.Object({ customerId: text(1, 100) }, { additionalProperties: false })
const Nothing = Type.Object({}, { additionalProperties: false })

/** 27 years. */
const MAX_AGE_MS = 9_999 * 86_400_000

type ById = { Params: { payoutId: string } }

export function payoutRoutes(app: FastifyInstance, { db, payouts, secrets }: OperatorDeps): void {
  app.get('/payouts', async ({ query }) => {
    const { status, olderThan, ...rest } = parse(Query, query)
    const page = pageOf(rest)
    const olderThanMs = olderThan === undefined ? undefined : parseAge('olderThan', olderThan, MAX_AGE_MS)
    const listed = await payouts.list(db, { status, olderThanMs, ...page })
    return { ok: true, payouts: listed.map(viewPayout), next: nextOf(listed, page, (payout) => payout.payoutId) }
  })

  app.get<ById>('/payouts/:payoutId', async ({ params: { payoutId } }) => {
    const payout = found(await payouts.find(db, payoutId), 'payout', payoutId, 'payout list')
    await appendAudit(db, { action: 'payout.show', target: payoutId })
    const payments = await payouts.payments(db, payoutId)
    const banks = await openBanks(db, secrets, [payout, ...payments])
    const filed = await findFiledAs(
      db,
      payments.map(({ endToEndId }) => endToEndId),
    )
    return {
      ...answerWith(payout),
      payout: {
        ...viewPayout(payout),
        bankName: banks.get(payout.bankId ?? '')?.name ?? null,
        payments: payments.map((payment) =>
          viewPayment(payment, { bank: banks.get(payment.bankId ?? ''), filed: filed.get(payment.endToEndId) }),
        ),
      },
    }
  })

  app.post<ById>('/payouts/:payoutId/assign', async ({ params: { payoutId }, body }) => {
    const { to } = parse(Assign, body)
    return await say(payoutId, 'payout.assign', { to }, (tx) => payouts.assign(tx, payoutId, to))
  })

  /** A payout, unless it could be paid again while a debit of it that nothing explains says that the payee may have been paid. */
  const findPayable = async (tx: Queryable, payoutId: string): Promise<Payout> => {
    const maybe = await lockPayeesDebit(tx, payoutId)
    const payout = found(await payouts.find(tx, payoutId), 'payout', payoutId, 'payout list')
    const isCase = payout.status === 'rejected' || payout.status === 'returned'
    if (isCase && maybe !== undefined) throw new OperatorError('CONFLICT', maybe)
    return payout
  }

  app.post<ById>('/payouts/:payoutId/retry', async ({ params: { payoutId }, body }) => {
    parse(Nothing, body)
    const payout = await audited(
      db,
      async (tx) => {
        const before = await findPayable(tx, payoutId)
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
    return answerWith(payout)
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
        const before = found(await payouts.find(tx, payoutId), 'payout', payoutId, 'payout list')
        const done = await run(tx)
        if (done !== undefined) return done
        throw new OperatorError('CONFLICT', whyNotDone(action, before))
      },
      () => ({ action, target: payoutId, details }),
    )
    return answerWith(payout)
  }

  app.post<ById>('/payouts/:payoutId/hold', async ({ params: { payoutId }, body }) => {
    const { reason } = parse(Release, body)
    return await say(payoutId, 'payout.hold', { reason }, (tx) => payouts.hold(tx, payoutId))
  })

  settleRoute(app, { db, payouts })

  app.post<ById>('/payouts/:payoutId/refund', async ({ params: { payoutId }, body }) => {
    parse(Nothing, body)
    if ((await payouts.find(db, payoutId))?.orderId === null) {
      throw new OperatorError(
        'CONFLICT',
        `${payoutId} pays parts of a sen: there is no coin to mint back. Retry it, or mark it paid.`,
      )
    }
    return await say(payoutId, 'payout.refund', {}, async (tx) => {
      await findPayable(tx, payoutId)
      return await payouts.refund(tx, payoutId)
    })
  })

  app.post<ById>('/payouts/:payoutId/release', async ({ params: { payoutId }, body }) => {
    const { reason } = parse(Release, body)
    return await say(payoutId, 'payout.release', { reason }, (tx) => payouts.release(tx, payoutId))
  })

  app.post<ById>('/payouts/:payoutId/mark-paid', async ({ params: { payoutId }, body }) => {
    const { reference } = parse(Paid, body)
    return await say(payoutId, 'payout.mark-paid', { reference }, async (tx) => {
      const endToEndId = (await payouts.find(tx, payoutId))?.endToEndId ?? ''
      const paid = await payouts.markPaid(tx, payoutId, reference)
      if (paid !== undefined) await withdraw(tx, payoutId, endToEndId)
      return paid
    })
  })

  app.post<ById>('/payouts/:payoutId/mark-unpaid', async ({ params: { payoutId }, body }) => {
    const { reason } = parse(Release, body)
    return await say(payoutId, 'payout.mark-unpaid', { reason }, async (tx) => {
      const place = await findPaymentShown(tx, payoutId)
      if (place !== undefined)
        throw new OperatorError('CONFLICT', `A statement shows that ${payoutId} was paid: ${place}.`)
      const maybe = await whyMaybePaid(tx, payoutId)
      if (maybe !== undefined) throw new OperatorError('CONFLICT', maybe)
      return await payouts.markUnpaid(tx, payoutId, reason)
    })
  })
}

/** What every command on one payout answers: what became of it, and the whole. */
function answerWith(payout: Payout) {
  return { ok: true, payoutId: payout.payoutId, status: payout.status, payout: viewPayout(payout) }
}

async function withdraw(tx: Queryable, payoutId: string, endToEndId: string): Promise<void> {
  const messageId = await withdrawPayment(tx, endToEndId)
  if (messageId === undefined) return
  throw new OperatorError(
    'CONFLICT',
    `The payment of ${payoutId} is in ${messageId}, which may be on its way to the bank: run "bank export" first, then look at the payout again.`,
  )
}

function settleRoute(app: FastifyInstance, { db, payouts }: Pick<OperatorDeps, 'db' | 'payouts'>): void {
  app.post('/payouts/settle-residual', async ({ body }) => {
    const { customerId } = parse(Settle, body)
    const payout = await audited(
      db,
      async (tx) => {
        found(await findCustomerOfAny(tx, customerId), 'customer', customerId, 'customer list')
        const queued = await payouts.settleResidual(tx, customerId)
        if (queued !== undefined) return queued
        const { owedMicro } = await payouts.residual(tx, customerId)
        throw new OperatorError('CONFLICT', tooLittle(customerId, owedMicro))
      },
      ({ payoutId, amountSen }) => ({
        action: 'payout.settle-residual',
        target: customerId,
        details: { payoutId, amountMyr: formatAmount(amountSen * SEN_IN_MICRO) },
      }),
    )
    return answerWith(payout)
  })
}

function tooLittle(customerId: string, owedMicro: bigint): string {
  if (owedMicro <= 0n) return `Nothing is owed to ${customerId} beside their payouts.`
  return `RM ${formatAmount(owedMicro)} is owed to ${customerId}: banks move no parts of a sen, so it goes out with their next redeem.`
}
