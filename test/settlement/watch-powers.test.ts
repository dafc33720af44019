// engine: postgres; both in test:long
/** The watch over roles, limits and code, block by block, with scripted nodes. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { pad } from 'viem'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { wallet } from './fixture.ts'
import { powerHashOf } from './scripted-chain.ts'
import { DEPTH, THIEF, watchScripted } from './scripted-watch.ts'

let db: TestDatabase
before(async () => {
  db = await createTestDatabase()
})
after(() => db.close())

const readsOf = (asked: readonly [string, unknown][], method: string) =>
  asked.filter(([each]) => each === method).length

test('what was there at the first look is no news; a change is, one depth after the last look at the latest', async () => {
  const s = await watchScripted(db)
  const holders = { 'settlement/signer': [wallet(1)] } as const
  await s.block({ powers: { holders, limits: [7n] } })
  await s.block()
  await s.block({ powers: { holders: { 'settlement/signer': [wallet(1), THIEF] }, limits: [6n] } })
  for (let block = 3; block < DEPTH; block += 1) await s.block()
  assert.deepEqual(await s.rows(), [])
  await s.block()
  const transactions = [{ txHash: powerHashOf(3n), block: '3', from: null, to: null, amount: null }]
  const seen = { after: '1', seen: String(DEPTH + 1), batch: null, amount: null, transactions }
  assert.deepEqual(await s.rows(), [
    { ...seen, kind: 'role', details: `${THIEF} was given the signer role of the settlement`, pauses: true },
    {
      ...seen,
      kind: 'limit',
      pauses: false,
      details: 'the limit of mints went from 0.000007 (and 0.000001 a second) to 0.000006 (and 0.000001 a second)',
    },
  ])
  assert.equal(s.memory.isPaused, true)
  for (let block = 0; block < 2 * DEPTH; block += 1) await s.block()
  assert.equal((await s.rows()).length, 2, 'each change is news once')
})

test('a single change is news, from the block after the last look on, and pauses nothing unless configured so', async () => {
  const s = await watchScripted(db, { onForeignMovement: 'report' })
  await s.block({ powers: { limits: [7n] } })
  await s.block({
    powers: { limits: [7n], code: { coin: pad('0x09', { size: 20 }), settlement: pad('0x02', { size: 20 }) } },
  })
  for (let block = 0; block < DEPTH; block += 1) await s.block()
  const [row, ...more] = await s.rows()
  assert.deepEqual(more, [])
  assert.deepEqual([row?.kind, row?.pauses, row?.transactions.map(({ block }) => block)], ['code', false, ['2']])
  assert.equal(s.memory.isPaused, false)
})

test('powers are read once in a depth, and logs only where something changed', async () => {
  const s = await watchScripted(db)
  await s.block()
  const each = readsOf(s.chain.asked, 'eth_getStorageAt')
  assert.equal(each, 2)
  for (let block = 1; block < DEPTH; block += 1) await s.block()
  assert.equal(readsOf(s.chain.asked, 'eth_getStorageAt'), each)
  await s.block()
  assert.equal(readsOf(s.chain.asked, 'eth_getStorageAt'), 2 * each)
  assert.equal(readsOf(s.chain.asked, 'eth_getLogs'), 0)
})

test('a limit that changed while no settler watched is told by whoever begins, once, and pauses nothing', async () => {
  const s = await watchScripted(db)
  await s.block({ powers: { limits: [7n, 8n] } })
  s.memory.powers = undefined
  await s.block({ powers: { limits: [7n, 5n] } })
  const [row, ...more] = await s.rows()
  assert.deepEqual(more, [])
  assert.deepEqual([row?.kind, row?.pauses, row?.seen, row?.transactions], ['limit', false, '2', []])
  assert.equal(
    row?.details,
    'the limit of burns went from 0.000008 (and 0.000001 a second) to 0.000005 (and 0.000001 a second), while no settler watched',
  )
  s.memory.powers = undefined
  await s.block()
  for (let block = 0; block < DEPTH; block += 1) await s.block()
  await s.block({ powers: { limits: [7n, 4n] } })
  for (let block = 0; block < DEPTH; block += 1) await s.block()
  assert.equal((await s.rows()).length, 2)
  s.memory.powers = undefined
  await s.block()
  assert.equal((await s.rows()).length, 2, 'what was told by the one before is no news')
})
