/** Copies of all that is in a database, to which it can be put back within milliseconds, as from a backup. */
import type { Database } from '../../src/db/database.ts'
import { withoutGuards } from '../support/without-guards.ts'

/** Rows as the text of a JSON array, by table; numbers that are given out next, by sequence. */
export type Copy = { rows: ReadonlyMap<string, string>; next: ReadonlyMap<string, bigint | null> }
type Table = { name: string; columns: string }

/** Partitions belong to their tables. What the database makes itself is in no copy. */
const TABLES = `select quote_ident(c.relname) as name,
    (select string_agg(quote_ident(a.attname), ', ' order by a.attnum) from pg_attribute a
     where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns
  from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
    and c.relname <> 'schema_migrations'`

export async function createCopying(db: Database) {
  const tables = await db.query<Table>(TABLES)
  const ROWS = tables
    .map(({ name }) => `select '${name}' as name, (select jsonb_agg(to_jsonb(t))::text from ${name} t) as rows`)
    .join(' union all ')
  const readRows = async () => {
    const found = await db.query<{ name: string; rows: string | null }>(ROWS)
    return new Map(found.flatMap(({ name, rows }) => (rows === null ? [] : [[name, rows] as const])))
  }

  return {
    async copy(): Promise<Copy> {
      const next = await db.query<{ name: string; last: bigint | null }>(
        `select quote_ident(sequencename) as name, last_value as last from pg_sequences where schemaname = 'public'`,
      )
      return { rows: await readRows(), next: new Map(next.map(({ name, last }) => [name, last])) }
    },

    async putBack({ rows, next }: Copy): Promise<void> {
      const now = await readRows()
      await withoutGuards(db, async (tx) => {
        for (const { name, columns } of tables) {
          if (now.has(name)) await tx.query(`delete from ${name}`)
          const kept = rows.get(name)
          if (kept === undefined) continue
          await tx.query(
            `insert into ${name} (${columns}) overriding system value
             select ${columns} from jsonb_populate_recordset(null::${name}, $1::jsonb)`,
            [kept],
          )
        }
        for (const [name, last] of next)
          await tx.query('select setval($1::regclass, coalesce($2::bigint, 1), $2::bigint is not null)', [name, last])
      })
    },
  }
}

/** What the rows name is another timeline than the database is on now, as after a restore. */
export async function beginTimeline(db: Database, keepsNames = false): Promise<void> {
  await db.query(`update settlement_holds set history_read_on = 'before' where history_read_on is not null`)
  await db.query(`update chains set fenced_on = 'before' where fenced_on is not null`)
  await db.query(`update batches set fences_on = 'before' where fences_on is not null`)
  if (!keepsNames) await db.query('delete from database_timelines')
}

/** What payouts, their payments and batches have of the timeline that has ended names another one than the next, and than those before it. */
export async function endTimeline(db: Database, name: string): Promise<void> {
  await withoutGuards(db, async (tx) => {
    const columns = [
      ['payouts', 'made_on'],
      ['payouts', 'unretried_on'],
      ['payout_attempts', 'asked_on'],
      ['batches', 'signed_on'],
    ]
    for (const [table, column] of [...columns, ['database_timelines', 'timeline']])
      await tx.query(`update ${table} set ${column} = $1 where ${column} = database_timeline()`, [name])
  })
}
