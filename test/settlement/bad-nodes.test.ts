// engine: postgres
/** One bad node of three, or the only one: what it says of gas, fees and limits, and what it does with broadcasts. */
import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { encodeErrorResult, type Hex, numberToHex, parseTransaction, toFunctionSelector } from 'viem'
import { coinAbi } from '../../src/chain/generated/coin.ts'
import type { ChainConfig } from '../../src/config.ts'
import { type Fault, type FaultyRpc, type Rules, startFaultyRpc } from '../support/faulty-rpc.ts'
import { account, keyOf, rpc, wallet } from './fixture.ts'
import { firstInBlock, type Stepped, type SteppedChain, startStepped } from './stepped.ts'

const SIGNER = account('signer').address
const GWEI = 10n ** 9n
const CHAIN = 31_337
const HONEST: Fault = { kind: 'none' }
const mint = (seed: number) => ({ direction: 'MINT', amountMicro: 5n, to: wallet(seed) }) as const
const says = (method: string, lie: (answer: unknown) => unknown): Rules => {
  return (request) => (request.method === method ? { kind: 'lie', lie } : HONEST)
}

let chain: SteppedChain
let proxies: FaultyRpc[] = []
before(async () => {
  chain = await startStepped({ confirmations: 2, signers: [keyOf('signer')] })
})
afterEach(async () => {
  await Promise.all(proxies.map((proxy) => proxy.close()))
  proxies = []
})
after(() => chain.end())

/** Begins with nodes that follow these rules, the majority of which must agree. */
async function behind(rules: readonly Rules[], more: Parameters<SteppedChain['begin']>[0] = {}): Promise<Stepped> {
  proxies = await Promise.all(rules.map((each) => startFaultyRpc(chain.rpcUrl, each)))
  const config: Partial<ChainConfig> = {
    rpcUrls: proxies.map(({ url }) => url),
    quorum: Math.floor(rules.length / 2) + 1,
    ...more.config,
  }
  return await chain.begin({ ...more, config })
}

/** One of three lies, each in its turn, and answers before the others. */
function inEachPlace(rules: Rules): [string, Rules[]][] {
  const honest: Rules = ({ method }) =>
    ['eth_getBlockByNumber', 'eth_call'].includes(method) ? { kind: 'delay', ms: 10 } : HONEST
  return [0, 1, 2].map((place) => [
    `node ${place + 1} of three`,
    [0, 1, 2].map((index) => (index === place ? rules : honest)),
  ])
}

async function newestAttempt(s: Stepped) {
  const [row] = await s.db.query<{ raw_transaction: `0x02${string}` }>(
    `select '0x' || encode(raw_transaction, 'hex') as raw_transaction from batch_attempts where chain_id = $1
     order by created_at desc, max_fee_per_gas desc limit 1`,
    [CHAIN],
  )
  assert.ok(row !== undefined, 'nothing was signed')
  return parseTransaction(row.raw_transaction)
}

/** Places a mint and settles it in one round and two blocks. */
async function settleOne(s: Stepped) {
  const [order] = await s.place(mint(1))
  await s.round()
  assert.equal(await s.stateOf(order), 'processing/SUBMITTED', s.held())
  const attempt = await newestAttempt(s)
  await s.mine(2)
  await s.round()
  assert.equal(await s.stateOf(order), 'completed/COMPLETED')
  return attempt
}

const tooLittle = says('eth_estimateGas', () => '0x5208')
for (const [who, rules] of [...inEachPlace(tooLittle), ['the only node', [tooLittle]] as [string, Rules[]]]) {
  test(`${who} estimates 21000 gas: the batch executes at the first try`, async () => {
    const s = await behind(rules)
    await settleOne(s)
    assert.equal((await s.attempts()).length, 1)
  })
}

const tooMuch = says('eth_estimateGas', () => numberToHex(10n ** 9n))
for (const [who, rules] of inEachPlace(tooMuch)) {
  test(`${who} estimates a thousand million gas: it has no say`, async () => {
    const { gas = 0n } = await settleOne(await behind(rules))
    assert.ok(gas < 400_000n, String(gas))
  })
}

test('the only node estimates a thousand million gas: no transaction asks for more than one may have', async () => {
  const s = await behind([tooMuch])
  const { gas } = await settleOne(s)
  assert.equal(gas, 16_777_216n)
})

const reverts: Rules = ({ method }) => {
  const data = encodeErrorResult({ abi: coinAbi, errorName: 'EnforcedPause' })
  return method === 'eth_estimateGas' ? { kind: 'error', message: 'execution reverted', data } : HONEST
}
for (const [who, rules] of inEachPlace(reverts)) {
  test(`${who} tells of a pause that there is not: nothing is held`, async () => {
    await settleOne(await behind(rules))
  })
}

for (const [who, rules] of inEachPlace(says('eth_maxPriorityFeePerGas', () => numberToHex(10_000n * GWEI)))) {
  test(`${who} wants a tip of 10,000 gwei: nobody pays it`, async () => {
    const { maxFeePerGas = 0n, maxPriorityFeePerGas = 0n } = await settleOne(await behind(rules))
    assert.ok(maxPriorityFeePerGas <= 2n * GWEI, String(maxPriorityFeePerGas))
    assert.ok(maxFeePerGas <= 10n * GWEI, String(maxFeePerGas))
  })
}

test('the only node wants a tip of 10,000 gwei: it gets the most that a tip may be', async () => {
  const s = await behind([says('eth_maxPriorityFeePerGas', () => numberToHex(10_000n * GWEI))], {
    config: { maxPriorityFeePerGasWei: 7n * GWEI },
  })
  assert.equal((await settleOne(s)).maxPriorityFeePerGas, 7n * GWEI)
})

const LIMIT_VIEWS = [toFunctionSelector('availableOf(uint8)'), toFunctionSelector('limitOf(uint8)')]
const noLimits: Rules = ({ method, params }) =>
  method === 'eth_call' && LIMIT_VIEWS.some((view) => (params[0] as { data: string }).data.startsWith(view))
    ? { kind: 'lie', lie: (answer) => `0x${'0'.repeat(String(answer).length - 2)}` }
    : HONEST
for (const [who, rules] of inEachPlace(noLimits)) {
  test(`${who} says that all limits are zero: nothing waits for them`, async () => {
    await settleOne(await behind(rules))
  })
}

test('when all nodes say that all limits are zero, nothing is formed', async () => {
  const s = await behind([noLimits, noLimits, noLimits])
  const [order] = await s.place(mint(1))
  await s.round()
  assert.equal(await s.stateOf(order), 'pending/ORDER_CREATED')
})

for (const [who, rules] of inEachPlace(says('eth_getBalance', () => '0x0'))) {
  test(`${who} says that the signer has no gas money: it signs`, async () => {
    await settleOne(await behind(rules))
  })
}

for (const [who, rules] of inEachPlace(says('eth_getBalance', () => numberToHex(10n ** 24n)))) {
  test(`${who} says that the signer has gas money when it has none: nothing is signed`, async () => {
    const s = await behind(rules)
    await s.rpc('anvil_setBalance', SIGNER, '0x1')
    await s.place(mint(1))
    await s.round()
    assert.deepEqual([s.held(), (await s.attempts()).length], ['gas-balance', 0])
  })
}

/**
 * Whether the settler goes on before it gives up what a node never answers. It tries again: without a processor for
 * seconds a round may take longer than that, and then says nothing.
 */
async function goesOn(round: () => Promise<unknown>): Promise<boolean> {
  for (let time = 1; time <= 3; time += 1) {
    const from = proxies.map(({ hanging }) => hanging.length)
    await round()
    // Asked after whatever the settler has closed, so heard after it.
    await Promise.all(proxies.map(({ url }) => rpc(url, 'eth_chainId')))
    const asked = proxies.flatMap(({ hanging }, place) => hanging.slice(from[place]))
    assert.ok(asked.length > 0, 'nothing hangs')
    if (asked.every(({ isAwaited }) => isAwaited)) return true
  }
  return false
}

test('a node that never answers broadcasts is not waited for, when the others say that they have the bytes', async () => {
  const hangs: Rules = ({ method }) => (method === 'eth_sendRawTransaction' ? { kind: 'hang' } : HONEST)
  const s = await behind([hangs, () => HONEST, () => HONEST], { times: { rebroadcastMs: 0 } })
  await s.place(mint(1))
  for (const round of [1, 2, 3]) {
    assert.ok(await goesOn(() => s.round()), `somebody waited in round ${round}`)
    assert.ok(s.sent.length >= 3 * round)
  }
})

test('reasons of failures come from the nodes that have them, and a node without receipts is not waited for', async () => {
  const rules: Rules = ({ method }) => (method === 'eth_getTransactionReceipt' ? { kind: 'hang' } : HONEST)
  const s = await behind([rules, () => HONEST, () => HONEST])
  const wentOn = await goesOn(async () => {
    const [redeem] = await s.place({ direction: 'REDEEM', amountMicro: 5n, from: wallet(3) })
    await s.round()
    await s.mine(2)
    await s.round()
    assert.equal((await s.order(redeem)).failure_reason, 'wallet_not_linked')
  })
  assert.ok(wentOn, 'somebody waited')
})

const feeOf = (raw: unknown) => parseTransaction(raw as `0x02${string}`).maxFeePerGas ?? 0n

/** Rounds and blocks until the chain has waited long enough for a fee to be raised. */
async function waitBlocks(s: Stepped, blocks: number): Promise<void> {
  for (let block = 0; block < blocks; block += 1) {
    await s.mine()
    await s.round()
  }
}

/** Nodes swallow everything until `isOpen`, and afterwards refuse what offers more than `mostWei`. */
function refusing(message: string, state: { isOpen: boolean; mostWei: bigint }): Rules {
  return ({ method, params }) => {
    if (method !== 'eth_sendRawTransaction') return HONEST
    if (feeOf(params[0]) > state.mostWei) return { kind: 'error', message }
    return state.isOpen ? HONEST : { kind: 'pretend', result: `0x${'1'.repeat(64)}` }
  }
}

for (const message of [
  'tx fee (1.20 ether) exceeds the configured cap (1.00 ether)',
  'insufficient funds for gas * price + value: balance 1, tx cost 2',
]) {
  test(`a lost first attempt and a raise that nodes refuse ("${message.slice(0, 18)}"): the first is sent again, nothing is raised further`, async () => {
    const state = { isOpen: false, mostWei: 10n ** 30n }
    const s = await behind([refusing(message, state)], { times: { rebroadcastMs: 0 }, config: { bumpAfterBlocks: 2 } })
    const [order] = await s.place(mint(1))
    await s.round()
    const first = (await newestAttempt(s)).maxFeePerGas ?? 0n
    state.mostWei = first
    await waitBlocks(s, 12)
    assert.equal((await s.attempts()).length, 2, 'raised past a refusal')
    state.isOpen = true
    await s.round()
    await s.mine(2)
    await s.round()
    assert.equal(await s.stateOf(order), 'completed/COMPLETED')
  })
}

for (const [client, words] of [
  ['geth', 'tx fee (1.20 ether) exceeds the configured cap (1.00 ether)'],
  ['Besu', 'Transaction fee cap exceeded'],
  ['an older Nethermind', 'InsufficientFunds, Balance is less than gas limit * gas price'],
] as const)
  test(`a first attempt that nodes refuse for what it may cost is signed for less, once gas is cheaper: in the words of ${client}`, async (t) => {
    const state = { isOpen: true, mostWei: 0n }
    const tooDear = refusing(words, state)
    const s = await behind([tooDear], { config: { bumpAfterBlocks: 2 } })
    t.after(() => s.rpc('anvil_setNextBlockBaseFeePerGas', numberToHex(GWEI)))
    await s.rpc('anvil_setNextBlockBaseFeePerGas', numberToHex(80n * GWEI))
    await s.mine()
    const [order] = await s.place(mint(1))
    await s.round()
    const dear = await newestAttempt(s)
    state.mostWei = 100n * GWEI
    assert.ok((dear.maxFeePerGas ?? 0n) > state.mostWei)
    const setBaseFee = async (gwei: bigint) => {
      await s.rpc('anvil_setNextBlockBaseFeePerGas', numberToHex(gwei * GWEI))
      await s.mine()
      await s.round()
    }
    await setBaseFee(150n)
    await setBaseFee(150n)
    assert.equal((await s.attempts()).length, 1, 'nothing cheaper would be mined')
    await setBaseFee(40n)
    const cheap = await newestAttempt(s)
    assert.ok((cheap.maxFeePerGas ?? 0n) < state.mostWei, String(cheap.maxFeePerGas))
    for (const field of ['nonce', 'gas', 'data', 'to'] as const) assert.equal(cheap[field], dear[field])
    await s.mine(2)
    await s.round()
    assert.equal(await s.stateOf(order), 'completed/COMPLETED')
  })

test('a raise that offers too little is followed by another one', async () => {
  const s = await behind(
    [
      ({ method }) =>
        method === 'eth_sendRawTransaction'
          ? { kind: 'error', message: 'max fee per gas less than block base fee: address 0x' }
          : HONEST,
    ],
    { config: { bumpAfterBlocks: 2 } },
  )
  await s.place(mint(1))
  await s.round()
  await waitBlocks(s, 5)
  assert.equal((await s.attempts()).length, 3)
})

test('fees are raised by blocks that came without the batch, never by time: a halted chain costs nothing', async () => {
  const swallows: Rules = ({ method }) =>
    method === 'eth_sendRawTransaction' ? { kind: 'pretend', result: `0x${'1'.repeat(64)}` } : HONEST
  const s = await behind([swallows], { config: { bumpAfterBlocks: 3 } })
  await s.place(mint(1))
  await s.round()
  await s.db.query(`update batch_attempts set created_at = created_at - interval '9 hours' where chain_id = $1`, [
    CHAIN,
  ])
  for (let hour = 0; hour < 9; hour += 1) {
    s.passMs(3_600_000)
    await s.round()
  }
  assert.equal((await s.attempts()).length, 1, 'raised although no block came')
  await waitBlocks(s, 2)
  assert.equal((await s.attempts()).length, 1, 'raised too soon')
  await waitBlocks(s, 1)
  assert.equal((await s.attempts()).length, 2)
  await waitBlocks(s, 2)
  assert.equal((await s.attempts()).length, 2, 'the new attempt has its own time')
})

test('a batch that mints to wallets whose holders empty them first has gas enough', async () => {
  const s = await chain.begin()
  const wallets = Array.from({ length: 60 }, (_, seed) => wallet(seed))
  await s.place(...wallets.map((to) => ({ direction: 'MINT', amountMicro: 5n, to }) as const))
  await s.round()
  await s.mine(2)
  await s.round()
  const again = await s.place(...wallets.map((to) => ({ direction: 'MINT', amountMicro: 5n, to }) as const))
  await s.round()
  await s.rpc('anvil_autoImpersonateAccount', true)
  const data: Hex = `0xa9059cbb${account('deployer').address.slice(2).padStart(64, '0')}${'5'.padStart(64, '0')}`
  for (const from of wallets) {
    await s.rpc('anvil_setBalance', from, numberToHex(10n ** 18n))
    await s.rpc('eth_sendTransaction', { from, to: s.config.coin.address, data, gas: '0x186a0', ...firstInBlock() })
  }
  await s.mine(2)
  await s.rpc('anvil_autoImpersonateAccount', false)
  await s.round()
  assert.equal(await s.chain.reader.latestBalance(account('deployer').address), 300n)
  for (const order of again) assert.equal(await s.stateOf(order), 'completed/COMPLETED')
})

test('no node is asked for logs: providers that serve none are good enough', async () => {
  const noLogs: Rules = ({ method }) =>
    method === 'eth_getLogs' ? { kind: 'error', message: 'eth_getLogs is not available' } : HONEST
  const s = await behind([noLogs, noLogs, noLogs])
  await settleOne(s)
  assert.equal(proxies.flatMap(({ seen }) => seen).filter((method) => method === 'eth_getLogs').length, 0)
})
