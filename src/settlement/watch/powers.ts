/** Compares roles, limits and code with those of the last look. */
import { findPowerChanges } from '../../chain/movement-logs.ts'
import { readPowers } from '../../chain/powers.ts'
import { agree } from '../../chain/quorum.ts'
import type { FollowedHead } from '../finality.ts'
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
  if (last !== undefined) await reportChanges(work, at, last.block, changesOf(last.powers, value, chain.config))
  memory.watch.powers = { block: head.number, powers: value }
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
    ...{ txHash, block: String(blockNumber) },
    ...{ from: null, to: null, amount: null },
  }))
}
