/** /orders/…/hold, release and reject: what operators decide about an order that is in no batch; and what they do about one that was lost. */
import type { FastifyInstance } from 'fastify'
import { type Static, Type } from 'typebox'
import type { Queryable } from '../../db/database.ts'
import { holdOrders, keepHeld, lockHeld, releaseOrder } from '../../orders/life/hold.sql.ts'
import { lockSigningOf } from '../../orders/life/signed.sql.ts'
import type { Order, OrderName } from '../../orders/order.ts'
import { isSettledByOthers, rejectUnsettled } from '../../settlement/explain/reject.ts'
import { readObjections } from '../../settlement/tables/objections.sql.ts'
import { orderAsSeen, requireAsSeen } from '../as-seen.ts'
import { audited, requireAsApproved } from '../audit.sql.ts'
import type { OperatorDeps } from '../deps.ts'
import { OperatorError } from '../errors.ts'
import { NamedHolds, readOrderHolds, requireHoldsMeant } from '../holds.ts'
import { withOrder, withParties } from '../orders/commands-in.ts'
import { findOrderWithFacts, type OrderWithFacts } from '../orders/orders.sql.ts'
import { requireOrder } from '../orders/required.ts'
import { parse, text } from '../parse.ts'
import { orderMakeGoodRoutes } from './order-make-good.ts'

const strict = { additionalProperties: false }
const Decision = Type.Object({ reason: text(1, 300) }, strict)
const Release = Type.Object({ reason: text(1, 300), held: Type.Optional(NamedHolds) }, strict)
const BODIES = { hold: Decision, release: Release, reject: Decision }

/** `chainIds`: the chains that are configured. */
type Said = { reason: string; chainIds: readonly number[] }

const ACTIONS = {
  async hold(tx: Queryable, { order }: OrderWithFacts, { reason }: Said): Promise<string | undefined> {
    const { orderId, status } = order
    if (status === 'payment_pending') return UNPAID
    const isHeld = async () => (await holdOrders(tx, [{ orderId, reason }])).length > 0
    // Who holds it once more for another reason is on record, and what was approved before lets it go no longer. It may be let go while that waits.
    if ((await isHeld()) || (await keepHeld(tx, orderId)) || (await isHeld())) return undefined
    return whyEnded(order) ?? SIGNED
  },
  async release(tx: Queryable, { order }: OrderWithFacts): Promise<string | undefined> {
    const { orderId } = order
    const [objection] = await readObjections(tx, [orderId])
    // What happened on chain is recorded, whatever speaks against the order by now.
    if (objection !== undefined && !(await isSettledByOthers(tx, order)))
      return OBJECTIONS[objection.reason] ?? 'Something still speaks against it: see "coin order show".'
    return (await releaseOrder(tx, orderId)) ? undefined : 'It is not held: see "coin order show".'
  },
  async reject(tx: Queryable, item: OrderWithFacts, { chainIds }: Said): Promise<string | undefined> {
    return await whyNotRejected(tx, item, chainIds)
  },
} as const

/**
 * Rejects an order, unless that may not be.
 * @param chainIds those that are configured
 * @returns why not; undefined of one that is rejected now
 */
export async function whyNotRejected(
  tx: Queryable,
  { order, facts }: OrderWithFacts,
  chainIds: readonly number[],
): Promise<string | undefined> {
  const done = await rejectUnsettled(tx, order, chainIds)
  // What others have settled is recorded, paid or not.
  if (order.status === 'payment_pending' && done !== 'settled') return UNPAID
  if (done === 'settled' && facts.hasTagConflict) return whyEnded(order) ?? SETTLED_TWICE
  if (done === 'settled' && facts.held === null) return whyEnded(order) ?? SETTLED
  return done === 'signed' ? (whyEnded(order) ?? SIGNED) : REFUSED[done]
}

function whyEnded({ status }: Pick<Order, 'status'>): string | undefined {
  const hasEnded = status === 'completed' || status === 'failed' || status === 'cancelled'
  return hasEnded ? `It has ended already: it is ${status}.` : undefined
}

const SIGNED = 'It was signed, so that it may have settled, or may at any moment: see "coin order show".'

/** Nothing but its partner can move it on; a suspended customer, or integration, keeps them from it. */
const UNPAID =
  'It enters no batch before the partner confirms its payment. The partner can cancel it; "coin customer suspend" or "coin integration suspend" keeps it from being confirmed.'

/** Nor does a release of what is not held have it done sooner. */
const SETTLED =
  'A batch that this service did not make has settled it, and it takes that outcome once a settler comes to it: see "coin order show".'

/** It is not held: no release would have it take one of the outcomes. */
const SETTLED_TWICE =
  'Others have done what it asks for, and more under its tag: find that with "coin batch list --unexplained", and say of each instruction that was not for it "coin batch explain CHAIN ID --not-order ORDER --index N --reason …". Then it takes the outcome of the one that is left.'

const REFUSED = {
  rejected: undefined,
  abandoned:
    'It was signed in a batch that was abandoned but may still be executed, until another batch is final under the same number: hold the order, and try again then.',
  settled:
    'A batch that this service did not make has settled it: run "coin order release", and it takes that outcome.',
  unfenced:
    'The database was restored, or another has taken over: what it has lost may have signed the order, and somebody may have that executed, until a batch that rules it out (the fence) is final, a few blocks after a settler works; on every chain, if the order was accepted since. Hold the order meanwhile, and try again when "coin overview" no longer says "fence" of the chain.',
  unsure:
    'It may be settled already, on a part of the chain that was not read yet: see that "coin chain status" reads the chain and that a settler works, then try again.',
} as const

const OBJECTIONS: Readonly<Record<string, string>> = {
  integration_suspended: 'Its integration is suspended: run "coin integration resume" first, or reject the order.',
  customer_suspended:
    'Its customer is suspended or rejected: run "coin customer set ID --status VERIFIED" first, or reject the order.',
  wallet_denied: 'One of its wallets is on the deny list: run "coin screening allow" first, or reject the order.',
  wallet_not_linked:
    'Its wallet is not (or no longer) linked to its customer: run "coin wallet add" first unless it was removed on purpose, or reject the order.',
  refund_from_before:
    'It was pending before the database was restored, or another took over: what is lost may have rejected it, and had its payout paid again. Where the rail of that can be asked, payers ask it within a quarter of an hour; release it after that. Otherwise run "coin order reject", then "coin payout refund" of its payout, which says what it waits for, or "coin payout retry".',
}

const heldAlready = (name: string) =>
  `It was held already, and is held for your reason, too: see "coin order show ${name}".`

/**
 * The order as it is while nobody else can sign it, hold it or let it go: a settler may have it held for something else just now, or what its suspension has
 * held is let go. It stays so until the transaction ends.
 */
async function requireLocked(tx: Queryable, named: OrderName): Promise<OrderWithFacts> {
  const { order } = await requireOrder(tx, named)
  await lockSigningOf(tx, [order.orderId])
  await lockHeld(tx, [order.orderId])
  return await requireOrder(tx, named)
}

const aboutOrder = (name: string) => ({
  name,
  command: `"coin order release ${name} --held … --reason …"`,
  look: `"coin order show ${name}"`,
})

export function orderControlRoutes(app: FastifyInstance, deps: OperatorDeps): void {
  orderMakeGoodRoutes(app, deps)
  const { db, chains } = deps
  const chainIds = chains.map(({ config }) => config.chainId)
  for (const [verb, act] of Object.entries(ACTIONS)) {
    app.post<{ Params: OrderName }>(
      `/orders/:integrationId/:referenceId/${verb}`,
      async ({ params, body, headers }) => {
        const { integrationId, referenceId } = params
        const { reason, held }: Static<typeof Release> = parse(BODIES[verb as keyof typeof ACTIONS], body)
        const name = `${integrationId}/${referenceId}`
        const { facts } = await audited(
          db,
          async (tx) => {
            const item = await requireLocked(tx, params)
            await requireAsApproved(tx)
            const holds = await readOrderHolds(tx, name, item.facts.held)
            const refusal = await act(tx, item, { reason, chainIds })
            if (refusal !== undefined)
              throw new OperatorError('CONFLICT', withParties(withOrder(refusal, name), item.order))
            requireAsSeen(headers, await orderAsSeen(tx, name, item.facts.held), name)
            if (verb === 'release') requireHoldsMeant(headers, holds, held, aboutOrder(name))
            return item
          },
          () => ({ action: `order.${verb}`, target: name, details: { reason, ...(held && { held }) } }),
        )
        const now = await findOrderWithFacts(db, integrationId, referenceId)
        const said = verb === 'hold' && facts.held !== null ? { note: heldAlready(name) } : {}
        return { ok: true, orderId: name, status: now?.order.status, held: now?.facts.held ?? null, ...said }
      },
    )
  }
}
