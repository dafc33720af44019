/** Who acts from the machine itself, past the API, and why: both go into the audit log as they were typed. */
import { isOperatorName } from '../operators/operator.ts'
import { OperatorError } from './errors.ts'

/** @throws OperatorError BAD_REQUEST for a name by which nobody can go, or a reason that is none */
export function requireNamed({ name, reason }: { name: string; reason: string }): void {
  if (!isOperatorName(name))
    throw new OperatorError('BAD_REQUEST', 'The name must be 1 to 100 printable characters, and not a reserved one.')
  if (reason.trim() === '' || reason.length > 500)
    throw new OperatorError('BAD_REQUEST', 'Say why, in 1 to 500 characters.')
}
