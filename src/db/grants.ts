/** Applies migrations/grants.sql: which role of the service may do what in the database. `npm run grants` writes it. */
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { groupOf } from './access.sql.ts'
import type { Database } from './database.ts'

export const GRANTS_FILE = path.join(import.meta.dirname, '../../migrations/grants.sql')

/**
 * Gives the groups what they need. Also takes from them what they do not, when `exact`: not while processes of an older
 * version run, which may need it.
 * @throws the database's error when the user is not the owner, or may not make groups that are missing
 */
export async function applyGrants(db: Database, roles: readonly string[], exact: boolean): Promise<void> {
  const groups = roles.map(groupOf)
  const [row] = await db.query<{ there: string[] }>(
    'select array(select rolname::text from pg_roles where rolname = any ($1::text[])) as there',
    [groups],
  )
  const there = row?.there ?? []
  const revoked = exact && there.length > 0 ? revokeAll(there) : ''
  await db.script(`${revoked}\n${await readFile(GRANTS_FILE, 'utf8')}`)
}

/**
 * Whether everybody may still make temporary tables, which only the owner of the database can end.
 * @returns the database's name; undefined when they may not
 */
export async function temporaryForAll(db: Database): Promise<string | undefined> {
  const [row] = await db.query<{ name: string; may: boolean }>(
    `select current_database()::text as name, has_database_privilege('public', current_database(), 'temporary') as may`,
  )
  return row?.may === true ? row.name : undefined
}

function revokeAll(groups: readonly string[]): string {
  return ['tables', 'sequences', 'functions']
    .map((kind) => `revoke all on all ${kind} in schema public from ${groups.join(', ')};`)
    .join('\n')
}
