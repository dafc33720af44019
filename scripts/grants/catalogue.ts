/** What the migrations make, as far as grants depend on it. */
import type { Queryable } from '../../src/db/database.ts'

export type Catalogue = {
  /** Table → its columns, in their order. Months are left out. */
  tables: ReadonlyMap<string, readonly string[]>
  /** Table → sequences of which its defaults take numbers. */
  sequences: ReadonlyMap<string, readonly string[]>
  /** The functions that run when a table is changed, with the rights of whoever changes it. */
  triggers: readonly { table: string; name: string; body: string }[]
  /** Functions that run as their owner. */
  ownersFunctions: readonly string[]
}

/** Reads it. */
export async function readCatalogue(db: Queryable): Promise<Catalogue> {
  const columns = await db.query<{ table: string; columns: string[] }>(
    `select c.relname::text as table, array_agg(a.attname::text order by a.attnum) as columns
     from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') group by c.relname`,
  )
  const sequences = await db.query<{ table: string; sequences: string[] }>(
    `select t.relname::text as table, array_agg(s.relname::text order by s.relname) as sequences
     from pg_class s join pg_depend d on d.objid = s.oid and d.deptype = 'a' join pg_class t on t.oid = d.refobjid
     where s.relkind = 'S' and s.relnamespace = 'public'::regnamespace group by t.relname`,
  )
  const triggers = await db.query<{ table: string; name: string; body: string }>(
    `select distinct c.relname::text as table, p.proname::text as name, p.prosrc as body
     from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_proc p on p.oid = t.tgfoid
     where not t.tgisinternal and not p.prosecdef and c.relnamespace = 'public'::regnamespace`,
  )
  const functions = await db.query<{ name: string }>(
    `select proname::text as name from pg_proc where pronamespace = 'public'::regnamespace and prosecdef`,
  )
  return {
    tables: new Map(columns.map((one) => [one.table, one.columns])),
    sequences: new Map(sequences.map((one) => [one.table, one.sequences])),
    triggers,
    ownersFunctions: functions.map(({ name }) => name),
  }
}
