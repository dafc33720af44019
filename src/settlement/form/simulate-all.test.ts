import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encodeErrorResult, type Hex, numberToHex } from 'viem'
import { coinAbi } from '../../chain/generated/coin.ts'
import { settlementAbi } from '../../chain/generated/settlement.ts'
import { RpcAnswerError, type RpcNode, RpcUnreachableError } from '../../chain/node.ts'
import type { AgreedHead } from '../../chain/quorum.ts'
import type { Signer } from '../../chain/signer.ts'
import { freshMemory } from '../fresh-memory.ts'
import type { PendingOrder } from '../tables/waiting.sql.ts'
import type { Work } from '../work.ts'
import type { Draft } from './draft.ts'
import { simulateAll } from './simulate.ts'

const SETTLEMENT = '0x0000000000000000000000000000000000000005'
const COIN = '0x000000000000000000000000000000000000000c'
const REFUSED = encodeErrorResult({
  abi: settlementAbi,
  errorName: 'AccessControlUnauthorizedAccount',
  args: [SETTLEMENT, `0x${'0'.repeat(64)}`] as const,
})
const HAS_CODE = encodeErrorResult({ abi: settlementAbi, errorName: 'CallerHasCode', args: [SETTLEMENT] })
const PAUSED = encodeErrorResult({ abi: coinAbi, errorName: 'EnforcedPause' })
const NO_HASH = `0x${'0'.repeat(64)}` as const
const TAKEN = encodeErrorResult({ abi: settlementAbi, errorName: 'WrongPrevious', args: [NO_HASH, NO_HASH] })

type Call = { from: string; to: string; data: Hex }
/** Gas, the data of a revert, or nothing: the node cannot be reached. */
type Answer = bigint | Hex | undefined

const signer = (name: string): Signer => ({
  address: name as Signer['address'],
  sign: () => Promise.reject(new Error('nothing is signed here')),
})
const [A, B, C] = [signer('A'), signer('B'), signer('C')]

/** Mints, each batch with its own packed instructions. */
const draft = (batchId: bigint, count = 1) =>
  ({
    batchId,
    packed: numberToHex(batchId, { size: 37 }),
    callData: numberToHex(batchId, { size: 4 }),
    orders: Array.from({ length: count }, () => ({ direction: 'MINT' }) as PendingOrder),
  }) as Draft

function setUp(answer: (call: Call) => Answer) {
  const asked: Call[] = []
  const node: RpcNode = {
    label: 'node',
    async request(_method, params) {
      const [call] = params as [Call]
      asked.push(call)
      const said = answer(call)
      if (said === undefined) throw new RpcUnreachableError('silent')
      if (typeof said === 'bigint') return numberToHex(said)
      throw new RpcAnswerError('node', 3, 'execution reverted', said)
    },
  }
  const memory = freshMemory()
  const fatal: object[] = []
  const work = {
    chain: { config: { chainId: 1, settlement: SETTLEMENT, coin: { address: COIN } } },
    memory,
    times: { retryMs: 0 },
    nowMs: () => 0,
    logger: { fatal: (fields: object) => void fatal.push(fields), warn() {} },
  } as unknown as Work
  const at = { nodes: [node], head: { gasLimit: 30_000_000n } } as unknown as AgreedHead
  const simulate = (from: readonly Signer[], isNext: boolean, ...drafts: Draft[]) =>
    simulateAll(work, at, { from, isNext }, drafts)
  return { asked, memory, fatal, simulate }
}

/** The limit with its margin. */
const limit = (gas: bigint) => (gas * 104n) / 100n + 40_000n
const gasOf = ({ simulated }: Awaited<ReturnType<typeof simulateAll>>) => simulated.map(({ gas }) => gas)

test('the very next batch is simulated as it is, on behalf of each signer until one has the role', async () => {
  const { asked, simulate } = setUp(({ from }) => (from === 'A' ? REFUSED : 5_000_000n))
  const result = await simulate([A, B, C], true, draft(7n))
  assert.deepEqual(
    asked.map(({ from, to, data }) => [from, to, data]),
    [
      ['A', SETTLEMENT, '0x00000007'],
      ['B', SETTLEMENT, '0x00000007'],
    ],
  )
  assert.deepEqual([gasOf(result), result.signers, result.isTaken], [[limit(5_000_000n)], [B, C], false])
})

test('a signer that has the role says what others would meet too: nobody else is asked', async () => {
  const { asked, memory, simulate } = setUp(() => PAUSED)
  const result = await simulate([A, B], true, draft(7n))
  assert.equal(asked.length, 1)
  assert.deepEqual([result.simulated, result.signers, result.isTaken], [[], [A, B], false])
  assert.deepEqual(memory.holds.held, { reason: 'paused', details: { reverted: 'EnforcedPause', batchId: '7' } })
})

test('a signer whose address runs code is passed over, said once, and holds the batch only where all do', async () => {
  const one = setUp(({ from }) => (from === 'A' ? HAS_CODE : 5_000_000n))
  for (const id of [7n, 8n]) assert.deepEqual((await one.simulate([A, B], true, draft(id))).signers, [B])
  assert.deepEqual(one.fatal, [{ chainId: 1, signer: 'A' }])
  const all = setUp(() => HAS_CODE)
  assert.deepEqual((await all.simulate([A, B], true, draft(7n))).simulated, [])
  assert.deepEqual(all.memory.holds.held, {
    reason: 'signer-unavailable',
    details: { reverted: 'CallerHasCode', batchId: '7' },
  })
})

test('when no signer has the role, that is what holds the batch', async () => {
  const { asked, memory, simulate } = setUp(() => REFUSED)
  assert.deepEqual((await simulate([A, B], true, draft(7n))).simulated, [])
  assert.equal(asked.length, 2)
  assert.equal(memory.holds.held.reason, 'signer-without-role')
})

test('a batch on another history than the chain’s is taken; nodes that cannot tell hold nothing', async () => {
  const taken = setUp(() => TAKEN)
  const result = await taken.simulate([A], true, draft(7n))
  assert.deepEqual([result.isTaken, taken.memory.holds.held.reason], [true, 'batch-conflict'])
  const silent = setUp(() => undefined)
  await assert.rejects(silent.simulate([A], true, draft(7n)), /no node answered/)
  assert.equal(silent.memory.holds.held.reason, 'none')
})

test('of a batch behind others the coin is asked, and what settling costs is added', async () => {
  const { asked, simulate } = setUp(({ from, to }) => (from === SETTLEMENT && to === COIN ? 5_000_000n : 1n))
  const result = await simulate([A], false, draft(7n, 3), draft(8n, 1))
  assert.deepEqual(
    asked.map(({ from, to }) => [from, to]),
    [
      [SETTLEMENT, COIN],
      [SETTLEMENT, COIN],
    ],
  )
  assert.deepEqual(gasOf(result), [limit(5_116_000n), limit(5_112_000n)])
  assert.deepEqual(result.signers, [A])
})

test('behind the next batch others are simulated up to the first that would not be executed', async () => {
  const isOf = (data: Hex, batchId: number) => data.includes(numberToHex(batchId, { size: 37 }).slice(2))
  const { simulate, memory } = setUp(({ from, data }) => {
    if (from === 'A') return 4_000_000n
    return isOf(data, 9) ? PAUSED : isOf(data, 8) ? 6_000_000n : 7_000_000n
  })
  const result = await simulate([A], true, draft(7n), draft(8n), draft(9n), draft(10n))
  assert.deepEqual(
    result.simulated.map(({ batchId, gas }) => [batchId, gas]),
    [
      [7n, limit(4_000_000n)],
      [8n, limit(6_112_000n)],
    ],
  )
  assert.deepEqual([result.isTaken, memory.holds.held.reason], [false, 'none'])
})

test('large batches teach how much gas an order asks for and uses; small ones do not', async () => {
  const { simulate, memory } = setUp(() => 8_000_000n)
  await simulate([A], true, draft(7n, 49))
  assert.deepEqual(memory.form.gasPerOrder, freshMemory().form.gasPerOrder)
  await simulate([A], true, draft(7n, 50))
  assert.deepEqual(memory.form.gasPerOrder, { used: 160_001n, limit: limit(8_000_000n) / 50n + 1n })
  await simulate([A], true, { ...draft(7n, 50), expected: 5_000_000n })
  assert.equal(memory.form.gasPerOrder.used, 100_001n)
})

test('what is expected of a batch asks for nothing less: nodes are asked about each, and it asks for the most of what they say and its worst case', async () => {
  const { asked, simulate } = setUp(({ from }) => (from === 'A' ? 4_000_000n : 6_000_000n))
  const known = (batchId: bigint, count: number) => ({ ...draft(batchId, count), expected: 1_000_000n })
  const result = await simulate([A], true, known(7n, 1), known(8n, 1), known(9n, 300))
  assert.equal(asked.length, 3)
  assert.deepEqual(gasOf(result), [limit(4_000_000n), limit(6_112_000n), limit(180_000n + 8_100_000n)])
})

test('what a batch will probably use is what was known before, or else what is estimated', async () => {
  const { simulate } = setUp(() => 8_000_000n)
  const { simulated } = await simulate([A], true, draft(7n), { ...draft(8n), expected: 5_000_000n })
  assert.deepEqual(
    simulated.map(({ expected }) => expected),
    [8_000_000n, 5_000_000n],
  )
})

test('without a draft nothing is asked', async () => {
  const { asked, simulate } = setUp(() => 1n)
  assert.deepEqual(await simulate([A], true), { simulated: [], signers: [A], isTaken: false })
  assert.deepEqual(asked, [])
})
