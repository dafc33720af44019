/** A key that somebody calls lost: what it has sealed of statements, what would end by that, and what not. */
import type { Queryable } from '../db/database.ts'
import type { SecretBox } from '../secrets/secrets.ts'
import { countUnbookedUnder, findSealedUnder, readLostThrough, type SealedUnder } from '../statements/lost-keys.sql.ts'
import { OperatorError } from './errors.ts'

/** @throws OperatorError CONFLICT where it is known here; NOT_FOUND where it has sealed nothing of a statement */
export async function findLost(
  db: Queryable,
  secrets: SecretBox,
  keyId: string,
): Promise<{ sealed: SealedUnder; unbooked: bigint }> {
  if (secrets.knows(keyId)) throw new OperatorError('CONFLICT', `${keyId} is not lost: this process has it.`)
  const sealed = await findSealedUnder(db, keyId)
  const none = `Nothing of a statement is sealed under ${keyId}: "reconcile" names the key (statement_unopened).`
  if (sealed === undefined) throw new OperatorError('NOT_FOUND', none)
  return { sealed, unbooked: await countUnbookedUnder(db, keyId) }
}

/** What whoever decides is shown. */
export async function describeLost(db: Queryable, secrets: SecretBox, keyId: string): Promise<Record<string, unknown>> {
  const said = await readLostThrough(db, keyId)
  if (said !== undefined) return { would: 'It was said before: nothing becomes of it.' }
  const { sealed, unbooked } = await findLost(db, secrets, keyId)
  const { statements, lines, from, until } = sealed
  return {
    ...{ statements: String(statements), lines: String(lines), from, until, unbooked: String(unbooked) },
    would: `These statements would no longer be named as unopened, which a run of "reconcile" exits with 1 for. ${unbooked} lines that wait to be booked would be booked without who paid and the text: by their end-to-end ids, and otherwise as unallocated.`,
    stays:
      'Amounts, days and balances are compared as before. What the key has sealed stays closed, and is named by "secrets reseal"; a statement that comes later under its name is named all the same. Should the key be found, SECRETS_KEY_PREVIOUS opens everything again.',
  }
}
