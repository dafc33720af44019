/**
 * A batch whose nonce was used up without an outcome, at full depth: those bytes can never execute. It is signed anew under
 * the next nonce; after three reverts its orders fail, which is certain, because nothing that was signed can execute.
 */
import type { AgreedHead } from '../../chain/quorum.ts'
import { readGasEstimate } from '../../chain/reads.ts'
import { revertName } from '../../chain/settlement-reads.ts'
import { underLease } from '../../leases/leases.sql.ts'
import { OrdersMovedError, renameTransaction } from '../../orders/life/moves.sql.ts'
import { failBatchOrders } from '../../orders/life/outcome.ts'
import type { Moves } from '../follow/moves.ts'
import { holdReasonOf } from '../form/simulate.ts'
import { askAnotherNode, oneNode, readMarket } from '../market.ts'
import { type Hold, NO_HOLD } from '../memory.ts'
import { sendAttempt } from '../send.ts'
import { insertAttempt } from '../tables/attempts.sql.ts'
import { markReverted, readCallData, renewNonce } from '../tables/batches.sql.ts'
import { readNextNonces, takeNonce } from '../tables/chains.sql.ts'
import type { Work } from '../work.ts'

const MAX_REVERTS = 3

/** Signs every dead batch anew, or fails its orders. Those that cannot be signed now are looked at again in the next round. */
export async function resignDead(work: Work, at: AgreedHead, dead: Moves['dead']): Promise<void> {
  let hold = NO_HOLD
  for (const one of dead) {
    const held = await resign(work, at, one)
    if (held !== undefined) hold = { ...held, details: { ...held.details, batchId: String(one.batch.batchId) } }
  }
  if (hold.reason !== 'none') askAnotherNode(work)
  work.memory.holds.deadHeld = hold
}

/** Returns what keeps it from being signed now. */
async function resign(work: Work, at: AgreedHead, { batch, byUs }: Moves['dead'][number]): Promise<Hold | undefined> {
  const { chain, logger, metrics } = work
  const { chainId } = chain.config
  const reverts = batch.reverts + (byUs ? 1 : 0)
  const isLast = reverts >= MAX_REVERTS
  const held = isLast ? await failForGood(work, batch.batchId, reverts) : await signAnew(work, at, batch, reverts)
  if (held !== undefined) return held
  if (byUs) metrics.reverted(chainId)
  const fields = { chainId, batchId: String(batch.batchId), nonce: String(batch.nonce), reverts }
  if (isLast) logger.error(fields, 'a batch reverted three times; its orders failed')
  else if (byUs) logger.warn(fields, 'a batch reverted; it was signed anew')
  else
    logger.error(
      fields,
      'a foreign transaction used the nonce of a batch, which was signed anew: is the key in use elsewhere?',
    )
  return undefined
}

async function failForGood({ db, chain, lease }: Work, batchId: bigint, reverts: number): Promise<undefined> {
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
): Promise<Hold | undefined> {
  const { db, chain, lease } = work
  const { chainId, settlement } = chain.config
  // A key that was taken out of the configuration is replaced: the batch may be sent by any operator.
  const signer = chain.signers.find((candidate) => candidate.address === usedSigner) ?? chain.signers[0]
  if (signer === undefined) throw new Error('the chain has no signer configured')
  const { address } = signer
  const data = await readCallData(db, chainId, batchId)
  const estimated = await estimate(work, at, { from: address, to: settlement, data })
  if (typeof estimated !== 'bigint') return estimated
  const gas = resignedGasLimit(estimated, orderCount, at.head.gasLimit)
  const { fees } = await readMarket(work, at)
  if (fees === undefined) return { reason: 'gas-price', details: {} }
  const nonce = (await readNextNonces(db, chainId)).get(address)
  if (nonce === undefined) throw new Error(`the signer ${address} is not registered`)
  const signed = await signer.sign({ chainId, nonce, to: settlement, data, value: 0n, gas, ...fees })
  await underLease(db, lease, async (tx) => {
    if (!(await takeNonce(tx, chainId, address, nonce))) throw new OrdersMovedError(`nonce ${nonce} was taken`)
    if (!(await renewNonce(tx, chainId, batchId, usedNonce, { signer: address, nonce, reverts }))) {
      throw new OrdersMovedError(`batch ${batchId} moved`)
    }
    const attempt = { chainId, batchId, signer: address, nonce, fees, gasLimit: gas, txHash: signed.hash }
    await insertAttempt(tx, { ...attempt, rawTransaction: signed.raw })
    await renameTransaction(tx, { chainId, batchId }, signed.hash)
  })
  await work.onStep('resign-stored')
  await sendAttempt(work, signed.hash, signed.raw)
  return undefined
}

/** More than any instruction costs, and any batch beside its instructions (bench/results/gas.md). */
const WORST_ORDER_GAS = 60_000n
const WORST_BATCH_GAS = 200_000n

/**
 * The gas limit of a batch that is signed anew (pure): what its size can cost at worst, whatever a node estimates, so that
 * running out of gas is not what reverts it again; never more than a block takes.
 */
export function resignedGasLimit(estimated: bigint, orderCount: number, blockGasLimit: bigint): bigint {
  const generous = (estimated * 3n) / 2n
  const worst = WORST_BATCH_GAS + WORST_ORDER_GAS * BigInt(orderCount)
  const gas = generous > worst ? generous : worst
  return gas < blockGasLimit ? gas : blockGasLimit
}

/** What a node estimates, or why the batch would revert now. */
async function estimate(
  work: Work,
  at: AgreedHead,
  call: Parameters<typeof readGasEstimate>[1],
): Promise<bigint | Hold> {
  try {
    return await readGasEstimate(oneNode(work, at), call)
  } catch (error) {
    const reverted = revertName(error)
    if (reverted === undefined) throw error
    return { reason: holdReasonOf(reverted), details: { reverted } }
  }
}
