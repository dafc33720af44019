/** Says that the chain is there, also while nothing of it can be recorded: whoever calls a chain lost goes by when it was seen last. */
import { underLease } from '../../leases/leases.sql.ts'
import type { FollowedHead } from '../finality.ts'
import { type ChainRow, noteSeen } from '../tables/chains.sql.ts'
import type { Work } from '../work.ts'

/** Of the day for which a chain must not have been seen, little. */
const EVERY_MS = 10 * 60_000

/** A block that was seen before says nothing: a chain that has halted for ever shows it, too. */
export async function tellSeen(work: Work, { head }: FollowedHead, row: ChainRow): Promise<void> {
  const { db, chain, lease, memory, nowMs } = work
  const { hash, toldAtMs } = memory.follow.seen
  if (head.hash === row.observedHash || head.hash === hash || nowMs() - toldAtMs < EVERY_MS) return
  await underLease(db, lease, (tx) => noteSeen(tx, chain.config.chainId))
  memory.follow.seen = { hash: head.hash, toldAtMs: nowMs() }
}
