/**
 * Signs final batches anew that the chain has lost and whose nonces were used up without them: by another transaction, or by their own, which
 * reverted because the coin was paused or its signer had no role by then. Nothing that follows them would ever be executed otherwise.
 * The call data is the same, so the contract executes each at most once, whichever bytes come first.
 */
import type { Address } from 'viem'
import { estimateOf } from '../../chain/answers.ts'
import { readContractHead } from '../../chain/batch-reads.ts'
import { agree } from '../../chain/quorum.ts'
import { readGasEstimate, readNonce } from '../../chain/reads.ts'
import { gasLimitOf } from '../../chain/signed-transaction.ts'
import type { Signer } from '../../chain/signer.ts'
import { ChainError } from '../../chain-errors.ts'
import type { FollowedHead } from '../finality.ts'
import { catchUpNonces } from '../follow/nonces.ts'
import { readRawTransaction } from '../tables/attempts.sql.ts'
import { readRunningHash } from '../tables/batches.sql.ts'
import { type FinalBatch, giveFinal, readFinalAfter } from '../tables/final.sql.ts'
import type { Work } from '../work.ts'
import { findOwnCall } from './own-call.ts'
import { type Carried, signFor } from './sign-for.ts'

const AT_ONCE = 20

/**
 * Signs the first of them, and those behind it, if a signer's call with the first would be executed now. Nodes that cannot tell are asked
 * again at the next look.
 * @throws LeaseLostError
 */
export async function signLostAgain(work: Work, at: FollowedHead): Promise<void> {
  const { chain, logger, memory } = work
  const { chainId } = chain.config
  if (memory.watch.isPaused || memory.follow.behindSinceMs !== undefined) return
  try {
    const batches = await readUsedUp(work, at)
    const [first] = batches
    const signer = first && (await findSigner(work, at, first))
    if (signer === undefined) return
    await catchUpNonces(work, at)
    const signed = await signFor(work, at, { signer, batches }, (tx, batchId, carrier) =>
      giveFinal(tx, chainId, batchId, carrier),
    )
    const fields = { chainId, firstBatchId: String(first?.batchId), batches: signed, signer: signer.address }
    if (signed > 0)
      logger.error(fields, 'final batches that the chain has lost were signed again: their nonces are used up')
  } catch (error) {
    if (!(error instanceof ChainError)) throw error
    logger.warn({ chainId, err: error }, 'final batches that the chain has lost could not be signed again yet')
  }
}

/** What follows on the last batch of the chain, as far as its nonces are used up in final blocks and its bytes are still there. */
async function readUsedUp(work: Work, at: FollowedHead): Promise<Carried[]> {
  const { db, chain } = work
  const { chainId, quorum } = chain.config
  if (at.finalBlock < 0n) return []
  const { value: head } = await agree(at.nodes, quorum, (node) =>
    readContractHead(node, chain.config, { blockHash: at.head.hash }),
  )
  const lost = await readFinalAfter(db, chainId, head.lastBatchId, AT_ONCE)
  // With another history before it, none of them is the next one of this chain.
  if (lost.length === 0 || (await readRunningHash(db, chainId, head.lastBatchId)) !== head.runningHash) return []
  const carried: Carried[] = []
  for (const batch of lost) {
    const raw = await readRawTransaction(db, chainId, batch.txHash)
    const data = await findOwnCall(work, batch.batchId, [batch.txHash])
    if (raw === undefined || data === undefined || !(await isUsedUp(work, at, batch))) break
    carried.push({ batchId: batch.batchId, data, gasLimit: gasLimitOf(raw) })
  }
  return carried
}

async function isUsedUp({ chain }: Work, at: FollowedHead, { signer, nonce }: FinalBatch): Promise<boolean> {
  const { value: next } = await agree(at.nodes, chain.config.quorum, (node) =>
    readNonce(node, signer as Address, at.finalBlock),
  )
  return next > nonce
}

/** The first signer from which the contract would take the batch now; undefined when it would take it from none, as while it is paused. */
async function findSigner({ chain }: Work, at: FollowedHead, { data }: Carried): Promise<Signer | undefined> {
  for (const signer of chain.signers) {
    const call = { from: signer.address, to: chain.config.settlement, data }
    const takes = await estimateOf(at.nodes, (node) => readGasEstimate(node, call)).then(
      () => true,
      () => false,
    )
    if (takes) return signer
  }
  return undefined
}
