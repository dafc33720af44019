// engine: postgres; both in test:long
/** A chain whose id is above 2³¹, as the chains file takes it: it is called lost, asked about and found as any other. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { recordEntries } from '../../src/ledger/entries.sql.ts'
import { listChainStops } from '../../src/operator/approvals/chain-stops.sql.ts'
import { readLostCoins } from '../../src/reserves/lost-coins.sql.ts'
import { endOnLostChains } from '../../src/settlement/lost/lost-loop.ts'
import { createLostWatch } from '../../src/settlement/lost/lost-watch.ts'
import { findLostChainOf } from '../../src/settlement/tables/lost-chains.sql.ts'
import { silent } from '../settlement/fixture.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { chainDouble, type OperatorFixture, startOperator } from './fixture.ts'
import { addChain, addOrder, addParty, type Party } from './world.ts'

/** The greatest that it takes. */
const LARGE = Number.MAX_SAFE_INTEGER

let db: TestDatabase
let api: OperatorFixture
let party: Party
let orderId: bigint
const large = chainDouble(LARGE, { coin: '0x1', settlement: '0x2' })
before(async () => {
  db = await createTestDatabase()
  await addChain(db, LARGE, 90n)
  api = await startOperator({ db, chains: [large.chain] })
  party = await addParty(db)
  orderId = await addOrder(db, party, { chainId: LARGE, direction: 'MINT', state: 'created', amountMicro: 5n })
  const lines = [
    { account: 'mint_receivable:int_a', amountMicro: 5_000_000n },
    { account: `coins:${LARGE}`, amountMicro: -5_000_000n },
  ] as const
  await db.transaction((tx) => recordEntries(tx, [{ reference: 'some', effectiveAt: new Date(), lines }]))
})
after(async () => {
  await api.close()
  await db.close()
})

test('it is stopped, and what people did is listed', async () => {
  await api.run('chain', 'pause', '--chain', String(LARGE), '--reason', 'a look')
  const stops = await listChainStops(db, { action: 'chain.pause', ended: 'chain.resume', limit: 5 })
  assert.deepEqual(
    stops.map(({ chainId }) => chainId),
    [LARGE],
  )
})

test('once it is called lost every process still starts, the reserves are proven, and what waits there ends', async () => {
  await db.query(`update chains set observed_at = now() - interval '2 days'`)
  large.state.readable = false
  const lost = await api.run('chain', 'lost', '--chain', String(LARGE), '--reason', 'switched off')
  assert.equal(lost.staysOwed, '5 coin')
  const watch = await createLostWatch({ db, logger: silent })
  assert.equal(watch.isLost(LARGE), true)
  assert.deepEqual(
    (await readLostCoins(db)).map(({ chainId, coinsMicro }) => [chainId, coinsMicro]),
    [[LARGE, 5_000_000n]],
  )
  assert.equal(await findLostChainOf(db, orderId), LARGE)
  assert.equal(await endOnLostChains({ db, logger: silent, holder: 'it', times: { leaseMs: 10_000 } }, new Map()), true)
  assert.match((await api.call('GET', '/reconcile')).body.explained.join(), /^Chain 9007199254740991 is lost/)
})

test('whoever asks for all that is kept of a customer gets its orders there', async () => {
  const { status, body } = await api.call('GET', `/customers/${party.customerId}/export`)
  assert.equal(status, 200)
  assert.match(JSON.stringify(body), /"chainId":9007199254740991[,}]/)
})
