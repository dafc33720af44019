/** Whether what a request concerns is as it was when it was asked for. */
import type { Queryable } from '../../db/database.ts'
import { type Approval, digestOf } from '../../operators/approval.ts'
import { COMMANDS, type CommandLine } from '../../operators/commands.ts'
import type { OperatorDeps } from '../deps.ts'
import { OPERATOR_ERRORS, OperatorError } from '../errors.ts'
import { type Asked, askedAgain } from './asked.ts'
import { LOOKS } from './looks.ts'
import { openRequest } from './sealed-request.ts'

export const CHANGED = 'what it concerns has changed since it was asked for'

/** The digest of what a command concerns, as it is now. @throws OperatorError as `LOOKS` */
export async function look(
  deps: Pick<OperatorDeps, 'paymentFiles' | 'secrets'>,
  tx: Queryable,
  line: CommandLine,
  asked: Asked,
): Promise<string> {
  return digestOf(await LOOKS[line.approval?.concerns ?? 'nothing'](tx, asked, deps))
}

/** Whether approving it would be in vain; false where that cannot be known, because no key opens the request. */
export async function hasChanged(
  deps: Pick<OperatorDeps, 'paymentFiles' | 'secrets'>,
  tx: Queryable,
  approval: Approval,
): Promise<boolean> {
  const kept = openRequest(deps.secrets, approval)
  const line = COMMANDS.find(({ command }) => command === approval.command)
  if (kept === undefined || line === undefined) return false
  try {
    return (await look(deps, tx, line, askedAgain(approval, kept.body))) !== kept.seen
  } catch (error) {
    // It is there no more, or can be done no more. What is away for now may be as it was.
    if (error instanceof OperatorError && OPERATOR_ERRORS[error.code] < 500) return true
    throw error
  }
}
