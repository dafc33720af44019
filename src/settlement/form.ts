/** Forms a batch: select, simulate, sign, store, and only then broadcast. */
import type { Hex } from 'viem'
import type { Fees } from '../chain/fees.ts'
import { digestOf, encodeSettle, instructionOf } from '../chain/instructions.ts'
import type { AgreedHead } from '../chain/quorum.ts'
import { readGasBalance, readGasEstimate } from '../chain/reads.ts'
import { revertName } from '../chain/settlement-reads.ts'
import type { Signer } from '../chain/signer.ts'
import { underLease } from '../leases/store.ts'
import { OrdersMovedError, submitOrders } from '../orders/progress/store.ts'
import { handleSettledId } from './adopt.ts'
import { oneNode, readMarket } from './market.ts'
import type { HoldReason } from './metrics.ts'
import { batchSizeFor, shouldForm, unminedLimitFor } from './pace.ts'
import { countOversized, type PendingOrder, readPending, readUnminedTotals } from './queue.ts'
import { type Selection, selectOrders } from './select.ts'
import { sendAttempt } from './send.ts'
import {
  findChain,
  type InFlightBatch,
  insertAttempt,
  insertBatch,
  readNextNonces,
  takeBatchId,
  takeNonce,
} from './store.ts'
import { setHeld, type Work } from './work.ts'

/** A batch that is ready to be signed. */
export type Draft = { batchId: bigint; orders: PendingOrder[]; callData: Hex; digest: Hex }

/**
 * Forms one batch when it is time to, and broadcasts it.
 * @returns whether one was formed; then there may be more to form
 */
export async function formBatch(work: Work, at: AgreedHead, inFlight: readonly InFlightBatch[]): Promise<boolean> {
  const { memory } = work
  if (performance.now() < memory.formNotBeforeMs) return false
  if (memory.hasForeignBatch) return held(work, 'digest-mismatch')
  if (memory.behindSinceMs !== undefined) return held(work, 'chain-behind')
  const selection = await selectDue(work, at, inFlight)
  if (selection === undefined) return false
  const { fees } = await readMarket(work, at)
  if (fees === undefined) return held(work, 'gas-price', { baseFeePerGas: String(at.head.baseFeePerGas) })
  const draft = await draftBatch(work, selection.orders)
  await work.onStep('batch-selected')

  const signer = leastBusySigner(work, inFlight)
  const gas = await simulate(work, at, signer, draft)
  if (gas === undefined) return false
  if (!(await canPay(work, at, signer, gas, fees, inFlight))) return false
  const formed = await signAndStore(work, signer, draft, gas, fees)
  if (formed) setHeld(work, 'none')
  return formed
}

async function selectDue(
  work: Work,
  at: AgreedHead,
  inFlight: readonly InFlightBatch[],
): Promise<Selection | undefined> {
  const { db, chain, memory } = work
  const { chainId, pollIntervalMs } = chain.config
  const limit = batchSizeFor(memory.gasPerOrder, at.head.gasLimit)
  const { buckets } = await readMarket(work, at)
  const { mintCapacity, debitCapacity } = buckets
  const filter = { directions: ['MINT', 'REDEEM', 'TRANSFER'] as const, mintCapacity, debitCapacity, limit }
  const pending = await readPending(db, chainId, filter)
  const due = shouldForm({
    waiting: pending.length,
    batchSize: limit,
    unmined: inFlight.filter(({ status }) => status === 'signed').length,
    unminedLimit: unminedLimitFor(memory.gasPerOrder, at.head.gasLimit),
    sinceHeadMs: performance.now() - memory.headSeenAtMs,
    blockIntervalMs: memory.blockIntervalMs,
    pollIntervalMs,
  })
  if (!due) {
    if (pending.length === 0) await reportIdle(work, buckets)
    return undefined
  }
  const taken = await readUnminedTotals(db, chainId)
  const room = {
    mintMicro: buckets.mintAvailable - taken.mintMicro,
    debitMicro: buckets.debitAvailable - taken.debitMicro,
  }
  const selection = selectOrders(pending, room, limit)
  if (selection.orders.length > 0) return selection
  // One bucket is empty and fills the whole window: what needs the other one may stand behind it.
  const { mint } = selection.blocked
  const directions = mint ? (['REDEEM', 'TRANSFER'] as const) : (['MINT'] as const)
  const others = selectOrders(await readPending(db, chainId, { ...filter, directions }), room, limit)
  if (others.orders.length > 0) return others
  held(work, mint ? 'mint-limit' : 'debit-limit')
  return undefined
}

/** Nothing that could be settled waits; orders too large for a bucket are told of loudly. */
async function reportIdle(work: Work, capacity: { mintCapacity: bigint; debitCapacity: bigint }): Promise<void> {
  const { db, chain, logger, metrics, memory } = work
  setHeld(work, 'none')
  if (performance.now() - memory.statisticsAtMs < 10_000) return
  memory.statisticsAtMs = performance.now()
  const count = await countOversized(db, chain.config.chainId, capacity)
  metrics.oversizedOrders(chain.config.chainId, count)
  if (count > 0) {
    logger.error(
      { chainId: chain.config.chainId, count },
      'orders are larger than an on-chain limit: raise it, or they wait',
    )
  }
}

async function draftBatch({ db, chain }: Work, orders: PendingOrder[]): Promise<Draft> {
  const row = await findChain(db, chain.config.chainId)
  if (row === undefined) throw new Error('the chain is not registered')
  const instructions = orders.map(instructionOf)
  const batchId = row.nextBatchId
  return { batchId, orders, callData: encodeSettle(batchId, instructions), digest: digestOf(instructions) }
}

function leastBusySigner({ chain }: Work, inFlight: readonly InFlightBatch[]): Signer {
  const load = (signer: Signer) =>
    inFlight.filter(({ status, signer: address }) => status === 'signed' && address === signer.address).length
  const [first, ...others] = chain.signers
  if (first === undefined) throw new Error('the chain has no signer configured')
  return others.reduce((best, signer) => (load(signer) < load(best) ? signer : best), first)
}

/** The gas limit, or undefined when the batch must wait (the reason is reported) or was settled before. */
async function simulate(work: Work, at: AgreedHead, signer: Signer, draft: Draft): Promise<bigint | undefined> {
  const { chain, memory } = work
  try {
    const call = { from: signer.address, to: chain.config.settlement, data: draft.callData }
    const estimate = await readGasEstimate(oneNode(at), call)
    memory.gasPerOrder = perOrder(estimate, draft.orders.length, memory.gasPerOrder)
    return gasLimitFor(estimate, at.head.gasLimit)
  } catch (error) {
    const reverted = revertName(error)
    if (reverted === undefined) throw error
    if (reverted === 'BatchAlreadySettled') await handleSettledId(work, at, draft)
    else held(work, holdReasonOf(reverted), { reverted, batchId: String(draft.batchId) })
    return undefined
  }
}

/** A margin for wallets that were emptied meanwhile: a first credit costs more. */
export function gasLimitFor(estimate: bigint, blockGasLimit: bigint): bigint {
  const limit = (estimate * 104n) / 100n + 40_000n
  return limit < blockGasLimit ? limit : blockGasLimit
}

/** Only batches large enough to average over say what an order costs. */
function perOrder(estimate: bigint, count: number, previous: bigint): bigint {
  return count < 50 ? previous : estimate / BigInt(count) + 1n
}

/** Why a reverting simulation holds the batch. */
export function holdReasonOf(reverted: string): HoldReason {
  if (reverted === 'CoinPaused' || reverted === 'EnforcedPause') return 'paused'
  if (reverted === 'MintLimitExceeded') return 'mint-limit'
  if (reverted === 'DebitLimitExceeded') return 'debit-limit'
  return reverted === 'AccessControlUnauthorizedAccount' ? 'signer-not-operator' : 'simulation-failed'
}

async function canPay(
  work: Work,
  at: AgreedHead,
  signer: Signer,
  gas: bigint,
  fees: Fees,
  inFlight: readonly InFlightBatch[],
): Promise<boolean> {
  const balance = await readGasBalance(oneNode(at), signer.address)
  let needed = gas * fees.maxFeePerGas
  for (const batch of inFlight) {
    const attempt = batch.attempts.at(-1)
    if (batch.status !== 'signed' || batch.signer !== signer.address || attempt === undefined) continue
    needed += attempt.gasLimit * attempt.fees.maxFeePerGas
  }
  if (balance >= needed) return true
  return held(work, 'gas-balance', { signer: signer.address, balanceWei: String(balance), neededWei: String(needed) })
}

async function signAndStore(work: Work, signer: Signer, draft: Draft, gas: bigint, fees: Fees): Promise<boolean> {
  const { db, chain, lease, logger, metrics } = work
  const { chainId, settlement } = chain.config
  const nonce = (await readNextNonces(db, chainId)).get(signer.address)
  if (nonce === undefined) throw new Error('the signer is not registered')
  const request = { chainId, nonce, to: settlement, data: draft.callData, value: 0n, gas, ...fees }
  let signed: Awaited<ReturnType<Signer['sign']>>
  try {
    signed = await signer.sign(request)
  } catch (error) {
    return held(work, 'signer-unavailable', { signer: signer.address, error: (error as Error).message })
  }
  await work.onStep('batch-signed')

  const { batchId, digest, callData, orders } = draft
  await underLease(db, lease, async (tx) => {
    if (!(await takeBatchId(tx, chainId, batchId))) throw new OrdersMovedError(`batch id ${batchId} was taken`)
    if (!(await takeNonce(tx, chainId, signer.address, nonce))) throw new OrdersMovedError(`nonce ${nonce} was taken`)
    const batch = { chainId, batchId, signer: signer.address, nonce, digest, callData, fencingToken: lease.token }
    await insertBatch(tx, { ...batch, orderCount: orders.length })
    const attempt = { chainId, batchId, nonce, fees, gasLimit: gas, txHash: signed.hash, rawTransaction: signed.raw }
    await insertAttempt(tx, attempt)
    const orderIds = orders.map(({ orderId }) => orderId)
    await submitOrders(tx, { chainId, batchId }, orderIds, signed.hash)
  })
  await work.onStep('batch-stored')
  metrics.formed(chainId, orders.length)
  logger.info(
    { chainId, batchId: String(batchId), orders: orders.length, nonce: String(nonce), txHash: signed.hash },
    'batch formed',
  )
  await sendAttempt(work, signed.hash, signed.raw)
  return true
}

function held(work: Work, reason: HoldReason, details: Record<string, unknown> = {}): false {
  setHeld(work, reason, details)
  return false
}
