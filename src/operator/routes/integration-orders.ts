/** /integrations/…/release-orders: what a suspension has held is let go together, once it is over. */
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Queryable } from '../../db/database.ts'
import { findIntegration } from '../../integrations/integrations.sql.ts'
import { formatAmount } from '../../money.ts'
import { releaseOrder } from '../../orders/life/hold.sql.ts'
import { appendAudit, audited } from '../audit.sql.ts'
import type { OperatorDeps } from '../deps.ts'
import { found, OperatorError } from '../errors.ts'
import { listHeldBySuspension, sumHeldBySuspension } from '../orders/held-by-suspension.sql.ts'
import { parse, text } from '../parse.ts'
import { refuseIdle } from '../refuse-idle.ts'

/** At a time: each leaves a line in the audit log, in one transaction. */
const MOST_RELEASED = 2_000

const Decision = Type.Object({ reason: text(1, 300) }, { additionalProperties: false })

export function integrationOrderRoutes(app: FastifyInstance, { db }: OperatorDeps): void {
  app.post<{ Params: { integrationId: string } }>(
    '/integrations/:integrationId/release-orders',
    async ({ params: { integrationId }, body }) => {
      const { reason } = parse(Decision, body)
      const done = await audited(
        db,
        (tx) => releaseHeld(tx, integrationId, reason),
        ({ released, amount, left }) => ({
          action: 'integration.release-orders',
          target: integrationId,
          details: { reason, released, amount, left },
        }),
      )
      return { ok: true, integrationId, ...done }
    },
  )
}

/** What else speaks against one of them is found when its batch is formed, and holds it again. */
async function releaseHeld(tx: Queryable, integrationId: string, reason: string) {
  const { status } = found(await findIntegration(tx, integrationId), 'integration', integrationId, 'integration list')
  if (status === 'suspended')
    throw new OperatorError('CONFLICT', `${integrationId} is suspended: run "integration resume" first.`)
  const held = await listHeldBySuspension(tx, integrationId, MOST_RELEASED)
  const sentence = `No order of ${integrationId} is held for its suspension alone: see "order list --integration ${integrationId}".`
  await refuseIdle(() => held.length > 0, sentence)
  let released = 0
  let amountMicro = 0n
  for (const order of held) {
    if (!(await releaseOrder(tx, order.orderId))) continue
    released += 1
    amountMicro += order.amountMicro
    await appendAudit(tx, {
      action: 'order.release',
      target: `${integrationId}/${order.referenceId}`,
      details: { reason },
    })
  }
  const { orders: left } = await sumHeldBySuspension(tx, integrationId)
  return { released, amount: formatAmount(amountMicro), left }
}
