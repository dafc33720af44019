/** Compares roles, limits and code with those of the last look. */
import type { BucketName } from '../../chain/instructions.ts'
import { findPowerChanges } from '../../chain/movement-logs.ts'
import { type Powers, readPowers } from '../../chain/powers.ts'
import { agree } from '../../chain/quorum.ts'
import { underLease } from '../../leases/leases.sql.ts'
import type { FollowedHead } from '../finality.ts'
import { findWatchedLimits, setWatchedLimits } from '../tables/chains.sql.ts'
import type { MovementTransaction } from '../tables/movements.sql.ts'
import type { Work } from '../work.ts'
import { changesOf, type PowerChange } from './compare.ts'
import { report } from './report.ts'
import { servedLogs } from './served-logs.ts'

/** Looks once in `confirmations` blocks: so a change is seen within that depth, and nodes are asked no more than needed. */
export async function watchPowers(work: Work, at: FollowedHead): Promise<void> {
  const { chain, memory } = work
  const { coin, settlement, quorum, confirmations } = chain.config
  const { head } = at
  const last = memory.watch.powers
  if (last !== undefined && head.number < last.block + BigInt(confirmations)) return
  const contracts = { coin: coin.address, settlement }
  const { value } = await agree(at.nodes, quorum, (node) => readPowers(node, contracts, head.hash))
  if (last === undefined) await reportUnwatched(work, at, value)
  else await reportChanges(work, at, last.block, changesOf(last.powers, value, chain.config))
  await keepLimits(work, last?.powers, value)
  memory.watch.powers = { block: head.number, powers: value }
}

const limitsOf = ({ buckets }: Powers) => buckets.filter(({ name }) => name === 'limit')

/**
 * Tells how limits have changed since a settler last compared them, while none watched. Only limits need this: roles, ceilings and code are compared with
 * the chains file when a settler begins, but limits stand in no file. It pauses nothing, as nothing does that was there before this settler's first look.
 */
async function reportUnwatched(work: Work, at: FollowedHead, now: Powers): Promise<void> {
  const stored = await findWatchedLimits(work.db, work.chain.config.chainId)
  if (stored === undefined) return
  const before = { ...now, buckets: readLimits(stored) }
  const changes = changesOf(before, { ...now, buckets: limitsOf(now) }, work.chain.config)
  for (const { kind, details } of changes) {
    const place = { transactions: [], afterBlock: 0n, seenBlock: at.head.number }
    await report(work, { kind, details: `${details}, while no settler watched`, mayPause: false, ...place })
  }
}

/** Written down only when they have changed. */
async function keepLimits({ db, chain, lease }: Work, before: Powers | undefined, now: Powers): Promise<void> {
  const text = writtenLimits(now)
  if (before !== undefined && writtenLimits(before) === text) return
  await underLease(db, lease, (tx) => setWatchedLimits(tx, chain.config.chainId, text))
}

function writtenLimits(powers: Powers): string {
  const rows = limitsOf(powers).map(({ kind, bucket: { capacityMicro, refillPerSecondMicro } }) => {
    return { kind, capacityMicro: String(capacityMicro), refillPerSecondMicro: String(refillPerSecondMicro) }
  })
  return JSON.stringify(rows)
}

type WrittenLimit = { kind: BucketName; capacityMicro: string; refillPerSecondMicro: string }

function readLimits(text: string): Powers['buckets'] {
  return (JSON.parse(text) as WrittenLimit[]).map(({ kind, capacityMicro, refillPerSecondMicro }) => {
    const bucket = { capacityMicro: BigInt(capacityMicro), refillPerSecondMicro: BigInt(refillPerSecondMicro) }
    return { name: 'limit' as const, kind, bucket }
  })
}

async function reportChanges(work: Work, at: FollowedHead, afterBlock: bigint, changes: PowerChange[]): Promise<void> {
  if (changes.length === 0) return
  const seenBlock = at.head.number
  const transactions = await findTransactions(work, at, { from: afterBlock + 1n, to: seenBlock })
  for (const { kind, details, adds: mayPause } of changes)
    await report(work, { kind, details, mayPause, transactions, afterBlock, seenBlock })
}

/** Those that changed any of them, as far as logs are served. */
async function findTransactions(
  work: Work,
  at: FollowedHead,
  blocks: { from: bigint; to: bigint },
): Promise<MovementTransaction[]> {
  const { coin, settlement } = work.chain.config
  const found = await servedLogs(work, at, (node) => findPowerChanges(node, [coin.address, settlement], blocks))
  return found.map(({ txHash, blockNumber }) => ({
    txHash,
    block: String(blockNumber),
    from: null,
    to: null,
    amount: null,
  }))
}
