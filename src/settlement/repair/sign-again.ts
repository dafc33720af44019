/**
 * Signs final batches anew that the chain has lost and whose nonces were used up without them: by another transaction, or by their own, which
 * reverted because the coin was paused or its signer had no role by then; or whose signer is configured no longer, so that nobody could offer
 * more under its nonces. Nothing that follows them would ever be executed otherwise.
 * The call data is the same, so the contract executes each at most once, whichever bytes come first.
 */
import type { Address } from 'viem'
import { estimateOf } from '../../chain/answers.ts'
import { readContractHead } from '../../chain/batch-reads.ts'
import { agree } from '../../chain/quorum.ts'
import { readGasEstimate, readNonce } from '../../chain/reads.ts'
import type { Signer } from '../../chain/signer.ts'
import { ChainError } from '../../chain-errors.ts'
import type { FollowedHead } from '../finality.ts'
import { catchUpNonces } from '../follow/nonces.ts'
import { readRunningHash } from '../tables/batches.sql.ts'
import { type FinalBatch, giveFinal, readFinalAfter } from '../tables/final.sql.ts'
import type { Work } from '../work.ts'
import { readForeignCall } from './foreign-call.ts'
import { tellGone } from './gone.ts'
import { readLostCall } from './own-call.ts'
import { type Lost, noteSeen, raiseLost } from './raise-lost.ts'
import { signFor } from './sign-for.ts'

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
  if (memory.watch.isPaused || memory.follow.behindSinceMs !== undefined || at.finalBlock < 0n) return
  try {
    const { lost, unsigned } = await readLost(work, at)
    await tellGone(work, at, lost.length === 0 ? unsigned : undefined)
    const [first] = lost
    if (first === undefined) return
    const isLate = noteSeen(work, at, lost)
    const usedUp = await usedUpOf(work, at, lost)
    const left = usedUp.length > 0 ? usedUp : leftOf(work, lost, isLate)
    for (const signer of chain.signers) {
      if (!(await takes(work, at, signer, first))) continue
      if (left.length > 0 && (await signUnderOthers(work, at, { signer, batches: left }))) return
      if (left.length === 0) await raiseLost(work, at, { signer, lost: lost.filter(isLate) })
    }
  } catch (error) {
    if (!(error instanceof ChainError)) throw error
    logger.warn({ chainId, err: error }, 'final batches that the chain has lost could not be signed again yet')
  }
}

/** @returns whether any was signed; not by a signer without gas money */
async function signUnderOthers(
  work: Work,
  at: FollowedHead,
  { signer, batches }: { signer: Signer; batches: readonly Lost[] },
): Promise<boolean> {
  const { chainId } = work.chain.config
  await catchUpNonces(work, at)
  const signed = await signFor(work, at, { signer, batches }, (tx, batchId, carrier) =>
    giveFinal(tx, chainId, batchId, carrier),
  )
  const fields = { chainId, firstBatchId: String(batches[0]?.batchId), batches: signed, signer: signer.address }
  if (signed > 0)
    work.logger.error(
      fields,
      'final batches that the chain has lost were signed again: their nonces are used up, or their signer is gone',
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

/** The first of them whose nonces are used up in final blocks. */
async function usedUpOf({ chain }: Work, at: FollowedHead, lost: readonly Lost[]): Promise<Lost[]> {
  const usedUp: Lost[] = []
  for (const batch of lost) {
    const { value: next } = await agree(at.nodes, chain.config.quorum, (node) =>
      readNonce(node, batch.signer as Address, at.finalBlock),
    )
    if (next <= batch.nonce) break
    usedUp.push(batch)
  }
  return usedUp
}

/** The first of them whose signer is configured no longer, and that have waited for long. */
function leftOf({ chain }: Work, lost: readonly Lost[], isLate: (lost: Lost) => boolean): readonly Lost[] {
  const isLeft = (each: Lost) => isLate(each) && !chain.signers.some(({ address }) => address === each.signer)
  const end = lost.findIndex((each) => !isLeft(each))
  return end < 0 ? lost : lost.slice(0, end)
}

/** Whether the contract would take the batch from this signer now: from none, for example, while it is paused. */
async function takes({ chain }: Work, at: FollowedHead, signer: Signer, { data }: Lost): Promise<boolean> {
  const call = { from: signer.address, to: chain.config.settlement, data }
  return await estimateOf(at.nodes, (node) => readGasEstimate(node, call)).then(
    () => true,
    () => false,
  )
}
