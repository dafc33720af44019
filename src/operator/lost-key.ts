/** A key that somebody calls lost: what it has sealed of statements, what would end by that, and what not. */
import type { Queryable } from '../db/database.ts'
import { listKeysOfDatabase } from '../db/secrets-key.sql.ts'
import type { SecretBox } from '../secrets/secrets.ts'
import { findSealedUnder, readLostThrough, type SealedUnder } from '../statements/lost-keys.sql.ts'
import { OperatorError } from './errors.ts'

/**
 * @throws OperatorError CONFLICT where this process has it, or every process of this database, and where nothing came since it was called lost;
 *   NOT_FOUND where it has sealed nothing of a statement
 */
export async function findLost(db: Queryable, secrets: SecretBox, keyId: string): Promise<SealedUnder> {
  if (secrets.knows(keyId)) throw new OperatorError('CONFLICT', `${keyId} is not lost: this process has it.`)
  if ((await listKeysOfDatabase(db)).includes(keyId)) {
    const has = `${keyId} is one of the keys of this database, with which its processes start (secrets_key)`
    throw new OperatorError('CONFLICT', `${has}: it is not lost as long as one of them has it.`)
  }
  const sealed = await findSealedUnder(db, keyId)
  if (sealed !== undefined) return sealed
  if ((await readLostThrough(db, keyId)) !== undefined)
    throw new OperatorError(
      'CONFLICT',
      `It was said before that ${keyId} is lost: see "coin audit list --target ${keyId}".`,
    )
  const none = `Nothing of a statement is sealed under ${keyId}: "coin reconcile" names the key (statement_unopened).`
  throw new OperatorError('NOT_FOUND', none)
}

/** What whoever decides is shown. */
export async function describeLost(db: Queryable, secrets: SecretBox, keyId: string): Promise<Record<string, unknown>> {
  const said = await readLostThrough(db, keyId)
  if (said !== undefined && (await findSealedUnder(db, keyId)) === undefined)
    return { would: 'It was said before: nothing becomes of it.' }
  const { statements, lines, from, until, unbooked, lastSealed } = await findLost(db, secrets, keyId)
  return {
    statements: String(statements),
    lines: String(lines),
    from,
    until,
    unbooked: String(unbooked),
    lastSealed: `${lastSealed.toISOString()}: until then a process had it. Does another still have it?`,
    ...(said !== undefined && {
      again: 'It was called lost before. These statements came later: somebody had found it.',
    }),
    would: `These statements would no longer be named as unopened, which a run of "coin reconcile" exits with 1 for. ${unbooked} lines that wait to be booked would be booked without who paid and the text: by their end-to-end ids, and otherwise as unallocated.`,
    stays:
      'Amounts, days and balances are compared as before. What the key has sealed stays closed, and is named by "coin secrets reseal"; a statement that comes later under its name is named all the same. Should the key be found, SECRETS_KEY_PREVIOUS opens everything again.',
  }
}
