// engine: postgres; both in test:long
/** What is denied after an order was accepted is not settled: neither what the deny list nor what the chain's sanctions oracle names. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { NUMBER_PROBE } from '../../src/chain/deployment/own-numbers.ts'
import { readScreenings } from '../../src/chain/sanctions.ts'
import { releaseOrder } from '../../src/orders/life/hold.sql.ts'
import { denyAddress } from '../../src/screening/denials.sql.ts'
import { blockedReasons } from '../../src/settlement/holds.ts'
import { callsIn } from '../support/bundled-calls.ts'
import { type Fault, startFaultyRpc } from '../support/faulty-rpc.ts'
import { LISTED, ORACLE, placeOracle, REVERTS, SILENT, say } from '../support/sanctions-oracle.ts'
import { PLENTY, wallet } from './fixture.ts'
import { PARTIES } from './parties.ts'
import { type Stepped, type SteppedChain, startStepped, WARN } from './stepped.ts'

let chain: SteppedChain
before(async () => {
  chain = await startStepped({ confirmations: 2 })
})
after(() => chain.end())

async function begin(config: object = {}, onStep: (s: Stepped, step: string) => unknown = () => {}) {
  const s: Stepped = await chain.begin({
    config: { sanctionsOracle: ORACLE, ...config },
    onStep: async (step) => void (await onStep(s, step)),
  })
  await placeOracle(s.rpc)
  await s.mine()
  return s
}
const list = (s: Stepped, seed: number, word: number) => say(s.rpc, wallet(seed), word)
const mint = (seed: number) => ({ direction: 'MINT', amountMicro: 5n, to: wallet(seed) }) as const
const heldOf = async (s: Stepped, orderId = 0n) =>
  (await s.db.query<{ reason: string }>('select reason from order_holds where order_id = $1', [orderId]))[0]?.reason
const details = (s: Stepped) => s.work.memory.holds.held.details

test('orders of a wallet that the oracle lists by now are held, whichever wallet of theirs it is; the others go on, and released they are asked about again', async () => {
  const s = await begin()
  await list(s, 1, LISTED)
  await s.mine()
  const [listed, asSource, asRecipient, clean] = await s.place(
    mint(1),
    { direction: 'TRANSFER', amountMicro: 1n, from: wallet(1), to: wallet(2) },
    { direction: 'TRANSFER', amountMicro: 1n, from: wallet(3), to: wallet(1) },
    mint(4),
  )
  await s.round()
  for (const order of [listed, asSource, asRecipient]) assert.equal(await heldOf(s, order), 'wallet_sanctioned')
  assert.equal(await s.stateOf(clean), 'processing/SUBMITTED')
  assert.equal(s.logged.filter(({ level, reason }) => level === WARN && reason === 'wallet_sanctioned').length, 3)

  await s.db.transaction((tx) => releaseOrder(tx, listed ?? 0n))
  await s.round()
  assert.equal(await heldOf(s, listed), 'wallet_sanctioned')
  await list(s, 1, 0)
  await s.mine()
  await s.db.transaction((tx) => releaseOrder(tx, listed ?? 0n))
  await s.round()
  assert.equal(await s.stateOf(listed), 'processing/SUBMITTED')
})

test('while thousands of a listed wallet are yet to be held, the others go on', async () => {
  const heldThen: bigint[] = []
  const s = await begin({}, async ({ db }, step) => {
    if (step !== 'batch-stored') return
    const [row] = await db.query<{ held: bigint }>('select count(*) as held from order_holds')
    heldThen.push(row?.held ?? 0n)
  })
  await list(s, 1, LISTED)
  await s.mine()
  const [listed] = await s.place(mint(1))
  await s.db.query(
    `insert into orders (integration_id, reference_id, direction, status, chain_id, network, token_address, wallet_address, customer_id, key_id, amount_micro)
     select integration_id, 'of-many-' || n, direction, status, chain_id, network, token_address, wallet_address, customer_id, key_id, amount_micro
     from orders, generate_series(1, 2500) n where order_id = $1`,
    [listed ?? 0n],
  )
  const [, clean] = await s.place(mint(1), mint(4))
  await s.round()
  assert.equal(heldThen.length, 1)
  assert.ok((heldThen[0] ?? 0n) < 2_000n, `${heldThen[0]} were held first`)
  assert.equal(await s.stateOf(clean), 'processing/SUBMITTED')
  const [left] = await s.db.query<{ held: bigint }>('select count(*) as held from order_holds')
  assert.equal(left?.held, 2_502n, 'all of them in the end')
})

test('an oracle that does not answer about a wallet keeps its orders alone, and one that answers about none keeps all, and says so', async () => {
  const s = await begin()
  await list(s, 1, REVERTS)
  await list(s, 2, SILENT)
  await s.mine()
  const [reverts, silent, clean] = await s.place(mint(1), mint(2), mint(3))
  await s.round()
  assert.equal(await s.stateOf(clean), 'processing/SUBMITTED')
  for (const order of [reverts, silent]) {
    assert.equal(await s.stateOf(order), 'pending/ORDER_CREATED')
    assert.equal(await heldOf(s, order), undefined)
  }
  assert.deepEqual([s.held(), details(s)], ['sanctions-oracle', { unanswered: 2 }])
  await placeOracle(s.rpc, '0x')
  await s.mine()
  await s.round()
  assert.deepEqual([s.held(), details(s)], ['sanctions-oracle', { unanswered: 2 }])
  await placeOracle(s.rpc)
  for (const seed of [1, 2]) await list(s, seed, 0)
  await s.mine()
  await s.round()
  assert.deepEqual(
    [await s.stateOf(reverts), await s.stateOf(silent)],
    ['processing/SUBMITTED', 'processing/SUBMITTED'],
  )
  assert.equal(s.held(), 'none')
})

test('the oracle costs one call for all orders of a round; while no node can ask it nothing is signed, and another node is asked', async () => {
  const plan = { fails: false, calls: 0 }
  const faults = (request: { method: string; params: readonly unknown[] }): Fault => {
    if (request.method !== 'eth_call') return { kind: 'none' }
    const [call] = request.params as [{ to?: string; data?: string }?]
    if (call?.to !== undefined || call?.data === NUMBER_PROBE || callsIn(call)) return { kind: 'none' }
    plan.calls += 1
    return plan.fails ? { kind: 'error', message: 'no such call here' } : { kind: 'none' }
  }
  const proxy = await startFaultyRpc(chain.rpcUrl, faults)
  try {
    const s = await begin({ rpcUrls: [proxy.url] })
    await s.place(...Array.from({ length: 20 }, (_, seed) => mint(seed)))
    await s.round()
    assert.deepEqual([plan.calls, (await s.batches()).length], [1, 1])

    plan.fails = true
    const [waits] = await s.place(mint(1))
    await s.mine()
    await s.round()
    assert.deepEqual([await s.stateOf(waits), s.held()], ['pending/ORDER_CREATED', 'sanctions-oracle'])
    assert.match(String(details(s).error), /no such call here/)
  } finally {
    await proxy.close()
  }
  plan.fails = true
  const failing = await startFaultyRpc(chain.rpcUrl, faults)
  try {
    const s = await begin({ rpcUrls: [failing.url, chain.rpcUrl] })
    const [order] = await s.place(mint(1))
    await s.round()
    assert.equal(await s.stateOf(order), 'processing/SUBMITTED')
  } finally {
    await failing.close()
  }
})

test('more wallets than one call takes are asked about in several; an address stands under the letters that it was asked with', async () => {
  const s = await begin()
  const seeds = Array.from({ length: 1_001 }, (_, seed) => seed)
  await list(s, 1_000, LISTED)
  await s.mine()
  const wallets = seeds.map(wallet)
  const said = await readScreenings(s.chain.nodes, 1, ORACLE, wallets, 'latest')
  assert.deepEqual([...said.keys()], wallets)
  assert.deepEqual(
    wallets.filter((each) => said.get(each) !== 'clean'),
    [wallet(1_000)],
  )
})

test('what is denied while its batch is simulated and signed is not stored, nothing is sent, and the others go on', async () => {
  const denied = wallet(1)
  let isDenied = false
  const s = await begin({ sanctionsOracle: undefined }, async ({ db }, step) => {
    if (step !== 'batch-signed' || isDenied) return
    isDenied = true
    await db.transaction((tx) => denyAddress(tx, denied))
  })
  await s.db.query('delete from screening_denials')
  const [order, other] = await s.place(mint(1), mint(2))
  await s.round()
  assert.ok(isDenied)
  assert.equal(await heldOf(s, order), 'wallet_denied')
  assert.equal(await s.stateOf(other), 'processing/SUBMITTED')
  assert.deepEqual([(await s.batches()).length, s.sent.length], [1, 1])
  await s.db.query('delete from screening_denials')
})

test('what the oracle does not answer about takes neither room in a bucket nor places in the queue of its integration, and settles once it answers', async () => {
  const s = await begin()
  await list(s, 1, REVERTS)
  await s.mine()
  // One place in a batch, four batches at a time.
  s.work.memory.form.gasPerOrder = { used: 15_000_000n, limit: 16_000_000n }
  const parties = { party: PARTIES[0] }
  const silent = await s.place(...Array.from({ length: 9 }, () => ({ ...mint(1), ...parties })))
  const [large] = await s.place({ ...mint(1), ...parties, amountMicro: PLENTY.capacityMicro - 10n })
  const [behind, small] = await s.place({ ...mint(2), ...parties }, { ...mint(3), ...parties, amountMicro: 20n })
  await s.round()
  // So far it has answered about nothing.
  assert.equal(s.held(), 'sanctions-oracle')
  await s.round()
  for (const order of [behind, small]) assert.equal(await s.stateOf(order), 'processing/SUBMITTED')
  for (const order of [...silent, large]) assert.equal(await s.stateOf(order), 'pending/ORDER_CREATED')
  assert.deepEqual(blockedReasons(s.work.memory), ['sanctions-oracle'])

  // A process that knows nothing of it finds out by itself.
  await s.forget()
  s.work.memory.form.gasPerOrder = { used: 15_000_000n, limit: 16_000_000n }
  const [later] = await s.place({ ...mint(4), ...parties })
  await s.mine()
  await s.round()
  await s.round()
  assert.equal(await s.stateOf(later), 'processing/SUBMITTED')

  await list(s, 1, 0)
  await s.mine()
  await s.round()
  assert.equal(await s.stateOf(silent[0]), 'processing/SUBMITTED')
  assert.deepEqual(blockedReasons(s.work.memory), [])
})

test('what the oracle does not answer about is chosen again after a while, also where it cannot be asked about just that', async () => {
  const plan = { fails: false }
  const faults = (request: { method: string; params: readonly unknown[] }): Fault => {
    const [call] = request.params as [{ to?: string; data?: string }?]
    const isCode = request.method === 'eth_call' && call?.to === undefined && !callsIn(call)
    const isOfOthers = call?.data?.includes(wallet(2).slice(2).toLowerCase()) === true
    return plan.fails && isCode && !isOfOthers ? { kind: 'error', message: 'out of gas' } : { kind: 'none' }
  }
  const proxy = await startFaultyRpc(chain.rpcUrl, faults)
  try {
    const s = await begin({ rpcUrls: [proxy.url] })
    await list(s, 1, REVERTS)
    await s.mine()
    const [waits, clean] = await s.place(mint(1), mint(2))
    await s.round()
    assert.deepEqual([await s.stateOf(clean), s.held()], ['processing/SUBMITTED', 'sanctions-oracle'])
    await list(s, 1, 0)
    plan.fails = true
    await s.mine()
    await s.round()
    assert.deepEqual([await s.stateOf(waits), s.held()], ['pending/ORDER_CREATED', 'sanctions-oracle'])
    s.passMs(600_000)
    const [other] = await s.place(mint(2))
    await s.mine()
    await s.round()
    assert.equal(await s.stateOf(other), 'processing/SUBMITTED')
    assert.equal(await s.stateOf(waits), 'processing/SUBMITTED')
  } finally {
    await proxy.close()
  }
})

/** Lies about one wallet, whoever asks. */
const lieAbout = (seed: number, word: '00' | '01') => (request: { method: string; params: readonly unknown[] }) => {
  const [call] = request.params as [{ to?: string; data?: string }?]
  const isCode = request.method === 'eth_call' && call?.to === undefined && !callsIn(call)
  const asked = (call?.data ?? '').slice(-40 * 2)
  const at = asked.indexOf(wallet(seed).slice(2).toLowerCase())
  if (!isCode || at < 0) return { kind: 'none' } as Fault
  const place = at / 40
  const lie = (answer: unknown) =>
    `${String(answer).slice(0, 2 + place * 2)}${word}${String(answer).slice(4 + place * 2)}`
  return { kind: 'lie', lie } as Fault
}

test('one node that lies clears no wallet and holds none, where others are asked; where nobody can tell who lies, the order waits', async () => {
  const [clears, lists] = await Promise.all([
    startFaultyRpc(chain.rpcUrl, lieAbout(1, '00')),
    startFaultyRpc(chain.rpcUrl, lieAbout(2, '01')),
  ])
  try {
    const s = await begin({ rpcUrls: [clears.url, chain.rpcUrl, lists.url], quorum: 2 })
    await list(s, 1, LISTED)
    await s.mine()
    const [listed, clean] = await s.place(mint(1), mint(2))
    await s.round()
    await s.round()
    assert.equal(await heldOf(s, listed), 'wallet_sanctioned')
    assert.deepEqual([await heldOf(s, clean), await s.stateOf(clean)], [undefined, 'processing/SUBMITTED'])

    const two = await begin({ rpcUrls: [clears.url, chain.rpcUrl], quorum: 2 })
    await list(two, 1, LISTED)
    await two.mine()
    const [waits, other] = await two.place(mint(1), mint(2))
    await two.round()
    await two.round()
    assert.deepEqual([await two.stateOf(waits), await heldOf(two, waits)], ['pending/ORDER_CREATED', undefined])
    assert.equal(await two.stateOf(other), 'processing/SUBMITTED')
    assert.deepEqual(blockedReasons(two.work.memory), ['sanctions-oracle'])
  } finally {
    await Promise.all([clears.close(), lists.close()])
  }
})

/** An oracle that reverts for every address but those about which something is stored: they are clean. */
const KNOWS_FEW = '0x60043554156012576000600052602060 00f35b600080fd'.replace(' ', '') as `0x${string}`

test('thousands of wallets that the oracle does not answer about keep nothing else from its batch', {
  timeout: 240_000,
}, async () => {
  const s = await begin()
  await placeOracle(s.rpc, KNOWS_FEW)
  await list(s, 1, 1)
  await s.mine()
  const [first = 0n] = await s.place({ ...mint(2), party: PARTIES[0] })
  await s.db.query(
    `insert into orders (integration_id, reference_id, direction, status, chain_id, network, token_address, wallet_address, customer_id, key_id,
       amount_micro)
     select integration_id, 'unanswered-' || n, direction, status, chain_id, network, token_address, '0x' || lpad(to_hex(n + 4096), 40, '0'),
       customer_id, key_id, amount_micro from orders, generate_series(1, 2100) as n where order_id = $1`,
    [first],
  )
  const [clean] = await s.place({ ...mint(1), party: PARTIES[0] })
  for (let round = 0; round < 5; round += 1) await s.round()
  assert.equal(await s.stateOf(clean), 'processing/SUBMITTED')
  assert.equal(s.work.memory.form.unanswered.sinceMs.size, 2_101)
  await s.mine()
  await s.round()
  assert.equal(s.work.memory.form.unanswered.sinceMs.size, 2_101)
})
