// engine: postgres; both in test:long
/** Actions on several chains: what of their failures is logged, beside being told. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { KeyMissingError } from '../../src/chain/admin.ts'
import { DatabaseUnavailableError } from '../../src/db/database.ts'
import { acquireLease, releaseLease } from '../../src/leases/leases.sql.ts'
import { recordEntries } from '../../src/ledger/entries.sql.ts'
import { createTestDatabase } from '../support/database.ts'
import { waitFor } from '../support/wait-for.ts'
import { chainDouble, type OperatorFixture, startOperator } from './fixture.ts'
import { addChain } from './world.ts'

const MINTED = [
  { account: 'mint_receivable:int_a', amountMicro: 5n },
  { account: 'coins:10', amountMicro: -5n },
] as const

const [here, there] = [chainDouble(1), chainDouble(2)]
let api: OperatorFixture
before(async () => {
  api = await startOperator({ chains: [here.chain, there.chain] })
})
after(() => api.close())

const failuresLogged = () => api.log.filter((line) => line.includes('operator action failed'))

test('a chain that cannot be reached is logged as an error, a refusal that was told is not', async () => {
  Object.assign(there.chain.admin, { freeze: () => Promise.reject(new KeyMissingError('freezer', 2)) })
  const address = `0x${'1'.repeat(40)}`
  const refused = await api.call('POST', '/wallets/freeze', { address })
  assert.deepEqual(
    [refused.body.ok, refused.body.chains?.map(({ ok }: { ok: boolean }) => ok)],
    [false, [true, false]],
    JSON.stringify(refused.body),
  )
  assert.deepEqual(failuresLogged(), [])

  there.state.readable = false
  const failed = await api.call('POST', '/chains/pause', {})
  assert.deepEqual(
    failed.body.chains.map(({ ok }: { ok: boolean }) => ok),
    [true, false],
  )
  const [line, ...more] = failuresLogged()
  assert.deepEqual(more, [])
  const { level, chainId, action } = JSON.parse(line ?? '')
  assert.deepEqual([level, chainId, action], [50, 2, 'chain.pause'])
})

test('chains are stopped side by side: one whose nodes hang holds up no other', async () => {
  const [stuck, quick] = [chainDouble(3), chainDouble(4)]
  const { promise: released, resolve: release } = Promise.withResolvers<undefined>()
  Object.assign(stuck.chain.admin, { pause: () => released })
  const own = await startOperator({ chains: [stuck.chain, quick.chain] })
  try {
    const answer = own.call('POST', '/chains/pause', {})
    await waitFor('the other chain to be stopped', () => quick.state.paused)
    release(undefined)
    assert.equal((await answer).body.ok, true)
  } finally {
    await own.close()
  }
})

test('what is stopped or frozen everywhere is not told as done where a chain is not configured here, and is settled, or has coin', async () => {
  const { chain, state } = chainDouble(8)
  const own = await startOperator({ chains: [chain] })
  const results = async (path: string, body: object) => {
    const { ok, chains } = (await own.call('POST', path, body)).body
    return [ok, ...chains.map((each: { chainId: number; ok: boolean }) => [each.chainId, each.ok])]
  }
  try {
    for (const chainId of [8, 9, 10]) await addChain(own.db, chainId, 1n)
    assert.deepEqual(
      await results('/chains/pause', {}),
      [true, [8, true]],
      'nobody settles the others, and there is no coin',
    )
    const lease = (await acquireLease(own.db, 'settlement:9', 'a settler', 60_000)) ?? assert.fail()
    const entry = { reference: 'batch/10/1/int_a', effectiveAt: new Date(), lines: MINTED }
    await own.db.transaction((tx) => recordEntries(tx, [entry]))
    const all = [false, [8, true], [9, false], [10, false]]
    const exitOf = async (...args: string[]) => (await own.cli(args)).code
    assert.equal(await exitOf('chain', 'pause'), 4, 'all is done that can be done here')
    assert.equal(await exitOf('wallet', 'freeze', `0x${'2'.repeat(40)}`), 4)
    state.readable = false
    assert.equal(await exitOf('chain', 'pause'), 1, 'to be tried again')
    state.readable = true
    assert.deepEqual(await results('/chains/pause', {}), all)
    assert.deepEqual(await results('/wallets/freeze', { address: `0x${'1'.repeat(40)}` }), all)
    // While it is replaced, too: the next one goes on.
    await releaseLease(own.db, lease)
    assert.deepEqual(await results('/chains/pause', {}), all)
    assert.deepEqual(await results('/chains/pause', { chainId: 8 }), [true, [8, true]], 'which was named')
    assert.equal(state.paused, true)
  } finally {
    await own.close()
  }
})

test('the stop waits for no database, and what the audit log lacks is in the log; resuming is refused', async () => {
  const { chain, state } = chainDouble(5)
  const db = await createTestDatabase()
  const away: typeof db = { ...db, query: () => Promise.reject(new DatabaseUnavailableError('away')) }
  const own = await startOperator({ chains: [chain], db: away })
  try {
    assert.equal((await own.call('POST', '/chains/resume', {})).body.ok, false)
    assert.deepEqual((await own.call('POST', '/chains/pause', {})).body.ok, true)
    assert.equal(state.paused, true)
    const told = own.log.filter((line) => line.includes('not in the audit log')).map((line) => JSON.parse(line))
    assert.deepEqual(
      told.map(({ level, action, target }) => [level, action, target]),
      [
        [60, 'chain.pause.begun', '5'],
        [60, 'chain.pause', '5'],
      ],
    )
  } finally {
    await own.close()
    await db.close()
  }
})

test('what a holder is asked to sign is valid for a week from now', async () => {
  const { integrationId } = (await api.call('POST', '/integrations', { name: 'Acme' })).body
  const customer = { integrationId, type: 'RETAIL', status: 'VERIFIED', level: 'TIER_2', country: 'MY' }
  const { customerId } = (await api.call('POST', '/customers', customer)).body
  const from = Math.floor(Date.now() / 1000)
  const asked = { customerId, address: `0x${'1'.repeat(40)}`, chainId: 1 }
  const { body } = await api.call('POST', '/wallets/consent', asked)
  const seconds = Number(body.typedData.message.deadline) - 604_800
  assert.ok(seconds >= from - 60 && seconds <= Date.now() / 1000 + 60, JSON.stringify(body))
})

test('who resumes chains knows of what was seen on each, be it one thing: the audit log says so', async () => {
  const [seen, quiet] = [chainDouble(6), chainDouble(7)]
  const own = await startOperator({ chains: [seen.chain, quiet.chain] })
  try {
    await addChain(own.db, 6, 1n)
    await addChain(own.db, 7, 1n)
    await own.db.query(
      `insert into foreign_movements (chain_id, kind, details, after_block, seen_block, pauses) values (6, 'role', 'x', 1, 2, true)`,
    )
    for (const known of [undefined, '7/1'])
      assert.equal((await own.call('POST', '/chains/resume', { known })).body.error?.code, 'CONFLICT')
    assert.equal((await own.call('POST', '/chains/resume', { known: '1' })).body.error?.code, 'BAD_REQUEST')
    assert.equal((await own.call('POST', '/chains/resume', { known: '6/1' })).body.ok, true)
    const { entries } = (await own.call('GET', '/audit')).body
    const told = entries.filter(({ action }: { action: string }) => action === 'chain.acknowledge')
    assert.deepEqual(
      told.map(({ target, details }: { target: string; details: object }) => [target, details]),
      [['6', { movements: '1', known: ['6/1'] }]],
    )
  } finally {
    await own.close()
  }
})

test('more movements than a refusal shows are called known by who names the oldest, too; the audit log names all', async () => {
  const own = await startOperator({ chains: [chainDouble(6).chain] })
  try {
    await addChain(own.db, 6, 1n)
    for (let number = 1; number <= 12; number += 1)
      await own.db.query(
        `insert into foreign_movements (chain_id, kind, details, after_block, seen_block, pauses) values (6, 'role', $1, 1, 2, true)`,
        [`role ${number}`],
      )
    const [chain] = (await own.call('GET', '/chains')).body.chains
    assert.equal(chain.movements.length, 12)
    const resume = async (known?: string) => (await own.call('POST', '/chains/resume', { known })).body
    const unnamed = (await resume()).error.message
    assert.match(unnamed, /6\/12, seen at .* 6\/3, .*And 2 more\. Find out .* --known, by the oldest and the newest/)
    assert.doesNotMatch(unnamed, /6\/2,/)
    assert.match(
      (await resume('6/12')).error.message,
      /Up to 6\/12 there are 12 .*, and 2 of them you may not have seen/,
    )
    assert.match((await resume('6/2,6/12')).error.message, /Nothing was resumed/)
    assert.equal((await resume('6/1,6/12')).ok, true)
    const { entries } = (await own.call('GET', '/audit')).body
    const { details } = entries.find(({ action }: { action: string }) => action === 'chain.acknowledge')
    assert.equal(details.movements, '12')
    assert.deepEqual([details.known.length, details.known[0], details.known[11]], [12, '6/1', '6/12'])
  } finally {
    await own.close()
  }
})

test('of more movements than anybody is shown the oldest is shown, too, so that it can be named', async () => {
  const own = await startOperator({ chains: [chainDouble(6).chain] })
  try {
    await addChain(own.db, 6, 1n)
    await own.db.query(
      `insert into foreign_movements (chain_id, kind, details, after_block, seen_block, pauses)
       select 6, 'role', 'role ' || n, 1, 2, true from generate_series(1, 1005) n`,
    )
    const [{ movements }] = (await own.call('GET', '/chains')).body.chains
    assert.equal(movements.length, 1_001)
    const [newest, oldest] = [movements[0], movements.at(-1)]
    assert.deepEqual([newest.movement, oldest.movement], ['6/1005', '6/1'])
    assert.match(oldest.details, /^role 1 \(the oldest; 4 between it and those named here are not shown\)$/)
    const { body } = await own.call('POST', '/chains/resume', { known: `${oldest.movement},${newest.movement}` })
    assert.equal(body.ok, true, JSON.stringify(body))
  } finally {
    await own.close()
  }
})
