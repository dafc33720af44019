/** /integrations/…/release-orders, /customers/…/release-orders: what a suspension has held is let go together, once it is over. */
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { findCustomerOfAny, lockCustomer } from '../../customers/customers.sql.ts'
import type { Queryable } from '../../db/database.ts'
import { findIntegration } from '../../integrations/integrations.sql.ts'
import { formatAmount } from '../../money.ts'
import { lockHeld, releaseOrder } from '../../orders/life/hold.sql.ts'
import { isStopped } from '../approvals/occasions.ts'
import { appendAudit, audited } from '../audit.sql.ts'
import type { OperatorDeps } from '../deps.ts'
import { found, OperatorError } from '../errors.ts'
import {
  type HeldOrder,
  listHeldBySuspension,
  type Suspended,
  sumHeldBySuspension,
} from '../orders/held-by-suspension.sql.ts'
import { parse, text } from '../parse.ts'
import { refuseIdle } from '../refuse-idle.ts'
import { knownCustomer } from './customer.ts'
import { rejectOrdersRoutes } from './reject-orders.ts'

/** At a time: each leaves a line in the audit log, in one transaction. */
const MOST_RELEASED = 2_000

const Decision = Type.Object({ reason: text(1, 300) }, { additionalProperties: false })

export function releaseOrdersRoutes(app: FastifyInstance, deps: OperatorDeps): void {
  rejectOrdersRoutes(app, deps)
  const { db } = deps
  app.post<{ Params: { integrationId: string } }>(
    '/integrations/:integrationId/release-orders',
    async ({ params: { integrationId }, body }) => {
      const { reason } = parse(Decision, body)
      const done = await audited(
        db,
        async (tx) => {
          await refuseSuspended(tx, integrationId)
          return await releaseHeld(tx, { integrationId }, { id: integrationId, integrationId, reason })
        },
        ({ released, amount, left }) => ({
          action: 'integration.release-orders',
          target: integrationId,
          details: { reason, released, amount, left },
        }),
      )
      return { ok: true, integrationId, ...done }
    },
  )

  app.post<{ Params: { customerId: string } }>(
    '/customers/:customerId/release-orders',
    async ({ params: { customerId }, body }) => {
      const { reason } = parse(Decision, body)
      const done = await audited(
        db,
        async (tx) => {
          const integrationId = await refuseStopped(tx, customerId)
          return await releaseHeld(tx, { customerId }, { id: customerId, integrationId, reason })
        },
        ({ released, amount, left }) => ({
          action: 'customer.release-orders',
          target: customerId,
          details: { reason, released, amount, left },
        }),
      )
      return { ok: true, customerId, ...done }
    },
  )
}

async function refuseSuspended(tx: Queryable, integrationId: string): Promise<void> {
  const { status } = found(await findIntegration(tx, integrationId), 'integration', integrationId, 'integration list')
  if (status === 'suspended')
    throw new OperatorError(
      'CONFLICT',
      `${integrationId} is suspended: run "coin integration resume ${integrationId}" first.`,
    )
}

/** @returns its partner, which is not suspended either: what is let go would be held again at once, by that */
async function refuseStopped(tx: Queryable, customerId: string): Promise<string> {
  await lockCustomer(tx, customerId)
  const { status, integrationId } = knownCustomer(await findCustomerOfAny(tx, customerId), customerId)
  if (isStopped(status)) {
    const sentence = `${customerId} is ${status}: run "coin customer set ${customerId} --status VERIFIED" first.`
    throw new OperatorError('CONFLICT', sentence)
  }
  await refuseSuspended(tx, integrationId)
  return integrationId
}

/** The oldest of them, without those that somebody has come to hold, too, until nobody could any more. */
async function lockSuspended(tx: Queryable, of: Suspended): Promise<HeldOrder[]> {
  const listed = (await listHeldBySuspension(tx, of, MOST_RELEASED)).map(({ orderId }) => orderId)
  await lockHeld(tx, listed)
  const isLocked = new Set(listed)
  return (await listHeldBySuspension(tx, of, MOST_RELEASED)).filter(({ orderId }) => isLocked.has(orderId))
}

/** What else speaks against one of them is found when its batch is formed, and holds it again. */
async function releaseHeld(
  tx: Queryable,
  of: Suspended,
  { id, integrationId, reason }: { id: string; integrationId: string; reason: string },
) {
  const held = await lockSuspended(tx, of)
  const sentence = `No order of ${id} is held for its suspension alone: see "coin order list --integration ${integrationId}".`
  await refuseIdle(() => held.length > 0, sentence)
  let released = 0
  let amountMicro = 0n
  for (const order of held) {
    if (!(await releaseOrder(tx, order.orderId))) continue
    released += 1
    amountMicro += order.amountMicro
    await appendAudit(tx, { action: 'order.release', target: order.name, details: { reason } })
  }
  const { orders: left } = await sumHeldBySuspension(tx, of)
  return { released, amount: formatAmount(amountMicro), left }
}
