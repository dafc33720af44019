/** What the database lets the user do as whom the service connects. */
import type { Queryable } from './database.ts'
import { APPLICATION_NAME } from './postgres-client.ts'

/** Whoever is in one of these can change every table, or become the user that runs the server. */
const AS_GOOD_AS_SUPERUSER = ['pg_write_all_data', 'pg_execute_server_program', 'pg_write_server_files']

/** The group in which the users of a process with this role are. The names are fixed: migrations/grants.sql has them. */
export function groupOf(role: string): string {
  return `stablecoin_${role}`
}

export type Access = {
  user: string
  /** Or as good as one. */
  isSuperuser: boolean
  /** May change tables, or make the first ones. */
  isOwner: boolean
  /** The groups of the service's roles whose rights it has. */
  groups: readonly string[]
}

/** Reads it. */
export async function readAccess(db: Queryable): Promise<Access> {
  const [row] = await db.query<Access>(
    `select current_user::text as user,
       r.rolsuper or exists (select from pg_roles g where g.rolname = any ($2::text[]) and pg_has_role(g.oid, 'member'))
         as "isSuperuser",
       coalesce(
         (select pg_has_role(c.relowner, 'member') from pg_class c where c.oid = to_regclass('public.schema_migrations')),
         has_schema_privilege('public', 'create')) as "isOwner",
       array(select g.rolname::text from pg_roles g where starts_with(g.rolname, $1) and pg_has_role(g.oid, 'usage')
         order by g.rolname) as groups
     from pg_roles r where r.rolname = current_user`,
    [groupOf(''), AS_GOOD_AS_SUPERUSER],
  )
  if (row === undefined) throw new Error('the database did not say who we are')
  return row
}

/** The users of the service's processes that are connected to this database, but for our own and superusers, who are in every group. */
export async function readConnectedUsers(db: Queryable): Promise<string[]> {
  const rows = await db.query<{ name: string }>(
    `select distinct u.rolname::text as name from pg_stat_activity a join pg_roles u on u.oid = a.usesysid
     where a.datname = current_database() and not u.rolsuper and u.rolname <> current_user
       and exists (select from pg_roles g where starts_with(g.rolname, $1) and pg_has_role(u.oid, g.oid, 'usage'))
     order by 1`,
    [groupOf('')],
  )
  return rows.map(({ name }) => name)
}

/**
 * How many connections processes of the service have to this database, beside the one that asks. Whoever is connected may count them. The address
 * of the database may give them another name, so that whoever connects as one of their users counts, too.
 */
export async function countConnections(db: Queryable): Promise<number> {
  const [row] = await db.query<{ count: bigint }>(
    `select count(*) as count from pg_stat_activity a left join pg_roles u on u.oid = a.usesysid
     where a.datname = current_database() and a.pid <> pg_backend_pid() and (a.application_name = $1
       or not u.rolsuper and exists (select from pg_roles g where starts_with(g.rolname, $2) and pg_has_role(u.oid, g.oid, 'usage')))`,
    [APPLICATION_NAME, groupOf('')],
  )
  return Number(row?.count ?? 0)
}

/** A right that a line of migrations/grants.sql gives. `column` is null where it is for all of them. */
export type Right = {
  kind: 'table' | 'sequence' | 'function'
  name: string
  right: string
  column: string | null
}

/** Those of the rights that the user of this connection does not have, whoever gave them. */
export function readMissingRights(db: Queryable, rights: readonly Right[]): Promise<Right[]> {
  const column = <K extends keyof Right>(key: K) => rights.map((each) => each[key])
  return db.query<Right>(
    `select kind, name, "right", "column"
     from unnest($1::text[], $2::text[], $3::text[], $4::text[]) as given (kind, name, "right", "column")
     where not coalesce(case
       when kind = 'function' then has_function_privilege(to_regproc(name), "right")
       when kind = 'sequence' then has_sequence_privilege(to_regclass(name), "right")
       when "column" is null then has_table_privilege(to_regclass(name), "right")
       else has_column_privilege(to_regclass(name), "column", "right") end, false)`,
    [column('kind'), column('name'), column('right'), column('column')],
  )
}
