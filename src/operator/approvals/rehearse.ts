/** Tries what somebody asks for before somebody else is bothered with it: what cannot succeed is refused at once. */
import type { Logger } from 'pino'
import { type Acting, actAs } from '../../operators/acting.ts'
import { OPERATOR_ERRORS } from '../errors.ts'
import { refusalOf } from '../refusals.ts'

/** Ends a rehearsal where the approval would be used up, or the entry of the audit log be written: its transaction is undone. */
class RehearsedError extends Error {}

/**
 * Runs a request up to where it would change anything for good. That relies on what approvals rely on: a route changes nothing before its approval
 * is used, and nothing but the database in the transaction that uses it.
 * @throws OperatorError what the request itself would be refused with; but nothing where a node or the database is away, which may be back by then
 */
export async function rehearse(who: Acting, logger: Logger, work: () => Promise<unknown>): Promise<void> {
  const end = async () => {
    throw new RehearsedError()
  }
  try {
    await actAs({ ...who, isRehearsal: true, useApproval: end }, work)
  } catch (error) {
    if (error instanceof RehearsedError) return
    const refusal = refusalOf(error)
    if (OPERATOR_ERRORS[refusal.code] < 500) throw refusal
    logger.warn({ err: error }, 'what waits for a second person could not be tried')
  }
}
