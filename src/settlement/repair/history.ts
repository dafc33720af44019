/**
 * Reads batches that this database did not make, under ids that it had planned for its own: they were made with a
 * stolen key, by a second service, or by this one before a backup was restored. Nothing follows them before they have
 * been read from the chain.
 */
import type { Address } from 'viem'
import { type ContractHead, findSettlement, readContractHead } from '../../chain/batch-reads.ts'
import { decodeSettle, type Instruction, KIND, runningHashAfter, unpackInstructions } from '../../chain/instructions.ts'
import { type RpcNode, RpcUnreachableError } from '../../chain/node.ts'
import { agree } from '../../chain/quorum.ts'
import { readOutcome } from '../../chain/settlement-reads.ts'
import { ChainError } from '../../chain-errors.ts'
import { underLease } from '../../leases/leases.sql.ts'
import type { FollowedHead } from '../finality.ts'
import { FIRST_SEARCH } from '../form/search.ts'
import { endSettledAside, tellUnended } from '../form/settled-tags.ts'
import { freshRecheck } from '../fresh-memory.ts'
import { type ChainRow, findChain, setNextBatch } from '../tables/chains.sql.ts'
import { type ForeignBatch, type ForeignInstruction, insertForeignBatch } from '../tables/foreign.sql.ts'
import { type InFlightBatch, readInFlight } from '../tables/in-flight.sql.ts'
import type { Work } from '../work.ts'
import { abandon } from './abandon.ts'
import { nameKept, tellNamed } from './name-kept.ts'
import { follows } from './replaced.ts'

/** How many are read at a time; the next round reads on. */
const READ_AT_ONCE = 50n

export type CaughtUp = {
  /** How many foreign batches were read and kept. */
  kept: number
  /** The contract's head at the newest block. */
  head: ContractHead
}

/**
 * Reads and keeps every final batch that is not the one planned under its id, abandons what was planned, and
 * continues after them.
 * @throws NoQuorumError, RpcAnswerError, RpcUnreachableError when nodes cannot tell
 */
export async function catchUp(work: Work, at: FollowedHead, inFlight: readonly InFlightBatch[]): Promise<CaughtUp> {
  const { db, chain, lease, logger, memory, metrics } = work
  const { chainId, settlement, quorum } = chain.config
  const row = await findChain(db, chainId)
  if (row === undefined) throw new Error('the chain is not registered')
  const planned = new Map(inFlight.map(({ batchId, digest }) => [batchId, digest]))
  const from = inFlight[0]?.batchId ?? row.nextBatchId
  const { value } = await agree(at.nodes, quorum, async (node) => {
    const head = await readContractHead(node, chain.config, { blockHash: at.head.hash })
    const foreign = await readForeign(node, settlement, { at, head, from, planned })
    return { head, foreign }
  })
  const { head, foreign } = value
  const [first, last] = [foreign[0], foreign.at(-1)]
  const hasUnread = head.lastBatchId >= (last === undefined ? row.nextBatchId : last.batchId + 1n)
  memory.follow.hasUnread = hasUnread
  if (first === undefined && inFlight.length === 0) noteTimeline(work, row)
  if (first === undefined || last === undefined) return { kept: 0, head }
  if (!(await follows(work, first))) {
    memory.follow.hasUnread = true
    return { kept: 0, head }
  }
  const batches = { first: first.batchId, last: last.batchId }
  const { unended, named } = await underLease(db, lease, async (tx) => {
    await abandon(tx, chainId, first.batchId)
    for (const batch of foreign) await insertForeignBatch(tx, chainId, batch, lease.token)
    await setNextBatch(tx, chainId, { batchId: last.batchId + 1n, previous: last.runningHash })
    const unended = await endSettledAside(tx, chainId, first.batchId)
    return { unended, named: await nameKept(tx, chainId, batches) }
  })
  await work.onStep('history-kept')
  // The recorded head means something else for what is in flight now.
  memory.follow.recordedHash = undefined
  memory.form.search = FIRST_SEARCH
  memory.follow.hasForeignBatch = false
  metrics.foreign(chainId, foreign.length)
  const ids = { firstBatchId: String(first.batchId), lastBatchId: String(last.batchId) }
  const senders = [...new Set(foreign.map(({ signer }) => signer))]
  logger.fatal(
    { chainId, ...ids, senders },
    'the chain has batches that this database did not make: a backup was restored, a second service settles here, or a signing ' +
      'key was stolen. Orders that they settled take their outcomes; look at what no order asked for',
  )
  tellUnended(work, unended)
  tellNamed(work, named)
  return { kept: foreign.length, head }
}

/**
 * Catches up with batches that stand in the place of ours. Nodes that cannot tell are asked again in the next round: meanwhile nothing is
 * formed, and whatever else a round does goes on, the alarm about these batches before all.
 */
export async function catchUpWithForeign(
  work: Work,
  at: FollowedHead,
  inFlight: readonly InFlightBatch[],
): Promise<void> {
  try {
    await catchUp(work, at, inFlight)
  } catch (error) {
    if (!(error instanceof ChainError)) throw error
    const { chainId } = work.chain.config
    work.logger.warn({ chainId, err: error }, 'batches that this database did not make could not be read yet')
  }
}

/**
 * Looks for batches of others while none of ours is under way, which would come across them: a thief is to be seen even where
 * no order waits. Nodes that cannot tell are asked again at the next head. Behind batches of ours, they are only noted.
 */
export async function lookForForeign(work: Work, at: FollowedHead, inFlight: readonly InFlightBatch[]): Promise<void> {
  const { behindSinceMs, hasUnread, readOn } = work.memory.follow
  const isKnown = hasUnread === false && readOn !== undefined
  if (behindSinceMs !== undefined || (inFlight.length > 0 && isKnown)) return
  try {
    await (inFlight.length > 0 ? noteUnread(work, at) : catchUp(work, at, []))
  } catch (error) {
    if (!(error instanceof ChainError)) throw error
    work.logger.debug({ chainId: work.chain.config.chainId, err: error }, 'foreign batches could not be looked for')
  }
}

async function noteUnread(work: Work, at: FollowedHead): Promise<void> {
  const { db, chain, memory } = work
  const { chainId, quorum } = chain.config
  const { value } = await agree(at.nodes, quorum, (node) =>
    readContractHead(node, chain.config, { blockHash: at.head.hash }),
  )
  const row = await findChain(db, chainId)
  memory.follow.hasUnread = row === undefined || value.lastBatchId >= row.nextBatchId
  const settled = (await readInFlight(db, chainId)).filter(({ batchId }) => batchId <= value.lastBatchId)
  // Under an id of ours that no block has by what is recorded, the chain may have what somebody else made.
  if (row !== undefined && settled.every(({ status }) => status === 'mined')) noteTimeline(work, row)
}

/** Remembers on which timeline of the database every batch of the chain was known, if it is. */
function noteTimeline({ memory }: Work, { databaseTimeline }: ChainRow): void {
  if (memory.follow.hasUnread === false) memory.follow.readOn = databaseTimeline
}

/** What such a database may have lost. No chain shows it: what nobody has settled yet, and whom operators have stopped. */
export const OTHER_TIMELINE =
  'another database server has taken over, or this one was restored. Where it lacks the last commits, what operators did last is undone, ' +
  'and orders that partners were told of are gone: see "Backup and restore"'

/** On another timeline the database may lack what it had: whether everything is read is asked anew, and what became of final batches is looked for again. */
export function forgetOtherTimeline({ chain, logger, memory }: Work, { databaseTimeline }: ChainRow): void {
  const known = [memory.follow.readOn, memory.recheck.on].filter((each) => each !== undefined)
  if (known.some((each) => each !== databaseTimeline)) {
    logger.warn({ chainId: chain.config.chainId }, OTHER_TIMELINE)
    memory.follow.readOn = undefined
    memory.follow.hasUnread = undefined
    memory.recheck = freshRecheck()
  }
  // Also while nothing is known to be read to its end: final batches are compared then, too.
  memory.recheck.on = databaseTimeline
}

type Reading = { at: FollowedHead; head: ContractHead; from: bigint; planned: ReadonlyMap<bigint, string> }

/**
 * What one node has up to the final block, starting with the first batch that is not the planned one. Everything is read at the
 * head, of which every node has the state: the record of a batch names its block.
 */
async function readForeign(
  node: RpcNode,
  settlement: Address,
  { at, head, from, planned }: Reading,
): Promise<ForeignBatch[]> {
  const foreign: ForeignBatch[] = []
  const { lastBatchId } = head
  const end = lastBatchId < from + READ_AT_ONCE ? lastBatchId : from + READ_AT_ONCE - 1n
  for (let batchId = from; batchId <= end; batchId += 1n) {
    const record = await readOutcome(node, settlement, batchId, { blockHash: at.head.hash })
    if (record.blockNumber > at.finalBlock) break
    if (foreign.length === 0 && planned.get(batchId) === record.digest) continue
    const found = await findSettlement(node, settlement, { batchId, ...record })
    const call = found && decodeSettle(found.callData)
    const instructions = call && unpackInstructions(call.packed)
    if (found === undefined || call === undefined || instructions === undefined) {
      throw new RpcUnreachableError(`${node.label}: the transaction of batch ${batchId} cannot be found`)
    }
    const { sender, nonce, txHash, blockNumber, blockHash, settledAt } = found
    const place = { txHash, blockNumber, blockHash, settledAt }
    const { digest, successBitmap } = record
    const runningHash = runningHashAfter(call.previous, digest)
    const settled = { digest, runningHash, successBitmap, instructions: instructions.map(asInOrders) }
    foreign.push({ batchId, signer: sender, nonce, ...settled, ...place })
  }
  return foreign
}

function asInOrders({ kind, from, to, amount: amountMicro, tag }: Instruction): ForeignInstruction {
  if (kind === KIND.MINT) return { tag, direction: 'MINT', walletAddress: to, debitAddress: null, amountMicro }
  if (kind === KIND.REDEEM) return { tag, direction: 'REDEEM', walletAddress: from, debitAddress: from, amountMicro }
  return { tag, direction: 'TRANSFER', walletAddress: to, debitAddress: from, amountMicro }
}
