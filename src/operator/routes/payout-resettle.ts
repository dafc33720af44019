/** /payouts/…/resettle: a redeem that was called burnt, and that the chain has not burnt, awaits a batch again. */
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { formatAmount, SEN_IN_MICRO } from '../../money.ts'
import { findUnburnt } from '../../payouts/unburnt.sql.ts'
import { type Proven, proveUnburnt, resettle, type StaysBurnt } from '../../settlement/explain/resettle.ts'
import { MOST_WALKED } from '../../settlement/explain/walk-plan.ts'
import { requireAsSeen } from '../as-seen.ts'
import { audited } from '../audit.sql.ts'
import { chooseChain } from '../choose-chains.ts'
import type { OperatorDeps } from '../deps.ts'
import { OperatorError } from '../errors.ts'
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
    const { tookBack } = await audited(
      db,
      async (tx) => {
        // As it is before: its redeem is in no batch then.
        const now = await payoutAsSeen(tx, payout)
        const done = await resettle(tx, proven)
        if (typeof done === 'string') throw new OperatorError('CONFLICT', REFUSED[done])
        requireAsSeen(headers, now, payoutId)
        return done
      },
      (done) => ({
        action: 'payout.resettle',
        target: payoutId,
        details: { reason, ...was, order, batch: `${chainId}/${batchId}`, batchTakenBack: done.tookBack },
      }),
    )
    return { ok: true, payoutId, status: 'resettled', order, batchTakenBack: tookBack }
  })
}
