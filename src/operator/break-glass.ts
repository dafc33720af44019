/**
 * When no admin has a token any more: whoever has the machine and its settings makes a new admin, past the API, and leaves a line in the audit log.
 */
import { randomBytes } from 'node:crypto'
import type { Database } from '../db/database.ts'
import { actAs } from '../operators/acting.ts'
import { makeToken, newOperatorId, personOf, sayTaken, tidyName } from '../operators/operator.ts'
import { findByName, insertOperator, isRoomForOperator } from '../operators/operators.sql.ts'
import { audited } from './audit.sql.ts'
import { OperatorError } from './errors.ts'
import { requireNamed } from './require-named.ts'

/**
 * @param given.name the person's own: somebody who is known by it stays one person, with two ways in
 * @param given.origin from where, as far as the machine knows: its name and the user's
 * @returns the token, which is stored nowhere
 * @throws OperatorError BAD_REQUEST for a name or a reason that is none, CONFLICT for a name that somebody has
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
  requireNamed({ name, reason })
  const operatorId = newOperatorId()
  const { token, secretSha256 } = makeToken(operatorId)
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
