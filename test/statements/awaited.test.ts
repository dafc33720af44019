/** What partners owe for mints comes to what the books have, with every partner and whatever is not listed mint by mint. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { recordEntries } from '../../src/ledger/entries.sql.ts'
import { readAwaited } from '../../src/statements/awaited.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { INTEGRATIONS, placeOrder, seedTwoOfEverything } from '../support/two-of-everything.ts'

const MICRO = 1_000_000n

let db: TestDatabase
before(async () => {
  db = await createTestDatabase()
  await seedTwoOfEverything(db)
})
after(() => db.close())

let entries = 0
async function owe(integrationId: string, amountMicro: bigint): Promise<void> {
  entries += 1
  const lines = [
    { account: `mint_receivable:${integrationId}`, amountMicro },
    { account: 'coins:1', amountMicro: -amountMicro },
  ] as const
  const entry = { reference: `batch/1/${entries}/${integrationId}`, effectiveAt: new Date(), lines }
  await db.transaction((tx) => recordEntries(tx, [entry]))
}

test('what is awaited and stands in no listed mint is told, so that the list comes to what is receivable', async () => {
  await placeOrder(db, {
    direction: 'MINT',
    party: 'a1',
    reference: 'the-only-one',
    state: 'completed',
    amountMicro: 100n * MICRO,
  })
  await owe(INTEGRATIONS.a, 100n * MICRO)
  const [whole] = await readAwaited(db, new Date())
  assert.deepEqual([whole?.receivable, whole?.mints.length, whole?.notListed], ['100', 1, '0'])
  await owe(INTEGRATIONS.a, 50n * MICRO + 1n)
  const [more] = await readAwaited(db, new Date())
  assert.deepEqual([more?.receivable, more?.mints[0]?.openMyr, more?.notListed], ['150.000001', '100', '50.000001'])
})

test('no partner is left out, however many owe more', async () => {
  for (let n = 0; n < 110; n += 1) await owe(`int_${n}`, BigInt(n + 1) * MICRO)
  await owe('int_paid_too_much', -7n * MICRO)
  const awaited = await readAwaited(db, new Date())
  assert.equal(awaited.length, 112)
  const least = awaited.at(-1)
  assert.deepEqual([least?.integrationId, least?.receivable, least?.notListed], ['int_paid_too_much', '-7', '0'])
  const small = awaited.find(({ integrationId }) => integrationId === 'int_0')
  assert.deepEqual([small?.receivable, small?.mints, small?.notListed], ['1', [], '1'])
})
