// engine: pglite
/** What operators see of the timelocks: pending operations only, in the operator API and on the command line. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { type OperatorFixture, startOperator } from './fixture.ts'
import { addChain } from './world.ts'

const CHAIN = 31_337
const PENDING = `0x${'5a'.repeat(32)}`

let db: TestDatabase
let coin: OperatorFixture
before(async () => {
  db = await createTestDatabase()
  coin = await startOperator({ db })
  await addChain(db, CHAIN, 60n)
})
after(async () => {
  await coin.close()
  await db.close()
})

const timelock = async () => (await coin.call('GET', '/chains')).body.chains[0].timelock

type Planted = { calls?: object[]; sentBy?: string | null }

async function plant(
  operationId: string,
  status: string,
  {
    calls = [{ contract: null, target: '0x9', value: '7', call: '0x12345678 with 4 bytes' }],
    sentBy = '0x8',
  }: Planted = {},
): Promise<void> {
  await db.query(
    `insert into timelock_operations (chain_id, operation_id, calls, tx_hash, scheduled_block, sent_by, status, ready_at, ended_block)
     values ($1, $2, $3, '0xabc', 55, $5, $4, '2026-03-01T00:00:00Z', case when $4 <> 'pending' then 58 end)`,
    [CHAIN, operationId, JSON.stringify(calls), status, sentBy],
  )
}

test('nothing is said of a timelock that nobody has watched yet; then what is pending is', async () => {
  assert.equal(await timelock(), null)
  await db.query('update chains set timelock_block = 60 where chain_id = $1', [CHAIN])
  assert.deepEqual(await timelock(), { address: null, readTo: 60, operations: [] })
  await plant(PENDING, 'pending')
  await plant(`0x${'01'.repeat(32)}`, 'executed')
  await plant(`0x${'02'.repeat(32)}`, 'cancelled')
  assert.deepEqual((await timelock()).operations, [
    {
      operationId: PENDING,
      executableAt: '2026-03-01T00:00:00.000Z',
      sentBy: '0x8',
      txHash: '0xabc',
      block: 55,
      calls: [{ contract: null, target: '0x9', value: '7', call: '0x12345678 with 4 bytes' }],
    },
  ])
  const { stdout } = await coin.cli(['chain', 'status'])
  assert.match(stdout, new RegExp(`SCHEDULED +${PENDING} +executable from 2026-03-01T00:00:00.000Z on, sent by 0x8`))
  assert.match(stdout, /\n +0x9: 0x12345678 with 4 bytes with 7 wei\n/)
})

test('a call of ours is named with its contract, and nobody is made up who sent it', async () => {
  await db.query('truncate timelock_operations')
  await plant(PENDING, 'pending', {
    calls: [{ contract: 'coin', target: '0x9', value: '0', call: 'grantRole(settler, 0x7)' }],
    sentBy: null,
  })
  const { stdout } = await coin.cli(['chain', 'status'])
  assert.match(stdout, /executable from 2026-03-01T00:00:00.000Z on, sent by an unknown sender\n/)
  assert.match(stdout, /\n +coin: grantRole\(settler, 0x7\)\n/)
})
