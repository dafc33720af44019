import assert from 'node:assert/strict'
import { test } from 'node:test'
import { textsOf } from '../support/typescript-source.ts'
import { applyEdit } from './mutant.ts'
import { sqlEdits } from './sql.ts'

/** The statements that the operators make from one. */
function faultsOf(sql: string, operator?: string): string[] {
  const source = `query(\`${sql}\`)`
  const edits = textsOf(source).flatMap(sqlEdits)
  return edits
    .filter((edit) => operator === undefined || edit.operator === operator)
    .map((edit) => applyEdit(source, edit).slice('query(`'.length, -'`)'.length))
}

test('each condition is left out once, and its parameters stay', () => {
  assert.deepEqual(faultsOf("select a from t where b = $1 and c = 'x' and (d or e) for update", 'sql-condition'), [
    "select a from t where (b = $1 or true) and c = 'x' and (d or e) for update",
    'select a from t where b = $1 and true and (d or e) for update',
    "select a from t where b = $1 and c = 'x' and true for update",
    "select a from t where b = $1 and c = 'x' and (false or e) for update",
    "select a from t where b = $1 and c = 'x' and (d or false) for update",
  ])
})

test('the and of between joins no conditions', () => {
  assert.deepEqual(faultsOf('delete from t where a between 5 and b and c', 'sql-condition'), [
    'delete from t where true and c',
    'delete from t where a between 5 and b and true',
  ])
})

test('joins, conflicts, cases and sub-selects', () => {
  assert.deepEqual(
    faultsOf('select 1 from a join b on a.x = b.x where exists (select from c where c.y)', 'sql-condition'),
    [
      'select 1 from a join b on true where exists (select from c where c.y)',
      'select 1 from a join b on a.x = b.x where true',
      'select 1 from a join b on a.x = b.x where exists (select from c where true)',
    ],
  )
  assert.deepEqual(
    faultsOf('insert into t (a) values ($1) on conflict (a) do update set a = 2 where t.b', 'sql-condition'),
    ['insert into t (a) values ($1) on conflict (a) do update set a = 2 where true'],
  )
  assert.deepEqual(faultsOf("update t set a = case b when 'x' then 1 else 2 end where c", 'sql-condition'), [
    "update t set a = case b when 'x' then 1 else 2 end where true",
  ])
  assert.deepEqual(faultsOf('select case when a and b then 1 end from t', 'sql-condition'), [
    'select case when true and b then 1 end from t',
    'select case when a and true then 1 end from t',
  ])
})

test('a column keeps its value, under the name of its table', () => {
  assert.deepEqual(faultsOf('update orders o set a = 1, b = f($1, 2) from s where s.id = o.id', 'sql-set'), [
    'update orders o set a = o.a, b = f($1, 2) from s where s.id = o.id',
    'update orders o set a = 1, b = case when true then o.b else f($1, 2) end from s where s.id = o.id',
  ])
  assert.deepEqual(
    faultsOf('insert into t (a) values (1) on conflict (a) do update set b = excluded.b returning a', 'sql-set'),
    ['insert into t (a) values (1) on conflict (a) do update set b = t.b returning a'],
  )
})

test('locks are not taken', () => {
  assert.deepEqual(faultsOf('select a from t where b for update skip locked', 'sql-lock'), [
    'select a from t where b ',
    'select a from t where b for update ',
  ])
  assert.deepEqual(faultsOf('select a from t for no key update', 'sql-lock'), ['select a from t '])
})

test('limits, lists, constants, order and truth', () => {
  const faults = faultsOf(
    "select a from t where b in ('x', 'y') and c < 3 and not exists (select from u) order by a desc",
  )
  for (const expected of ["in ('y')", "in ('x')", 'c <= 3', 'c < 4', 'and  exists', 'order by a '])
    assert.ok(
      faults.some((fault) => fault.includes(expected)),
      `${expected} in\n${faults.join('\n')}`,
    )
  assert.deepEqual(faultsOf('select greatest(a - b, 0) from t', 'sql-arithmetic'), ['select greatest(a + b, 0) from t'])
  assert.deepEqual(faultsOf('select a from t left join u on $1 where v is null', 'sql-join'), [
    'select a from t inner join u on $1 where v is null',
  ])
})

test('an order is left out up to what follows it, and stays where it has a parameter', () => {
  assert.deepEqual(
    faultsOf('select array_agg(a order by b) from (select a from t order by c, d desc limit $1) u', 'sql-order'),
    [
      'select array_agg(a ) from (select a from t order by c, d desc limit $1) u',
      'select array_agg(a order by b) from (select a from t  limit $1) u',
      'select array_agg(a order by b) from (select a from t order by c, d  limit $1) u',
    ],
  )
  assert.deepEqual(faultsOf('select a from t order by b for update', 'sql-order'), ['select a from t  for update'])
  assert.deepEqual(faultsOf('select a from t order by b = $1', 'sql-order'), [])
})

test('bounds, conflicts, unions and first values', () => {
  assert.deepEqual(faultsOf('select a from t limit $2 offset 0', 'sql-limit'), [
    'select a from t limit $2 + 1 offset 0',
  ])
  assert.deepEqual(
    faultsOf('insert into t (a) values ($1) on conflict (a) where b do nothing returning a', 'sql-conflict'),
    ['insert into t (a) values ($1)  returning a'],
  )
  assert.deepEqual(faultsOf('insert into t (a) values (1) on conflict (a) do update set b = 1', 'sql-conflict'), [])
  assert.deepEqual(faultsOf('select a from t union all select b from u union select c from v', 'sql-union'), [
    'select a from t union  select b from u union select c from v',
    'select a from t union all select b from u union all select c from v',
  ])
  assert.deepEqual(faultsOf('select coalesce(max(a, b), 0) + coalesce(c, $1) from t', 'sql-coalesce'), [
    'select (max(a, b)) + coalesce(c, $1) from t',
  ])
})

test('interpolations are left alone, plain strings are read too, English is not', () => {
  const source = [
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the source under test
    'const a = `select ${COLUMNS} from t where ${filter(`a = 1`)} and x = ${n}`',
    "const b = 'delete from t where y = $1'",
    "const c = 'with an address that is not = yours'",
    "const d = 'update the settings and set it to 3'.length",
  ].join('\n')
  const faults = textsOf(source)
    .flatMap(sqlEdits)
    .filter(({ operator }) => operator === 'sql-condition')
  assert.deepEqual(
    faults.map((edit) => source.slice(edit.start, edit.end)),
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the source under test
    ['x = ${n}', 'y = $1'],
  )
})

test('a condition that stands alone, and what follows another part of a statement, are SQL too', () => {
  const condition = "status = 'queued' and (rail is null or rail = $1)"
  assert.deepEqual(faultsOf(condition, 'sql-condition'), [
    'true and (rail is null or rail = $1)',
    "status = 'queued' and ((rail is null or rail = $1) or true)",
    "status = 'queued' and (false or rail = $1)",
    "status = 'queued' and (rail is null or (rail = $1 and false))",
  ])
  assert.deepEqual(faultsOf('(select min(a) from t where b)', 'sql-condition'), ['(select min(a) from t where true)'])
  assert.deepEqual(faultsOf('t where b = 1 and c', 'sql-condition'), ['t where true and c', 't where b = 1 and true'])
  const source = [
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the source under test
    'const a = `${SELECT} where c.a = $1 and c.b = $2`',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the source under test
    'const b = `with ${FIRST},\n ${SECOND}, third as (select from t where d)`',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the source under test
    'const c = `${IS_FREE} and not exists (select from t where e)`',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the source under test
    'const d = `those of ${account} end on ${day}, and more`',
  ].join('\n')
  const faults = textsOf(source)
    .flatMap(sqlEdits)
    .filter(({ operator }) => operator === 'sql-condition')
  assert.deepEqual(
    faults.map((edit) => source.slice(edit.start, edit.end)),
    ['c.a = $1', 'c.b = $2', 'd', 'not exists (select from t where e)', 'e'],
  )
})
