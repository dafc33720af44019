/** What every caller may rely on, with either engine. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { violatedConstraint } from '../../src/db/database.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { waitFor } from '../support/wait-for.ts'

let db: TestDatabase

function unexpected(): never {
  assert.fail('it should have been refused')
}

before(async () => {
  db = await createTestDatabase({ migrated: false })
  await db.script(`
    create table accounts (id bigint primary key, balance bigint not null constraint never_negative check (balance >= 0));
    create table notes (note text primary key);`)
})
after(() => db.close())

test('every kind of value comes back as it was given', async () => {
  const at = new Date('2026-02-03T04:05:06.789Z')
  const [row] = await db.query(
    `select $1::bigint as big, $2::integer as small, $3::numeric as exact, $4::text as words, $5::boolean as yes,
      $6::timestamptz as at, $7::jsonb as json, $8::bytea as bytes, $9::date as day, null::text as nothing,
      $10::text[] as texts, $11::bigint[] as bigs, $12::timestamptz[] as times, $13::uuid as id, '{}'::text[] as none`,
    [
      2n ** 63n - 1n,
      -7,
      '123456789012345678901234567890.000001',
      'it\'s "quoted" \\ {braces} \n',
      false,
      at,
      '{"a": [1, "2"]}',
      '\\x00ff10',
      '2026-02-03',
      ['a,b', '"', '\\', '', 'NULL', null],
      [1n, -(2n ** 63n), null],
      [at],
      '6f1b2c3d-0000-4000-8000-000000000001',
    ],
  )
  assert.deepEqual(row, {
    big: 2n ** 63n - 1n,
    small: -7,
    exact: '123456789012345678901234567890.000001',
    words: 'it\'s "quoted" \\ {braces} \n',
    yes: false,
    at,
    json: { a: [1, '2'] },
    bytes: Buffer.from([0, 255, 16]),
    day: '2026-02-03',
    nothing: null,
    texts: ['a,b', '"', '\\', '', 'NULL', null],
    bigs: [1n, -(2n ** 63n), null],
    times: [at],
    id: '6f1b2c3d-0000-4000-8000-000000000001',
    none: [],
  })
})

test('every time that is read can be given back, however far off it is', async () => {
  for (const text of [
    'infinity',
    '-infinity',
    '12026-11-22',
    '290000-01-01',
    '0001-01-01',
    '0001-01-01 BC',
    '4713-01-01 BC',
  ]) {
    const [row] = await db.query<{ at: Date }>('select $1::timestamptz as at', [text])
    const [again] = await db.query<{ at: Date }>('select $1::timestamptz as at', [row?.at ?? null])
    assert.deepEqual(again, row, text)
  }
})

test('the session speaks UTC', async () => {
  const [row] = await db.query(
    `select '2026-01-01 00:00'::timestamp::timestamptz as at, current_setting('TimeZone') as zone`,
  )
  assert.deepEqual(row, { at: new Date('2026-01-01T00:00:00Z'), zone: 'UTC' })
})

test('the same text runs again and again with other values', async () => {
  for (let value = 1n; value <= 5n; value += 1n) {
    assert.deepEqual(await db.query('select $1::bigint * 2 as twice', [value]), [{ twice: value * 2n }])
  }
})

test('a violated constraint is named, but its values are not shown', async () => {
  await db.query('insert into notes values ($1)', ['a very secret note'])
  const error = await db
    .query('insert into notes values ($1)', ['a very secret note'])
    .then(unexpected, (e: Error) => e)
  assert.equal(violatedConstraint(error), 'notes_pkey')
  assert.doesNotMatch(JSON.stringify({ ...error, message: error.message, stack: error.stack }), /very secret/)
  const check = await db.query('insert into accounts values (99, -1)').then(unexpected, (e: Error) => e)
  assert.equal(violatedConstraint(check), 'never_negative')
})

test('a transaction commits its result and rolls back when its work throws', async () => {
  const result = await db.transaction(async (tx) => {
    await tx.query('insert into accounts values (1, 10)')
    return 'done'
  })
  assert.equal(result, 'done')
  const mine = new Error('mine')
  const failed = db.transaction(async (tx) => {
    await tx.query('update accounts set balance = 0 where id = 1')
    throw mine
  })
  await assert.rejects(failed, (error) => error === mine)
  assert.deepEqual(await db.query('select balance from accounts where id = 1'), [{ balance: 10n }])
})

test('a transaction fails when its work ignores a failed statement', async () => {
  const work = db.transaction(async (tx) => {
    await tx.query('insert into accounts values (2, 1)')
    await tx.query('select 1 / 0').catch(() => {})
  })
  await assert.rejects(work, { code: '25P02' })
  assert.deepEqual(await db.query('select from accounts where id = 2'), [])
})

test('a transaction that has ended cannot be used', async () => {
  let kept: { query: (text: string) => Promise<unknown> } | undefined
  await db.transaction(async (tx) => {
    kept = tx
  })
  await assert.rejects(async () => await kept?.query('select 1'))
})

test('two transactions over the same row do not lose an update', async () => {
  await db.query('insert into accounts values (3, 0)')
  const add = () =>
    db.transaction(async (tx) => {
      const [row] = await tx.query<{ balance: bigint }>('select balance from accounts where id = 3 for update')
      await tx.query('update accounts set balance = $1 where id = 3', [(row?.balance ?? 0n) + 1n])
    })
  await Promise.all(Array.from({ length: 20 }, add))
  assert.deepEqual(await db.query('select balance from accounts where id = 3'), [{ balance: 20n }])
})

test('a script is one transaction', async () => {
  await assert.rejects(db.script('insert into accounts values (4, 1); insert into accounts values (4, 1);'))
  assert.deepEqual(await db.query('select from accounts where id = 4'), [])
})

test('notifications reach every listener after the commit, until it stops', async () => {
  const heard: string[] = []
  const stopFirst = await db.listen('news', (payload) => heard.push(`first ${payload}`))
  const stopSecond = await db.listen('news', (payload) => heard.push(`second ${payload}`))
  await db.transaction((tx) => tx.query(`select pg_notify('news', 'one')`))
  await waitFor('both to hear', () => heard.length === 2)
  await stopFirst()
  await db.query(`select pg_notify('news', 'two')`)
  await waitFor('the second to hear', () => heard.length === 3)
  await stopSecond()
  assert.deepEqual(heard, ['first one', 'second one', 'second two'])
})

test('a rolled back notification is not heard, and a listener that throws harms nobody', async () => {
  const heard: string[] = []
  await db.listen('alarms', () => {
    throw new Error('bad listener')
  })
  await db.listen('alarms', (payload) => heard.push(payload))
  const work = db.transaction(async (tx) => {
    await tx.query(`select pg_notify('alarms', 'never')`)
    throw new Error('no')
  })
  await assert.rejects(work)
  await db.query(`select pg_notify('alarms', 'real')`)
  await waitFor('the alarm', () => heard.length > 0)
  assert.deepEqual(heard, ['real'])
})

test('a channel name that is not a plain word is refused', async () => {
  await assert.rejects(
    db.listen('x; drop table notes', () => {}),
    TypeError,
  )
})

test('the database says so when it is closed', async () => {
  const other = await createTestDatabase({ migrated: false })
  await other.close()
  await assert.rejects(other.query('select 1'), { name: 'DatabaseUnavailableError' })
})
