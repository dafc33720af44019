/** What the difference between what is available and what is owed is made of: the first thing that is asked when the reserve is short. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { recordEntries } from '../../src/ledger/entries.sql.ts'
import type { Line } from '../../src/ledger/postings.ts'
import { parseAmount } from '../../src/money.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { bankNotifies, bankSays } from '../support/reserve.ts'
import { type OperatorFixture, startOperator } from './fixture.ts'

const MICRO = 1_000_000n

let db: TestDatabase
let coin: OperatorFixture
before(async () => {
  db = await createTestDatabase()
  coin = await startOperator({ db, chains: [] })
})
after(async () => {
  await coin.close()
  await db.close()
})

let serial = 0
const book = (...lines: readonly Line[]) => {
  serial += 1
  return db.transaction((tx) => recordEntries(tx, [{ reference: `some/${serial}`, effectiveAt: new Date(), lines }]))
}
const between = (debited: Line['account'], credited: Line['account'], amountMicro: bigint) =>
  book({ account: debited, amountMicro }, { account: credited, amountMicro: -amountMicro })

const report = async (...args: string[]) => await coin.run('reserves', 'report', ...args)

function micro(text: string): bigint {
  if (text === '0') return 0n
  const read = parseAmount(text.replace('-', ''))
  assert.ok(read.ok, text)
  return text.startsWith('-') ? -read.amountMicro : read.amountMicro
}

test('the parts come to the difference to the last digit, each with the sign of what it does to it', async () => {
  await bankSays(db, 1_000n * MICRO)
  await between('mint_receivable:int_a', 'coins:1', 700n * MICRO + 1n)
  await between('unallocated:main', 'mint_receivable:int_a', 500n * MICRO)
  await between('coins:1', 'redeem_payable:int_a', 30n * MICRO)
  await between('coins:1', 'residual:int_a', 5n)
  await between('redeem_payable:int_a', 'payout_clearing:http', 10n * MICRO)
  await between('fees_receivable:int_a', 'fees:int_a', 9n * MICRO)
  await between('unallocated:main', 'fees_receivable:int_a', 4n * MICRO)
  await between('own_funds:main', 'unallocated:main', 60n * MICRO)
  await between('claims:main', 'unallocated:main', 7n * MICRO)
  await between('own_transfers:main/second', 'unallocated:main', 11n * MICRO)
  const { available, committed, difference, because } = await report()
  assert.deepEqual(because, {
    unexplained: '574',
    ownFunds: '-60',
    feesPaid: '4',
    mintsAwaited: '-200.000001',
    claims: '-7',
    betweenAccounts: '-11',
    notBooked: '0',
  })
  assert.equal(difference, '299.999999')
  assert.equal(micro(difference), micro(available) - micro(committed))
  const sum = Object.values(because as Record<string, string>).reduce((total, part) => total + micro(part), 0n)
  assert.equal(sum, micro(difference))
})

test('what the books do not have yet is a part of its own; and as of an instant the parts are those of then', async () => {
  const before = await report()
  await bankNotifies(db, 25n * MICRO)
  const { because, difference } = await report()
  assert.deepEqual([because.notBooked, micro(difference) - micro(before.difference)], ['25', 25n * MICRO])
  assert.match(
    (await coin.cli(['reserves', 'report'])).stdout,
    /difference: 324\.999999\n[\s\S]*because:\n {2}unexplained: 574\n/,
  )
  const past = await report('--as-of', '2020-01-01')
  assert.deepEqual([past.difference, new Set(Object.values(past.because))], ['0', new Set(['0'])])
})
