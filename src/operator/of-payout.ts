/** What a command on one payout is refused with: the commands that it tells of are about that payout and its order, and can be pasted. */
import { whoActs } from '../operators/acting.ts'
import { findPayout } from '../payouts/payouts.sql.ts'
import type { OperatorDeps } from './deps.ts'
import { OperatorError } from './errors.ts'
import { withOrder, withPayout } from './orders/commands-in.ts'

/** @throws OperatorError as `work`, in which each command names what it is about */
export async function ofPayout<T>(
  { db }: Pick<OperatorDeps, 'db'>,
  payoutId: string,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof OperatorError) || !error.message.includes('"coin ')) throw error
    const payout = await findPayout(whoActs().tx ?? db, payoutId)
    if (payout === undefined) throw error
    const { integrationId, referenceId } = payout
    throw new OperatorError(
      error.code,
      withOrder(withPayout(error.message, payoutId), `${integrationId}/${referenceId}`),
    )
  }
}
