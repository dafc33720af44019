/** Forms a batch: select, simulate, sign, store, and only then broadcast. */
import type { Hex } from 'viem'
import type { Fees } from '../chain/fees.ts'
import { digestOf, encodeSettle, instructionOf } from '../chain/instructions.ts'
import type { AgreedHead } from '../chain/quorum.ts'
import type { Signer } from '../chain/signer.ts'
import { underLease } from '../leases/store.ts'
import { OrdersMovedError, submitOrders } from '../orders/progress/store.ts'
import { insertAttempt } from './attempt-store.ts'
import { insertBatch } from './batch-store.ts'
import { findChain, readNextNonces, takeBatchId, takeNonce } from './chain-store.ts'
import { selectDue } from './due.ts'
import type { PendingOrder } from './facts.ts'
import type { InFlightBatch } from './in-flight-store.ts'
import { readMarket } from './market.ts'
import { sendAttempt } from './send.ts'
import { canPay, simulate } from './simulate.ts'
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
  if (memory.hasForeignBatch) return setHeld(work, 'digest-mismatch')
  if (memory.behindSinceMs !== undefined) return setHeld(work, 'chain-behind')
  const selection = await selectDue(work, at, inFlight)
  if (selection === undefined) return false
  const { fees } = await readMarket(work, at)
  if (fees === undefined) return setHeld(work, 'gas-price', { baseFeePerGas: String(at.head.baseFeePerGas) })
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
    return setHeld(work, 'signer-unavailable', { signer: signer.address, error: (error as Error).message })
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
