// engine: postgres; both in test:long
/** The database keeps what banks have said, and accepts no other move of a line than src/statements makes. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { type Queryable, violatedConstraint } from '../../src/db/database.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { withoutGuards } from '../support/without-guards.ts'

let db: TestDatabase
before(async () => {
  db = await createTestDatabase()
})
after(() => db.close())
beforeEach(() =>
  withoutGuards(db, async (tx) => {
    for (const table of ['bank_lines', 'bank_statements', 'payout_attempts']) await tx.query(`delete from ${table}`)
  }),
)

type Row = Readonly<Record<string, string>>

async function insert(table: string, row: Row): Promise<void> {
  const text = `insert into ${table} (${Object.keys(row).join(', ')}) overriding system value values (${Object.values(row).join(', ')})`
  await withoutGuards(db, (tx) => tx.query(text))
}

const LINE = {
  line_no: '1',
  statement_no: '1',
  bank_account: `'ours'`,
  entry: '1',
  detail: '1',
  amount_micro: '-1000000',
  booked_on: 'current_date',
  value_on: 'current_date',
  is_reversal: 'false',
}
const UNALLOCATED = { state: `'unallocated'`, reason: `'x'`, decided_at: 'now()' }
const belongsTo = (kind: string, to: string, state = 'matched') => ({
  state: `'${state}'`,
  matched_kind: `'${kind}'`,
  matched_to: `'${to}'`,
  reason: `'x'`,
  decided_at: 'now()',
})
const FREED = `state = 'unallocated', matched_kind = null, matched_to = null, taken_back = taken_back + 1`

const UNDONE = new Error('undone')

/** The constraint that refuses a change of line 1, or a statement; undefined when none does. It is undone. */
async function refusalOf(change: string): Promise<string | undefined> {
  const text = /^(update|delete)/.test(change) ? change : `update bank_lines set ${change} where line_no = 1`
  const work = async (tx: Queryable) => {
    await tx.query(text)
    throw UNDONE
  }
  return await db.transaction(work).catch((error: unknown) => {
    const refusal = violatedConstraint(error)
    if (error !== UNDONE && refusal === undefined) throw error
    return refusal
  })
}

async function columnsOf(table: string, but: readonly string[]): Promise<string[]> {
  const rows = await db.query<{ name: string; type: string }>(
    `select column_name as name, data_type as type from information_schema.columns where table_schema = 'public' and table_name = $1`,
    [table],
  )
  const other: Row = {
    bigint: '99',
    integer: '99',
    text: `'other'`,
    date: `'2020-01-01'`,
    boolean: 'true',
    'timestamp with time zone': `'2020-01-01'`,
    jsonb: `'{}'`,
  }
  return rows.filter(({ name }) => !but.includes(name)).map(({ name, type }) => `${name} = ${other[type]}`)
}

test('what a bank has said of a line stands, column by column', async () => {
  await insert('bank_lines', LINE)
  const decided = [
    'state',
    'matched_kind',
    'matched_to',
    'reason',
    'decided_at',
    'taken_back',
    'freed_from',
    'allocation',
    'reverses',
  ]
  // Nobody can write an identity, guarded or not.
  const changes = await columnsOf('bank_lines', [...decided, 'line_no'])
  assert.ok(changes.length >= 13, String(changes.length))
  for (const change of changes) assert.equal(await refusalOf(change), 'bank_lines_as_said', change)
  assert.equal(await refusalOf('delete from bank_lines'), 'bank_lines_as_said')
})

test('what a bank has said of a statement stands, and whether it was applied or withdrawn is said once', async () => {
  const statement = {
    statement_no: '1',
    bank_account: `'ours'`,
    statement_id: `'s'`,
    opened_on: 'current_date',
    opening_micro: '0',
    closed_on: 'current_date',
    closing_micro: '0',
    line_count: '0',
    digest: `repeat('a', 64)`,
    content_hash: `repeat('a', 64)`,
  }
  await insert('bank_statements', statement)
  const [applied, withdrawn] = ['position = 1, applied_at = now()', `withdrawn_at = now(), withdrawn_for = 'x'`]
  const set = (change: string) => refusalOf(`update bank_statements set ${change}`)
  const added = ['position', 'applied_at', 'withdrawn_at', 'withdrawn_for']
  const changes = await columnsOf('bank_statements', [...added, 'statement_no', 'digest', 'content_hash'])
  assert.ok(changes.length >= 9, String(changes.length))
  const hashes = [`digest = repeat('b', 64)`, `content_hash = repeat('b', 64)`]
  for (const change of [...changes, ...hashes]) assert.equal(await set(change), 'bank_statements_as_said', change)
  assert.equal(await refusalOf('delete from bank_statements'), 'bank_statements_as_said')
  assert.deepEqual([await set(applied), await set(withdrawn)], [undefined, undefined])
  for (const [done, back] of [
    [applied, 'position = null, applied_at = null'],
    [withdrawn, 'withdrawn_at = null, withdrawn_for = null'],
  ] as const) {
    await withoutGuards(db, (tx) => tx.query(`update bank_statements set ${done}`))
    assert.equal(await set(back), 'bank_statements_as_said', back)
    assert.equal(await refusalOf('delete from bank_statements'), 'bank_statements_as_said')
    await withoutGuards(db, (tx) => tx.query(`update bank_statements set ${back}`))
  }
})

test('a line is decided once, and assigned where nothing explained it', async () => {
  const states: Readonly<Record<string, Row>> = {
    unbooked: {},
    unallocated: UNALLOCATED,
    matched: belongsTo('fees', 'fees'),
    assigned: belongsTo('fees', 'fees', 'assigned'),
    allocated: { ...UNALLOCATED, state: `'allocated'`, allocation: '1' },
    dissolved: { ...UNALLOCATED, state: `'dissolved'` },
  }
  const to = (state: string): string => {
    const row: Row = { decided_at: 'null', matched_kind: 'null', matched_to: 'null', ...states[state] }
    return Object.entries({ ...row, state: `'${state}'` })
      .map(([column, value]) => `${column} = ${value}`)
      .join(', ')
  }
  const accepted = []
  for (const [from, row] of Object.entries(states)) {
    await withoutGuards(db, (tx) => tx.query('delete from bank_lines'))
    await insert('bank_lines', { ...LINE, ...row })
    for (const state of Object.keys(states)) {
      const isBack = ['matched', 'assigned'].includes(from) && state === 'unallocated'
      const refusal = await refusalOf(`${to(state)}${isBack ? ', taken_back = taken_back + 1' : ''}`)
      if (refusal === undefined) accepted.push(`${from} → ${state}`)
      else assert.equal(refusal, 'bank_lines_move_exists', `${from} → ${state}`)
    }
  }
  assert.deepEqual(accepted, [
    'unbooked → unallocated',
    'unbooked → matched',
    'unallocated → assigned',
    'unallocated → allocated',
    'matched → unallocated',
    'assigned → unallocated',
    'allocated → unallocated',
  ])
})

test('a line that was made goes when nothing explains it, and no line is said to be in an allocation but by one', async () => {
  await insert('bank_lines', { ...LINE, ...UNALLOCATED, made_by: '7' })
  assert.equal(await refusalOf(`state = 'dissolved'`), undefined)
  assert.equal(
    await refusalOf(`state = 'assigned', matched_kind = 'fees', matched_to = 'x', allocation = 8`),
    'bank_lines_allocated_as_said',
  )
  assert.equal(await refusalOf(`made_by = null`), 'bank_lines_as_said')
})

test('what a line belongs to is taken back where nothing followed from it, once for each time that is counted', async () => {
  const cases = [
    ...['mint', 'remitter', 'fees', 'own_funds', 'own_transfer'].map((kind) => [kind, 'x', undefined] as const),
    ['payout', 'po_1/1', 'bank_lines_move_exists'],
    ['extra_payout', 'po_1/1', 'bank_lines_move_exists'],
    ['payout', 'po_1/by_hand/1', undefined],
  ] as const
  for (const [kind, name, expected] of cases) {
    await withoutGuards(db, (tx) => tx.query('delete from bank_lines'))
    await insert('bank_lines', { ...LINE, ...belongsTo(kind, name) })
    const freed = kind.endsWith('payout') ? `${FREED}, freed_from = '${name}'` : FREED
    assert.equal(await refusalOf(freed), expected, `${kind} ${name}`)
    if (expected !== undefined) continue
    assert.equal(await refusalOf(freed.replace(' + 1', '')), 'bank_lines_taken_back_counts', kind)
    assert.equal(await refusalOf(freed.replace(' + 1', ' + 2')), 'bank_lines_taken_back_counts', kind)
    const elsewhere = freed.replace(/, freed_from.*/, '').concat(`, freed_from = 'po_2/1'`)
    assert.equal(await refusalOf(elsewhere), 'bank_lines_freed_from', kind)
  }
  await withoutGuards(db, (tx) => tx.query('delete from bank_lines'))
  await insert('bank_lines', { ...LINE, ...UNALLOCATED })
  const assigned = `state = 'assigned', matched_kind = 'fees', matched_to = 'x'`
  assert.equal(await refusalOf(`${assigned}, freed_from = 'po_1/1'`), 'bank_lines_freed_from')
  assert.equal(await refusalOf(`${assigned}, taken_back = 1`), 'bank_lines_taken_back_counts')
})

test('a payment by a rail is taken from its line only where another line says the same of it', async () => {
  const freed = `${FREED}, freed_from = 'po_1/1'`
  const same = { ...LINE, line_no: '2', entry: '2' }
  for (const [other, expected] of [
    [{ ...same, ...belongsTo('payout', 'po_1/1') }, undefined],
    [{ ...same, ...belongsTo('payout', 'po_1/1'), amount_micro: '1000000' }, 'bank_lines_move_exists'],
    [{ ...same, ...belongsTo('payout', 'po_1/2') }, 'bank_lines_move_exists'],
    [{ ...same, ...belongsTo('extra_payout', 'po_1/1') }, 'bank_lines_move_exists'],
  ] as const) {
    await withoutGuards(db, (tx) => tx.query('delete from bank_lines'))
    await insert('bank_lines', { ...LINE, ...belongsTo('payout', 'po_1/1') })
    await insert('bank_lines', other)
    assert.equal(await refusalOf(freed), expected, JSON.stringify(other))
  }
})

test('a debit that an operator called a payment without its name is freed while that payment is with its rail, or was paid otherwise', async () => {
  const attempt = { payout_id: `'po_1'`, attempt: '1', end_to_end_id: `'E'`, rail: `'http'`, status: `'sent'` }
  const paid = { status: `'paid'`, paid_reference: `'ours/s/9.9'` }
  const cases = [
    [{}, {}, undefined],
    [{}, { status: `'rejected'` }, 'bank_lines_move_exists'],
    [{}, { attempt: '2' }, 'bank_lines_move_exists'],
    [{}, { payout_id: `'po_2'` }, 'bank_lines_move_exists'],
    [{ end_to_end_id: `'E'` }, {}, 'bank_lines_move_exists'],
    [{ amount_micro: '1000000' }, {}, 'bank_lines_move_exists'],
    [{ state: `'matched'` }, {}, 'bank_lines_move_exists'],
    [{}, paid, undefined],
    [{}, { ...paid, paid_reference: `'ours/s/1.1'` }, 'bank_lines_move_exists'],
  ] as const
  const statement = {
    statement_no: '1',
    bank_account: `'ours'`,
    statement_id: `'s'`,
    opened_on: 'current_date',
    opening_micro: '0',
    closed_on: 'current_date',
    closing_micro: '0',
    line_count: '1',
    digest: `repeat('a', 64)`,
    content_hash: `repeat('a', 64)`,
  }
  await insert('bank_statements', statement)
  for (const [line, other, expected] of cases) {
    await withoutGuards(db, async (tx) => {
      for (const table of ['bank_lines', 'payout_attempts']) await tx.query(`delete from ${table}`)
    })
    await insert('bank_lines', { ...LINE, ...belongsTo('payout', 'po_1/1', 'assigned'), ...line })
    await insert('payout_attempts', { ...attempt, ...other })
    assert.equal(await refusalOf(`${FREED}, freed_from = 'po_1/1'`), expected, JSON.stringify([line, other]))
  }
})

test('what was paid by hand may be another payment by hand of the same payout, and nothing else', async () => {
  await insert('bank_lines', { ...LINE, ...belongsTo('payout', 'po_1/by_hand', 'assigned') })
  assert.equal(await refusalOf(`matched_to = 'po_1/by_hand/2'`), undefined)
  for (const change of [
    `matched_to = 'po_2/by_hand/2'`,
    `matched_to = 'po_1/2'`,
    `matched_to = 'po_1/by_hand/2', matched_kind = 'extra_payout'`,
    `matched_to = 'po_1/by_hand/2', state = 'matched'`,
  ])
    assert.equal(await refusalOf(change), 'bank_lines_move_exists', change)
})
