/** Forms batches: select, simulate, sign, store, and only then broadcast. */
import type { SignedTransaction } from '../../chain/signed-transaction.ts'
import { underLease } from '../../leases/leases.sql.ts'
import { OrdersMovedError, submitOrders } from '../../orders/life/signed.sql.ts'
import type { FollowedHead } from '../finality.ts'
import { catchUpNonces } from '../follow/nonces.ts'
import { setHeld } from '../holds.ts'
import { readMarket } from '../market.ts'
import { catchUp } from '../repair/history.ts'
import { sendAttempt } from '../send.ts'
import { insertAttempt } from '../tables/attempts.sql.ts'
import { insertBatch } from '../tables/batches.sql.ts'
import { takeBatchId, takeNonce } from '../tables/chains.sql.ts'
import type { InFlightBatch } from '../tables/in-flight.sql.ts'
import type { PendingOrder } from '../tables/waiting.sql.ts'
import type { Work } from '../work.ts'
import { type Assigned, assignSigner, leadersOf, signingFirst } from './assign.ts'
import { type Draft, draftBatches } from './draft.ts'
import { selectDue } from './due.ts'
import { fillDue, isFullFor, noteFormed } from './fill-due.ts'
import { holdObjected, isAnyObjected } from './judge-again.ts'
import { describeUnread, unreadElsewhere } from './other-chains.ts'
import { grantMints, holdForReserve, ReserveUsedUpError } from './reserve.ts'
import { askAgain, screenDue } from './screen.ts'
import { endSettled } from './settled-tags.ts'
import { simulateAll } from './simulate.ts'
import { afterTurns } from './turns.ts'
import { noteUnsigning } from './unsigning.ts'

type Signed = Assigned & SignedTransaction

/**
 * Forms what is due, a few batches at a time, and broadcasts it.
 * @returns true when any was formed, so that there may be more to form
 */
export async function formBatches(work: Work, at: FollowedHead, inFlight: readonly InFlightBatch[]): Promise<boolean> {
  const { chain, memory, nowMs } = work
  if (nowMs() < memory.holds.notBeforeMs) return false
  if (memory.follow.hasForeignBatch) return setHeld(work, 'batch-conflict')
  if (memory.follow.behindSinceMs !== undefined) return setHeld(work, 'chain-behind')
  if (memory.watch.isPaused) return setHeld(work, 'foreign-movement')
  const lead = leadersOf(signingFirst(chain.signers, memory.form.unsigningUntilMs, nowMs()), inFlight)
  if (lead.signers.length === 0) return setHeld(work, 'signer-unavailable', { error: 'not configured any more' })
  await askAgain(work, at)
  if (isFullFor(work, at, inFlight)) return false
  const chosen = await selectDue(work, at, inFlight)
  if (chosen.length === 0) return false
  const unread = await unreadElsewhere(work)
  if (unread.length > 0) return setHeld(work, 'other-chain-unread', describeUnread(unread))
  const { areAny, undecided } = await endSettled(work, chosen.flat())
  if (areAny) return true
  const selected = without(chosen, undecided)
  if (selected.length === 0) return setHeld(work, 'none')
  if (await holdObjected(work, selected.flat())) return true
  const due = await screenDue(work, at, selected)
  if (due === 'again') return true
  if (due === 'waiting') return false
  const { fees } = await readMarket(work, at)
  if (fees === undefined) return setHeld(work, 'gas-price', { baseFeePerGas: String(at.head.baseFeePerGas) })
  if (lead.isNext) await catchUpNonces(work, at)
  const { batches, isFull } = await fillDue(work, at, due, inFlight)
  if (batches.length === 0) {
    noteFormed(work, at, inFlight, { signed: [], isFull })
    return setHeld(work, 'none')
  }
  const drafts = await draftBatches(work, batches)
  await work.onStep('batch-selected')

  const { simulated, signers, isTaken } = await simulateAll(
    work,
    at,
    { from: lead.signers, isNext: lead.isNext },
    drafts,
  )
  if (isTaken) return await handleTaken(work, at, drafts, inFlight)
  const assigned = await assignSigner(work, at, simulated, fees, { signers, inFlight })
  const signed = await signAll(work, assigned)
  if (signed.length === 0) return false
  await work.onStep('batch-signed')

  const stored = await storeAll(work, signed)
  if (stored === 'short of reserve') return holdForReserve(work)
  // It is judged, and held, when it is selected again.
  if (stored === 'objected') return true
  memory.form.turns = afterTurns(
    memory.form.turns,
    signed.flatMap(({ orders }) => orders),
  )
  await work.onStep('batch-stored')
  for (const { hash } of signed) memory.bump.seenAtBlock.set(hash, at.head.number)
  noteFormed(work, at, inFlight, { signed, isFull: isFull && signed.length === batches.length })
  report(work, signed)
  await Promise.all(signed.map(({ hash, raw }) => sendAttempt(work, hash, raw)))
  setHeld(work, 'none')
  return true
}

function without(chosen: readonly PendingOrder[][], left: ReadonlySet<bigint>): PendingOrder[][] {
  if (left.size === 0) return [...chosen]
  return chosen.map((orders) => orders.filter(({ orderId }) => !left.has(orderId))).filter(({ length }) => length > 0)
}

/**
 * The chain has batches before the next one that the database does not know: they are read if they are deep enough.
 * @returns whether there is something to form now
 */
async function handleTaken(
  work: Work,
  at: FollowedHead,
  [next]: readonly Draft[],
  inFlight: readonly InFlightBatch[],
): Promise<boolean> {
  const { kept, head } = await catchUp(work, at, inFlight)
  if (kept > 0) {
    setHeld(work, 'none')
    return true
  }
  // The batches before it are missing: the chain lost blocks, or a node lags.
  if (next !== undefined && head.lastBatchId + 1n < next.batchId) setHeld(work, 'chain-behind')
  return false
}

/** Something was decided against an order while its batch was simulated and signed. */
class ObjectedError extends Error {}

/** Stores all, or none: because the reserve does not cover their mints any more, or something speaks against an order since it was selected. */
async function storeAll(work: Work, signed: readonly Signed[]): Promise<'stored' | 'short of reserve' | 'objected'> {
  const orders = signed.flatMap((batch) => batch.orders)
  try {
    await underLease(work.db, work.lease, async (tx) => {
      await grantMints(tx, work, orders)
      for (const batch of signed) await storeBatch(tx, work, batch)
      // Last, because what comes before may wait: for whoever holds orders, and for the mints of other chains.
      if (await isAnyObjected(tx, orders)) throw new ObjectedError()
    })
    return 'stored'
  } catch (error) {
    if (error instanceof ReserveUsedUpError) return 'short of reserve'
    if (error instanceof ObjectedError) return 'objected'
    throw error
  }
}

/**
 * All or none, because signed bytes that are not stored are never used. A signer that does not sign comes last for a while: with nothing under
 * way another one leads then.
 */
async function signAll(work: Work, assigned: readonly Assigned[]): Promise<Signed[]> {
  const { chain } = work
  const { chainId, settlement: to } = chain.config
  try {
    return await Promise.all(
      assigned.map(async (batch) => {
        const { signer, nonce, callData: data, gas, fees } = batch
        return { ...batch, ...(await signer.sign({ chainId, nonce, to, data, value: 0n, gas, ...fees })) }
      }),
    )
  } catch (error) {
    for (const { signer } of assigned) noteUnsigning(work, signer.address)
    setHeld(work, 'signer-unavailable', { error: (error as Error).message })
    return []
  }
}

async function storeBatch(tx: Parameters<typeof insertBatch>[0], { chain, lease }: Work, batch: Signed): Promise<void> {
  const { chainId } = chain.config
  const { batchId, nonce, fees, gas: gasLimit, hash: txHash, raw: rawTransaction, orders } = batch
  const signer = batch.signer.address
  if (!(await takeBatchId(tx, chainId, batch))) throw new OrdersMovedError(`batch id ${batchId} was taken`)
  if (!(await takeNonce(tx, chainId, signer, nonce))) throw new OrdersMovedError(`nonce ${nonce} was taken`)
  const { digest, runningHash } = batch
  const orderIds = orders.map(({ orderId }) => orderId)
  const record = { chainId, batchId, signer, nonce, digest, runningHash, orderIds, txHash }
  await insertBatch(tx, { ...record, fencingToken: lease.token })
  await insertAttempt(tx, { chainId, batchId, signer, nonce, fees, gasLimit, txHash, rawTransaction })
  await submitOrders(tx, { chainId, batchId })
}

function report({ chain, logger, metrics }: Work, signed: readonly Signed[]): void {
  const { chainId } = chain.config
  for (const { batchId, nonce, hash, orders } of signed) {
    metrics.formed(chainId, orders.length)
    const shown = { batchId: String(batchId), orders: orders.length, nonce: String(nonce), txHash: hash }
    logger.info({ chainId, ...shown }, 'batch formed')
  }
}
