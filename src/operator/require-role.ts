/** Who may run a command, and who decides about it where it waits. */
import type { CommandLine } from '../operators/commands.ts'
import type { OperatorRole } from '../operators/roles.ts'
import type { Principal } from './authenticate.ts'
import { OperatorError } from './errors.ts'

/** Whether who asks has a role for a command. */
export function mayRun({ roles }: Pick<CommandLine, 'roles'>, principal: Pick<Principal, 'roles'>): boolean {
  return principal.roles.some((role) => roles.includes(role))
}

/** @throws OperatorError FORBIDDEN, naming who may */
export function requireRole({ command, roles }: CommandLine, principal: Principal): void {
  if (mayRun({ roles }, principal)) return
  const { operatorId, name, role, tokenSeenBy } = principal
  if (role !== null && roles.includes(role) && tokenSeenBy !== null) {
    throw new OperatorError(
      'FORBIDDEN',
      `${tokenSeenBy} has seen this token of ${name}, so it now only lets you look, as a viewer: replace it with "coin operator rotate ${operatorId}" first.`,
    )
  }
  throw new OperatorError(
    'FORBIDDEN',
    `"coin ${command}" is for ${roles.join(', ')}; ${name} is ${principal.roles.join(', ')}: ask one of them.`,
  )
}

/** Who may run what waits of a command, and so approve it. */
export function decidersOf({ roles, approval }: CommandLine): readonly OperatorRole[] {
  return approval?.roles ?? roles
}
