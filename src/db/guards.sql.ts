/**
 * Whether what guards the tables is still there and on: triggers, their functions, constraints, unique indexes. Whoever owns the tables, or is
 * a superuser, can switch them off, and nothing that is written then is refused.
 */
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { Queryable } from './database.ts'
import { readMigrations } from './migrate.ts'

const SCHEMA_FILE = path.join(import.meta.dirname, '../../migrations/schema.sql')

/** One that does not guard: `subject` as a person looks for it, and in which way. */
export type GuardTrouble = { subject: string; trouble: string }

/** What schema.sql has of each kind. */
const EXPECTED = {
  trigger: /^CREATE (?:CONSTRAINT )?TRIGGER (?<name>\w+) .* ON public\.(?<table>\w+) /gm,
  function: /^CREATE OR REPLACE FUNCTION public\.(?<name>\w+)\(/gm,
  constraint: /^(?<table>\w+) (?<name>\w+) (?:CHECK|EXCLUDE|FOREIGN KEY|PRIMARY KEY|UNIQUE) /gm,
  index: /^CREATE UNIQUE INDEX (?<name>\w+) ON (?:ONLY )?public\.(?<table>\w+) /gm,
} as const
type Kind = keyof typeof EXPECTED

type Found = { kind: Kind; name: string; text: string; off: string | null }

/**
 * Those of partitions too, which are switched off one by one. `off`: in which way one does not guard; `text`: its definition, where every version
 * of PostgreSQL writes it alike. Only checks and foreign keys can be there without being enforced, which older versions have no column for.
 */
const FOUND = `select 'trigger' as kind, coalesce(k.conname, t.tgname) || ' of ' || c.relname as name, pg_get_triggerdef(t.oid) || chr(10) as text,
    case when t.tgenabled not in ('O', 'A') then 'is disabled' end as off
  from pg_trigger t join pg_class c on c.oid = t.tgrelid left join pg_constraint k on k.oid = t.tgconstraint
  where c.relnamespace = 'public'::regnamespace and (not t.tgisinternal or t.tgenabled not in ('O', 'A'))
  union all
  select 'function', p.proname, case when p.prosqlbody is null then pg_get_functiondef(p.oid) else '' end, null
  from pg_proc p where p.pronamespace = 'public'::regnamespace and p.prokind = 'f'
  union all
  select 'constraint', k.conname || ' of ' || c.relname, '', case
    when k.contype in ('c', 'f') and to_jsonb(k) ->> 'conenforced' = 'false' then 'is not enforced'
    when not k.convalidated then 'was not compared with what is there (not valid)' end
  from pg_constraint k join pg_class c on c.oid = k.conrelid where c.relnamespace = 'public'::regnamespace
  union all
  select 'index', i.relname || ' of ' || c.relname, '', case when not x.indisvalid then 'is not valid' end
  from pg_index x join pg_class i on i.oid = x.indexrelid join pg_class c on c.oid = x.indrelid
  where c.relnamespace = 'public'::regnamespace and x.indisunique`

/** For whom sessions begin with every trigger off, ours among them. */
const SKIPPED = `select coalesce(nullif(s.setrole, 0)::regrole::text, 'everybody') as who
  from pg_db_role_setting s cross join unnest(s.setconfig) as one (setting)
  where s.setdatabase in (0, (select oid from pg_database where datname = current_database()))
    and setting = 'session_replication_role=replica'
  union select current_user::text where current_setting('session_replication_role') = 'replica' order by 1`

/** Those that do not guard as the migrations of this program have made them. Of a newer database only what is off. */
export async function readGuardTroubles(db: Queryable): Promise<GuardTrouble[]> {
  const schema = await readFile(SCHEMA_FILE, 'utf8')
  const found = await db.query<Found>(FOUND)
  const skipped = await db.query<{ who: string }>(SKIPPED)
  // Each foreign key has several triggers.
  const off = new Map(found.flatMap(({ kind, name, off: how }) => (how === null ? [] : [[`${kind} ${name}`, how]])))
  return [
    ...[...off].map(([subject, trouble]) => ({ subject, trouble })),
    ...((await isOurs(db)) ? compare(schema, found) : []),
    ...skipped.map(({ who }) => ({
      subject: `session_replication_role of ${who}`,
      trouble: 'is replica, so that no trigger fires',
    })),
  ]
}

async function isOurs(db: Queryable): Promise<boolean> {
  const [row] = await db.query<{ version: number | null }>('select max(version) as version from schema_migrations')
  return row?.version === (await readMigrations()).length
}

/** What a schema has and a database has not, or otherwise (pure). */
function compare(schema: string, found: readonly Pick<Found, 'kind' | 'name' | 'text'>[]): GuardTrouble[] {
  const there = new Map(found.map(({ kind, name, text }) => [`${kind} ${name}`, text]))
  return (Object.keys(EXPECTED) as Kind[]).flatMap((kind) =>
    [...schema.matchAll(EXPECTED[kind])].flatMap(({ groups: { name, table } = {} }): GuardTrouble[] => {
      const subject = `${kind} ${name}${table === undefined ? '' : ` of ${table}`}`
      const own = there.get(subject)
      if (own === undefined) return [{ subject, trouble: 'is missing' }]
      return schema.includes(own) ? [] : [{ subject, trouble: 'is not what the migrations made' }]
    }),
  )
}
