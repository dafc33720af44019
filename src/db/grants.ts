/** Applies migrations/grants.sql: which role of the service may do what in the database. `npm run grants` writes it. */
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { groupOf, type Right, readMissingRights } from './access.sql.ts'
import { type Database, DatabaseUnsuitableError } from './database.ts'
import { IN_TURN } from './migrate.ts'

export const GRANTS_FILE = path.join(import.meta.dirname, '../../migrations/grants.sql')
/** Without the schema nobody comes as far as here. */
const GRANT =
  /^grant (?<rights>.+) on (?!schema )(?:(?<kind>sequence|function) )?(?<names>[\w, ]+) to (?<group>\w+);$/gm
/** `update (status, updated_at)`, or a right without columns. */
const RIGHT = /(?<right>\w+)(?: \((?<columns>[^)]+)\))?/g

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
  // Two that change the rights on one table at the same time fail, or wait for each other.
  await db.script(`${IN_TURN}\n${revoked}\n${await readFile(GRANTS_FILE, 'utf8')}`)
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

/**
 * A version may need rights and no migration: its processes would start, and fail wherever a statement is refused.
 * @param roles of this process
 * @throws DatabaseUnsuitableError when its user may not do what they need
 */
export async function requireGranted(db: Database, roles: readonly string[]): Promise<void> {
  const groups = new Set(roles.map(groupOf))
  const missing = await readMissingRights(db, rightsOf(await readFile(GRANTS_FILE, 'utf8'), groups))
  const [first] = missing
  if (first === undefined) return
  const { right, name, column } = first
  throw new DatabaseUnsuitableError(
    `The user of DATABASE_URL may not ${right} ${column === null ? '' : `${column} of `}${name}, which this version needs (rights missing: ${missing.length}): run \`npm run migrate\` as the owner of the tables.`,
  )
}

/** The rights that a text of grants gives to some groups. */
function rightsOf(grants: string, groups: ReadonlySet<string>): Right[] {
  const found: Right[] = []
  for (const { groups: line = {} } of grants.matchAll(GRANT)) {
    if (!groups.has(line.group ?? '')) continue
    const kind = (line.kind ?? 'table') as Right['kind']
    for (const name of listed(line.names)) {
      for (const { groups: one = {} } of (line.rights ?? '').matchAll(RIGHT)) {
        const columns = one.columns === undefined ? [null] : listed(one.columns)
        found.push(...columns.map((column) => ({ kind, name, right: one.right ?? '', column })))
      }
    }
  }
  return found
}

const listed = (names = ''): string[] => names.split(', ')

function revokeAll(groups: readonly string[]): string {
  return ['tables', 'sequences', 'functions']
    .map((kind) => `revoke all on all ${kind} in schema public from ${groups.join(', ')};`)
    .join('\n')
}
