/**
 * What the dump says about views, functions and triggers, and about all objects together: grants, comments, the rest.
 */
import type { DumpedObjects } from './dumped-objects.ts'

/** Objects with a lower OID come with the server. */
const FIRST_OWN_OID = 16384

/** Catalogues with access lists: the expressions for the object's name and for the list. */
const GRANTED: readonly (readonly [from: string, name: string, acl: string, owner: string])[] = [
  ['pg_class o', "'table ' || o.oid::regclass", 'o.relacl', 'o.relowner'],
  [
    'pg_attribute a join pg_class o on o.oid = a.attrelid',
    "'column ' || o.oid::regclass || '.' || a.attname",
    'a.attacl',
    'o.relowner',
  ],
  ['pg_proc o', "'function ' || o.oid::regprocedure", 'o.proacl', 'o.proowner'],
  ['pg_type o', "'type ' || o.oid::regtype", 'o.typacl', 'o.typowner'],
  ['pg_namespace o', "'schema ' || o.nspname", 'o.nspacl', 'o.nspowner'],
]

/** Catalogues of which only the names are dumped, without what a section above describes. */
const NAMED: readonly (readonly [catalogue: string, condition: string])[] = [
  ['pg_namespace', "o.nspname !~ '^pg_'"],
  ['pg_extension', 'true'],
  ['pg_event_trigger', 'true'],
  ['pg_publication', 'true'],
  ['pg_foreign_server', 'true'],
  ['pg_foreign_data_wrapper', 'true'],
  ['pg_language', 'true'],
  ['pg_cast', 'true'],
  ['pg_collation', 'true'],
  ['pg_operator', 'true'],
  ['pg_opclass', 'true'],
  ['pg_ts_config', 'true'],
  ['pg_class', "o.relnamespace <> 'public'::regnamespace and o.relkind not in ('t', 'i')"],
  ['pg_proc', "o.pronamespace <> 'public'::regnamespace or o.prokind not in ('f', 'p')"],
  ['pg_type', "o.typnamespace = 'public'::regnamespace and o.typtype in ('r', 'b') and o.typelem = 0"],
  ['pg_default_acl', 'true'],
]

export const CODE: readonly DumpedObjects[] = [
  {
    title: 'Views',
    sql: `
      select concat(case c.relkind when 'm' then 'materialized ' end, c.relname,
        case when c.reloptions is not null then ' with (' || array_to_string(c.reloptions, ', ') || ')' end, ':', chr(10), pg_get_viewdef(c.oid)) as line
      from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('v', 'm')`,
  },
  {
    title: 'Rules',
    sql: `
      select concat(pg_get_ruledef(r.oid), case when r.ev_enabled <> 'O' then ' (enabled: ' || r.ev_enabled::text || ')' end) as line
      from pg_rewrite r join pg_class c on c.oid = r.ev_class
      where c.relnamespace = 'public'::regnamespace and r.rulename <> '_RETURN'`,
  },
  {
    title: 'Functions',
    sql: `
      select rtrim(pg_get_functiondef(p.oid), chr(10)) as line
      from pg_proc p where p.pronamespace = 'public'::regnamespace and p.prokind in ('f', 'p')`,
  },
  {
    title: 'Triggers',
    sql: `
      select concat(pg_get_triggerdef(t.oid),
        case t.tgenabled when 'D' then ' (disabled)' when 'R' then ' (on replicas)' when 'A' then ' (always)' end) as line
      from pg_trigger t join pg_class c on c.oid = t.tgrelid
      where c.relnamespace = 'public'::regnamespace and not t.tgisinternal`,
  },
  {
    title: 'Grants',
    sql: `${GRANTED.map(
      ([from, name, acl, owner]) => `
      select concat(${name}, ' to ', case g.grantee when 0 then 'public' when ${owner} then 'its owner' else g.grantee::regrole::text end, ': ',
        string_agg(lower(g.privilege_type) || case when g.is_grantable then ' with grant option' else '' end, ', '
          order by g.privilege_type collate "C")) as line
      from ${from} cross join aclexplode(${acl}) g
      where (o.oid >= ${FIRST_OWN_OID} or ${name} = 'schema public')
      group by o.oid, g.grantee, ${owner}, ${name}`,
    ).join(' union all ')}`,
  },
  {
    title: 'Comments',
    sql: `
      select concat(pg_describe_object(d.classoid, d.objoid, d.objsubid), ': ', d.description) as line
      from pg_description d where d.objoid >= ${FIRST_OWN_OID}`,
  },
  {
    title: 'Other objects',
    sql: `${NAMED.map(
      ([catalogue, condition]) => `
      select pg_describe_object('${catalogue}'::regclass, o.oid, 0) as line
      from ${catalogue} o where o.oid >= ${FIRST_OWN_OID} and (${condition})`,
    ).join(' union all ')}`,
  },
]
