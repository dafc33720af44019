/** /integrations/…/reject-orders: what is held for one reason is rejected together, as after a theft with a partner's key. */
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Queryable } from '../../db/database.ts'
import { findIntegration } from '../../integrations/integrations.sql.ts'
import { formatAmount } from '../../money.ts'
import { lockHeld } from '../../orders/life/hold.sql.ts'
import { lockSigningOf } from '../../orders/life/signed.sql.ts'
import { appendAudit, audited, requireAsApproved } from '../audit.sql.ts'
import type { OperatorDeps } from '../deps.ts'
import { found, OperatorError } from '../errors.ts'
import { type HeldFor, type HeldOrder, listHeldFor, listReasons, sumHeldFor } from '../orders/held-for.sql.ts'
import { requireOrder } from '../orders/required.ts'
import { parse, text } from '../parse.ts'
import { refuseIdle } from '../refuse-idle.ts'
import { whyNotRejected } from './order-control.ts'

/** At a time: the chain's settler waits meanwhile. */
const MOST_REJECTED = 500
/** Of those that stay, so many are named. */
const MOST_NAMED = 20

const Decision = Type.Object({ reason: text(1, 300), held: text(1, 300) }, { additionalProperties: false })

export function rejectOrdersRoutes(app: FastifyInstance, { db, chains }: OperatorDeps): void {
  const chainIds = chains.map(({ config }) => config.chainId)
  app.post<{ Params: { integrationId: string } }>(
    '/integrations/:integrationId/reject-orders',
    async ({ params: { integrationId }, body }) => {
      const { reason, held } = parse(Decision, body)
      const done = await audited(
        db,
        async (tx) => {
          found(await findIntegration(tx, integrationId), 'integration', integrationId, 'integration list')
          return await rejectHeld(tx, { integrationId, held }, { reason, chainIds })
        },
        ({ rejected, amount, left }) => ({
          action: 'integration.reject-orders',
          target: integrationId,
          details: { reason, held, rejected, amount, left },
        }),
      )
      return { ok: true, integrationId, ...done }
    },
  )
}

/** The oldest of them, as they are while nobody else can sign, hold or release them. */
async function lockMeant(tx: Queryable, of: HeldFor): Promise<HeldOrder[]> {
  const listed = (await listHeldFor(tx, of, MOST_REJECTED)).map(({ orderId }) => orderId)
  await lockSigningOf(tx, listed)
  await lockHeld(tx, listed)
  await requireAsApproved(tx)
  const isLocked = new Set(listed)
  return (await listHeldFor(tx, of, MOST_REJECTED)).filter(({ orderId }) => isLocked.has(orderId))
}

/** What may have settled, or may yet, stays as it is, and held. */
async function rejectHeld(
  tx: Queryable,
  of: HeldFor,
  { reason, chainIds }: { reason: string; chainIds: readonly number[] },
) {
  const orders = await lockMeant(tx, of)
  if (orders.length === 0) await refuseIdle(() => false, await sayNone(tx, of))
  const notRejected: string[] = []
  let rejected = 0
  let amountMicro = 0n
  for (const { amountMicro: amount, name, ...named } of orders) {
    const why = await whyNotRejected(tx, await requireOrder(tx, named), chainIds)
    if (why !== undefined) notRejected.push(`${name}: ${why}`)
    if (why !== undefined) continue
    rejected += 1
    amountMicro += amount
    await appendAudit(tx, { action: 'order.reject', target: name, details: { reason } })
  }
  if (rejected === 0 && notRejected[0] !== undefined)
    throw new OperatorError('CONFLICT', `None can be rejected now. ${notRejected[0]}`)
  const { orders: left, besides } = await sumHeldFor(tx, of)
  const told = notRejected.length > 0 ? { notRejected: notRejected.slice(0, MOST_NAMED) } : {}
  return { rejected, amount: formatAmount(amountMicro), left, besides, ...told }
}

/** People type the reason from what they remember of it. */
async function sayNone(tx: Queryable, { integrationId, held }: HeldFor): Promise<string> {
  const reasons = await listReasons(tx, integrationId, MOST_NAMED)
  const all = reasons.map(({ reason, orders }) => `“${reason}” (${orders})`).join(', ')
  const others = all === '' ? 'None of its orders is held.' : `Its orders are held for: ${all}.`
  return `No order of ${integrationId} is held for “${held}” alone. ${others} See "coin order list --integration ${integrationId} --status pending".`
}
