// engine: postgres; both in test:long
/** Nobody orders on a chain that is lost, in any process, within seconds; what was ordered before can be read, and on others all goes on. */
import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { acquireLease } from '../../src/leases/leases.sql.ts'
import { createLostWatch, type LostWatch } from '../../src/settlement/lost/lost-watch.ts'
import { silent } from '../settlement/fixture.ts'
import {
  assertRefused,
  CHAIN_ID,
  newAddress,
  newReference,
  OTHER_CHAIN_ID,
  startTestApi,
  type TestApi,
} from '../support/api.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { waitFor } from '../support/wait-for.ts'

let db: TestDatabase
const watches: LostWatch[] = []
const processes: TestApi[] = []
let customerId: string
let walletAddress: string
before(async () => {
  db = await createTestDatabase()
  for (const _ of ['one', 'another']) {
    const watch = await createLostWatch({ db, logger: silent, pollMs: 50 })
    watch.start()
    watches.push(watch)
    processes.push(await startTestApi({ db, offered: watch.offered }))
  }
  customerId = await api().makeCustomer()
  walletAddress = await api().makeWallet(customerId, 1_000_000_000n)
})
afterEach(() => find())
after(async () => {
  await Promise.all(watches.map((watch) => watch.stop()))
  for (const each of processes) await each.close()
  await db.close()
})

function api(): TestApi {
  const [first] = processes
  assert.ok(first)
  return first
}

const knows = (isLost: boolean) =>
  waitFor('all processes know', () => watches.every((watch) => watch.isLost(CHAIN_ID) === isLost))

async function lose(): Promise<void> {
  await db.query(`insert into lost_chains (chain_id, reason, lost_by) values ($1, 'gone', 'somebody')`, [CHAIN_ID])
  await knows(true)
}

async function find(): Promise<void> {
  await db.query('delete from lost_chains')
  await knows(false)
}

const mint = (changes: object = {}) => ({
  referenceId: newReference(),
  amountMyr: '5',
  walletAddress,
  customerId,
  ...changes,
})
const debit = (changes: object = {}) => ({
  referenceId: newReference(),
  amountCoin: '5',
  walletAddress,
  customerId,
  ...changes,
})

test('every order there is refused, also one that names no chain; on another chain it is accepted, and everything again once it is found', async () => {
  await lose()
  for (const [path, body] of [
    ['/v1/mints', mint()],
    ['/v1/mints', mint({ chainId: CHAIN_ID })],
    ['/v1/redeems', debit({ chainId: CHAIN_ID })],
    ['/v1/transfers', debit({ chainId: CHAIN_ID })],
  ] as const) {
    const meta = assertRefused(await api().post(path, body), 400, 'INVALID_CHAIN_ID')
    assert.deepEqual(meta, { chainId: CHAIN_ID, supportedChainIds: [OTHER_CHAIN_ID] })
  }
  assert.equal((await api().post('/v1/mints', mint({ chainId: OTHER_CHAIN_ID }))).status, 201)
  await find()
  assert.equal((await api().post('/v1/mints', mint())).status, 201)
})

test('a request that names no chain means that of its reference, also while the default is lost', async () => {
  const [unnamed, gone] = [mint(), mint()]
  for (const body of [{ ...unnamed, chainId: OTHER_CHAIN_ID }, gone])
    assert.equal((await api().post('/v1/mints', body)).status, 201)
  await lose()
  const again = await api().post('/v1/mints', { ...unnamed, fiatConfirmed: true })
  assert.deepEqual([again.status, again.body.chainId, again.body.status], [201, OTHER_CHAIN_ID, 'pending'])
  const refused = assertRefused(
    await api().post('/v1/mints', { ...gone, fiatConfirmed: true }),
    400,
    'INVALID_CHAIN_ID',
  )
  assert.equal(refused?.chainId, CHAIN_ID)
  const unlike = { ...unnamed, referenceId: newReference() }
  assertRefused(await api().post('/v1/mints', unlike), 400, 'INVALID_CHAIN_ID')
})

test('what only repeats an earlier order there is answered with it, also while the default is lost', async () => {
  const posted = [
    ['/v1/mints', mint()],
    ['/v1/mints', mint({ fiatConfirmed: true })],
    ['/v1/redeems', debit()],
    ['/v1/transfers', debit({ walletAddress: newAddress() })],
  ] as const
  const answers = []
  for (const [path, body] of posted) {
    const { status, body: order } = await api().post(path, body)
    assert.equal(status, 201, JSON.stringify(order))
    answers.push(order)
  }
  await lose()
  for (const [index, [path, body]] of posted.entries()) {
    const again = await api().post(path, body)
    assert.deepEqual(
      [again.status, again.body],
      [201, answers[index]],
      `${path}: it was accepted, and may be paid by now`,
    )
  }
  const [[, { referenceId }], , [, redeem]] = posted
  assertRefused(await api().post('/v1/redeems', { ...redeem, amountCoin: '6' }), 409, 'IDEMPOTENCY_CONFLICT')
  assertRefused(await api().post('/v1/redeems', debit({ referenceId })), 409, 'IDEMPOTENCY_CONFLICT')
})

test('what was ordered before can be read and cancelled, and its payment is confirmed no more', async () => {
  const body = mint()
  assert.equal((await api().post('/v1/mints', body)).status, 201)
  await lose()
  const { referenceId } = body
  assert.equal((await api().get(`/v1/mints/${referenceId}`)).body.chainId, CHAIN_ID)
  const listed = (await api().get('/v1/transactions')).body.transactions as { referenceId: string }[]
  assert.ok(listed.some((each) => each.referenceId === referenceId))
  assertRefused(await api().post('/v1/mints', { ...body, fiatConfirmed: true }), 400, 'INVALID_CHAIN_ID')
  // Whatever the database may have lost cannot be executed there any more.
  await db.query(`update chains set fenced_on = 'before' where chain_id = $1`, [CHAIN_ID])
  assert.equal((await api().post(`/v1/mints/${referenceId}/cancel`, {})).body.status, 'cancelled')
  await db.query('update chains set fenced_on = database_timeline() where chain_id = $1', [CHAIN_ID])
})

test('once found it counts again: what a lost history may have there keeps a mint of another chain from being cancelled until it is fenced', async () => {
  await lose()
  const late = await createLostWatch({ db, logger: silent, pollMs: 50 })
  late.start()
  const started = await startTestApi({ db, offered: late.offered })
  const body = mint({ chainId: OTHER_CHAIN_ID })
  assert.equal((await api().post('/v1/mints', body)).status, 201)
  const key = { key: api().fullKey }
  await db.query(`update chains set fenced_on = null where chain_id = $1`, [CHAIN_ID])
  await find()
  await waitFor('the process to know', () => !late.isLost(CHAIN_ID))
  const path = `/v1/mints/${body.referenceId}/cancel`
  assertRefused(await started.post(path, {}, key), 503, 'SERVICE_UNAVAILABLE')
  await db.query('update chains set fenced_on = database_timeline() where chain_id = $1', [CHAIN_ID])
  assert.equal((await started.post(path, {}, key)).body.status, 'cancelled')
  await started.close()
  await late.stop()
})

test('so does a chain that this process’s file has no more, as long as somebody settles it', async () => {
  const started = await startTestApi({
    db,
    offered: (chains) => new Map([...chains].filter(([id]) => id !== CHAIN_ID)),
  })
  const [body, other] = [mint({ chainId: OTHER_CHAIN_ID }), mint({ chainId: OTHER_CHAIN_ID })]
  for (const each of [body, other]) assert.equal((await api().post('/v1/mints', each)).status, 201)
  const cancel = ({ referenceId }: { referenceId: string }) =>
    started.post(`/v1/mints/${referenceId}/cancel`, {}, { key: api().fullKey })
  await db.query(`update chains set fenced_on = null where chain_id = $1`, [CHAIN_ID])
  const lease = (await acquireLease(db, `settlement:${CHAIN_ID}`, 'a settler', 60_000)) ?? assert.fail()
  assertRefused(await cancel(body), 503, 'SERVICE_UNAVAILABLE')
  await db.query(`update leases set expires_at = now() - interval '11 minutes' where name = $1`, [lease.name])
  assert.equal((await cancel(other)).body.status, 'cancelled', 'nobody has it any more')
  await db.query('delete from leases')
  await db.query('update chains set fenced_on = database_timeline() where chain_id = $1', [CHAIN_ID])
  await started.close()
})

test('it is in no configuration, no list of tokens and no balances', async () => {
  const idsOf = (list: unknown) => (list as { chainId: number }[]).map(({ chainId }) => chainId)
  const shown = async () => [
    idsOf((await api().get('/v1/config')).body.chains),
    idsOf((await api().get('/v1/tokens')).body.tokens),
    idsOf((await api().get(`/v1/balances/${walletAddress}`)).body.balances),
  ]
  assert.deepEqual(await shown(), Array(3).fill([CHAIN_ID, OTHER_CHAIN_ID]))
  await lose()
  assert.deepEqual(await shown(), Array(3).fill([OTHER_CHAIN_ID]))
  assertRefused(await api().get(`/v1/balances/${walletAddress}?chainId=${CHAIN_ID}`), 400, 'INVALID_CHAIN_ID')
  await find()
  assert.deepEqual(await shown(), Array(3).fill([CHAIN_ID, OTHER_CHAIN_ID]), 'in the sequence of before')
})

test('where every chain is lost, the configuration has none, as its document says it may', async () => {
  await db.query(`insert into lost_chains (chain_id, reason, lost_by) select chain_id, 'gone', 'somebody' from chains`)
  await waitFor('all processes know', () => watches.every((watch) => [CHAIN_ID, OTHER_CHAIN_ID].every(watch.isLost)))
  assert.deepEqual((await api().get('/v1/config')).body.chains, [])
  assert.deepEqual((await api().get('/v1/tokens')).body.tokens, [])
  assert.deepEqual((await api().get(`/v1/balances/${walletAddress}`)).body.balances, [])
})
