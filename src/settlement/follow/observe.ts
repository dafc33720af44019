/** Follows the chain: what was mined, what a reorganisation undid, what is final. */
import { type AgreedHead, agree } from '../../chain/quorum.ts'
import { readBlock } from '../../chain/reads.ts'
import { underLease } from '../../leases/leases.sql.ts'
import type { FollowedHead } from '../finality.ts'
import type { Memory } from '../memory.ts'
import { markMined, markRelocated, markUnmined } from '../tables/batches.sql.ts'
import { type ChainRow, moveObservedBlock, readNextNonces } from '../tables/chains.sql.ts'
import type { InFlightBatch } from '../tables/in-flight.sql.ts'
import type { Work } from '../work.ts'
import { withDead } from './dead.ts'
import { decideAll } from './finalize.ts'
import { look } from './look.ts'
import { decideMoves, type Moves } from './moves.ts'
import { areNoncesDue, movingSigners } from './nonces.ts'
import { noteUnlocated } from './unlocated.ts'
import { usedSinceAfter } from './used-nonces.ts'

const NOTHING = { dead: [], foreign: [] }

/** How the agreed head relates to the block observed last. */
type Continuity = 'same' | 'onwards' | 'reorganised' | 'behind'

/**
 * Looks at the agreed head and records everything it shows. Does nothing for a head that is already recorded.
 * @returns the batches that can no longer execute: `dead` ones, whose nonces are used up, and `foreign` ones, whose ids the chain has given to others
 */
export async function observe(
  work: Work,
  at: FollowedHead,
  row: ChainRow,
  inFlight: readonly InFlightBatch[],
): Promise<Pick<Moves, 'dead' | 'foreign'>> {
  const { chain, memory } = work
  const { quorum, settlement } = chain.config
  if (!isNews(work, at) && memory.follow.behindSinceMs === undefined) return NOTHING
  const continuity = await continuityOf(work, at, row)
  if (continuity === 'behind' && !isBehindForLong(work, at, row)) return NOTHING
  const doubted = continuity === 'reorganised' || continuity === 'behind'
  const batches = inFlight.filter(
    ({ status, minedBlock }) => status === 'signed' || doubted || (minedBlock ?? at.head.number) <= at.finalBlock,
  )
  const areDue = doubted || areNoncesDue(work, at)
  const signers = await signersToAsk(work, batches, areDue)
  const { usedSince } = memory.follow
  const request = { head: at.head, settlement, signers, batches }
  const { value: seen } = await agree(at.nodes, quorum, (node) => look(node, request))
  const ends = { head: at.head, finalBlock: at.finalBlock, batches, usedSince }
  const { view, isSure } = await withDead(at.nodes, quorum, ends, seen)
  await work.onStep('chain-looked-at')

  memory.follow.usedSince = usedSinceAfter(doubted ? new Map() : usedSince, batches, view, at)
  const moves = decideMoves(batches, view, at.finalBlock)
  note(work, at, moves, doubted)
  report(work, at, moves, doubted)
  await record(work, at, row, moves)
  const areDecided = await decideAll(work, at, moves.final)
  memory.follow.view = { ...view, nonces: { ...memory.follow.view?.nonces, ...view.nonces } }
  if (areDue) memory.follow.noncesAtBlock = at.head.number
  memory.follow.behindSinceMs = undefined
  const isSettled =
    areDecided && isSure && [moves.unlocated, moves.dead, moves.foreign].every((left) => left.length === 0)
  memory.follow.recordedHash = isSettled ? at.head.hash : undefined
  memory.follow.recordedFinal = at.finalBlock
  return moves
}

async function signersToAsk(work: Work, batches: readonly InFlightBatch[], all: boolean): Promise<string[]> {
  const { db, chain, memory } = work
  const carriers = batches.flatMap(({ signer, attempts }) => [signer, ...attempts.map((attempt) => attempt.signer)])
  const stored = await readNextNonces(db, chain.config.chainId)
  const seen = all ? {} : (memory.follow.view?.nonces ?? {})
  return movingSigners(
    chain.signers.map(({ address }) => address),
    carriers,
    { seen, stored },
  )
}

/** Whether the head, or what is final below it, is not recorded completely yet. */
export function isNews({ memory }: Work, { head, finalBlock }: FollowedHead): boolean {
  const { recordedHash, recordedFinal } = memory.follow
  return recordedHash !== head.hash || recordedFinal !== finalBlock
}

async function continuityOf({ chain }: Work, at: AgreedHead, row: ChainRow): Promise<Continuity> {
  const { head } = at
  if (row.observedHash === null) return 'onwards'
  if (head.hash === row.observedHash) return 'same'
  if (head.number < row.observedBlock) return 'behind'
  if (head.number === row.observedBlock) return 'reorganised'
  if (head.parentHash === row.observedHash) return 'onwards'
  const { value } = await agree(at.nodes, chain.config.quorum, (node) => readBlock(node, row.observedBlock))
  return value?.hash === row.observedHash ? 'onwards' : 'reorganised'
}

/** Lagging nodes catch up; a chain that stays shorter has lost blocks, and then its word counts. */
function isBehindForLong(
  { chain, logger, memory, metrics, nowMs, times }: Work,
  at: AgreedHead,
  row: ChainRow,
): boolean {
  const { longest } = memory.follow
  memory.follow.longest = longest !== undefined && longest > row.observedBlock ? longest : row.observedBlock
  metrics.headLag(chain.config.chainId, lagOf(memory.follow, at))
  memory.follow.behindSinceMs ??= nowMs()
  if (nowMs() - memory.follow.behindSinceMs < times.behindGraceMs) return false
  logger.error(
    { chainId: chain.config.chainId, head: String(at.head.number), observed: String(row.observedBlock) },
    'the chain has been behind what the database has seen for a while: its nodes lost blocks, or belong to another chain',
  )
  return true
}

/** How far the chain is behind what it was seen to be. */
const lagOf = ({ longest = 0n }: Memory['follow'], { head }: AgreedHead): number =>
  longest > head.number ? Number(longest - head.number) : 0

/** Remembers what later steps of the round, and what is told at its end, go by. */
function note(work: Work, at: AgreedHead, moves: Moves, doubted: boolean): void {
  const { memory } = work
  // A reorganisation may have gone deeper than what was final.
  if (doubted) {
    memory.recheck.doneAtMs = Number.NEGATIVE_INFINITY
    memory.recheck.isBranchKnown = false
    if (memory.recheck.older?.next === undefined) memory.recheck.older = undefined
  }
  memory.follow.hasForeignBatch = moves.foreign.length > 0
  noteUnlocated(work, moves.unlocated)
  if (lagOf(memory.follow, at) === 0) memory.follow.longest = undefined
}

/** Logs and counts. */
function report({ chain, logger, memory, metrics }: Work, at: AgreedHead, moves: Moves, doubted: boolean): void {
  const { chainId } = chain.config
  if (doubted) logger.warn({ chainId, unmined: moves.unmined.length }, 'the chain was reorganised')
  for (const _ of moves.unmined) metrics.reorganised(chainId)
  for (const { batchId } of moves.unlocated) {
    logger.error({ chainId, batchId: String(batchId) }, 'a batch is settled, but its transaction cannot be found yet')
  }
  metrics.headLag(chainId, lagOf(memory.follow, at))
}

/**
 * Batches and the observed block move together, because earmarks and balances must belong to the same block. A batch
 * that cannot be located holds the block back only while no other batch is recorded; its own earmarks stay, which errs
 * on the safe side.
 */
async function record(work: Work, { head }: AgreedHead, row: ChainRow, moves: Moves): Promise<void> {
  const { chainId } = work.chain.config
  const located = [...moves.mined, ...moves.relocated]
  const isNewHead = row.observedHash !== head.hash && (moves.unlocated.length === 0 || located.length > 0)
  if (!isNewHead && [...located, ...moves.unmined].length === 0) return
  await underLease(work.db, work.lease, async (tx) => {
    for (const mined of moves.mined) await markMined(tx, chainId, mined)
    for (const mined of moves.relocated) await markRelocated(tx, chainId, mined)
    for (const { batchId } of moves.unmined) await markUnmined(tx, chainId, batchId)
    if (isNewHead) await moveObservedBlock(tx, chainId, head.number, head.hash)
  })
  await work.onStep('mined-recorded')
}
