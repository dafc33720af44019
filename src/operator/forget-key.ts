/** A SECRETS_KEY of the database that nobody has any more is forgotten, from the machine itself, and the audit log has a line of it. */
import { countConnections } from '../db/access.sql.ts'
import type { Database } from '../db/database.ts'
import { forgetKey, listKeysOfDatabase, lockKeys } from '../db/secrets-key.sql.ts'
import { actAs } from '../operators/acting.ts'
import { tidyName } from '../operators/operator.ts'
import type { SecretBox } from '../secrets/secrets.ts'
import { audited } from './audit.sql.ts'
import { OperatorError } from './errors.ts'
import { requireNamed } from './require-named.ts'
import { sayCount } from './say-count.ts'

/**
 * @param secrets of the key with which the service goes on
 * @param given.key the id of the lost one, as a process that does not start names it
 * @param given.origin from where, as far as the machine knows: its name and the user's
 * @returns the ids of the keys with which processes start from now on
 * @throws OperatorError CONFLICT while a process runs, which may have the key, and for one that opens here; NOT_FOUND for one that the
 *   database does not have; BAD_REQUEST for a name or a reason that is none
 */
export async function forgetSecretsKey(
  db: Database,
  secrets: SecretBox,
  given: { key: string; name: string; reason: string; origin: string },
): Promise<{ forgotten: string; keys: string[] }> {
  const { key, reason, origin } = given
  const name = tidyName(given.name)
  requireNamed({ name, reason })
  return await actAs({ actor: 'service', origin }, () =>
    audited(
      db,
      async (tx) => {
        await lockKeys(tx)
        const connections = await countConnections(tx)
        if (connections > 0) throw new OperatorError('CONFLICT', sayRunning(connections))
        const refused = await forgetKey(tx, secrets, key)
        if (refused === 'opens')
          throw new OperatorError('CONFLICT', `${key} is not lost: SECRETS_KEY or SECRETS_KEY_PREVIOUS is it.`)
        const keys = await listKeysOfDatabase(tx)
        if (refused === undefined) return { forgotten: key, keys }
        throw new OperatorError(
          'NOT_FOUND',
          `${key} is no key of this database. It has ${keys.join(' and ') || 'none'}.`,
        )
      },
      ({ keys }) => ({ action: 'secrets.forget', target: key, details: { name, reason, keys } }),
    ),
  )
}

function sayRunning(connections: number): string {
  return `Processes of the service have ${sayCount(connections, 'connection')} to this database, and each had a key that opened it when it started: look there for the key. If it is not there either, stop all of them first.`
}
