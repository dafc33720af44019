/**
 * Gives the batches of a signer that can no longer carry them to another one: its key was revoked, its address runs code, its gas money is gone, or it
 * does not sign or is configured no longer, so that no fee can be raised. The other one signs the same call data, so whichever of the two transactions comes first settles the batch, and
 * the contract refuses the second.
 */
import type { Hex } from 'viem'
import { estimateOf, medianOf } from '../../chain/answers.ts'
import type { AgreedHead } from '../../chain/quorum.ts'
import { readGasBalance, readGasEstimate } from '../../chain/reads.ts'
import { type SenderRefusal, senderRefusal } from '../../chain/settlement-reads.ts'
import type { Signer } from '../../chain/signer.ts'
import { catchUpNonces } from '../follow/nonces.ts'
import { isUnsigning } from '../form/unsigning.ts'
import type { Unable } from '../memory.ts'
import { giveBatch } from '../tables/batches.sql.ts'
import { type InFlightBatch, presentAttempts } from '../tables/in-flight.sql.ts'
import type { Work } from '../work.ts'
import { findOwnCall } from './own-call.ts'
import { signFor } from './sign-for.ts'

/**
 * Hands over, once for each head, what a signer has under way and cannot carry.
 * @returns whether anything was handed over
 */
export async function handOver(work: Work, at: AgreedHead, inFlight: readonly InFlightBatch[]): Promise<boolean> {
  const { chain, logger, memory, metrics } = work
  const unmined = inFlight.filter(({ status }) => status === 'signed')
  const [first] = unmined
  if (memory.handOver.triedAtHash === at.head.hash) return false
  memory.handOver.unable = undefined
  if (first === undefined || !isLate(work, at, first)) return false
  memory.handOver.triedAtHash = at.head.hash
  const data = await callDataOfBatch(work, first)
  if (data === undefined) return false
  const why = await whyUnable(work, at, first, data)
  if (why === undefined) return false
  memory.handOver.unable = why
  // Those with nothing under way were perhaps not asked for at this head, and their nonces may be used up.
  await catchUpNonces(work, at)
  const own = unmined.filter(({ signer }) => signer === first.signer)
  for (const signer of chain.signers) {
    if (signer.address === first.signer || (await refusalOf(work, at, signer.address, data)) !== undefined) continue
    const given = await giveTo(work, at, signer, own)
    if (given === 0) continue
    memory.handOver.unable = undefined
    metrics.handedOver(chain.config.chainId, given)
    const fields = { chainId: chain.config.chainId, from: first.signer, to: signer.address, batches: given }
    logger.error({ ...fields, why }, 'a signer cannot carry its batches any more; another one has signed them')
    return true
  }
  return false
}

/** Whether a block came without it, or nodes refuse it. */
function isLate({ memory }: Work, { head }: AgreedHead, batch: InFlightBatch): boolean {
  return presentAttempts(batch).some(
    ({ txHash, verdict }) =>
      verdict === 'rejected' || (memory.bump.seenAtBlock.get(txHash) ?? head.number) < head.number,
  )
}

async function whyUnable(work: Work, at: AgreedHead, batch: InFlightBatch, data: Hex): Promise<Unable | undefined> {
  const address = batch.signer as Signer['address']
  const refusal = await refusalOf(work, at, address, data)
  if (refusal !== undefined) return refusal
  const costs = presentAttempts(batch).map(({ fees, gasLimit }) => gasLimit * fees.maxFeePerGas)
  const balance = await medianOf(at.nodes, (node) => readGasBalance(node, address))
  if (costs.every((cost) => cost > balance)) return 'gas-balance'
  if (!isOverdue(work, at, batch)) return undefined
  if (!work.chain.signers.some((signer) => signer.address === address)) return 'not configured'
  return isUnsigning(work, address) ? 'does not sign' : undefined
}

/** Whether its fee would have been raised by now. */
function isOverdue({ chain, memory }: Work, { head }: AgreedHead, batch: InFlightBatch): boolean {
  const seenAt = presentAttempts(batch).map(({ txHash }) => memory.bump.seenAtBlock.get(txHash) ?? head.number)
  return seenAt.every((block) => head.number - block >= BigInt(chain.config.bumpAfterBlocks))
}

/** Why the contract refuses this sender. Any other answer says nothing about it. */
export async function refusalOf(
  { chain }: Work,
  at: AgreedHead,
  from: Signer['address'],
  data: Hex,
): Promise<SenderRefusal | undefined> {
  const call = { from, to: chain.config.settlement, data }
  return await estimateOf(at.nodes, (node) => readGasEstimate(node, call)).then(() => undefined, senderRefusal)
}

/** The call data of a batch, the same in each of its attempts; undefined where nobody knows it any more, which is told. */
async function callDataOfBatch(work: Work, batch: InFlightBatch): Promise<Hex | undefined> {
  // An earlier batch under the same id had other call data.
  const hashes = presentAttempts(batch).map(({ txHash }) => txHash)
  return await findOwnCall(work, batch, hashes)
}

/** Signs the batches, as far as the signer's gas money reaches. @returns how many */
async function giveTo(work: Work, at: AgreedHead, signer: Signer, own: readonly InFlightBatch[]): Promise<number> {
  const { chainId } = work.chain.config
  const calls = await Promise.all(
    own.map(async (batch) => ({
      batchId: batch.batchId,
      data: await callDataOfBatch(work, batch),
      gasLimit: presentAttempts(batch).at(-1)?.gasLimit ?? 0n,
    })),
  )
  // What is behind one that nobody can sign names its history.
  const end = calls.findIndex(({ data }) => data === undefined)
  const batches = calls.slice(0, end < 0 ? calls.length : end).map((call) => ({ ...call, data: call.data ?? '0x' }))
  return await signFor(work, at, { signer, batches }, (tx, batchId, carrier) =>
    giveBatch(tx, chainId, batchId, carrier),
  )
}
