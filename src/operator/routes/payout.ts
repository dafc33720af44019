/** /payouts: ringgit on its way to customers. What is done to one of them: `payout-commands.ts`. */
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { findCustomerOfAny } from '../../customers/customers.sql.ts'
import { formatAmount, SEN_IN_MICRO, sayRinggit } from '../../money.ts'
import { isKeptByFence } from '../../payment-files/late.sql.ts'
import { findFiledAs } from '../../payment-files/reported.sql.ts'
import { WAITS_FOR_FENCE } from '../../payment-files/run.ts'
import { payoutAdmin } from '../../payouts/admin.ts'
import { listPayments } from '../../payouts/attempts.sql.ts'
import { PAYOUT_STATUSES } from '../../payouts/payout.ts'
import { listPayouts } from '../../payouts/payouts.sql.ts'
import { type Residual, ResidualTooGreatError, readResidual } from '../../payouts/residual.sql.ts'
import { listOpenClaimsOf } from '../../statements/claims.sql.ts'
import { appendAudit, audited } from '../audit.sql.ts'
import { openBanks } from '../customer-bank.ts'
import type { OperatorDeps } from '../deps.ts'
import { found, OperatorError } from '../errors.ts'
import { principalOf } from '../guard.ts'
import { BY_PEOPLE, readPayoutHolds } from '../holds.ts'
import { parseAge } from '../instants.ts'
import { bewareOf } from '../minted-back.ts'
import { nextOf, oneOf, PageQuery, pageOf, parse, text } from '../parse.ts'
import { payoutAsSeen } from '../payout-as-seen.ts'
import { adviceOnCase } from '../payout-refusals.ts'
import { answerWith, viewClaim, viewPayment, viewPayout } from '../payout-view.ts'
import { sayPaysTo } from '../pays-to.ts'
import { mayRefund } from '../refund-payout.ts'
import { requirePayout } from '../require-payout.ts'
import { payoutFor } from '../sees-people.ts'

const Query = Type.Object(
  {
    ...PageQuery,
    status: Type.Optional(oneOf(PAYOUT_STATUSES)),
    unpaid: Type.Optional(oneOf(['true', 'false'])),
    olderThan: Type.Optional(text(1, 10)),
  },
  { additionalProperties: false },
)
const Settle = Type.Object({ customerId: text(1, 100) }, { additionalProperties: false })

/** 27 years. */
const MAX_AGE_MS = 9_999 * 86_400_000

type ById = { Params: { payoutId: string } }

export function payoutRoutes(app: FastifyInstance, { db, secrets, chains }: OperatorDeps): void {
  app.get('/payouts', async (request) => {
    const { status, unpaid, olderThan, ...rest } = parse(Query, request.query)
    const page = pageOf(rest)
    const olderThanMs = olderThan === undefined ? undefined : parseAge('olderThan', olderThan, MAX_AGE_MS)
    const listed = await listPayouts(db, { status, unpaid: unpaid === 'true', olderThanMs, ...page })
    const shown = listed.map((payout) => payoutFor(principalOf(request), viewPayout(payout)))
    return { ok: true, payouts: shown, next: nextOf(listed, page, (payout) => payout.payoutId) }
  })

  app.get<ById>('/payouts/:payoutId', async ({ params: { payoutId } }) => {
    const payout = await requirePayout(db, payoutId)
    await appendAudit(db, { action: 'payout.show', target: payoutId })
    const payments = await listPayments(db, payoutId)
    const filed = await findFiledAs(
      db,
      payments.map(({ endToEndId }) => endToEndId),
    )
    const banks = await openBanks(db, secrets, [payout, ...payments, ...filed.values()])
    // After a restore a payment file may say that a payment went to an account that its customer had before.
    const bankOf = ({ endToEndId, bankId }: (typeof payments)[number]) =>
      banks.get(filed.get(endToEndId)?.bankId ?? '') ?? banks.get(bankId ?? '')
    const beware = BY_PEOPLE.has(payout.status) ? await bewareOf(db, payout) : undefined
    const answer = answerWith(payout, beware)
    return {
      ...answer,
      asSeen: await payoutAsSeen(db, payout),
      payout: {
        ...answer.payout,
        holds: (await readPayoutHolds(db, payout)).now,
        ...(beware === undefined && {
          advice:
            adviceOnCase(payout, await mayRefund(db, chains, payout)) ??
            ((await isKeptByFence(db, payoutId)) ? WAITS_FOR_FENCE : null),
        }),
        bankName: banks.get(payout.bankId ?? '')?.name ?? null,
        paysTo: await sayPaysTo(db, secrets, payout),
        payments: payments.map((payment) =>
          viewPayment(payment, { bank: bankOf(payment), filed: filed.get(payment.endToEndId) }),
        ),
        claims: (await listOpenClaimsOf(db, payoutId)).map((claim) => viewClaim(claim, payout)),
      },
    }
  })

  settleRoute(app, { db })
}

function settleRoute(app: FastifyInstance, { db }: Pick<OperatorDeps, 'db'>): void {
  app.post('/payouts/settle-residual', async ({ body }) => {
    const { customerId } = parse(Settle, body)
    const payout = await audited(
      db,
      async (tx) => {
        found(await findCustomerOfAny(tx, customerId), 'customer', customerId, 'customer list --integration ID')
        const residual = await readResidual(tx, customerId)
        const queued = await payoutAdmin.settleResidual(tx, customerId).catch((error: unknown) => {
          throw error instanceof ResidualTooGreatError ? tooGreat(customerId, residual) : error
        })
        if (queued !== undefined) return queued
        throw new OperatorError('CONFLICT', tooLittle(customerId, residual))
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

function tooGreat(customerId: string, { owedMicro }: Residual): OperatorError {
  const sentence = `${sayRinggit(owedMicro)} is recorded as owed to ${customerId} in parts of a sen, more than redeems and refunds can have left over: somebody has changed it past the service. It is not paid; "coin reconcile" names it (books).`
  return new OperatorError('CONFLICT', sentence)
}

function tooLittle(customerId: string, { owedMicro, reservedMicro }: Residual): string {
  const waits = `${sayRinggit(reservedMicro)} that is owed to ${customerId} goes back to them as coin, with a refund that is under way`
  if (owedMicro <= 0n && reservedMicro > 0n) return `${waits}: if the coin is not minted back, run this again then.`
  if (owedMicro <= 0n) return `Nothing is owed to ${customerId} beyond their payouts.`
  const said = `${sayRinggit(owedMicro)} is owed to ${customerId}: banks cannot move parts of a sen, so it goes out with their next redeem.`
  return reservedMicro > 0n ? `${said} Besides, ${waits}.` : said
}
