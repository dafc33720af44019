// engine: postgres
/** What happens on a chain that nobody here asked for: each kind with the stolen key that can do it, one block at a time. */
// Runbook: Something happened on the chain that nobody asked for
import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { type Abi, type Address, encodeFunctionData, getAddress, type Hex, zeroAddress } from 'viem'
import { ROLE_IDS } from '../../src/chain/deployment/roles.ts'
import { coinAbi, coinBytecode } from '../../src/chain/generated/coin.ts'
import { settlementAbi } from '../../src/chain/generated/settlement.ts'
import {
  digestOf,
  encodeSettle,
  KIND,
  NO_HISTORY,
  packInstructions,
  runningHashAfter,
} from '../../src/chain/instructions.ts'
import { explainBatch } from '../../src/settlement/explain/explain.ts'
import { endMovements } from '../../src/settlement/tables/movements.sql.ts'
import { type FaultyRpc, type Rules, startFaultyRpc } from '../support/faulty-rpc.ts'
import { waitFor } from '../support/wait-for.ts'
import { account, keyOf, linkOf, wallet } from './fixture.ts'
import { FATAL, firstInBlock, type Stepped, type SteppedChain, startStepped } from './stepped.ts'

const THIEF = account('second').address
const ADMIN = account('deployer').address
/** The wallet of a thief who has the minter's role, which itself cannot be credited. */
const LOOT = wallet(8)
const DEPTH = 3

let chain: SteppedChain
let proxies: FaultyRpc[] = []
before(async () => {
  chain = await startStepped({ confirmations: DEPTH, signers: [keyOf('signer')] })
})
afterEach(async () => {
  await Promise.all(proxies.map((proxy) => proxy.close()))
  proxies = []
})
after(() => chain.end())

const mint = (seed: number, amountMicro = 5n) => ({ direction: 'MINT', amountMicro, to: wallet(seed) }) as const
const toThief = (amount: bigint, to: Address = THIEF) =>
  packInstructions([{ kind: KIND.MINT, from: zeroAddress, to, amount, tag: '0x0000000000000001' }])

async function send(s: Stepped, from: string, to: string | undefined, data: Hex, turn = 0): Promise<Hex> {
  return (await s.rpc('eth_sendTransaction', { from, to, data, gas: '0x7a1200', ...firstInBlock(turn) })) as Hex
}
const call = (abi: unknown, functionName: string, ...args: unknown[]) =>
  encodeFunctionData({ abi: abi as Abi, functionName, args } as never)
const steal = (s: Stepped, amount = 7_000_000n) =>
  send(s, THIEF, s.config.settlement, encodeSettle(1n, NO_HISTORY, toThief(amount)))

const movements = (s: Stepped) =>
  s.db.query<{
    kind: string
    details: string
    pauses: boolean
    ended: boolean
    transactions: Record<string, string>[]
    amount: string | null
  }>(
    `select kind, details, pauses, ended_at is not null as ended, transactions, amount_micro::text as amount
     from foreign_movements order by movement_id`,
  )
const kindsOf = async (s: Stepped) =>
  (await movements(s)).map(({ kind, pauses }) => `${kind}${pauses ? ' pauses' : ''}`)
const told = (s: Stepped) => s.logged.filter(({ level, msg }) => level === FATAL && /^something happened/.test(msg))

async function look(s: Stepped, blocks = 1): Promise<void> {
  await s.mine(blocks)
  await s.round()
}

/** Looks until whatever changed must have been seen: within one confirmation depth. */
async function lookOnce(s: Stepped): Promise<void> {
  for (let block = 0; block < DEPTH; block += 1) await look(s)
}

/** Makes blocks until settlement is stopped on chain at full depth. */
async function untilStopped(s: Stepped): Promise<void> {
  await waitFor('the stop on chain', async () => {
    await s.mine()
    return s.work.memory.watch.stop.isDone
  })
  assert.equal((await s.chain.admin.status()).settlementPaused, true)
}

test('a batch by a stolen key is seen with its first block, told with its transaction and wallets, and pauses settlement', async () => {
  const s = await chain.begin({ onForeignMovement: 'pause' })
  await s.round()
  const txHash = await steal(s)
  await look(s)
  const [seen, ...more] = await movements(s)
  assert.deepEqual(more, [])
  assert.deepEqual([seen?.kind, seen?.pauses], ['batch', true])
  assert.match(seen?.details ?? '', new RegExp(`batch 1 was made by ${THIEF}`))
  const [transaction] = seen?.transactions ?? []
  assert.deepEqual(
    [transaction?.txHash, transaction?.from, transaction?.to, transaction?.amount],
    [txHash, null, THIEF, '7'],
  )
  assert.deepEqual(
    told(s).map(({ batchId }) => batchId),
    ['1'],
  )
  assert.deepEqual(
    s.counted.filter(([name]) => name === 'foreignMovement'),
    [['foreignMovement', 'batch']],
  )
  await untilStopped(s)
  const [order] = await s.place(mint(1))
  await look(s, DEPTH)
  assert.equal(s.held(), 'foreign-movement')
  assert.equal(await s.stateOf(order), 'pending/ORDER_CREATED')
  assert.equal(told(s).length, 1)
})

test('batches by a stolen key in the place of ours are seen also while no node shows whole blocks or logs, and read once one does', async () => {
  let isShown = false
  const nothingWhole: Rules = ({ method, params }) => {
    const isLong = method === 'eth_getLogs' || (method === 'eth_getBlockByNumber' && params[1] === true)
    return isLong && !isShown ? { kind: 'error', message: 'the answer is too large' } : { kind: 'none' }
  }
  proxies = [await startFaultyRpc(chain.rpcUrl, nothingWhole)]
  const s = await chain.begin({
    onForeignMovement: 'pause',
    config: { rpcUrls: proxies.map(({ url }) => url), pauser: undefined },
  })
  const [order] = await s.place(mint(1))
  await s.round()
  await steal(s)
  await look(s)
  assert.deepEqual(await kindsOf(s), ['batch pauses'])
  await look(s, DEPTH)
  assert.equal(s.held(), 'batch-conflict')
  const second = encodeSettle(2n, runningHashAfter(NO_HISTORY, digestOf(toThief(7_000_000n))), toThief(1n))
  await send(s, THIEF, s.config.settlement, second)
  await look(s)
  assert.deepEqual(await kindsOf(s), ['batch pauses', 'batch pauses'])
  isShown = true
  await s.mine(DEPTH)
  await s.round()
  assert.deepEqual(
    (await s.batches()).map(({ is_foreign }) => is_foreign),
    [true, true],
  )
  assert.equal(s.held(), 'foreign-movement')
  assert.equal(await s.stateOf(order), 'processing/SUBMITTED')
})

test('unless configured so nothing is paused: settlement goes on behind the foreign batch', async () => {
  const s = await chain.begin()
  await s.round()
  await steal(s)
  await look(s, DEPTH)
  assert.deepEqual(await kindsOf(s), ['batch'])
  const [order] = await s.place(mint(1))
  await s.round()
  await look(s, DEPTH)
  assert.equal(await s.stateOf(order), 'completed/COMPLETED')
  assert.equal((await s.chain.admin.status()).settlementPaused, false)
})

test('what was there before the first look is listed and never pauses', async () => {
  const s = await chain.begin({ onForeignMovement: 'pause' })
  await steal(s)
  await s.mine(DEPTH)
  await s.round()
  assert.deepEqual(
    (await s.batches()).map(({ is_foreign }) => is_foreign),
    [true],
  )
  await lookOnce(s)
  assert.deepEqual(await movements(s), [])
  const [order] = await s.place(mint(1))
  await s.round()
  await look(s, DEPTH)
  assert.equal(await s.stateOf(order), 'completed/COMPLETED')
})

test('a pause never ends by itself: not with time, not with a restart; an operator ends it', async () => {
  const s = await chain.begin({ onForeignMovement: 'pause', config: { pauser: undefined } })
  await s.round()
  await steal(s)
  await look(s, DEPTH)
  const [order] = await s.place(mint(1))
  await s.forget()
  s.passMs(3_600_000)
  await look(s, DEPTH)
  assert.equal(s.held(), 'foreign-movement')
  assert.equal(await s.stateOf(order), 'pending/ORDER_CREATED')
  assert.equal((await s.db.transaction((tx) => endMovements(tx, s.config.chainId, 1_000n))).length, 1)
  await look(s)
  await look(s, DEPTH)
  assert.equal(await s.stateOf(order), 'completed/COMPLETED')
})

test('an explanation of the batch ends the pause that it was, and no other', async () => {
  const s = await chain.begin({ onForeignMovement: 'pause', config: { pauser: undefined } })
  await s.round()
  await steal(s)
  await look(s, DEPTH)
  await send(s, ADMIN, s.config.settlement, call(settlementAbi, 'grantRole', ROLE_IDS.signer, wallet(9)))
  await lookOnce(s)
  assert.deepEqual(await kindsOf(s), ['batch pauses', 'role pauses'])
  const explained = { chainId: s.config.chainId, batchId: 1n }
  assert.equal(await s.db.transaction((tx) => explainBatch(tx, explained, 'a test')), 'explained')
  assert.deepEqual(
    (await movements(s)).map(({ ended }) => ended),
    [true, false],
  )
  await s.round()
  assert.equal(s.held(), 'foreign-movement')
})

/** The admin gives a thief the minter's role, who mints outside every batch, and takes it back: one block. */
async function mintOutside(s: Stepped, amount: bigint): Promise<Hex> {
  const coin = s.config.coin.address
  await send(s, ADMIN, coin, call(coinAbi, 'grantRole', ROLE_IDS.settler, THIEF), 2)
  const txHash = await send(s, THIEF, coin, call(coinAbi, 'execute', toThief(amount, LOOT)), 1)
  await send(s, ADMIN, coin, call(coinAbi, 'revokeRole', ROLE_IDS.settler, THIEF), 0)
  return txHash
}

test('a mint outside a batch is seen with its block, between batches of ours, and named', async () => {
  const s = await chain.begin({ onForeignMovement: 'pause' })
  const [first] = await s.place(mint(1, 3n), mint(2, 4n))
  await s.round()
  await s.mine()
  const txHash = await mintOutside(s, 9_000_000n)
  await look(s)
  const [seen, ...more] = await movements(s)
  assert.deepEqual(more, [])
  assert.deepEqual([seen?.kind, seen?.amount, seen?.pauses], ['supply', '9000000', true])
  assert.deepEqual(
    seen?.transactions.map(({ txHash: hash, from, to, amount }) => ({ hash, from, to: to && getAddress(to), amount })),
    [{ hash: txHash, from: null, to: LOOT, amount: '9' }],
  )
  assert.deepEqual(
    told(s).map((line) => 'batchId' in line),
    [false],
  )
  await untilStopped(s)
  await look(s, DEPTH)
  assert.equal(await s.stateOf(first), 'completed/COMPLETED')
  assert.deepEqual(await kindsOf(s), ['supply pauses'])
})

test('of several mints outside batches, each is named with its own transaction alone', async () => {
  const s = await chain.begin()
  await s.round()
  const hashes: Hex[] = []
  for (const amount of [9_000_000n, 8_000_000n]) {
    hashes.push(await mintOutside(s, amount))
    await look(s)
  }
  const named = (await movements(s)).map(({ amount, transactions }) => [amount, transactions.map((one) => one.txHash)])
  assert.deepEqual(named, [
    ['9000000', [hashes[0]]],
    ['8000000', [hashes[1]]],
  ])
})

test('a mint outside a batch is seen where no node serves logs, without its transaction', async () => {
  proxies = [
    await startFaultyRpc(chain.rpcUrl, ({ method }) =>
      method === 'eth_getLogs' ? { kind: 'error', message: 'not available' } : { kind: 'none' },
    ),
  ]
  const s = await chain.begin({ config: { rpcUrls: proxies.map(({ url }) => url) } })
  await s.round()
  await mintOutside(s, 9n)
  await look(s)
  const [seen] = await movements(s)
  assert.deepEqual([seen?.kind, seen?.amount, seen?.transactions], ['supply', '9', []])
})

const POWERS: [string, boolean, (s: Stepped) => Promise<Hex>, RegExp][] = [
  [
    'a role that is given',
    true,
    (s) => send(s, ADMIN, s.config.settlement, call(settlementAbi, 'grantRole', ROLE_IDS.signer, wallet(9))),
    new RegExp(`^${wallet(9)} was given the signer role of the settlement$`),
  ],
  [
    'a role that is taken away',
    false,
    (s) =>
      send(
        s,
        account('pauser').address,
        s.config.settlement,
        call(settlementAbi, 'revokeRole', ROLE_IDS.signer, THIEF),
      ),
    new RegExp(`^the signer role of the settlement was taken from ${THIEF}$`),
  ],
  ...(
    [
      ['raised', true, 10n ** 16n],
      ['lowered', false, 10n ** 14n],
    ] as const
  ).map(([verb, pauses, capacity]): (typeof POWERS)[number] => [
    `a limit that is ${verb}`,
    pauses,
    (s) =>
      send(
        s,
        account('limiter').address,
        s.config.settlement,
        call(settlementAbi, 'setLimit', 0, { capacity, refillPerSecond: 10n ** 9n }),
      ),
    /^the limit of mints went from 1000000000 \(and 1000 a second\) to \d+ \(and 1000 a second\)$/,
  ]),
  [
    'code that is replaced',
    true,
    async (s) => {
      const deployed = await send(s, ADMIN, undefined, coinBytecode, 1)
      await s.mine()
      const { contractAddress } = (await s.rpc('eth_getTransactionReceipt', deployed)) as { contractAddress: Hex }
      return await send(s, ADMIN, s.config.coin.address, call(coinAbi, 'upgradeToAndCall', contractAddress, '0x'))
    },
    /^the coin runs 0x\w{40} instead of 0x\w{40}$/,
  ],
]

for (const [what, pauses, change, details] of POWERS) {
  test(`${what} is told within one depth, with its transaction${pauses ? ', and pauses settlement' : ', and pauses nothing'}`, async () => {
    const s = await chain.begin({ onForeignMovement: 'pause', config: { pauser: undefined } })
    await s.round()
    const txHash = await change(s)
    await lookOnce(s)
    const [seen, ...more] = await movements(s)
    assert.deepEqual(more, [])
    assert.match(seen?.details ?? '', details)
    assert.equal(seen?.pauses, pauses)
    assert.deepEqual(
      seen?.transactions.map(({ txHash: hash }) => hash),
      [txHash],
    )
    assert.equal(told(s).length, 1)
    await lookOnce(s)
    assert.equal((await movements(s)).length, 1)
    assert.equal(s.held(), pauses ? 'foreign-movement' : 'none')
  })
}

test('what the chains file asks for is no news: a role for its configured holder, a ceiling up to the configured one', async () => {
  const s = await chain.begin({ onForeignMovement: 'pause' })
  const { settlement } = s.config
  const ceiling = (capacity: bigint) => call(settlementAbi, 'setCeiling', 0, { capacity, refillPerSecond: 10n ** 18n })
  await send(s, ADMIN, settlement, call(settlementAbi, 'revokeRole', ROLE_IDS.signer, THIEF), 1)
  await send(s, ADMIN, settlement, ceiling(10n ** 17n))
  await s.mine()
  await s.round()
  await send(s, ADMIN, settlement, call(settlementAbi, 'grantRole', ROLE_IDS.signer, THIEF), 1)
  await send(s, ADMIN, settlement, ceiling(10n ** 18n))
  await lookOnce(s)
  assert.deepEqual(await movements(s), [])
})

test("our own batches, holders' transfers and reorganisations are no news", async () => {
  const s = await chain.begin({ onForeignMovement: 'pause' })
  const owner = THIEF
  const linking = s.chain.admin.linkWallet(linkOf(owner))
  const mining = setInterval(() => void s.mine().catch(() => {}), 50)
  await linking
  clearInterval(mining)
  await s.round()
  await s.place({ direction: 'MINT', amountMicro: 100n, to: owner }, mint(2, 4n))
  await s.round()
  await look(s)
  await s.rpc('anvil_reorg', 1, [])
  await s.rpc('anvil_dropAllTransactions')
  await look(s)
  await look(s, 2)
  await look(s, DEPTH)
  await send(s, owner, s.config.coin.address, call(coinAbi, 'transfer', wallet(5), 1n))
  await s.place(
    { direction: 'REDEEM', amountMicro: 30n, from: owner },
    { direction: 'TRANSFER', amountMicro: 9n, from: owner, to: wallet(6) },
  )
  await s.round()
  for (let block = 0; block < 2 * DEPTH; block += 1) await look(s)
  assert.deepEqual(await s.batches().then((all) => all.map(({ status }) => status)), ['final', 'final'])
  assert.equal(await s.chain.admin.supply(), 74n)
  assert.deepEqual(await movements(s), [])
  const { looks, effects } = s.work.memory.watch
  assert.equal(looks.length, DEPTH, 'what is kept does not grow with the chain')
  assert.equal(effects.size, 0)
})

const lowered = call(settlementAbi, 'setLimit', 0, { capacity: 10n ** 14n, refillPerSecond: 10n ** 9n })

test('one node of three that lies about supply, roles and limits is not believed, and hides nothing', async () => {
  const lies: Rules = ({ method, params }) => {
    const { data = '' } = (params[0] ?? {}) as { data?: string }
    const isSupply = method === 'eth_call' && data.startsWith('0x18160ddd')
    const isStorage = method === 'eth_getStorageAt'
    return isSupply || isStorage ? { kind: 'lie', lie: () => `0x${'7'.repeat(64)}` } : { kind: 'none' }
  }
  const honest: Rules = () => ({ kind: 'none' })
  proxies = await Promise.all([lies, honest, honest].map((each) => startFaultyRpc(chain.rpcUrl, each)))
  const s = await chain.begin({
    onForeignMovement: 'pause',
    config: { rpcUrls: proxies.map(({ url }) => url), quorum: 2 },
  })
  await s.round()
  await s.place(mint(1))
  await s.round()
  for (let block = 0; block < 2 * DEPTH; block += 1) await look(s)
  assert.deepEqual(await movements(s), [])
  await mintOutside(s, 9n)
  await send(s, account('limiter').address, s.config.settlement, lowered, 3)
  await lookOnce(s)
  assert.deepEqual((await kindsOf(s)).sort(), ['limit', 'supply pauses'])
})

test('bytes that cannot be read, and nodes that refuse every question about powers, fail no round and hide nothing', async () => {
  let refuses = false
  proxies = [
    await startFaultyRpc(chain.rpcUrl, ({ method }) =>
      refuses && method === 'eth_getStorageAt' ? { kind: 'error', message: 'not available' } : { kind: 'none' },
    ),
  ]
  const s = await chain.begin({ config: { rpcUrls: proxies.map(({ url }) => url) } })
  refuses = true
  await s.round()
  const [order] = await s.place(mint(1))
  await s.round()
  await s.db.query(
    `insert into batch_attempts (chain_id, batch_id, tx_hash, signer, nonce, raw_transaction, max_fee_per_gas, max_priority_fee_per_gas, gas_limit)
     select chain_id, batch_id, '0x' || repeat('ab', 32), signer, nonce, '\\x00', max_fee_per_gas, max_priority_fee_per_gas, gas_limit
     from batch_attempts where chain_id = $1`,
    [s.config.chainId],
  )
  await look(s, DEPTH)
  assert.equal(await s.stateOf(order), 'completed/COMPLETED')
  assert.deepEqual(await movements(s), [])
  await mintOutside(s, 9n)
  await look(s)
  assert.deepEqual(await kindsOf(s), ['supply'])
})
