/**
 * Which SECRETS_KEY belongs to this database: a value sealed under it, which the first process that has one puts here, and,
 * while another replaces it, a value sealed under that one. There is no third.
 */
import type { SealedTable, SealedValue } from '../secrets/resealing.ts'
import type { SecretBox } from '../secrets/secrets.ts'
import { type Database, DatabaseUnsuitableError, type Queryable } from './database.ts'

const BOUND_TO = 'secrets_key'

type KeyRow = { is_next: boolean; sealed: string }

/**
 * Compares the keys of this process with the database, so that nothing is sealed under a key that no other process has. The
 * first process that comes with a new key beside the database's own settles which one replaces it.
 * @throws DatabaseUnsuitableError when neither opens what is kept for that, or another new key came first
 */
export async function requireSecretsKey(db: Database, secrets: SecretBox): Promise<void> {
  let rows = await readRows(db)
  if (rows.length === 0) rows = await keepOwn(db, secrets, { isNext: false })
  const isOwn = ({ sealed }: KeyRow) => starts(sealed, secrets) && opens(secrets, sealed)
  const [present] = rows
  if (present === undefined || !opens(secrets, present.sealed)) {
    throw new DatabaseUnsuitableError(
      `SECRETS_KEY is not the key under which this database is sealed${present && ` (${keyIdOf(present)})`}: set the right one, or, while another replaces it, the one before as SECRETS_KEY_PREVIOUS. If it is lost, see "The secrets key is lost" in docs/RUNBOOKS.md.`,
    )
  }
  if (!rows.some(isOwn) && rows.length === 1) rows = await keepOwn(db, secrets, { isNext: true })
  if (!rows.some(isOwn)) {
    throw new DatabaseUnsuitableError(
      `Another SECRETS_KEY than this one is replacing the key of this database already (${rows.map(keyIdOf).at(-1)}): every process needs the same two. See "The secrets key is replaced" in docs/RUNBOOKS.md.`,
    )
  }
}

async function readRows(db: Queryable): Promise<KeyRow[]> {
  return await db.query<KeyRow>('select is_next, sealed from secrets_key order by is_next')
}

/** Nothing else gets into a message: whoever has a login of the service may have written the row. */
function keyIdOf({ sealed }: KeyRow): string {
  return /^sb1\.([0-9a-f]{16})\./.exec(sealed)?.[1] ?? 'malformed'
}

/** The ids of the keys with which processes of this database start: its own, then the one that is replacing it. */
export async function listKeysOfDatabase(db: Queryable): Promise<string[]> {
  return (await readRows(db)).map(keyIdOf)
}

/** Whether this process has every key of the database: not one that goes on with a key which another is replacing, or has replaced. */
export async function hasEveryKey(db: Queryable, secrets: SecretBox): Promise<boolean> {
  return (await listKeysOfDatabase(db)).every((keyId) => secrets.knows(keyId))
}

/** Until the transaction ends, no process starts: each reads the keys first. */
export async function lockKeys(tx: Queryable): Promise<void> {
  await tx.query('lock table secrets_key in access exclusive mode')
}

/**
 * A key of this database that is gone for good is no longer asked for: the one that is replacing it, or that of `secrets`, is
 * its key then. Whoever calls it has seen to it that no process runs, after `lockKeys`.
 * @returns why it was not done
 */
export async function forgetKey(
  tx: Queryable,
  secrets: SecretBox,
  keyId: string,
): Promise<'unknown' | 'opens' | undefined> {
  const named = (await readRows(tx)).filter((row) => keyIdOf(row) === keyId)
  if (named.length === 0) return 'unknown'
  // By what it opens and not by its id, which whoever writes rows past the service may put before anything.
  const lost = named.filter(({ sealed }) => !opens(secrets, sealed))
  if (lost.length === 0) return 'opens'
  for (const { sealed } of lost) await tx.query('delete from secrets_key where sealed = $1', [sealed])
  await tx.query(
    'update secrets_key set is_next = false where is_next and not exists (select from secrets_key where not is_next)',
  )
  if ((await readRows(tx)).length === 0) await keepOwn(tx, secrets, { isNext: false })
  return undefined
}

/** Of several that come at once one is kept. @returns what is kept */
async function keepOwn(db: Queryable, secrets: SecretBox, { isNext }: { isNext: boolean }): Promise<KeyRow[]> {
  const sealed = secrets.seal('a secrets key of this database', BOUND_TO)
  await db.query('insert into secrets_key (is_next, sealed) values ($1, $2) on conflict do nothing', [isNext, sealed])
  return await readRows(db)
}

function starts(sealed: string, { prefix }: SecretBox): boolean {
  return sealed.startsWith(prefix)
}

function opens(secrets: SecretBox, sealed: string): boolean {
  try {
    secrets.open(sealed, BOUND_TO)
    return true
  } catch {
    return false
  }
}

/** The key that is not used any more is forgotten when everything else is sealed anew: the one before, or one that was a mistake. */
export const SEALED_KEY: SealedTable<Queryable> = {
  name: 'secrets_key',
  find: (tx, { prefix, after }) =>
    tx.query<SealedValue>(
      `select is_next::text as key, '${BOUND_TO}' as "boundTo", sealed from secrets_key
       where not starts_with(sealed, $1) and is_next::text > $2 order by is_next::text`,
      [prefix, after],
    ),
  async replace(tx, { sealed }, { sealed: anew }) {
    const gone = await tx.query('delete from secrets_key where sealed = $1 returning is_next', [sealed])
    if (gone.length === 0) return false
    await tx.query('update secrets_key set is_next = false where is_next')
    await tx.query('insert into secrets_key (sealed) select $1 where not exists (select from secrets_key)', [anew])
    return true
  },
}
