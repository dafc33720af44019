/**
 * A chain and a database in which settlement happens only when a test says so, one round and one block at a time, so
 * that the effect of each depth, nonce and reorganisation can be checked between two rounds. Every `begin` starts
 * afresh.
 */
import { pino } from 'pino'
import type { Hex } from 'viem'
import { bundling } from '../../src/chain/bundling.ts'
import { type Chain, connectChain } from '../../src/chain/chain.ts'
import type { ChainConfig } from '../../src/config.ts'
import { acquireLease } from '../../src/leases/leases.sql.ts'
import { freshMemory } from '../../src/settlement/fresh-memory.ts'
import { holdOf } from '../../src/settlement/holds.ts'
import { noMetrics, type SettlementMetrics } from '../../src/settlement/metrics.ts'
import { registerChain } from '../../src/settlement/register.ts'
import { type Round, runRound } from '../../src/settlement/round.ts'
import type { SettlementTimes, Work } from '../../src/settlement/work.ts'
import { type AnvilOptions, startAnvil } from '../support/anvil.ts'
import { howMade, type Made, putBack } from '../support/as-made.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { account, deployChain, type OrderState, orderState, placeOrders, rpc, type TestOrder } from './fixture.ts'
import { seedParties } from './parties.ts'
import { plantChain, requireUntouched, rowsOfChain, SHADOW_CHAIN } from './shadow.ts'

/** A hold is believed for a minute of the database's clock, and said again after half of one by the settler's, which stands still here. */
const HOLD_AGE_MS = 20_000

/** Nothing happens with time unless a test shortens one of these. */
export const NEVER: SettlementTimes = {
  leaseMs: 600_000,
  rebroadcastMs: 600_000,
  recheckMs: 60_000_000,
  behindGraceMs: 600_000,
  retryMs: 0,
}

export type Logged = { level: number; msg: string } & Record<string, unknown>
export const WARN = 40
export const ERROR = 50
export const FATAL = 60

export type Batch = {
  batch_id: bigint
  signer: string
  nonce: bigint
  status: string
  is_foreign: boolean
  mined_block: bigint | null
  mined_hash: string | null
  tx_hash: string | null
}
export type StoredAttempt = { batch_id: bigint; tx_hash: Hex; signer: string; nonce: bigint; max_fee_per_gas: string }

export type Stepped = {
  db: TestDatabase
  config: ChainConfig
  chain: Chain
  work: Work
  logged: Logged[]
  /** Calls of the metrics: their names, and the arguments after the chain id. */
  counted: [name: string, ...values: unknown[]][]
  /** The bytes of all broadcasts. */
  sent: Hex[]
  rpc(method: string, ...params: unknown[]): Promise<unknown>
  /** Makes blocks; without a number, one. */
  mine(blocks?: number): Promise<void>
  place(...orders: TestOrder[]): Promise<bigint[]>
  round(): Promise<Round>
  /** What holds the chain, as the last round logged it. */
  held(): string
  /** Lets time pass on the settler's own clock. */
  passMs(ms: number): void
  /** Acts as a restarted process, which remembers nothing of earlier rounds. */
  forget(): Promise<void>
  order(orderId: bigint | undefined): Promise<OrderState>
  /** `status/phase` of an order. */
  stateOf(orderId: bigint | undefined): Promise<string>
  batches(): Promise<Batch[]>
  attempts(): Promise<StoredAttempt[]>
  nextNonce(address: string): Promise<bigint | undefined>
  observed(): Promise<{ observed_block: bigint; observed_hash: string }>
  head(): Promise<{ number: bigint; hash: string }>
}

export type SteppedChain = {
  rpcUrl: string
  begin(options?: {
    config?: Partial<ChainConfig>
    times?: Partial<SettlementTimes>
    onStep?: Work['onStep']
    onForeignMovement?: Work['onForeignMovement']
    otherChainIds?: readonly number[]
  }): Promise<Stepped>
  end(): Promise<void>
}

/** Starts the chain and the database of a test file. */
export async function startStepped(
  overrides: Partial<ChainConfig> = {},
  anvilOptions: AnvilOptions = {},
): Promise<SteppedChain> {
  const [anvil, db] = await Promise.all([startAnvil(anvilOptions), createTestDatabase()])
  const deployed = await deployChain(anvil.rpcUrl, overrides)
  const ask = (method: string, ...params: unknown[]) => rpc(anvil.rpcUrl, method, ...params)
  await ask('evm_setAutomine', false)
  let snapshot = await ask('evm_snapshot')
  let planted: Made | undefined
  return {
    rpcUrl: anvil.rpcUrl,
    async begin({
      config: changes = {},
      times = {},
      onStep = () => {},
      onForeignMovement = 'report',
      otherChainIds = [],
    } = {}) {
      await ask('evm_revert', snapshot)
      snapshot = await ask('evm_snapshot')
      await ask('anvil_dropAllTransactions')
      if (planted === undefined) {
        await seedParties(db)
        await plantChain(db, SHADOW_CHAIN)
        planted = await howMade(db)
      } else await putBack(db, planted)
      const config = { ...deployed, ...changes }
      return await createStepped(db, config, ask, {
        times: { ...NEVER, ...times },
        onStep,
        onForeignMovement,
        otherChainIds,
      })
    },
    async end() {
      await db.close()
      await anvil.stop()
    },
  }
}

type Ask = Stepped['rpc']

async function createStepped(
  db: TestDatabase,
  config: ChainConfig,
  ask: Ask,
  {
    times,
    onStep,
    onForeignMovement,
    otherChainIds,
  }: Pick<Work, 'times' | 'onStep' | 'onForeignMovement' | 'otherChainIds'>,
): Promise<Stepped> {
  const logged: Logged[] = []
  const counted: Stepped['counted'] = []
  const logger = pino({ level: 'debug' }, { write: (line: string) => void logged.push(JSON.parse(line)) })
  const sent: Hex[] = []
  const chain = listening(connectChain(config, { db, logger }), sent)
  let nowMs = 0
  let publishedAt = Date.now()
  const { chainId } = config
  await registerChain(db, chain)
  const lease = await acquireLease(db, `settlement:${chainId}`, 'stepped', times.leaseMs)
  if (lease === undefined) throw new Error('the lease is held')
  const work: Work = {
    db,
    chain,
    otherChainIds,
    logger,
    lease,
    times,
    nowMs: () => nowMs,
    onStep,
    metrics: countingMetrics(counted),
    onForeignMovement,
    memory: freshMemory(),
  }
  const shadow = await rowsOfChain(db, SHADOW_CHAIN)
  const order = (orderId = 0n) => orderState(db, orderId)
  return {
    db,
    config,
    chain,
    work,
    logged,
    counted,
    sent,
    rpc: ask,
    order,
    mine: async (blocks = 1) => void (await ask('anvil_mine', `0x${blocks.toString(16)}`)),
    place: (...orders) => placeOrders(db, config, orders),
    async round() {
      if (Date.now() - publishedAt > HOLD_AGE_MS) {
        work.memory.holds.published = { ...work.memory.holds.published, atMs: Number.NEGATIVE_INFINITY }
        publishedAt = Date.now()
      }
      const result = await runRound(work)
      await requireUntouched(db, shadow)
      return result
    },
    passMs(ms) {
      nowMs += ms
    },
    held: () => holdOf(work.memory).reason,
    async forget() {
      work.memory = freshMemory()
    },
    async stateOf(orderId) {
      const { status, phase } = await order(orderId)
      return `${status}/${phase}`
    },
    batches: () =>
      db.query<Batch>(
        `select batch_id, signer, nonce, status, is_foreign, mined_block, mined_hash, tx_hash from batches
         where chain_id = $1 order by batch_id`,
        [chainId],
      ),
    attempts: () =>
      db.query<StoredAttempt>(
        `select batch_id, tx_hash, signer, nonce, max_fee_per_gas from batch_attempts
         where chain_id = $1 order by batch_id, created_at`,
        [chainId],
      ),
    async nextNonce(address) {
      const [row] = await db.query<{ next_nonce: bigint }>(
        'select next_nonce from signers where chain_id = $1 and address = $2',
        [chainId, address],
      )
      return row?.next_nonce
    },
    async observed() {
      const [row] = await db.query<{ observed_block: bigint; observed_hash: string }>(
        'select observed_block, observed_hash from chains where chain_id = $1',
        [chainId],
      )
      return row ?? { observed_block: -1n, observed_hash: '' }
    },
    async head() {
      const { number, hash } = (await ask('eth_getBlockByNumber', 'latest', false)) as { number: Hex; hash: Hex }
      return { number: BigInt(number), hash }
    },
  }
}

/** Records what is broadcast. */
function listening(chain: Chain, sent: Hex[]): Chain {
  const nodes = chain.nodes.map((each) => {
    const node = bundling(each)
    return {
      ...node,
      request(method: string, params: readonly unknown[], timeoutMs?: number) {
        if (method === 'eth_sendRawTransaction') sent.push(params[0] as Hex)
        return node.request(method, params, timeoutMs)
      },
    }
  })
  return { ...chain, nodes }
}

function countingMetrics(counted: Stepped['counted']): SettlementMetrics {
  const record =
    (name: string) =>
    (_chainId: number, ...values: unknown[]) =>
      void counted.push([name, ...values])
  return Object.fromEntries(Object.keys(noMetrics).map((name) => [name, record(name)])) as SettlementMetrics
}

/** Fees of a transaction that comes before all others in its block, even when the market follows the tips. */
export const firstInBlock = (turn = 0) => {
  const fee = `0x${(10n ** (10n + BigInt(turn))).toString(16)}`
  return { maxFeePerGas: fee, maxPriorityFeePerGas: fee }
}

/** Pauses or unpauses the coin before everything else in the next block. */
export async function sendStop(s: Stepped, stops: boolean, turn = 0): Promise<void> {
  const from = account(stops ? 'pauser' : 'unpauser').address
  const data = stops ? '0x8456cb59' : '0x3f4ba83a'
  await s.rpc('eth_sendTransaction', { from, to: s.config.coin.address, data, gas: '0x186a0', ...firstInBlock(turn) })
}

/** Uses up a nonce of an account with a transfer of nothing to itself. */
export async function useNonce(s: Stepped, address: string, nonce: bigint, turn = 0): Promise<void> {
  await s.rpc('eth_sendTransaction', {
    from: address,
    to: address,
    gas: '0x5208',
    nonce: `0x${nonce.toString(16)}`,
    ...firstInBlock(turn),
  })
}
