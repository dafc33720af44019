// engine: postgres; both in test:long
/** Who settles a chain, one round at a time: the chain is a script, the lease is a real one. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { NoQuorumError } from '../../src/chain/quorum.ts'
import { acquireLease, LeaseLostError, releaseLease } from '../../src/leases/leases.sql.ts'
import { type ChainLoopDeps, createLeader } from '../../src/settlement/chain-loop.ts'
import { unlessLost } from '../../src/settlement/lost/unless-lost.ts'
import { ChainMismatchError } from '../../src/settlement/register.ts'
import { OTHER_TIMELINE } from '../../src/settlement/repair/history.ts'
import type { Round } from '../../src/settlement/round.ts'
import { findChain, insertChain } from '../../src/settlement/tables/chains.sql.ts'
import { isFenced } from '../../src/settlement/tables/fences.sql.ts'
import { writeHold } from '../../src/settlement/tables/holds.sql.ts'
import { DEFAULT_TIMES, type Work } from '../../src/settlement/work.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { waitFor } from '../support/wait-for.ts'

const LEASE_MS = 600_000
const POLL_MS = 700
const ASKS_AGAIN = { ms: 60_000, wakeable: false }

let db: TestDatabase
let lastChain = 0
before(async () => {
  db = await createTestDatabase()
})
after(() => db.close())

function begin() {
  lastChain += 1
  const chainId = lastChain
  const name = `settlement:${chainId}`
  const logged: [level: string, text: string][] = []
  const log = (level: string) => (_: object, text: string) => void logged.push([level, text])
  const told: unknown[][] = []
  const says = {
    register: async (): Promise<string[]> => [],
    round: async (_work: Work): Promise<Round> => ({ waiting: false }),
    renew: async (): Promise<void> => {},
    look: async (): Promise<void> => {},
  }
  const clock = { nowMs: 5_000_000 }
  let compared = 0
  const rounds: Work[] = []
  let renewed = 0
  const watched: typeof db = {
    ...db,
    async query(text, params) {
      if (text.includes('lost_chains')) await says.look()
      if (text.startsWith('update leases set expires_at = now() + $4')) {
        renewed += 1
        await says.renew()
      }
      return await db.query(text, params)
    },
  }
  const deps = {
    db: watched,
    holder: 'this',
    times: { ...DEFAULT_TIMES, leaseMs: LEASE_MS },
    chain: { config: { chainId, pollIntervalMs: POLL_MS } },
    logger: { info: log('info'), warn: log('warn'), fatal: log('fatal') },
    metrics: {
      held: (...args: unknown[]) => void told.push(['held', ...args]),
      leading: (...args: unknown[]) => void told.push(['leading', ...args]),
      lost: (...args: unknown[]) => void told.push(['lost', ...args]),
    },
  } as unknown as ChainLoopDeps
  const nowMs = () => clock.nowMs
  const leader = createLeader(deps, {
    registerChain: () => {
      compared += 1
      return says.register()
    },
    runRound: (work) => {
      rounds.push(work)
      return says.round(work)
    },
    nowMs,
  })
  const expiry = async () =>
    Number((await db.query<{ at: Date }>('select expires_at as at from leases where name = $1', [name]))[0]?.at ?? 0)
  const steal = () => db.query(`update leases set holder = 'thief', token = token + 1 where name = $1`, [name])
  return {
    chainId,
    name,
    leader,
    losable: () => unlessLost(deps, leader, nowMs),
    logged,
    told,
    says,
    clock,
    rounds,
    expiry,
    steal,
    renewals: () => renewed,
    compared: () => compared,
  }
}

test('a chain that is lost is asked nothing, its lease is given back, and once it is found it is compared anew', async () => {
  const { chainId, name, losable, told, rounds, compared, clock, logged } = begin()
  const leader = losable()
  await insertChain(db, chainId, {
    coinAddress: '0xc',
    settlementAddress: '0x5',
    genesisHash: '0x9',
    observedBlock: 0n,
    observedHash: '0xb',
  })
  await leader.round()
  await leader.round()
  assert.deepEqual([rounds.length, compared()], [1, 1])
  await db.query(`insert into lost_chains (chain_id, reason, lost_by) values ($1, 'gone', 'somebody')`, [chainId])
  clock.nowMs += 1_000
  assert.deepEqual(await leader.round(), { ms: 1_000, wakeable: false })
  clock.nowMs += 1_000
  assert.deepEqual(await leader.round(), { ms: 1_000, wakeable: false })
  assert.deepEqual([rounds.length, compared()], [1, 1])
  assert.deepEqual(leader.state(), { chainId, leading: false, held: 'none' })
  assert.deepEqual(told.at(-1), ['lost', chainId])
  assert.equal(logged.filter(([, text]) => text.startsWith('the chain is lost')).length, 1)
  const lease = await acquireLease(db, name, 'other', LEASE_MS)
  assert.ok(lease, 'whoever ends what is there has it')
  await releaseLease(db, lease)
  await db.query('delete from lost_chains where chain_id = $1', [chainId])
  clock.nowMs += 1_000
  await leader.round()
  assert.deepEqual([leader.state().leading, compared()], [true, 2])
  await leader.resign()
})

test('where nobody can say whether it is lost, whoever leads goes on to its round, which says that it fails', async () => {
  const { losable, says, rounds, clock } = begin()
  const leader = losable()
  await leader.round()
  await leader.round()
  assert.equal(rounds.length, 1)
  clock.nowMs += 1_000
  const away = async () => {
    throw new Error('the database is away')
  }
  Object.assign(says, { look: away, round: away })
  await assert.rejects(leader.round(), /the database is away/)
  assert.equal(rounds.length, 2)
  await leader.resign()
})

test('once it is found, also a settler that may not lead it is counted as one that does not: nobody settling there rings again', async () => {
  const { chainId, name, losable, told, clock } = begin()
  const leader = losable()
  await insertChain(db, chainId, {
    coinAddress: '0xc',
    settlementAddress: '0x5',
    genesisHash: '0x9',
    observedBlock: 0n,
    observedHash: '0xb',
  })
  await db.query(`insert into lost_chains (chain_id, reason, lost_by) values ($1, 'gone', 'somebody')`, [chainId])
  await leader.round()
  assert.deepEqual(told.at(-1), ['lost', chainId])
  assert.ok(await acquireLease(db, name, 'other', LEASE_MS))
  await db.query('delete from lost_chains where chain_id = $1', [chainId])
  clock.nowMs += 1_000
  await leader.round()
  assert.deepEqual(told.at(-1), ['leading', chainId, false])
})

test('with the lease a settler leads at once, and pauses for a poll that new orders cut short while no batch waits', async () => {
  const { chainId, leader, says, told, logged, rounds, compared, expiry } = begin()
  assert.deepEqual(leader.state(), { chainId, leading: false, held: 'none' })
  says.register = async () => ['The linker is missing.']
  assert.equal((await leader.round()).ms, 0)
  assert.ok(Math.abs((await expiry()) - Date.now() - LEASE_MS) < 120_000)
  assert.deepEqual(leader.state(), { chainId, leading: true, held: 'none' })
  assert.deepEqual(told, [
    ['leading', chainId, false],
    ['leading', chainId, true],
  ])
  assert.deepEqual(logged, [
    ['warn', 'The linker is missing.'],
    ['info', 'settling this chain'],
  ])
  assert.equal(rounds.length, 0)
  assert.deepEqual(await leader.round(), { ms: POLL_MS, wakeable: true })
  says.round = async () => ({ waiting: true })
  assert.deepEqual(await leader.round(), { ms: POLL_MS, wakeable: false })
  says.round = async () => ({ waiting: true, isMore: true })
  assert.deepEqual(await leader.round(), { ms: 0, wakeable: true })
  assert.deepEqual([rounds.length, rounds[0] === rounds[1], compared()], [3, true, 1])
  if (rounds[0] !== undefined) rounds[0].memory.holds.held = { reason: 'paused', details: {} }
  assert.equal(leader.state().held, 'paused')
  await leader.resign()
})

/** The chain was read to the end, and nobody has settled it for eleven minutes. */
async function leaveAlone(chainId: number, name: string): Promise<void> {
  const contracts = { coinAddress: '0xc', settlementAddress: `0x${chainId}`, genesisHash: '0x9' }
  await insertChain(db, chainId, { ...contracts, observedBlock: 0n, observedHash: '0xb' })
  const historyReadOn = (await findChain(db, chainId))?.databaseTimeline
  await writeHold(db, chainId, { reason: 'none', details: null, blocked: [], historyReadOn })
  await acquireLease(db, name, 'one before', 1_000)
  await db.query(`update leases set expires_at = now() - interval '11 minutes' where name = $1`, [name])
}

test('who leads where nobody has settled for ten minutes says that the database may be an older copy, and has every chain read again', async () => {
  const { chainId, leader, name, logged } = begin()
  await leaveAlone(chainId, name)
  await leader.round()
  const [hold] = await db.query('select history_read_on from settlement_holds where chain_id = $1', [chainId])
  assert.deepEqual(hold, { history_read_on: null })
  const warned = logged.filter(([level]) => level === 'warn').map(([, text]) => /it is an older copy/.test(text))
  assert.deepEqual([warned, leader.state().leading], [db.kind === 'pglite' ? [] : [true], true])
  await leader.resign()
})

test('that nobody has settled for ten minutes is noted where the chain does not answer, too: an order could be cancelled there meanwhile', async () => {
  const { chainId, leader, name, says } = begin()
  await leaveAlone(chainId, name)
  says.register = () => Promise.reject(new NoQuorumError('no node answers'))
  await assert.rejects(leader.round(), NoQuorumError)
  assert.equal(await isFenced(db, { orderId: 0n, chainId }, []), db.kind === 'pglite')
})

test('who leads where the chain was read last on another timeline of the database says so, once it leads', async () => {
  const { chainId, leader, name, logged } = begin()
  const contracts = { coinAddress: '0xc', settlementAddress: `0x${chainId}`, genesisHash: '0x9' }
  await insertChain(db, chainId, { ...contracts, observedBlock: 0n, observedHash: '0xb' })
  const own = (await findChain(db, chainId))?.databaseTimeline ?? assert.fail()
  const hasToldAfter = async (historyReadOn: string) => {
    logged.length = 0
    await writeHold(db, chainId, { reason: 'none', details: null, blocked: [], historyReadOn })
    await leader.round()
    await leader.resign()
    return logged.some(([level, text]) => level === 'warn' && text === OTHER_TIMELINE)
  }
  assert.equal(await hasToldAfter(own), false)
  assert.equal(await hasToldAfter('an earlier timeline'), true)
  const lease = (await acquireLease(db, name, 'another', LEASE_MS)) ?? assert.fail()
  assert.equal(await hasToldAfter('an earlier timeline'), false)
  await releaseLease(db, lease)
})

test('a settler that resigns leaves its lease free; one that does not lead has nothing to resign', async () => {
  const { chainId, leader, told, name } = begin()
  await leader.resign()
  assert.deepEqual(told, [['leading', chainId, false]])
  await leader.round()
  assert.equal(await acquireLease(db, name, 'another', 1_000), undefined)
  await leader.resign()
  assert.deepEqual([leader.state().leading, told.at(-1)], [false, ['leading', chainId, false]])
  assert.equal((await acquireLease(db, name, 'another', 1_000))?.token, 2n)
})

test('while another one has the lease it is asked for ten times as it lasts, and the chain and its contracts once; and again before it leads', async () => {
  const { leader, name, compared, rounds } = begin()
  await acquireLease(db, name, 'another', 600_000)
  assert.deepEqual(await leader.round(), ASKS_AGAIN)
  assert.deepEqual(await leader.round(), ASKS_AGAIN)
  assert.deepEqual([leader.state().leading, compared(), rounds], [false, 1, []])
  await db.query('update leases set expires_at = now() where name = $1', [name])
  assert.equal((await leader.round()).ms, 0)
  assert.equal(compared(), 2)
  await leader.resign()
})

test('who stands by tries for a lease of its own name, or one that would last for longer than it was given for', async () => {
  for (const changes of [`holder = 'this'`, `expires_at = now() + 2 * lasts`]) {
    const { leader, name, compared } = begin()
    await acquireLease(db, name, 'another', 600_000)
    await leader.round()
    await db.query(`update leases set ${changes} where name = $1`, [name])
    assert.equal((await leader.round()).ms, 0, changes)
    assert.equal(compared(), 2)
    await leader.resign()
  }
})

test('on another chain nothing is led, the reason is told and kept for other processes, until it is the right one again', async () => {
  const { chainId, leader, says, told, logged, name, compared } = begin()
  says.register = () => Promise.reject(new ChainMismatchError('Another chain.'))
  assert.deepEqual(await leader.round(), { ms: 10_000, wakeable: false })
  assert.deepEqual(leader.state(), { chainId, leading: false, held: 'chain-mismatch' })
  assert.deepEqual(told.splice(0), [
    ['leading', chainId, false],
    ['held', chainId, 'chain-mismatch'],
  ])
  assert.deepEqual(logged, [['fatal', 'Another chain.']])
  assert.deepEqual(
    await db.query('select reason, details, blocked from settlement_holds where chain_id = $1', [chainId]),
    [{ reason: 'chain-mismatch', details: 'Another chain.', blocked: [] }],
  )
  assert.deepEqual(await db.query('select from leases where name = $1', [name]), [])
  says.register = () => Promise.reject(new Error('no node answers'))
  await assert.rejects(leader.round(), /no node answers/)
  assert.equal(leader.state().held, 'chain-mismatch')
  says.register = async () => []
  await acquireLease(db, name, 'another', 600_000)
  await leader.round()
  assert.deepEqual(leader.state(), { chainId, leading: false, held: 'none' })
  assert.deepEqual(told, [['leading', chainId, false]], 'whoever stands by holds nothing')
  await db.query('update leases set expires_at = now() where name = $1', [name])
  await leader.round()
  assert.deepEqual(leader.state(), { chainId, leading: true, held: 'none' })
  assert.equal(compared(), 4)
  await leader.resign()
})

test('who finds another chain than the one that settles it says so itself, and not in its place', async () => {
  const { chainId, leader, says, told, name } = begin()
  await acquireLease(db, name, 'another', 600_000)
  says.register = () => Promise.reject(new ChainMismatchError('Another chain.'))
  await leader.round()
  assert.deepEqual(told.at(-1), ['held', chainId, 'chain-mismatch'])
  assert.deepEqual(await db.query('select from settlement_holds where chain_id = $1', [chainId]), [])
})

test('of a chain that cannot be read and that nobody settles it is told why, and of no other', async () => {
  const { chainId, leader, says, told, name } = begin()
  const published = () => db.query('select reason, details from settlement_holds where chain_id = $1', [chainId])
  says.register = () => Promise.reject(new NoQuorumError('2 RPC addresses must agree'))
  const lease = await acquireLease(db, name, 'another', 600_000)
  told.splice(0)
  await assert.rejects(leader.round(), NoQuorumError)
  assert.deepEqual([told, await published()], [[], []], 'another one settles it')
  if (lease !== undefined) await releaseLease(db, lease)
  await assert.rejects(leader.round(), NoQuorumError)
  assert.deepEqual(told.splice(0), [['held', chainId, 'round-failed']])
  assert.deepEqual(await published(), [{ reason: 'round-failed', details: '{"error":"2 RPC addresses must agree"}' }])
  says.register = async () => []
  await leader.round()
  assert.deepEqual(
    [told, leader.state().leading],
    [
      [
        ['leading', chainId, false],
        ['leading', chainId, true],
      ],
      true,
    ],
  )
  await leader.resign()
})

test('a lease is extended by a clock of its own, and whatever goes wrong with that fails nothing', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const { leader, says, expiry, renewals } = begin()
  await leader.round()
  const first = await expiry()
  t.mock.timers.tick(LEASE_MS / 3 - 1)
  assert.equal(renewals(), 0)
  t.mock.timers.tick(1)
  assert.equal(renewals(), 1)
  await waitFor('a later end', async () => (await expiry()) > first)
  says.renew = () => Promise.reject(new Error('no connection'))
  t.mock.timers.tick(LEASE_MS / 3)
  await new Promise(setImmediate)
  assert.equal(renewals(), 2)
  await leader.resign()
  t.mock.timers.tick(LEASE_MS)
  assert.equal(renewals(), 2, 'not after the end')
})

test('whether it still leads is asked twice while the lease lasts, and then it stops at once', async () => {
  const { chainId, leader, clock, renewals, rounds, steal, told } = begin()
  await leader.round()
  clock.nowMs += LEASE_MS / 2 - 1
  await leader.round()
  assert.equal(renewals(), 0)
  clock.nowMs += 1
  await leader.round()
  assert.equal(renewals(), 1)
  await steal()
  clock.nowMs += LEASE_MS / 2 - 1
  await leader.round()
  assert.deepEqual([renewals(), rounds.length], [1, 3])
  clock.nowMs += 1
  assert.deepEqual(await leader.round(), ASKS_AGAIN)
  assert.deepEqual(
    [renewals(), rounds.length, leader.state().leading, told.at(-1)],
    [2, 3, false, ['leading', chainId, false]],
  )
})

test('while its lease cannot be extended, as without a database, a settler says that its rounds fail', async () => {
  const { chainId, leader, clock, says, rounds, told } = begin()
  await leader.round()
  says.renew = () => Promise.reject(new Error('no connection'))
  for (let failures = 0; failures < 2; failures += 1) {
    clock.nowMs += LEASE_MS / 2
    await assert.rejects(leader.round(), /no connection/)
  }
  assert.deepEqual(told.at(-1), ['held', chainId, 'round-failed', []])
  assert.equal(rounds.length, 0)
  await leader.resign()
})

test('a lease that is lost within a round ends leading; another failure is tried again, with what nodes say asked anew', async () => {
  const { leader, says, rounds } = begin()
  await leader.round()
  says.round = (work) => {
    work.memory.market = { headHash: '0xa' } as Work['memory']['market']
    return Promise.reject(new Error('is down'))
  }
  await assert.rejects(leader.round(), /is down/)
  assert.deepEqual([leader.state().leading, rounds[0]?.memory.market], [true, undefined])
  says.round = () => Promise.reject(new LeaseLostError('gone'))
  assert.deepEqual(await leader.round(), ASKS_AGAIN)
  assert.equal(leader.state().leading, false)
})
