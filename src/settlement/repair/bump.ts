/** Raises the fee of batches that wait too long, or lowers it, or their gas limit: same nonce, same call data, stored before they are sent. */
import type { Hex } from 'viem'
import type { BroadcastVerdict } from '../../chain/broadcast.ts'
import { bumpedFees, type Fees, loweredFees, outbiddingFees } from '../../chain/fees.ts'
import type { AgreedHead } from '../../chain/quorum.ts'
import { underLease } from '../../leases/leases.sql.ts'
import { withinBlockGas } from '../form/gas.ts'
import { noteUnsigning } from '../form/unsigning.ts'
import { readMarket } from '../market.ts'
import { isNonceUsed } from '../memory.ts'
import { sendAttempt } from '../send.ts'
import { insertAttempt } from '../tables/attempts.sql.ts'
import { type Attempt, type InFlightBatch, presentAttempts } from '../tables/in-flight.sql.ts'
import type { Work } from '../work.ts'
import { findOwnCall } from './own-call.ts'

const BUMPS_PER_ROUND = 8

/**
 * Raises the fee of the oldest batches whose newest attempt has let `bumpAfterBlocks` blocks pass. Blocks, not seconds:
 * on a chain that stands still a higher fee buys nothing. Never past a refusal: nodes that take no higher fee would
 * refuse the next one too, and what they do take is sent again (send.ts). Where they have taken none, the next one offers less.
 */
export async function bumpLate(work: Work, at: AgreedHead, inFlight: readonly InFlightBatch[]): Promise<void> {
  const { chain, memory } = work
  const waiting = inFlight.filter(({ status }) => status === 'signed')
  noteAttempts(work, at, waiting)
  const late = waiting.flatMap((batch): Late[] => {
    const newest = presentAttempts(batch).at(-1)
    if (newest === undefined || isNonceUsed(memory, batch)) return []
    const seenAt = memory.bump.seenAtBlock.get(newest.txHash) ?? at.head.number
    return at.head.number - seenAt < BigInt(chain.config.bumpAfterBlocks) ? [] : [{ batch, newest }]
  })
  for (let bumped = 0; late.length > 0 && bumped < BUMPS_PER_ROUND; ) {
    // Side by side: a signer that does not answer takes its whole time for each, and the round waits, as does whoever would take over.
    const signed = await Promise.all(late.splice(0, BUMPS_PER_ROUND - bumped).map((each) => signAnew(work, at, each)))
    for (const one of signed) {
      if (one === undefined) continue
      await storeAndSend(work, at, one)
      bumped += 1
    }
  }
}

/** A batch whose fee is to be changed, and its newest attempt. */
type Late = { batch: InFlightBatch; newest: Attempt }

/** Remembers at which head each attempt was first seen. */
function noteAttempts({ memory }: Work, { head }: AgreedHead, waiting: readonly InFlightBatch[]): void {
  const before = memory.bump.seenAtBlock
  const hashes = waiting.flatMap((batch) => presentAttempts(batch).map(({ txHash }) => txHash))
  memory.bump = { seenAtBlock: new Map(hashes.map((hash) => [hash, before.get(hash) ?? head.number])) }
}

/**
 * What the next attempt offers: more than the newest; or less than all of them, where nodes were asked to take each and none has
 * said that it has one: they have caps of their own on what a transaction may cost, and the signer's gas money is one.
 */
async function nextFees(work: Work, at: AgreedHead, batch: InFlightBatch, newest: Attempt): Promise<Fees | undefined> {
  const attempts = presentAttempts(batch)
  const isTaken = attempts.some(({ verdict }) => verdict === null || TAKEN.includes(verdict))
  if (isTaken && newest.verdict === 'rejected') return undefined
  const { fees: market } = await readMarket(work, at)
  // While gas costs more than may ever be offered no raise is mined, and each would raise the tip that is paid once it costs less.
  if (market === undefined) return undefined
  const { maxFeePerGasWei } = work.chain.config
  const more = newest.verdict === 'rejected' ? undefined : raisedFees(newest, market, maxFeePerGasWei)
  // While another node is silent nobody knows that none has it; but those that answer take no more.
  const isRaisedFirst = more !== undefined && newest.verdict !== 'doubtful'
  if (isRaisedFirst || isTaken) return more
  const cheapest = attempts.reduce((one, { fees }) => (fees.maxFeePerGas < one.maxFeePerGas ? fees : one), newest.fees)
  return loweredFees(cheapest, at.head.baseFeePerGas, market) ?? more
}

/** As nodes say of bytes that they have; of what is outbid nobody knows whether one had it. */
const TAKEN: readonly BroadcastVerdict[] = ['accepted', 'known', 'outbid']

/** At the cap, more for the same where a pool keeps bytes that offer less, as those of a lost history, or of a batch that was abandoned. */
const raisedFees = ({ fees, verdict }: Attempt, market: Fees, capWei: bigint): Fees | undefined =>
  bumpedFees(fees, market, capWei) ?? (verdict === 'outbid' ? outbiddingFees(fees, capWei) : undefined)

type SignedAnew = Late & { gas: bigint; fees: Fees; raw: Hex; hash: Hex }

/**
 * What is offered for less gas: whatever nodes have said of more, they have not said of this. At the cap it is the fee of before, which
 * those take that have dropped the other one.
 */
async function feesForLessGas(work: Work, at: AgreedHead, { fees }: Attempt): Promise<Fees> {
  const { fees: market } = await readMarket(work, at)
  return bumpedFees(fees, market, work.chain.config.maxFeePerGasWei) ?? fees
}

/**
 * The same call under the same nonce for another fee. Undefined when there is none to offer, or no signature for it. It never asks for more
 * gas than a block has: blocks may have become smaller than what it asked for. If it needs as much, it reverts, and its orders enter
 * batches that are as small.
 */
async function signAnew(work: Work, at: AgreedHead, { batch, newest }: Late): Promise<SignedAnew | undefined> {
  const { chain, logger } = work
  const { chainId, settlement } = chain.config
  const gas = withinBlockGas(newest.gasLimit, at.head.gasLimit)
  const isLess = gas < newest.gasLimit
  const fees = isLess ? await feesForLessGas(work, at, newest) : await nextFees(work, at, batch, newest)
  const signer = chain.signers.find(({ address }) => address === batch.signer)
  if (fees === undefined || signer === undefined) return undefined
  const data = await findOwnCall(
    work,
    batch,
    presentAttempts(batch).map(({ txHash }) => txHash),
  )
  if (data === undefined) return undefined
  const { nonce } = newest
  const asked = { chainId, nonce, to: settlement, data, value: 0n, gas, ...fees }
  const signed = await signer.sign(asked).catch((error: Error) => {
    noteUnsigning(work, signer.address)
    logger.warn({ chainId, batchId: String(batch.batchId), error: error.message }, 'no signature for another fee')
  })
  return signed ? { batch, newest, gas, fees, ...signed } : undefined
}

async function storeAndSend(
  work: Work,
  at: AgreedHead,
  { batch, newest, gas, fees, raw, hash }: SignedAnew,
): Promise<void> {
  const { db, chain, lease, logger, memory, metrics } = work
  const { chainId } = chain.config
  await work.onStep('bump-signed')
  const { nonce } = newest
  const attempt = { chainId, batchId: batch.batchId, signer: batch.signer, nonce, fees, gasLimit: gas, txHash: hash }
  await underLease(db, lease, (tx) => insertAttempt(tx, { ...attempt, rawTransaction: raw }))
  await work.onStep('bump-stored')
  memory.bump.seenAtBlock.set(hash, at.head.number)
  const shown = { batchId: String(batch.batchId), maxFeePerGas: String(fees.maxFeePerGas), txHash: hash }
  if (gas < newest.gasLimit) {
    const gasLimits = { gasLimit: String(gas), before: String(newest.gasLimit) }
    logger.warn({ chainId, ...shown, ...gasLimits }, 'gas limit lowered: no block has as much as it asked for')
  } else if (fees.maxFeePerGas >= newest.fees.maxFeePerGas) {
    metrics.bumped(chainId)
    logger.info({ chainId, ...shown }, 'fee raised')
  } else logger.warn({ chainId, ...shown }, 'fee lowered: nodes have refused what it may have cost')
  await sendAttempt(work, hash, raw)
}
