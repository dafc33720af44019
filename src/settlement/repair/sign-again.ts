/**
 * Signs final batches anew that the chain has lost and whose nonces were used up without them: by another transaction, or by their own, which
 * reverted because the coin was paused or its signer had no role by then; or whose signer is configured no longer, is refused by the contract, or has
 * no gas money, so that it could not offer more under its nonces. Nothing that follows them would ever be executed otherwise.
 * The call data is the same, so the contract executes each at most once, whichever bytes come first.
 */
import { estimateOf, medianOf } from '../../chain/answers.ts'
import { readContractHead } from '../../chain/batch-reads.ts'
import { agree } from '../../chain/quorum.ts'
import { readGasBalance, readGasEstimate } from '../../chain/reads.ts'
import { revertName, senderRefusal } from '../../chain/settlement-reads.ts'
import type { Signer } from '../../chain/signer.ts'
import { ChainError } from '../../chain-errors.ts'
import { greatest } from '../../values/bigints.ts'
import type { FollowedHead } from '../finality.ts'
import { catchUpNonces } from '../follow/nonces.ts'
import { withinBlockGas } from '../form/gas.ts'
import { readMarket } from '../market.ts'
import { findDearestOfNonce } from '../tables/attempts.sql.ts'
import { readRunningHash } from '../tables/batches.sql.ts'
import { type FinalBatch, giveFinal, readFinalAfter } from '../tables/final.sql.ts'
import type { Work } from '../work.ts'
import { type Next, noteUnsigned, withEnoughGas } from './enough-gas.ts'
import { readForeignCall } from './foreign-call.ts'
import { tellGone } from './gone.ts'
import { refusalOf } from './hand-over.ts'
import { readLostCall } from './own-call.ts'
import { type Lost, noteSeen, raiseLost } from './raise-lost.ts'
import { signFor } from './sign-for.ts'
import { usedUpOf } from './used-up.ts'

const AT_ONCE = 20

/**
 * Signs the first of them, and those behind it, if a signer's call with the first would be executed now. While the nonce of the first is free,
 * its own bytes may be mined yet, and those that wait get a higher fee, or another signer where theirs is gone. Nodes that cannot tell are
 * asked again at the next look.
 * @throws LeaseLostError
 */
export async function signLostAgain(work: Work, at: FollowedHead): Promise<void> {
  const { chain, logger, memory } = work
  const { chainId } = chain.config
  memory.recheck.unsigned = undefined
  if (memory.watch.isPaused || memory.follow.behindSinceMs !== undefined || at.finalBlock < 0n) return
  try {
    const { lost, unsigned } = await readLost(work, at)
    await tellGone(work, at, lost.length === 0 ? unsigned : undefined)
    const [first] = lost
    if (first === undefined) return
    const isLate = noteSeen(work, at, lost)
    const usedUp = await usedUpOf(work, at, lost)
    const left = usedUp.length > 0 ? usedUp : await leftOf(work, at, lost, isLate)
    await signBy(work, at, { first, left, mayBeOwn: usedUp.length > 0, late: lost.filter(isLate) })
  } catch (error) {
    if (!(error instanceof ChainError)) throw error
    logger.warn({ chainId, err: error }, 'final batches that the chain has lost could not be signed again yet')
  }
}

type Due = { first: Lost; left: readonly Lost[]; mayBeOwn: boolean; late: readonly Lost[] }

/**
 * Has the first signer that can sign what is left under nonces of its own; where nothing is, each raises the fee of what is its own and late.
 * @param mayBeOwn whether the signer of what is left may sign it, too
 */
async function signBy(work: Work, at: FollowedHead, { first, left, mayBeOwn, late }: Due): Promise<void> {
  const refusals: Refused[] = []
  let isTaken = false
  for (const signer of work.chain.signers) {
    const asked = await askFor(work, at, signer, first)
    if (typeof asked !== 'bigint') {
      refusals.push(asked)
      continue
    }
    isTaken = true
    const next = { batchId: first.batchId, estimate: asked }
    const isAnothers = mayBeOwn || left.every((each) => each.signer !== signer.address)
    if (left.length > 0 && isAnothers && (await signUnderOthers(work, at, { signer, next, batches: left }))) return
    const own = left.length > 0 ? [] : late.filter((each) => each.signer === signer.address)
    await raiseLost(work, at, { signer, lost: await withEnoughGas(work, at, next, own) })
  }
  // What a signer without the role is told hides what the others are.
  const refused = refusals.find(({ isOfSender }) => !isOfSender) ?? refusals[0]
  if (!isTaken && refused !== undefined) noteUnsigned(work, first, refused.why)
}

/** @returns whether any was signed; not by a signer without gas money */
async function signUnderOthers(
  work: Work,
  at: FollowedHead,
  { signer, next, batches: left }: { signer: Signer; next: Next; batches: readonly Lost[] },
): Promise<boolean> {
  const { chainId } = work.chain.config
  const batches = await withEnoughGas(work, at, next, left)
  if (batches.length === 0) return false
  await catchUpNonces(work, at)
  const signed = await signFor(work, at, { signer, batches }, (tx, batchId, carrier) =>
    giveFinal(tx, chainId, batchId, carrier),
  )
  const fields = { chainId, firstBatchId: String(batches[0]?.batchId), batches: signed, signer: signer.address }
  if (signed > 0)
    work.logger.error(
      fields,
      'final batches that the chain has lost were signed again: their nonces are used up, or their signer can carry them no more',
    )
  return signed > 0
}

/** What follows on the last batch of the chain, as far as it may be signed; and the one that comes then and may not. */
async function readLost(work: Work, at: FollowedHead): Promise<{ lost: Lost[]; unsigned?: FinalBatch }> {
  const { db, chain } = work
  const { chainId, quorum } = chain.config
  const { value: head } = await agree(at.nodes, quorum, (node) =>
    readContractHead(node, chain.config, { blockHash: at.head.hash }),
  )
  const batches = await readFinalAfter(db, chainId, head.lastBatchId, AT_ONCE)
  // With another history before it, none of them is the next one of this chain.
  if (batches.length === 0 || (await readRunningHash(db, chainId, head.lastBatchId)) !== head.runningHash)
    return { lost: [] }
  const lost: Lost[] = []
  for (const batch of batches) {
    const carried = await (batch.isForeign ? readForeignCall : readLostCall)(db, chainId, batch)
    if (carried === undefined) return { lost, unsigned: batch }
    lost.push({ ...batch, ...carried })
  }
  return { lost }
}

/** The first of them that have waited for long, and whose signer can carry them no more. */
async function leftOf(
  work: Work,
  at: FollowedHead,
  lost: readonly Lost[],
  isLate: (lost: Lost) => boolean,
): Promise<readonly Lost[]> {
  const isAble = new Map<string, boolean>()
  const left: Lost[] = []
  for (const each of lost) {
    if (!isLate(each)) break
    const able = isAble.get(each.signer) ?? (await canCarry(work, at, each, lost))
    isAble.set(each.signer, able)
    if (able) break
    left.push(each)
  }
  return left
}

/** Whether the signer of a batch is configured, could be the one that the first of them is taken from, and has gas money for this one. */
async function canCarry(work: Work, at: FollowedHead, batch: Lost, [first]: readonly Lost[]): Promise<boolean> {
  const { db, chain } = work
  const { chainId } = chain.config
  const signer = chain.signers.find(({ address }) => address === batch.signer)
  if (signer === undefined) return false
  if (first !== undefined && (await refusalOf(work, at, signer.address, first.data)) !== undefined) return false
  const { fees: market } = await readMarket(work, at)
  const offered = await findDearestOfNonce(db, chainId, batch.signer, batch.nonce)
  const feePerGas = greatest(offered?.maxFeePerGas ?? 0n, market?.maxFeePerGas ?? 0n)
  const balanceWei = await medianOf(at.nodes, (node) => readGasBalance(node, signer.address))
  return withinBlockGas(batch.gasLimit, at.head.gasLimit) * feePerGas <= balanceWei
}

type Refused = { why: string; isOfSender: boolean }

/** What the batch would use if this signer sent it now, or why the contract would not take it: from nobody, for example, while it is paused. */
async function askFor({ chain }: Work, at: FollowedHead, signer: Signer, { data }: Lost): Promise<bigint | Refused> {
  const call = { from: signer.address, to: chain.config.settlement, data }
  return await estimateOf(at.nodes, (node) => readGasEstimate(node, call)).catch((error: Error) => ({
    why: revertName(error) ?? error.message,
    isOfSender: senderRefusal(error) !== undefined,
  }))
}
