/** A settler without a chain: its batches are in a real database, and its node answers as a test says. */
import type { Address, Hex } from 'viem'
import { encodeErrorResult, encodeFunctionResult, numberToHex, zeroHash } from 'viem'
import { decodeCall } from '../../src/chain/call-data.ts'
import type { Fees } from '../../src/chain/fees.ts'
import { settlementAbi } from '../../src/chain/generated/settlement.ts'
import { encodeSettle, instructionOf, NO_HISTORY, packInstructions } from '../../src/chain/instructions.ts'
import { RpcAnswerError, type RpcNode } from '../../src/chain/node.ts'
import type { AgreedHead } from '../../src/chain/quorum.ts'
import { createSigner, type Signer } from '../../src/chain/signer.ts'
import type { Queryable } from '../../src/db/database.ts'
import { acquireLease } from '../../src/leases/leases.sql.ts'
import { freshMemory } from '../../src/settlement/fresh-memory.ts'
import { type InFlightBatch, readInFlight } from '../../src/settlement/tables/in-flight.sql.ts'
import { DEFAULT_TIMES, type Work } from '../../src/settlement/work.ts'
import type { TestDatabase } from '../support/database.ts'
import { dropGuards } from '../support/without-guards.ts'
import { keyOf } from './fixture.ts'

export const SETTLEMENT: Address = '0x00000000000000000000000000000000000000A5'
export const COIN: Address = '0x00000000000000000000000000000000000000C0'
export const [A, B, C] = [keyOf('signer'), keyOf('second'), keyOf('linker')].map(createSigner) as [
  Signer,
  Signer,
  Signer,
]
export const FEES: Fees = { maxFeePerGas: 1_000n, maxPriorityFeePerGas: 100n }
export const GAS = 50_000n
/** The only order of a batch, the same on each chain: a mint of as much as its id. */
const orderOf = (batchId: bigint) => ({
  orderId: 1_000_000n + batchId,
  integrationId: 'int_scripted',
  referenceId: `batch-${String(batchId).padStart(6, '0')}`,
  ...({ direction: 'MINT', walletAddress: COIN, debitAddress: null, amountMicro: batchId } as const),
})
/** What the batch says to the contract; each batch has its own. */
export const dataOf = (batchId: bigint): Hex =>
  encodeSettle(batchId, NO_HISTORY, packInstructions([instructionOf(orderOf(batchId))]))

/** A revert of this name. */
export class Revert extends RpcAnswerError {
  constructor(errorName: 'AccessControlUnauthorizedAccount' | 'CallerHasCode' | 'EnforcedPause' | 'WrongPrevious') {
    const args = {
      EnforcedPause: [],
      WrongPrevious: [zeroHash, zeroHash],
      AccessControlUnauthorizedAccount: [SETTLEMENT, zeroHash],
      CallerHasCode: [SETTLEMENT],
    }[errorName]
    super('scripted', 3, 'execution reverted', encodeErrorResult({ abi: settlementAbi, errorName, args } as never))
  }
}

type Batch = {
  batchId: bigint
  signer?: Signer
  nonce?: bigint
  status?: 'signed' | 'mined' | 'final'
  /** Oldest first; by default one, with FEES. */
  attempts?: { signer?: Signer; nonce?: bigint; fees?: Fees; gas?: bigint; answer?: string; sentMsAgo?: number }[]
}

/** On a chain that nobody settles, so that it awaits nothing. */
async function storeOrder(tx: Queryable, batchId: bigint): Promise<void> {
  const { orderId, integrationId, referenceId, walletAddress, amountMicro } = orderOf(batchId)
  await tx.query(
    `insert into orders (order_id, integration_id, reference_id, direction, status, chain_id, network, token_address, wallet_address,
       customer_id, key_id, amount_micro)
     overriding system value values ($1, $2, $3, 'MINT', 'pending', 999999, 'Scripted', $4, $4, 'cus_scripted', 'key_scripted', $5)
     on conflict do nothing`,
    [orderId, integrationId, referenceId, walletAddress, amountMicro],
  )
  await tx.query(
    'insert into signed_orders (order_id, batch_id, batch_index) values ($1, $2, 0) on conflict do nothing',
    [orderId, batchId],
  )
}

let lastChain = 0

export async function startScripted(db: TestDatabase, config: object = {}) {
  lastChain += 1
  const chainId = lastChain
  await db.query(
    `insert into chains (chain_id, coin_address, settlement_address, genesis_hash, observed_block) values ($1, '0x1', '0x2', '0x0', 0)`,
    [chainId],
  )
  for (const [index, { address }] of [A, B, C].entries())
    await db.query('insert into signers values ($1, $2, $3)', [chainId, address, 100n * BigInt(index + 1)])
  const lease = await acquireLease(db, `settlement:${chainId}`, 'this', 600_000)
  const logged: { level: string; fields: Record<string, unknown>; text: string }[] = []
  const log = (level: string) => (fields: Record<string, unknown>, text: string) =>
    void logged.push({ level, fields, text })
  const counted: unknown[][] = []
  const metrics = new Proxy(
    {},
    {
      get:
        (_, name) =>
        (...args: unknown[]) =>
          void counted.push([name, ...args]),
    },
  )
  const asked: [method: string, params: readonly unknown[]][] = []
  const steps: string[] = []
  /** What the node says: gas or a revert by sender, balances, and to bytes. */
  const says = {
    estimate: (_from: Address, _to: Address): bigint => GAS,
    balance: (_address: Address): bigint => 10n ** 18n,
    send: (_raw: Hex): Hex => '0x1',
    /** Of mints, burns and transfers. */
    bucket: (_kind: number): { available: bigint; capacity: bigint } => ({ available: 10n ** 9n, capacity: 10n ** 9n }),
    lastBatchId: (): bigint => 0n,
    outcome: (_batchId: bigint): { settled: boolean; digest: Hex; successBitmap?: bigint } => ({
      settled: false,
      digest: `0x${'0'.repeat(48)}`,
    }),
  }
  const answers: Record<string, (params: readonly unknown[]) => unknown> = {
    eth_estimateGas([call]) {
      const { from, to } = call as { from: Address; to: Address }
      return numberToHex(says.estimate(from, to))
    },
    eth_getBalance: ([address]) => numberToHex(says.balance(address as Address)),
    eth_maxPriorityFeePerGas: () => numberToHex(1n),
    eth_sendRawTransaction: ([raw]) => says.send(raw as Hex),
    eth_call([call]) {
      const { to, data } = call as { to: Address; data: Hex }
      if (to === COIN) return numberToHex(0n, { size: 32 })
      const { functionName, args } = decodeCall(settlementAbi, data)
      const { available, capacity } = says.bucket(Number(args?.[0]))
      if (functionName === 'availableOf')
        return encodeFunctionResult({ abi: settlementAbi, functionName, result: available })
      if (functionName === 'limitOf') {
        const result = { capacity, refillPerSecond: 0n, available, refilledAt: 0n } as never
        return encodeFunctionResult({ abi: settlementAbi, functionName, result })
      }
      if (functionName === 'head')
        return encodeFunctionResult({ abi: settlementAbi, functionName, result: [says.lastBatchId(), NO_HISTORY] })
      const { settled, digest, successBitmap = 1n } = says.outcome(args?.[0] as bigint)
      return encodeFunctionResult({
        abi: settlementAbi,
        functionName: 'outcomeOf',
        result: [settled, successBitmap, digest, 1n],
      })
    },
  }
  const node: RpcNode = {
    label: 'scripted',
    async request(method, params) {
      asked.push([method, params])
      return answers[method]?.(params)
    },
  }
  const clock = { nowMs: 1_000_000 }
  const work = {
    db,
    otherChainIds: [],
    lease,
    metrics,
    memory: freshMemory(),
    times: DEFAULT_TIMES,
    nowMs: () => clock.nowMs,
    chain: {
      nodes: [node],
      signers: [A, B, C],
      config: {
        chainId,
        name: 'Scripted',
        settlement: SETTLEMENT,
        coin: { address: COIN },
        quorum: 1,
        bumpAfterBlocks: 3,
        pollIntervalMs: 25,
        maxFeePerGasWei: 10n ** 9n,
        maxPriorityFeePerGasWei: 10n ** 9n,
        ...config,
      },
    },
    logger: { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error'), fatal: log('fatal') },
    onStep: (step: string) => void steps.push(step),
  } as unknown as Work

  async function store(...batches: Batch[]): Promise<void> {
    await db.transaction(async (tx) => {
      await dropGuards(tx)
      for (const { batchId, signer = A, nonce = batchId, status = 'signed', attempts = [{}] } of batches) {
        const isMined = status !== 'signed'
        await storeOrder(tx, batchId)
        await tx.query(
          `insert into batches (chain_id, batch_id, signer, nonce, digest, running_hash, order_ids, order_count, tx_hash, status,
             fencing_token, mined_block, mined_hash, success_bitmap, finalized_at)
           values ($1, $2, $3, $4, $5, $6, array[$12::bigint], 1, $7, $8, 1, $9, $10, $11, case when $8 = 'final' then now() end)`,
          [
            chainId,
            batchId,
            signer.address,
            nonce,
            digestOf(batchId),
            `0xrunning${batchId}`,
            zeroHash,
            status,
            ...(isMined ? [1n, '0xb1'] : [null, null]),
            status === 'final' ? 1n : null,
            orderOf(batchId).orderId,
          ],
        )
        for (const [index, attempt] of attempts.entries()) {
          const { signer: by = signer, nonce: under = nonce, fees = FEES, gas = GAS, answer, sentMsAgo } = attempt
          const unsigned = { chainId, nonce: under, to: SETTLEMENT, data: dataOf(batchId), value: 0n, gas, ...fees }
          const { raw, hash } = await by.sign(unsigned)
          await tx.query(
            `insert into batch_attempts (chain_id, batch_id, tx_hash, signer, nonce, raw_transaction, max_fee_per_gas,
               max_priority_fee_per_gas, gas_limit, created_at, last_answer, last_broadcast_at)
             values ($1, $2, $3, $4, $5, decode(substr($6, 3), 'hex'), $7, $8, $9, now() - interval '1 hour' + $10 * interval '1 second',
               $11, now() - $12 * interval '1 millisecond')`,
            [
              chainId,
              batchId,
              hash,
              by.address,
              under,
              raw,
              fees.maxFeePerGas,
              fees.maxPriorityFeePerGas,
              gas,
              index,
              answer ?? null,
              sentMsAgo ?? null,
            ],
          )
          if (index === attempts.length - 1)
            await tx.query('update batches set tx_hash = $3 where chain_id = $1 and batch_id = $2', [
              chainId,
              batchId,
              hash,
            ])
        }
      }
    })
  }

  return {
    chainId,
    work,
    memory: work.memory,
    node,
    asked,
    counted,
    logged,
    says,
    steps,
    clock,
    store,
    head: (number = 50n, hash = `0x${number}`, baseFeePerGas = 100n): AgreedHead =>
      ({ nodes: [node], head: { number, hash, baseFeePerGas, gasLimit: 30_000_000n } }) as unknown as AgreedHead,
    inFlight: (): Promise<InFlightBatch[]> => readInFlight(db, chainId),
    askedOf: (method: string) => asked.filter(([each]) => each === method).map(([, [first]]) => first),
    countedOf: (name: string) => counted.filter(([each]) => each === name).map(([, ...args]) => args),
    levels: () => logged.map(({ level }) => level),
  }
}

/** The digest that a stored batch has here. */
export const digestOf = (batchId: bigint): Hex => numberToHex(batchId, { size: 24 })
