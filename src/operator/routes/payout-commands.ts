/** /payouts/:payoutId/…: what operators do to a payout, or say of one that the bank may have paid before. */
import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import type { Queryable } from '../../db/database.ts'
import { waitsForFile } from '../../payment-files/reported.sql.ts'
import { withdrawPayment } from '../../payment-files/undue.sql.ts'
import { payoutAdmin } from '../../payouts/admin.ts'
import { lockPayout } from '../../payouts/attempts.sql.ts'
import type { Payout } from '../../payouts/payout.ts'
import { findPayout } from '../../payouts/payouts.sql.ts'
import { isOfAnother } from '../../payouts/twins.sql.ts'
import { isFencing } from '../../settlement/tables/fences.sql.ts'
import { lockBooking } from '../../statements/lines.sql.ts'
import { findPaymentShown } from '../../statements/shown.sql.ts'
import { whyMaybePaid } from '../../statements/unshown.sql.ts'
import { requireAsSeen } from '../as-seen.ts'
import { audited, requireAsApproved } from '../audit.sql.ts'
import type { OperatorDeps } from '../deps.ts'
import { OperatorError } from '../errors.ts'
import { NamedHolds, readPayoutHolds, requireHoldsMeant } from '../holds.ts'
import { bewareOf, whyReminted } from '../minted-back.ts'
import { requireNewReference, requirePaymentMeant } from '../named-payment.ts'
import { ofPayout } from '../of-payout.ts'
import { Nothing, parse, text } from '../parse.ts'
import { payoutAsSeen } from '../payout-as-seen.ts'
import { sayOfAnother, whyNotDone, whyNotRetried } from '../payout-refusals.ts'
import { answerWith } from '../payout-view.ts'
import { findPayable, refund } from '../refund-payout.ts'
import { requirePayout } from '../require-payout.ts'

const strict = { additionalProperties: false }
const Because = Type.Object({ reason: text(1, 500) }, strict)
const Unpaid = Type.Object({ payment: Type.Optional(text(1, 200)), reason: text(1, 500) }, strict)
const Release = Type.Object({ held: Type.Optional(NamedHolds), reason: text(1, 500) }, strict)
const Assign = Type.Object({ to: text(1, 200) }, strict)
const Paid = Type.Object({ reference: text(1, 200) }, strict)
const readReason = (body: unknown) => parse(Because, body)
const readNothing = (body: unknown): Record<string, never> => ({ ...parse(Nothing, body) })

type ById = { Params: { payoutId: string } }
type Deps = Pick<OperatorDeps, 'db' | 'chains'>
/** Undefined: the payout's status does not allow it. */
type Run<T> = (
  tx: Queryable,
  deps: Deps,
  payoutId: string,
  input: T,
  headers: IncomingHttpHeaders,
) => Promise<Payout | undefined>
type PayoutCommand = (app: FastifyInstance, deps: Deps) => void

const COMMANDS: readonly PayoutCommand[] = [
  command(
    'assign',
    (body) => parse(Assign, body),
    (tx, _deps, payoutId, { to }) => payoutAdmin.assign(tx, payoutId, to),
  ),
  command('hold', readReason, hold),
  command('refund', readNothing, refund),
  command('release', (body) => parse(Release, body), release),
  command('mark-unpaid', (body) => parse(Unpaid, body), markUnpaid),
]

export function payoutCommandRoutes(app: FastifyInstance, deps: Deps): void {
  for (const register of COMMANDS) register(app, deps)
  app.post<ById>('/payouts/:payoutId/retry', (request) =>
    ofPayout(deps, request.params.payoutId, () => retry(deps, request)),
  )
  app.post<ById>('/payouts/:payoutId/mark-paid', (request) =>
    ofPayout(deps, request.params.payoutId, () => markPaid(deps, request)),
  )
}

/** Those that look at lines of statements, whose lock comes before that of a payout. */
const LOOKS_AT_LINES: ReadonlySet<string> = new Set(['refund', 'mark-unpaid'])

/** Until the transaction ends: what its rail says at the same moment is heard before, or waits, and so does whoever else acts on it. */
async function findLocked(tx: Queryable, payoutId: string): Promise<Payout> {
  await lockPayout(tx, payoutId)
  await requireAsApproved(tx)
  return await requirePayout(tx, payoutId)
}

/** One command: its route, which audits what was said, and refuses with the reason what the payout's status does not allow. */
function command<T extends { reason?: string; payment?: string; held?: string[]; to?: string }>(
  verb: string,
  read: (body: unknown) => T,
  run: Run<T>,
): PayoutCommand {
  const action = `payout.${verb}`
  return (app, deps) => {
    app.post<ById>(`/payouts/:payoutId/${verb}`, async ({ params: { payoutId }, body, headers }) => {
      const input = read(body)
      const act = async (tx: Queryable) => {
        if (LOOKS_AT_LINES.has(verb)) await lockBooking(tx)
        const before = await findLocked(tx, payoutId)
        const now = await payoutAsSeen(tx, before)
        const done = await run(tx, deps, payoutId, input, headers)
        if (done === undefined) throw new OperatorError('CONFLICT', whyNotDone(action, before))
        requireAsSeen(headers, now, payoutId)
        return done
      }
      const entry = { action, target: payoutId, details: { ...input } }
      return answerWith(await ofPayout(deps, payoutId, () => audited(deps.db, act, () => entry)))
    })
  }
}

/** What is sent cannot be held, and whoever must stop it would believe that the bank has it. */
async function hold(tx: Queryable, _deps: Deps, payoutId: string): Promise<Payout | undefined> {
  const held = await payoutAdmin.hold(tx, payoutId)
  if (held !== undefined) return held
  const payout = await findPayout(tx, payoutId)
  if (payout?.status !== 'sent' || !(await waitsForFile(tx, payout.endToEndId))) return undefined
  const sentence = `${payoutId} is sent, but its payment is in no payment file yet. To keep it from the bank, stop the processes with the role payer. If "coin payout show ${payoutId}" still names no payment file then, run "coin payout mark-unpaid": it goes into none.`
  throw new OperatorError('CONFLICT', sentence)
}

/** Only what its release ends is compared: of what is held otherwise its state says more. */
async function release(
  tx: Queryable,
  _deps: Deps,
  payoutId: string,
  { held }: Static<typeof Release>,
  headers: IncomingHttpHeaders,
): Promise<Payout | undefined> {
  const before = await findPayout(tx, payoutId)
  const holds = before && (await readPayoutHolds(tx, before))
  const released = await payoutAdmin.release(tx, payoutId)
  if (released === undefined || holds === undefined) return released
  const command = `"coin payout release ${payoutId} --held … --reason …"`
  requireHoldsMeant(headers, holds, held, { name: payoutId, command, look: `"coin payout show ${payoutId}"` })
  return released
}

const UNFENCED =
  'The database was restored, or another has taken over: what it has lost may have minted its coin back, and somebody may have that executed, until the fence is final. Try again when "coin overview" no longer says "fence" of its chain.'

async function retry({ db }: Deps, { params: { payoutId }, body, headers }: FastifyRequest<ById>) {
  readNothing(body)
  const payout = await audited(
    db,
    async (tx) => {
      const before = await findPayable(tx, payoutId)
      await requireAsApproved(tx)
      const { orderId, status } = before
      const now = await payoutAsSeen(tx, before)
      if (status !== 'queued' && orderId !== null && (await isFencing(tx, orderId)))
        throw new OperatorError('CONFLICT', UNFENCED)
      const reminted = status === 'queued' ? undefined : await whyReminted(tx, payoutId)
      if (reminted !== undefined) throw new OperatorError('CONFLICT', reminted)
      const retried = await payoutAdmin.retry(tx, payoutId)
      if (retried === undefined) throw new OperatorError('CONFLICT', whyNotRetried(before))
      requireAsSeen(headers, now, payoutId)
      return { ...retried, earlierError: before.lastError }
    },
    ({ earlierError, timesAsked }) => ({
      action: 'payout.retry',
      target: payoutId,
      details: { timesAsked, earlierError },
    }),
  )
  return answerWith(payout)
}

/** It is recorded in any case, because it has happened; whoever hears of it too late can at least look at the wallet. */
async function markPaid(deps: Deps, { params: { payoutId }, body, headers }: FastifyRequest<ById>) {
  const { reference } = parse(Paid, body)
  const { payout, beware } = await audited(
    deps.db,
    async (tx) => {
      const before = await findLocked(tx, payoutId)
      // As it is before, or nothing would speak against what is paid.
      const beware = await bewareOf(tx, before)
      const now = await payoutAsSeen(tx, before)
      if (before.status === 'held' && (await isOfAnother(tx, payoutId)))
        throw new OperatorError('CONFLICT', sayOfAnother(before))
      const paid = await payoutAdmin.markPaid(tx, payoutId, reference)
      if (paid === undefined) throw new OperatorError('CONFLICT', whyNotDone('payout.mark-paid', before))
      requireAsSeen(headers, now, payoutId)
      await requireNewReference(tx, payoutId, reference)
      await withdraw(tx, before)
      return { payout: paid, beware }
    },
    (done) => ({
      action: 'payout.mark-paid',
      target: payoutId,
      details: { reference, ...(done.beware && { beware: done.beware }) },
    }),
  )
  return answerWith(payout, beware)
}

async function markUnpaid(
  tx: Queryable,
  _deps: Deps,
  payoutId: string,
  { payment, reason }: Static<typeof Unpaid>,
): Promise<Payout | undefined> {
  const place = await findPaymentShown(tx, payoutId)
  if (place !== undefined) throw new OperatorError('CONFLICT', `A statement shows that ${payoutId} was paid: ${place}.`)
  const maybe = await whyMaybePaid(tx, payoutId)
  if (maybe !== undefined) throw new OperatorError('CONFLICT', maybe)
  await requirePaymentMeant(tx, payoutId, payment)
  return await payoutAdmin.markUnpaid(tx, payoutId, reason)
}

async function withdraw(tx: Queryable, payout: Pick<Payout, 'payoutId' | 'endToEndId'>): Promise<void> {
  const { payoutId } = payout
  const messageId = await withdrawPayment(tx, payout)
  if (messageId === undefined) return
  const sentence = `The payment of ${payoutId} is in ${messageId}, which may be on its way to the bank: run "coin bank export" first, then look at the payout again.`
  throw new OperatorError('CONFLICT', sentence)
}
