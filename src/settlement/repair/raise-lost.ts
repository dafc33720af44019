/**
 * Raises the fee of final batches that the chain has lost and whose nonces are free: their bytes may offer less than gas costs by now, or less
 * than what pools have kept under their nonces. Same nonce, same call data, stored before it is sent; the contract executes each at most once.
 */
import type { Hex } from 'viem'
import { medianOf } from '../../chain/answers.ts'
import { bumpedFees, type Fees, outbiddingFees } from '../../chain/fees.ts'
import { readGasBalance } from '../../chain/reads.ts'
import type { Signer } from '../../chain/signer.ts'
import { underLease } from '../../leases/leases.sql.ts'
import type { FollowedHead } from '../finality.ts'
import { withinBlockGas } from '../form/gas.ts'
import { noteUnsigning } from '../form/unsigning.ts'
import { readMarket } from '../market.ts'
import { isNonceUsed } from '../memory.ts'
import { sendAttempt } from '../send.ts'
import { findDearestOfNonce, insertAttempt, isOutbid } from '../tables/attempts.sql.ts'
import { type FinalBatch, giveFinal } from '../tables/final.sql.ts'
import type { Work } from '../work.ts'
import type { Carried } from './sign-for.ts'

/** A final batch that the chain does not have, with what its bytes say. */
export type Lost = FinalBatch & Carried

/** Remembers when these were first found lost. @returns whether `bumpAfterBlocks` blocks have passed since then */
export function noteSeen({ chain, memory }: Work, { head }: FollowedHead, lost: readonly Lost[]) {
  const seenAt = memory.recheck.seenAtBlock
  memory.recheck.seenAtBlock = new Map(lost.map(({ txHash }) => [txHash, seenAt.get(txHash) ?? head.number]))
  return ({ txHash }: Lost): boolean =>
    head.number - (seenAt.get(txHash) ?? head.number) >= BigInt(chain.config.bumpAfterBlocks)
}

/**
 * Signs those anew whose bytes have waited for long (`noteSeen`), as far as their signer's gas money reaches.
 * @param signer theirs; those of others wait until these are there
 */
export async function raiseLost(
  work: Work,
  at: FollowedHead,
  { signer, lost }: { signer: Signer; lost: readonly Lost[] },
): Promise<void> {
  const { memory } = work
  const { fees: market } = await readMarket(work, at)
  const late = lost.filter((each) => each.signer === signer.address && !isNonceUsed(memory, each))
  if (market === undefined || late.length === 0) return
  let leftWei = await medianOf(at.nodes, (node) => readGasBalance(node, signer.address))
  for (const each of late) {
    const fees = await feesAbove(work, each, market)
    const gas = withinBlockGas(each.gasLimit, at.head.gasLimit)
    if (fees === undefined || gas * fees.maxFeePerGas > leftWei) return
    leftWei -= gas * fees.maxFeePerGas
    if (!(await signDearer(work, { signer, lost: each, fees, gas }))) return
  }
}

/**
 * More than was offered under the nonce for whatever it was; at the cap in the tip alone, where pools keep other bytes under it, and nobody has
 * these. Undefined where the cap leaves no room for that.
 */
async function feesAbove(
  { db, chain }: Work,
  { signer, nonce, txHash }: Lost,
  market: Fees,
): Promise<Fees | undefined> {
  const { chainId, maxFeePerGasWei } = chain.config
  const dearest = await findDearestOfNonce(db, chainId, signer, nonce)
  if (dearest === undefined) return undefined
  const more = bumpedFees(dearest, market, maxFeePerGasWei)
  if (more !== undefined || !(await isOutbid(db, chainId, txHash))) return more
  return outbiddingFees(dearest, maxFeePerGasWei)
}

type Dearer = { signer: Signer; lost: Lost; fees: Fees; gas: bigint }

/** @returns whether it was signed */
async function signDearer(work: Work, { signer, lost, fees, gas }: Dearer): Promise<boolean> {
  const { db, chain, lease, logger } = work
  const { chainId, settlement: to } = chain.config
  const { batchId, nonce, data } = lost
  const signed = await signer.sign({ chainId, nonce, to, data, value: 0n, gas, ...fees }).catch((error: Error) => {
    noteUnsigning(work, signer.address)
    logger.warn({ chainId, batchId: String(batchId), error: error.message }, 'no signature for a lost batch')
  })
  if (signed === undefined) return false
  const { raw, hash } = signed
  const carrier: { signer: Hex; nonce: bigint; txHash: Hex } = { signer: signer.address, nonce, txHash: hash }
  await underLease(db, lease, async (tx) => {
    await giveFinal(tx, chainId, batchId, carrier)
    await insertAttempt(tx, { chainId, batchId, ...carrier, rawTransaction: raw, fees, gasLimit: gas })
  })
  await work.onStep('bump-stored')
  const shown = { batchId: String(batchId), maxFeePerGas: String(fees.maxFeePerGas), txHash: hash }
  logger.error({ chainId, ...shown }, 'a final batch that the chain has lost was signed for a higher fee')
  await sendAttempt(work, hash, raw)
  return true
}
