/** /payouts/…/resettle: a redeem that was called burnt, and that the chain has not burnt, awaits a batch again. */
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Queryable } from '../../db/database.ts'
import { formatAmount, SEN_IN_MICRO } from '../../money.ts'
import { holdOrders } from '../../orders/life/hold.sql.ts'
import { findUnburnt, type Unburnt } from '../../payouts/unburnt.sql.ts'
import { type Proven, proveUnburnt, resettle, type StaysBurnt } from '../../settlement/explain/resettle.ts'
import { MOST_WALKED } from '../../settlement/explain/walk-plan.ts'
import { onOneLine } from '../../values/on-one-line.ts'
import { requireAsSeen } from '../as-seen.ts'
import { appendAudit, audited } from '../audit.sql.ts'
import { chooseChain } from '../choose-chains.ts'
import type { OperatorDeps } from '../deps.ts'
import { OperatorError } from '../errors.ts'
import { readPeoplesHolds } from '../holds.ts'
import { ofPayout } from '../of-payout.ts'
import { parse, text } from '../parse.ts'
import { payoutAsSeen } from '../payout-as-seen.ts'
import { requirePayout } from '../require-payout.ts'

const Why = Type.Object({ reason: text(1, 500) }, { additionalProperties: false })

const REFUSED: Readonly<Record<StaysBurnt, string>> = {
  not_denied:
    'This is only for a payout that is held because the chain does not show its burn, and that no rail and no operator has paid: see "coin payout show".',
  burnt:
    'Its coin was burnt: see "coin batch show CHAIN ID". Run "coin payout release", and it is paid once a payer sees the burn; where it is held again, the RPC addresses of the payers lead elsewhere than those here: put them right and restart the payers first. If that is by a batch which it had left as not burnt, run "coin batch explain CHAIN ID --reason …" for that batch first, then this again.',
  may_be_burnt:
    'Its redeem is in a batch that may be executed, or whose block is not final: try again once that is decided. The settler sends the batch again; if the burn comes, run "coin payout release".',
  unread:
    'The chain has batches that were not read yet: see that "coin chain status" reads the chain and that a settler works, then try again.',
  part_gone:
    'The parts of a sen that its redeem left over are being minted back with another payout, or have gone out more than once: see the payouts of its customer, and try again once that is decided.',
  too_long: `More than ${MOST_WALKED} batches were made since its redeem was accepted, too many to show that none of them burnt it: restore the database as it was before that redeem was called burnt (docs/RUNBOOKS.md, "Payouts are held").`,
  unlike_chain:
    'The batches in the database are not those that the chain has executed, so that one of them may have burnt it: restore the database as it was before they were rewritten (docs/RUNBOOKS.md, "Payouts are held").',
  unlike_plan:
    'The batches in the database are not those that the next batch follows: try again, and if it says the same, restore the database as it was before they were rewritten (docs/RUNBOOKS.md, "Payouts are held").',
}

type ById = { Params: { payoutId: string } }

/** As long as a reason for which an order is held may be. */
const MOST_REASON = 300

/**
 * What people hold a payout for holds its redeem from now on: burnt anew, the payout would be there again under the same id, and be paid although nobody has
 * let it go. @returns whether people hold it
 */
async function keepHolds(tx: Queryable, { payoutId, orderId }: Unburnt, order: string): Promise<boolean> {
  const holds = await readPeoplesHolds(tx, payoutId)
  for (const { reason: said, by, at } of holds) {
    const reason = onOneLine(said, MOST_REASON)
    await holdOrders(tx, [{ orderId, reason }])
    await appendAudit(tx, {
      action: 'order.hold',
      target: order,
      details: { reason, payoutId, heldBy: by, heldAt: at },
    })
  }
  return holds.length > 0
}

export function payoutResettleRoutes(app: FastifyInstance, { db, chains }: OperatorDeps): void {
  const prove = async (payoutId: string): Promise<Proven> => {
    const unburnt = await findUnburnt(db, payoutId)
    if (unburnt === undefined) throw new OperatorError('CONFLICT', REFUSED.not_denied)
    const proven = await proveUnburnt(db, chooseChain(chains, unburnt.chainId), unburnt)
    if (typeof proven === 'string') throw new OperatorError('CONFLICT', REFUSED[proven])
    return proven
  }

  app.post<ById>('/payouts/:payoutId/resettle', async ({ params: { payoutId }, body, headers }) => {
    const { reason } = parse(Why, body)
    const payout = await requirePayout(db, payoutId)
    const { amountSen, endToEndId, lastError } = payout
    const was = { amountMyr: formatAmount(amountSen * SEN_IN_MICRO), endToEndId, lastError }
    const proven = await ofPayout({ db }, payoutId, () => prove(payoutId))
    const { chainId, batchId, integrationId, referenceId } = proven.unburnt
    const order = `${integrationId}/${referenceId}`
    const { tookBack, isHeld } = await audited(
      db,
      async (tx) => {
        // As it is before: its redeem is in no batch then.
        const now = await payoutAsSeen(tx, payout)
        const done = await resettle(tx, proven)
        if (typeof done === 'string') throw new OperatorError('CONFLICT', REFUSED[done])
        requireAsSeen(headers, now, payoutId)
        return { ...done, isHeld: await keepHolds(tx, proven.unburnt, order) }
      },
      (done) => ({
        action: 'payout.resettle',
        target: payoutId,
        details: { reason, ...was, order, batch: `${chainId}/${batchId}`, batchTakenBack: done.tookBack },
      }),
    )
    const note = `People hold its payout, so that ${order} is held for the same: see "coin order show ${order}".`
    return { ok: true, payoutId, status: 'resettled', order, batchTakenBack: tookBack, ...(isHeld && { note }) }
  })
}
