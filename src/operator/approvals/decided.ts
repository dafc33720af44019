/** The newest decision about something, by which one of its states is told from the next that looks the same. */
import type { Queryable } from '../../db/database.ts'
import { newestOf } from '../audit.sql.ts'
import { maskedAccount } from '../subjects.ts'
import type { Asked } from './asked.ts'

/**
 * The entries of the audit log that are decisions about something. Who approved the end of one stop has not approved the end of the next one, which may have
 * another reason; and likewise of a line that was assigned and taken back in between, of coin that was to be minted again, which was rejected, or of a cap that
 * was set back. Of two that stop something and let it go on, the stop comes first.
 */
export const DECISIONS = {
  integration: ['integration.suspend', 'integration.resume'],
  customer: ['customer.set', 'customer.suspend'],
  corporate: ['corporate.set'],
  key: ['key.set', 'key.rotate', 'key.revoke'],
  operator: ['operator.rotate', 'operator.disable'],
  wallets: ['wallet.add', 'wallet.remove'],
  order: ['order.hold', 'order.release', 'order.make-good'],
  payout: ['hold', 'release', 'retry', 'refund', 'mark-paid', 'mark-unpaid', 'resettle'].map(
    (verb) => `payout.${verb}`,
  ),
  'bank-line': ['bank.unallocated.assign', 'bank.unallocated.allocate', 'bank.lines.take-back'],
  'screened-address': ['screening.deny', 'screening.allow'],
}

/** The number of its newest decision in the audit log; undefined before the first. */
export function decided(tx: Queryable, what: keyof typeof DECISIONS, target: string): Promise<bigint | undefined> {
  return newestOf(tx, DECISIONS[what], { target })
}

const REMITTERS = ['integration.add-remitter', 'integration.remove-remitter']

/** The same of the account that is to be registered for an integration; undefined where the request names none. */
export async function decidedOfRemitter(
  tx: Queryable,
  integrationId: string,
  { body: { account } }: Pick<Asked, 'body'>,
): Promise<bigint | undefined> {
  if (typeof account !== 'string') return undefined
  return await newestOf(tx, REMITTERS, { target: integrationId, details: { account: maskedAccount(account) } })
}
