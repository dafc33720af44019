/**
 * A gap is a nonce below the next one that no batch in flight has and that the chain has not seen: everything behind it
 * waits for ever. It arises when a reorganisation or a lost chain state undoes the transaction that used it, and when
 * nodes lose the transactions of abandoned batches, which may be many at once.
 */
import type { Hex } from 'viem'
import { medianOf } from '../../chain/answers.ts'
import { broadcast } from '../../chain/broadcast.ts'
import { EMPTY_TRANSFER_GAS, type Fees } from '../../chain/fees.ts'
import { decodeSettle, digestOf } from '../../chain/instructions.ts'
import { type AgreedHead, agree } from '../../chain/quorum.ts'
import { readGasBalance } from '../../chain/reads.ts'
import { readOutcome } from '../../chain/settlement-reads.ts'
import { callDataOf } from '../../chain/signed-transaction.ts'
import type { Signer } from '../../chain/signer.ts'
import { underLease } from '../../leases/leases.sql.ts'
import { readMarket } from '../market.ts'
import { type BytesOfNonce, findBytesOfNonce, findDearestOfNonce } from '../tables/attempts.sql.ts'
import { readNextNonces, takeNonceBack } from '../tables/chains.sql.ts'
import type { InFlightBatch } from '../tables/in-flight.sql.ts'
import type { Work } from '../work.ts'
import { feesToFill } from './gap-fees.ts'

/** As many as may be in flight (form/pace.ts); what is left waits another while. */
const MOST_AT_ONCE = 64
/** No reorganisation and no lost pool leaves a longer one. */
const LONGEST = 1_000n

export type Gap = { signer: string; nonces: bigint[] }

/**
 * The gap of each signer that has one: every nonce from its next on chain up to the first that a batch in flight has, or
 * to the one it would sign next (pure).
 */
export function findGaps(
  nonces: Readonly<Record<string, bigint>>,
  nextNonces: ReadonlyMap<string, bigint>,
  inFlight: readonly InFlightBatch[],
): Gap[] {
  return Object.entries(nonces).flatMap(([signer, first]) => {
    const carried = new Set(inFlight.filter((batch) => batch.signer === signer).map(({ nonce }) => nonce))
    const missing: bigint[] = []
    for (let nonce = first; nonce < (nextNonces.get(signer) ?? 0n) && !carried.has(nonce); nonce += 1n) {
      if (missing.length === MOST_AT_ONCE) break
      missing.push(nonce)
    }
    return missing.length === 0 ? [] : [{ signer, nonces: missing }]
  })
}

/**
 * Fills gaps that have lasted for a while: with the bytes that once had the nonce, which execute a batch at most once
 * wherever they land, or else with a transfer of nothing to the signer itself. Also where the chain has that batch by other bytes, as after
 * a restore: its own would revert, and may offer less than gas costs by now.
 */
export async function fillGaps(work: Work, at: AgreedHead, inFlight: readonly InFlightBatch[]): Promise<void> {
  const { db, chain, logger, memory, nowMs, times } = work
  const nextNonces = await takeBackFarOnes(work, await readNextNonces(db, chain.config.chainId))
  const gaps = findGaps(memory.follow.view?.nonces ?? {}, nextNonces, inFlight)
  if (gaps.length === 0) {
    memory.gaps = { sinceMs: undefined, offered: new Map() }
    return
  }
  memory.gaps.sinceMs ??= nowMs()
  if (nowMs() - memory.gaps.sinceMs < times.behindGraceMs) return
  const missing = new Set(gaps.flatMap(({ signer, nonces }) => nonces.map((nonce) => keyOf(signer, nonce))))
  memory.gaps = { sinceMs: undefined, offered: new Map([...memory.gaps.offered].filter(([key]) => missing.has(key))) }
  for (const gap of gaps) {
    const signer = chain.signers.find(({ address }) => address === gap.signer)
    const { fees } = await readMarket(work, at)
    if (signer === undefined || fees === undefined) continue
    // Without gas money nothing can be filled, and nothing waits for it: another signer has its batches.
    const balance = await medianOf(at.nodes, (node) => readGasBalance(node, signer.address))
    if (balance < EMPTY_TRANSFER_GAS * fees.maxFeePerGas) continue
    await Promise.all(
      gap.nonces.map((nonce) =>
        fill(work, at, { signer, nonce, market: fees }).catch((error: Error) => {
          // A key that cannot sign now holds up nobody else; the gap is filled at its next turn.
          logger.error(
            { ...fieldsOf(work, signer, nonce), error: error.message },
            'a nonce is missing on chain and was not filled',
          )
        }),
      ),
    )
  }
}

/**
 * Takes back next nonces that are far beyond all that was signed, as of a database that was written to past the service: to fill what lies before them
 * would cost all gas money, and never end. @returns the next nonces without those that are far away nonetheless: nothing is filled for them
 */
async function takeBackFarOnes(
  { db, chain, lease, logger, memory }: Work,
  nextNonces: ReadonlyMap<string, bigint>,
): Promise<ReadonlyMap<string, bigint>> {
  const { chainId } = chain.config
  const near = new Map(nextNonces)
  for (const [signer, onChain] of Object.entries(memory.follow.view?.nonces ?? {})) {
    const stored = nextNonces.get(signer) ?? 0n
    if (stored - onChain <= LONGEST) continue
    const next = await underLease(db, lease, (tx) => takeNonceBack(tx, chainId, signer, { stored, onChain }))
    if (next - onChain <= LONGEST) near.set(signer, next)
    else near.delete(signer)
    logger.error({ chainId, signer, stored: String(stored), onChain: String(onChain), next: String(next) }, FAR)
  }
  return near
}

type Missing = { signer: Signer; nonce: bigint; market: Fees }

async function fill(work: Work, at: AgreedHead, { signer, nonce, market }: Missing): Promise<void> {
  const { db, chain, logger, memory } = work
  const { chainId, maxFeePerGasWei: capWei } = chain.config
  const { address } = signer
  const stored = await findUnexecuted(work, at, await findBytesOfNonce(db, chainId, address, nonce))
  // The transaction of a batch that was handed over may still be in the pools.
  const dearest = await findDearestOfNonce(db, chainId, address, nonce)
  const key = keyOf(address, nonce)
  const fees = feesToFill(memory.gaps.offered.get(key), { dearest, market, capWei })
  const empty = { chainId, nonce, to: address, data: '0x', value: 0n, gas: EMPTY_TRANSFER_GAS, ...fees } as const
  const raw = stored ?? (await signer.sign(empty)).raw
  const answer = await broadcast(chain.nodes, raw)
  const fields = { ...fieldsOf(work, signer, nonce), stored: stored !== undefined, answer: answer.text }
  const isOutbid = answer.verdict === 'outbid'
  const isTaken = answer.verdict === 'accepted' || answer.verdict === 'known'
  const offered = new Map(memory.gaps.offered)
  offered.delete(key)
  if (stored === undefined && (isTaken || isOutbid)) offered.set(key, { fees, isOutbid })
  memory.gaps.offered = offered
  logger.error(fields, isTaken ? FILLED : isOutbid ? OUTBID : NOT_TAKEN)
}

/**
 * The best-paid bytes of a batch, unless the chain has it. Bytes that settle anything else under its id would take its place for ever: where the
 * chain has lost one of a lost history, those of what was planned there would be executed.
 */
async function findUnexecuted(
  { chain }: Work,
  at: AgreedHead,
  stored: readonly BytesOfNonce[],
): Promise<Hex | undefined> {
  const own = stored.find(settlesItsBatch)
  if (own === undefined) return undefined
  const { quorum, settlement } = chain.config
  const { value } = await agree(at.nodes, quorum, (node) =>
    readOutcome(node, settlement, own.batchId, { blockHash: at.head.hash }),
  )
  return value.settled && value.digest === own.digest ? undefined : own.raw
}

function settlesItsBatch({ raw, batchId, digest }: BytesOfNonce): boolean {
  const call = decodeSettle(callDataOf(raw))
  return call?.batchId === batchId && digestOf(call.packed) === digest
}

const FAR =
  'the next nonce of a signer is far beyond all that it has signed: somebody has written to the database past the service; it is taken back'
const FILLED = 'a nonce was missing on chain and has been filled'
const OUTBID =
  'a nonce is missing on chain, and nodes keep other bytes under it: where those are not ours, the next try offers more'
const NOT_TAKEN = 'a nonce is missing on chain, and no node says that it takes what fills it'

const keyOf = (signer: string, nonce: bigint) => `${signer} ${nonce}`

function fieldsOf({ chain }: Work, { address }: Signer, nonce: bigint) {
  return { chainId: chain.config.chainId, signer: address, nonce: String(nonce) }
}
