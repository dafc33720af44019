// engine: postgres
/** The books as operators see them, through the commands. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { recordEntries } from '../../src/ledger/entries.sql.ts'
import { insertRun } from '../../src/operator/reconcile/runs.sql.ts'
import { formatHead } from '../../src/seals/chain.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { bankSays } from '../support/reserve.ts'
import { sealBooks } from '../support/seal-books.ts'
import { withoutGuards } from '../support/without-guards.ts'
import { type OperatorFixture, startOperator } from './fixture.ts'

let db: TestDatabase
let coin: OperatorFixture
before(async () => {
  db = await createTestDatabase()
  coin = await startOperator({ db, chains: [] })
  for (const [reference, amountMicro, at] of [
    ['batch/1/7/int_a', 5_500_000n, '2026-11-19T04:00:00Z'],
    ['batch/1/8/int_a', 1n, '2026-11-20T04:00:00Z'],
  ] as const) {
    await db.transaction((tx) =>
      recordEntries(tx, [
        {
          reference,
          effectiveAt: new Date(at),
          lines: [
            { account: 'mint_receivable:int_a', amountMicro },
            { account: 'coins:1', amountMicro: -amountMicro },
          ],
        },
      ]),
    )
  }
})
after(async () => {
  await coin.close()
  await db.close()
})

async function ask(...args: string[]) {
  const { code, stdout, stderr } = await coin.cli(['ledger', ...args, '--json'])
  return { code, stderr, answer: JSON.parse(stdout) }
}

test('balances name the integration or chain that an account belongs to', async () => {
  const account = { integrationId: null, chainId: null }
  assert.deepEqual((await ask('balances')).answer, {
    asOf: null,
    accounts: [
      { ...account, account: 'coins', chainId: 1, owner: '1', balance: '-5.500001' },
      { ...account, account: 'mint_receivable', integrationId: 'int_a', owner: 'int_a', balance: '5.500001' },
    ],
  })
  const { answer } = await ask('balances', '--as-of', '2026-11-19T12:00:00Z')
  assert.deepEqual(
    answer.accounts.map(({ balance }: { balance: string }) => balance),
    ['-5.5', '5.5'],
  )
  assert.match((await coin.cli(['ledger', 'balances'])).stdout, /coins +1 +-5\.500001/)
})

test('balances go into a spreadsheet, each row with the instant that it is of', async () => {
  const csv = async (...args: string[]) => (await coin.cli(['ledger', 'balances', '--csv', ...args])).stdout
  const head = 'asOf,account,integrationId,chainId,owner,balance\r\n'
  assert.equal(await csv(), `${head},coins,,1,1,-5.500001\r\n,mint_receivable,int_a,,int_a,5.500001\r\n`)
  const then = '2026-11-19T15:59:59.999Z'
  assert.equal(
    await csv('--as-of', '2026-11-19'),
    `${head}${then},coins,,1,1,-5.5\r\n${then},mint_receivable,int_a,,int_a,5.5\r\n`,
  )
})

test('entries come in pages, newest first, with their lines', async () => {
  const { answer } = await ask('entries', '--limit', '1', '--account', 'coins:1')
  const [entry] = answer.entries
  assert.deepEqual(
    [entry.reference, entry.day, entry.effectiveAt],
    ['batch/1/8/int_a', '2026-11-20', '2026-11-20T04:00:00.000Z'],
  )
  assert.deepEqual(entry.lines, [
    { account: 'mint_receivable:int_a', amount: '0.000001' },
    { account: 'coins:1', amount: '-0.000001' },
  ])
  const next = await ask('entries', '--limit', '1', '--after', answer.next)
  assert.equal(next.answer.entries[0].reference, 'batch/1/7/int_a')
  const referencesOf = async (account: string) =>
    (await ask('entries', '--account', account)).answer.entries.map(({ reference }: { reference: string }) => reference)
  assert.deepEqual(await referencesOf('mint_receivable'), ['batch/1/8/int_a', 'batch/1/7/int_a'], 'of any owner')
  for (const account of ['mint_receivable:int', 'reserve']) assert.deepEqual(await referencesOf(account), [])
  assert.match(
    (await coin.cli(['ledger', 'entries'])).stdout,
    /batch\/1\/7\/int_a +mint_receivable:int_a 5\.5, coins:1 -5\.5/,
  )
})

test('verify exits with 1 when the books were changed, and says where', async () => {
  const { head } = await sealBooks(db, 10)
  const good = await ask('verify', '--head', formatHead(head))
  assert.deepEqual([good.code, good.answer], [0, { ok: true, entries: 2, head: formatHead(head), firstBad: null }])
  const other = await ask('verify', '--head', `2:${'0'.repeat(64)}`)
  assert.deepEqual([other.code, other.answer.firstBad.fault], [1, 'end cut off, or another chain'])
  await withoutGuards(db, (tx) =>
    tx.query(`update ledger_entries set reference = 'x' where reference = 'batch/1/8/int_a'`),
  )
  const bad = await ask('verify')
  assert.deepEqual([bad.code, bad.answer.firstBad.fault], [1, 'entry changed or seal forged'])
})

test('days are closed by a command, which is audited, and today is not', async () => {
  await bankSays(db, 0n, { daysAgo: 1 })
  await insertRun(db, { durationMs: 1, differences: new Map() })
  const closed = await ask('close', '--through', '2026-11-19')
  assert.deepEqual(closed.answer, { closedThrough: '2026-11-19' })
  const [row] = await db.query(`select action, target, details from audit_log where action = 'ledger.close'`)
  assert.deepEqual(row, { action: 'ledger.close', target: '2026-11-19', details: { before: null } })
  assert.deepEqual((await ask('close', '--through', '2026-11-18')).answer, { closedThrough: '2026-11-19' })
  const [again] = await db.query(
    `select target, details from audit_log where action = 'ledger.close' order by audit_id desc limit 1`,
  )
  assert.deepEqual(again, { target: '2026-11-18', details: { before: '2026-11-19' } })
  const tooEarly = await ask('close', '--through', '2199-01-01')
  assert.equal(tooEarly.code, 1)
  assert.match(tooEarly.stderr, /2199-01-01 is not over in the books' time zone/)
})

test('as of a day the books are as its report has them: what came after it was closed is not among it', async () => {
  await db.transaction((tx) =>
    recordEntries(tx, [
      {
        reference: 'late',
        effectiveAt: new Date('2026-11-19T10:00:00Z'),
        lines: [
          { account: 'mint_receivable:int_a', amountMicro: 7_000_000n },
          { account: 'coins:1', amountMicro: -7_000_000n },
        ],
      },
    ]),
  )
  const coinsAt = async (asOf: string) => {
    const { answer } = await ask('balances', '--as-of', asOf)
    return [answer.asOf, answer.accounts.find(({ account }: { account: string }) => account === 'coins').balance]
  }
  assert.deepEqual(await coinsAt('2026-11-19'), ['2026-11-19T15:59:59.999Z', '-5.5'])
  assert.deepEqual(await coinsAt('2026-11-19T16:00:00Z'), ['2026-11-19T16:00:00.000Z', '-12.5'])
  assert.deepEqual(await coinsAt('2026-11-20'), ['2026-11-20T15:59:59.999Z', '-12.500001'])
})

test('what is no account, instant or head is refused with a sentence', async () => {
  for (const [args, sentence] of [
    [
      ['entries', '--account', 'gold:1'],
      /"account" must be a kind, such as coins, or a kind and its owner, such as coins:1\. Kinds: reserve/,
    ],
    [['balances', '--as-of', 'yesterday'], /"asOf" must be a day of the books, such as .* or an ISO 8601 instant/],
    [['balances', '--as-of', '9062-11-20'], /"asOf" is in the future: today is \d{4}-\d\d-\d\d in the books/],
    [['balances', '--as-of', '9062-11-20T04:00:00Z'], /"asOf" is in the future/],
    [['balances', '--as-of', '2026-02-30'], /"asOf" must be a day of the books/],
    [['verify', '--head', '12'], /"head" must be a position and a hash/],
  ] as const) {
    const { code, stderr } = await ask(...args)
    assert.equal(code, 1)
    assert.match(stderr, sentence)
  }
})
