/**
 * A batch whose nonce was used up without an outcome, at full depth: those bytes can never execute. It is signed anew under
 * the next nonce; after three reverts its orders fail, which is certain, because nothing that was signed can execute.
 */
import { initialFees } from '../chain/fees.ts'
import type { AgreedHead } from '../chain/quorum.ts'
import { readGasEstimate } from '../chain/reads.ts'
import { revertName } from '../chain/settlement-reads.ts'
import { underLease } from '../leases/store.ts'
import { failBatchOrders } from '../orders/progress/outcome.ts'
import { OrdersMovedError, renameTransaction } from '../orders/progress/store.ts'
import { insertAttempt } from './attempt-store.ts'
import { markReverted, readCallData, renewNonce } from './batch-store.ts'
import { readNextNonces, takeNonce } from './chain-store.ts'
import { oneNode, readMarket } from './market.ts'
import type { Moves } from './moves.ts'
import { sendAttempt } from './send.ts'
import { holdReasonOf } from './simulate.ts'
import { setHeld, type Work } from './work.ts'

const MAX_REVERTS = 3

/** Signs one dead batch anew, or fails its orders. */
export async function resign(work: Work, at: AgreedHead, { batch, byUs }: Moves['dead'][number]): Promise<void> {
  const { chain, logger, metrics } = work
  const { chainId } = chain.config
  const reverts = batch.reverts + (byUs ? 1 : 0)
  const fields = { chainId, batchId: String(batch.batchId), nonce: String(batch.nonce), reverts }
  if (byUs) metrics.reverted(chainId)
  else logger.error(fields, 'a foreign transaction used the nonce of a batch: is the signing key in use elsewhere?')
  if (reverts >= MAX_REVERTS) {
    await failForGood(work, batch.batchId, reverts)
    logger.error(fields, 'a batch reverted three times; its orders failed')
    return
  }
  logger.warn(fields, 'the nonce of a batch was used up without an outcome; signing it anew')
  await signAnew(work, at, batch, reverts)
}

async function failForGood({ db, chain, lease }: Work, batchId: bigint, reverts: number): Promise<void> {
  const { chainId } = chain.config
  await underLease(db, lease, async (tx) => {
    if (!(await markReverted(tx, chainId, batchId, reverts))) return
    await failBatchOrders(tx, { chainId, batchId }, 'settlement_reverted')
  })
}

async function signAnew(
  work: Work,
  at: AgreedHead,
  { batchId, signer: usedSigner, nonce: usedNonce, orderCount }: Moves['dead'][number]['batch'],
  reverts: number,
): Promise<void> {
  const { db, chain, lease } = work
  const { chainId, settlement, maxFeePerGasWei } = chain.config
  // A key that was taken out of the configuration is replaced: the batch may be sent by any operator.
  const signer = chain.signers.find((candidate) => candidate.address === usedSigner) ?? chain.signers[0]
  if (signer === undefined) throw new Error('the chain has no signer configured')
  const { address } = signer
  const data = await readCallData(db, chainId, batchId)
  const gas = await estimate(work, at, { from: signer.address, to: settlement, data }, orderCount)
  const { fees } = await readMarket(work, at)
  const nonce = (await readNextNonces(db, chainId)).get(address)
  if (gas === undefined || fees === undefined || nonce === undefined) return
  const offered = initialFees(at.head.baseFeePerGas, fees.maxPriorityFeePerGas, maxFeePerGasWei) ?? fees
  const signed = await signer.sign({ chainId, nonce, to: settlement, data, value: 0n, gas, ...offered })
  await underLease(db, lease, async (tx) => {
    if (!(await takeNonce(tx, chainId, address, nonce))) throw new OrdersMovedError(`nonce ${nonce} was taken`)
    if (!(await renewNonce(tx, chainId, batchId, usedNonce, { signer: address, nonce, reverts }))) {
      throw new OrdersMovedError(`batch ${batchId} moved`)
    }
    const attempt = { chainId, batchId, signer: address, nonce, fees: offered, gasLimit: gas, txHash: signed.hash }
    await insertAttempt(tx, { ...attempt, rawTransaction: signed.raw })
    await renameTransaction(tx, { chainId, batchId }, signed.hash)
  })
  await work.onStep('resign-stored')
  await sendAttempt(work, signed.hash, signed.raw)
}

/** More than any instruction costs, and any batch beside its instructions (bench/results/gas.md). */
const WORST_ORDER_GAS = 60_000n
const WORST_BATCH_GAS = 200_000n

/**
 * The gas limit of a batch that is signed anew: what its size can cost at worst, whatever a node estimates, so that running
 * out of gas is not what reverts it again. Undefined while it would revert.
 */
async function estimate(
  work: Work,
  at: AgreedHead,
  call: Parameters<typeof readGasEstimate>[1],
  orderCount: number,
): Promise<bigint | undefined> {
  try {
    const estimated = ((await readGasEstimate(oneNode(work, at), call)) * 3n) / 2n
    const worst = WORST_BATCH_GAS + WORST_ORDER_GAS * BigInt(orderCount)
    const gas = estimated > worst ? estimated : worst
    return gas < at.head.gasLimit ? gas : at.head.gasLimit
  } catch (error) {
    const reverted = revertName(error)
    if (reverted === undefined) throw error
    setHeld(work, holdReasonOf(reverted), { reverted })
    return undefined
  }
}
