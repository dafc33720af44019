/** Makes an admin from the machine itself, past the API, and leaves a line in the audit log. */
import { randomBytes } from 'node:crypto'
import type { Database } from '../db/database.ts'
import { actAs } from '../operators/acting.ts'
import { newAdmin } from '../operators/break-glass.ts'
import { personOf, sayTaken, tidyName } from '../operators/operator.ts'
import { findByName, insertOperator, isRoomForOperator } from '../operators/operators.sql.ts'
import { audited } from './audit.sql.ts'
import { OperatorError } from './errors.ts'

/**
 * @param given.name the person's own: somebody who is known by it stays one person, with two ways in
 * @param given.origin from where, as far as the machine knows: its name and the user's
 * @returns the token, which is stored nowhere
 * @throws OperatorError BAD_REQUEST or CONFLICT for a name that cannot be taken
 */
export async function breakGlass(
  db: Database,
  given: { name: string; reason: string; origin: string },
): Promise<{ operatorId: string; name: string; token: string }> {
  const { reason, origin } = given
  const own = tidyName(given.name)
  const before = await findByName(db, own)
  const name =
    before === undefined ? own : `${before.name.slice(0, 70)} (break-glass ${randomBytes(3).toString('hex')})`
  const admin = newAdmin(name)
  if (admin === undefined) {
    throw new OperatorError('BAD_REQUEST', 'The name must be 1 to 100 printable characters, and not a reserved one.')
  }
  if (reason.trim() === '' || reason.length > 500)
    throw new OperatorError('BAD_REQUEST', 'Say why, in 1 to 500 characters.')
  const { operatorId, token, secretSha256 } = admin
  const emergencyOf = before === undefined ? null : personOf(before)
  await actAs({ actor: 'service', origin }, () =>
    audited(
      db,
      async (tx) => {
        if (
          (await isRoomForOperator(tx)) &&
          (await insertOperator(tx, { operatorId, name, role: 'admin', secretSha256, emergencyOf }))
        )
          return
        throw new OperatorError('CONFLICT', sayTaken(name))
      },
      () => ({
        action: 'operator.break-glass',
        target: operatorId,
        details: { name, reason, emergencyOf },
        after: { name, role: 'admin' },
      }),
    ),
  )
  return { operatorId, name, token }
}
