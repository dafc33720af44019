/**
 * Builds and drops indexes of tables that are in use. PostgreSQL does so beside those who write (`concurrently`), but in transactions of its
 * own, so that such a migration cannot be applied whole: it is taken up again where it was left.
 */
import { type Database, type Queryable, StatementCancelledError } from './database.ts'

/** Any number but those that others lock: processes that build take turns, and nobody else waits for them. */
const BUILDERS = '7263003'

/** One statement of such a migration. */
export type IndexChange = { kind: 'create' | 'drop'; index: string; sql: string }

const CREATE = /^create (?:unique )?index (\w+) on (?!only\b)\w+\b/
const DROP = /^drop index (\w+)$/
const INDEX = /\bindex\b/

/**
 * The statements of a migration that does nothing else, in the form in which they are written in any migration.
 * @returns undefined where there is another statement, or none
 */
export function readIndexChanges(sql: string): IndexChange[] | undefined {
  const statements = sql
    .split('\n')
    .map((line) => line.split('--', 1)[0] ?? '')
    .join('\n')
    .split(';')
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '')
  const changes = statements.flatMap((statement): IndexChange[] => {
    const [created, dropped] = [CREATE.exec(statement)?.[1], DROP.exec(statement)?.[1]]
    const index = created ?? dropped
    const kind = created === undefined ? 'drop' : 'create'
    return index === undefined ? [] : [{ kind, index, sql: statement.replace(INDEX, 'index concurrently') }]
  })
  return changes.length === 0 || changes.length < statements.length ? undefined : changes
}

/**
 * Carries out what is not done yet, one change after the other, however long each takes. What a build that was cut off has left is dropped
 * first: it costs every write and serves nobody. Nobody's writes wait; a build waits for transactions that were open when it began.
 * @throws the driver's error, e.g. of rows that a unique index refuses; nothing of that index remains
 * @throws StatementCancelledError when another process is at it, or somebody cancelled a build
 */
export async function changeIndexes(db: Database, changes: readonly IndexChange[]): Promise<void> {
  await db.transaction(async (turn) => {
    const [mine] = await turn.query<{ taken: boolean }>(`select pg_try_advisory_xact_lock(${BUILDERS}) as taken`)
    if (mine?.taken !== true) throw new StatementCancelledError('another process builds indexes')
    // This transaction is idle while they are built, and must not be ended for that. Its last statement before may be no query either: a query's
    // snapshot is kept until the next statement, and every build waits until older snapshots are gone.
    await turn.query('set local idle_in_transaction_session_timeout = 0')
    for (const change of changes) await changeIndex(db, change)
  })
}

async function changeIndex(db: Database, { kind, index, sql }: IndexChange): Promise<void> {
  const isValid = await readValidity(db, index)
  if (kind === 'drop') {
    if (isValid !== undefined) await db.script(sql)
    return
  }
  if (isValid === true) return
  if (isValid === false) await dropRest(db, index)
  try {
    await db.script(sql)
  } catch (error) {
    if ((await readValidity(db, index)) === false) await dropRest(db, index)
    throw error
  }
}

const dropRest = (db: Database, index: string) => db.script(`drop index concurrently ${index}`)

/** Whether an index is whole; undefined when there is none. */
async function readValidity(db: Queryable, index: string): Promise<boolean | undefined> {
  const [row] = await db.query<{ valid: boolean }>(
    'select indisvalid as valid from pg_index where indexrelid = to_regclass($1)',
    [index],
  )
  return row?.valid
}
