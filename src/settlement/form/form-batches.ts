/** Forms batches: select, simulate, sign, store, and only then broadcast. */
import type { Fees } from '../../chain/fees.ts'
import type { FollowedHead } from '../finality.ts'
import { catchUpNonces } from '../follow/nonces.ts'
import { setHeld } from '../holds.ts'
import { readMarket } from '../market.ts'
import type { Hold, Memory } from '../memory.ts'
import { catchUp } from '../repair/history.ts'
import { sendAttempt } from '../send.ts'
import type { InFlightBatch } from '../tables/in-flight.sql.ts'
import type { Work } from '../work.ts'
import { assignSigner, leadersOf } from './assign.ts'
import { type Draft, draftBatches } from './draft.ts'
import { selectDue } from './due.ts'
import { isFenceDue, newFenceTag, noteFence } from './fence.ts'
import { type Due, fillDue, isFullFor, noteFormed } from './fill-due.ts'
import { holdObjected } from './judge-again.ts'
import { holdThere } from './minted-again.ts'
import { describeUnread, unreadElsewhere } from './other-chains.ts'
import { holdForReserve } from './reserve.ts'
import { askAgain, screenDue } from './screen.ts'
import { without } from './select.ts'
import { endSettled } from './settled-tags.ts'
import { type Signed, signAll } from './sign-all.ts'
import { simulateAll } from './simulate.ts'
import { storeAll } from './store-all.ts'
import { afterTurns } from './turns.ts'
import { signingFirst } from './unsigning.ts'

/** What is due, cut into batches, and with what it is to be signed. `isFull`: see `fillDue`. */
type Formable = {
  batches: readonly Due[]
  isFull: boolean
  fees: Fees
  lead: ReturnType<typeof leadersOf>
  inFlight: readonly InFlightBatch[]
}

/**
 * Forms what is due, a few batches at a time, and broadcasts it.
 * @returns whether there may be more to form at once: some was formed; or some of what was chosen has ended or is held, and others have its place
 */
export async function formBatches(work: Work, at: FollowedHead, inFlight: readonly InFlightBatch[]): Promise<boolean> {
  const { memory, nowMs } = work
  if (nowMs() < memory.holds.notBeforeMs) return false
  const held = holdOfHistory(memory)
  if (held !== undefined) return setHeld(work, held.reason, held.details)
  // No node says so behind batches under way, nor once it is there again in a newer block: what outcome it has then is to be known first.
  const { lostAtHead, unsigned } = memory.recheck
  if (lostAtHead !== undefined)
    return setHeld(work, 'chain-behind', unsigned === undefined ? { lostAtHead } : { lostAtHead, unsigned })
  const lead = leadersOf(signingFirst(work), inFlight)
  if (lead.signers.length === 0) return setHeld(work, 'signer-unavailable', { error: 'not configured any more' })
  await askAgain(work, at)
  const isUnfenced = isFenceDue(memory)
  if (!isUnfenced && isFullFor(work, at, inFlight)) return false
  const chosen = await selectDue(work, at, inFlight)
  if (!isUnfenced && chosen.length === 0) return false
  const unread = chosen.length === 0 ? [] : await unreadElsewhere(work)
  const { areAny, undecided } = unread.length > 0 ? NOT_ASKED : await endSettled(work, at, chosen.flat())
  if (areAny) return true
  if (isUnfenced) return await formFence(work, at, lead, inFlight)
  if (unread.length > 0) return setHeld(work, 'other-chain-unread', describeUnread(unread))
  const decided = without(chosen, undecided)
  if (decided.length === 0) return setHeld(work, 'none')
  const selected = without(decided, await holdObjected(work, decided.flat()))
  if (selected.length === 0) return true
  if (await holdThere(work, at, selected.flat())) return true
  const due = await screenDue(work, at, selected)
  if (due === 'again') return true
  if (due === 'waiting') return false
  const { fees } = await readMarket(work, at)
  if (fees === undefined) return setHeld(work, 'gas-price', sayDear(work, at))
  if (lead.isNext) await catchUpNonces(work, at)
  const { batches, isFull } = await fillDue(work, at, due, inFlight)
  if (batches.length === 0) {
    noteFormed(work, at, inFlight, { signed: [], isFull })
    return setHeld(work, 'none')
  }
  return await signAndSend(work, at, { batches, isFull, fees, lead, inFlight })
}

/** Why nothing may follow what the chain has, whatever waits. */
function holdOfHistory({ recheck: { gone, replaced }, follow, watch }: Memory): Hold | undefined {
  if (gone !== undefined) {
    const name = gone.isForeign ? 'lostForeignBatch' : 'lostBatch'
    return { reason: 'batch-conflict', details: { [name]: String(gone.batchId) } }
  }
  if (replaced !== undefined)
    return { reason: 'batch-conflict', details: { otherUnderFinalBatch: String(replaced.batchId) } }
  if (follow.hasForeignBatch) return { reason: 'batch-conflict', details: {} }
  if (follow.behindSinceMs !== undefined) return { reason: 'chain-behind', details: {} }
  return watch.isPaused ? { reason: 'foreign-movement', details: {} } : undefined
}

const NOT_ASKED = { areAny: false, undecided: new Set<bigint>() }

/**
 * Signs a batch that settles nothing, before any other: once it is final, nothing can be executed any more that a history has signed which
 * this database has lost. That names a batch, by its id or as what came before it, in whose place the chain has the fence.
 */
async function formFence(
  work: Work,
  at: FollowedHead,
  lead: Formable['lead'],
  inFlight: readonly InFlightBatch[],
): Promise<boolean> {
  const { fees } = await readMarket(work, at)
  if (fees === undefined) return setHeld(work, 'gas-price', sayDear(work, at))
  if (lead.isNext) await catchUpNonces(work, at)
  const batches = [{ orders: [], expected: undefined, fenceTag: newFenceTag() }]
  return await signAndSend(work, at, { batches, isFull: false, fees, lead, inFlight })
}

/** @returns whether there may be more to form */
async function signAndSend(
  work: Work,
  at: FollowedHead,
  { batches, isFull, fees, lead, inFlight }: Formable,
): Promise<boolean> {
  const { memory } = work
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
  noteFence(work, signed)
  report(work, signed)
  await Promise.all(signed.map(({ hash, raw }) => sendAttempt(work, hash, raw)))
  setHeld(work, 'none')
  return true
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

function report({ chain, logger, metrics }: Work, signed: readonly Signed[]): void {
  const { chainId } = chain.config
  for (const { batchId, nonce, hash, orders } of signed) {
    metrics.formed(chainId, orders.length)
    const shown = { batchId: String(batchId), orders: orders.length, nonce: String(nonce), txHash: hash }
    logger.info({ chainId, ...shown }, 'batch formed')
  }
}

/** In wei, both: what blocks ask for, and the most that the chains file allows. */
function sayDear({ chain }: Work, { head }: { head: { baseFeePerGas: bigint } }) {
  return { baseFeePerGas: String(head.baseFeePerGas), maxFeePerGas: String(chain.config.maxFeePerGasWei) }
}
