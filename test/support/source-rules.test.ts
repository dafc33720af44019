/** What the rules about sources must find, planted one by one. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { printsOf, sqlOf, tablesWrittenBy } from './source-rules.ts'
import { UNKNOWN_TABLE } from './sql-tables.ts'

test('every way to write to the terminal is seen', () => {
  const planted = [
    'console.log(1)',
    'console . error(1)',
    'console["log"](1)',
    'const { log } = console',
    'const print = console',
    'globalThis.console.log(1)',
    'process.stdout.write("x")',
    'process.stderr.write("x")',
    'process["stdout"].write("x")',
    'globalThis.process.stdout.write("x")',
    'const out = process.stdout',
    'const { stdout } = process',
    'const { stderr: err, pid } = process',
    'process._rawDebug("x")',
    "import { stdout } from 'node:process'",
    "import { stdout as out } from 'process'",
    "import { Console } from 'node:console'",
    "import { writeSync } from 'node:fs'\nwriteSync(1, 'x')",
    "fs.writeSync(2, 'x')",
    "createWriteStream('/dev/stdout')",
  ]
  for (const source of planted) assert.notDeepEqual(printsOf(source), [], source)
})

test('nothing else is taken for printing', () => {
  const planted = [
    '// console.log(1)',
    "const text = 'console.log(1)'",
    'child.stdout.on("data", f)',
    'const a = { console: 1, stdout: 2 }',
    'const { stdout } = child',
    'process.exit(1)',
    'type A = { console: string }',
  ]
  for (const source of planted) assert.deepEqual(printsOf(source), [], source)
})

test('SQL is seen in capitals, over lines, with aliases and after a comment', () => {
  const planted = [
    'const a = `select a from orders`',
    "const a = 'SELECT a FROM orders'",
    'const a = `update orders o set a = 1`',
    "const a = 'UPDATE orders SET a = 1'",
    'const a = `Update Orders\n As o\n Set a = 1`',
    'const a = `\n  -- why\n  delete\n  from orders`',
    'const a = `with x as (select 1) insert into orders select * from x`',
    'const a = `/* why */ merge into orders o using x on true when matched then delete`',
    "const a = 'truncate table orders'",
    'const a = `update "orders" set a = 1`',
    'const a = sql`insert into public.orders default values`',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the source under test
    'const a = `select ${COLUMNS} from ${table}`',
    "const a = 'select a ' + 'b' ; const b = 'insert into ' + table",
  ]
  for (const source of planted) assert.notDeepEqual(sqlOf(source), [], source)
})

test('neither English nor a look at the clock is taken for SQL', () => {
  const planted = [
    "const a = 'select now() as at'",
    'const a = `select pg_notify($1, $2)`',
    'const a = `select $1::text, extract(epoch from now())`',
    "const a = 'Update the settings and start it again.'",
    "const a = 'deleted from the list'",
    '// select a from orders',
  ]
  for (const source of planted) assert.deepEqual(sqlOf(source), [], source)
})

test('the tables that are written', () => {
  const written = (sql: string) => tablesWrittenBy(`const a = \`${sql}\``)
  assert.deepEqual(written('insert into orders (a) select a from wallets'), ['orders'])
  assert.deepEqual(written('UPDATE ONLY public."Orders" AS o SET a = 1 FROM wallets'), ['Orders'])
  assert.deepEqual(written('update orders * o set a = 1'), ['orders'])
  assert.deepEqual(
    written('with a as (insert into b values (1) returning c), d as (delete from e) update f g set h = 1'),
    ['b', 'e', 'f'],
  )
  assert.deepEqual(written('insert into a values (1) on conflict (b) do update set c = 1'), ['a'])
  assert.deepEqual(written('select a from orders where b for no key update'), [])
  assert.deepEqual(written('select a from orders for update'), [])
  assert.deepEqual(written('truncate table only a, public.b, c restart identity'), ['a', 'b', 'c'])
  assert.deepEqual(written('merge into a using b on true when matched then update set c = 1'), ['a'])
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the source under test
  assert.deepEqual(written('insert into ${table} (a) values (1)'), [UNKNOWN_TABLE])
  assert.deepEqual(tablesWrittenBy("query('update ' + table + ' set a = 1')"), [UNKNOWN_TABLE])
})
