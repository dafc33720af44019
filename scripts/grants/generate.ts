/** The grants of every role, from what it reaches: migrations/grants.sql. */
import { ROLES, type Role } from '../../src/config.ts'
import { groupOf } from '../../src/db/access.sql.ts'
import { MONTHLY_TABLES } from '../../src/retention/tables.ts'
import { NAMES_WHEN_RUN } from '../../test/support/names-when-run.ts'
import type { Catalogue } from './catalogue.ts'
import { addText, isGiven, type Need, type Needs, needOf, noNeeds } from './needs.ts'
import { BEGINNINGS, ELSEWHERE, EVERY_PROCESS, GUARDED_COLUMN, WRITTEN_IN_TRIGGERS } from './roles.ts'
import { type Declared, type Graph, readGraph } from './symbols.ts'

const UNNAMED: typeof NAMES_WHEN_RUN = {
  ...NAMES_WHEN_RUN,
  'retention/partitions.sql.ts': MONTHLY_TABLES.map(({ name }) => `${name}_default`),
}
const HOLDS_SQL = /(^db\/|\.sql\.ts#)/

const HEADING = `-- Who may do what in the database, as the SQL of src says. Written by \`npm run grants\`; do not edit.
-- \`npm run migrate\` applies it as the owner of the tables; a database user is given a role by \`grant stablecoin_api to …\`.
do $$
declare
  role text;
begin
  foreach role in array array[${ROLES.map((role) => `'${groupOf(role)}'`).join(', ')}] loop
    begin
      if not exists (select from pg_roles where rolname = role) then
        execute format('create role %I nologin', role);
      end if;
    exception
      when duplicate_object or unique_violation then null;
      when insufficient_privilege then
        raise exception 'The role % is missing, and % may not make it: have somebody do so who may (create role % nologin).',
          role, current_user, role;
    end;
  end loop;
end $$;
revoke create on schema public from public;
do $$
begin
  -- Nothing here needs temporary tables.
  execute format('revoke temporary on database %I from public', current_database());
exception
  -- PostgreSQL may also leave it undone without an error: \`npm run migrate\` looks afterwards.
  when insufficient_privilege then null;
end $$;`

/** Writes the whole file. */
export function generateGrants(catalogue: Catalogue): string {
  const graph = readGraph()
  const sections = ROLES.map((role) => {
    const lines = grantsTo(role, needsOf(role, graph, catalogue), catalogue)
    return [`-- ${role}`, ...lines].join('\n')
  })
  return `${[HEADING, ...sections].join('\n\n')}\n`
}

/** What a role reaches, and what every process does. */
export function reachOf(role: Role, graph: Graph): Declared[] {
  const others = Object.values(BEGINNINGS).flat()
  return [
    ...new Set([
      ...graph.reach([EVERY_PROCESS], [...others, ...ELSEWHERE]),
      ...graph.reach(BEGINNINGS[role], ELSEWHERE),
    ]),
  ]
}

function needsOf(role: Role, graph: Graph, catalogue: Catalogue): Needs {
  const needs = noNeeds()
  for (const symbol of reachOf(role, graph)) {
    if (!HOLDS_SQL.test(symbol)) {
      // A name that stands alone may be put into a statement. Others than these are words of every day.
      for (const { text } of graph.textsOf(symbol))
        if (text.includes('_') && catalogue.tables.has(text)) needOf(needs, text)
      continue
    }
    const unnamed = UNNAMED[symbol.slice(0, symbol.indexOf('#'))]
    for (const text of graph.textsOf(symbol)) {
      addText(needs, text, catalogue, text.holes.length === 0 ? undefined : unnamed)
    }
  }
  addTriggers(role, needs, catalogue)
  return needs
}

/** What runs when the role changes a table. */
function addTriggers(role: Role, needs: Needs, catalogue: Catalogue): void {
  for (const { table, name, body } of catalogue.triggers) {
    const need = needs.tables.get(table)
    if (need === undefined || !isWritten(need)) continue
    const inside = noNeeds()
    addText(inside, { text: body, holes: [] }, catalogue, undefined)
    for (const [other, { insert, update, delete: deletes }] of inside.tables) {
      const mine = needOf(needs, other)
      if (!deletes && !isGiven(insert) && !isGiven(update)) continue
      const known = WRITTEN_IN_TRIGGERS[name]
      if (known?.table !== other || (known.verb === 'delete' && (isGiven(insert) || isGiven(update)))) {
        throw new Error(`${name} writes ${other}: say on whose behalf in scripts/grants/roles.ts`)
      }
      if (known.roles.includes(role)) mine.delete = true
    }
  }
}

function isWritten({ insert, update, delete: deletes }: Need): boolean {
  return deletes || isGiven(insert) || isGiven(update)
}

function grantsTo(role: Role, needs: Needs, { tables, sequences, ownersFunctions }: Catalogue): string[] {
  const group = groupOf(role)
  const grants = [...needs.tables]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([table, need]) => {
      const columns = tables.get(table)
      if (columns === undefined) throw new Error(`${table} is no table`)
      return `grant ${privilegesOn(table, columns, need, needs.words).join(', ')} on ${table} to ${group};`
    })
  const numbers = [...needs.tables].flatMap(([table, { insert }]) =>
    isGiven(insert) ? (sequences.get(table) ?? []) : [],
  )
  const functions = ownersFunctions.filter((name) => needs.words.has(`${name}()`))
  return [
    `grant usage on schema public to ${group};`,
    ...grants,
    ...(numbers.length > 0 ? [`grant usage on sequence ${numbers.sort().join(', ')} to ${group};`] : []),
    ...(functions.length > 0 ? [`grant execute on function ${functions.sort().join(', ')} to ${group};`] : []),
  ]
}

function privilegesOn(table: string, columns: readonly string[], need: Need, words: ReadonlySet<string>): string[] {
  const readable = columns.filter((column) => need.whole || !GUARDED_COLUMN.test(column) || words.has(column))
  return [
    readable.length === columns.length ? 'select' : `select (${readable.join(', ')})`,
    ...columnsOf('insert', table, columns, need),
    ...(need.lock && !isGiven(need.update) ? [lockOf(columns)] : columnsOf('update', table, columns, need)),
    ...(need.delete ? ['delete'] : []),
  ]
}

/** The right to insert or update the columns that statements name, and no others: what a row counts by itself is nobody's to choose. */
function columnsOf(verb: 'insert' | 'update', table: string, columns: readonly string[], need: Need): string[] {
  const given = need[verb]
  if (given === 'all') return [verb]
  const wrong = [...given].find((column) => !columns.includes(column))
  if (wrong !== undefined) throw new Error(`${table} has no column ${wrong}`)
  const named = columns.filter((column) => given.has(column))
  if (named.length === columns.length) return [verb]
  return named.length === 0 ? [] : [`${verb} (${named.join(', ')})`]
}

/** Whoever locks rows and changes none needs the right to change something: when a row came matters to nothing. */
function lockOf(columns: readonly string[]): string {
  return `update (${columns.find((column) => column === 'created_at') ?? columns[0]})`
}
