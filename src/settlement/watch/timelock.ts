/** Watches the contracts' timelock: what is scheduled there becomes true after its delay, unless somebody sees it and cancels it. */
import type { Address } from 'viem'
import { MOST_BLOCKS } from '../../chain/movement-logs.ts'
import { agree } from '../../chain/quorum.ts'
import {
  findTimelockNews,
  type OperationState,
  readOperationStates,
  readSender,
  type ScheduledOperation,
} from '../../chain/timelock.ts'
import { LeaseLostError, underLease } from '../../leases/leases.sql.ts'
import type { FollowedHead } from '../finality.ts'
import * as table from '../tables/timelock.sql.ts'
import type { Work } from '../work.ts'
import { report } from './report.ts'
import { describeCall, isAskedFor, sentenceOf } from './scheduled-calls.ts'
import { findMaybePending } from './timelock-over.ts'
import { tellRoleChange } from './timelock-roles.ts'

/** After so many failures in a row the log says so: a node that missed one request is no news. */
export const TOLD_AT = 2

/** @throws what `readTimelock` does, told in the log where it is not over with the next head: the metric alone does not say why. */
export async function watchTimelock(work: Work, at: FollowedHead): Promise<void> {
  const { watch } = work.memory
  try {
    await readTimelock(work, at)
    watch.timelockFailures = 0
  } catch (error) {
    if (error instanceof LeaseLostError) throw error
    watch.timelockFailures += 1
    const unread = { chainId: work.chain.config.chainId, err: error }
    if (watch.timelockFailures === TOLD_AT)
      work.logger.warn(unread, 'the timelock is not read: nobody sees what is scheduled there until nodes answer')
    throw error
  }
}

/**
 * Reads the logs of final blocks once in `confirmations` of them, from where any settler of this chain stopped; at the very first look
 * those of the last MOST_BLOCKS. A delay is a day at least, so there is time to wait for finality.
 */
async function readTimelock(work: Work, at: FollowedHead): Promise<void> {
  const { db, chain, memory, metrics } = work
  const { chainId, deployment, quorum, confirmations } = chain.config
  if (deployment === undefined || deployment.unsafe?.admin === true) return
  const { finalBlock } = at
  const seen = memory.watch.timelockBlock
  if (finalBlock < 0n || (seen !== undefined && finalBlock < seen + BigInt(confirmations))) return
  const timelock = deployment.roles.admin
  const before = await table.findTimelockBlock(db, chainId)
  const last = lastToRead(before, at)
  const blocks = rangeAfter(before, last)
  metrics.timelockUnread(chainId, Number(last - blocks.from) + 1)
  const { value: found } = await agree(at.nodes, quorum, (node) => findTimelockNews(node, timelock, blocks))
  const unended = await table.findUnendedOperations(db, chainId, before ?? -1n)
  const news = await Promise.all(
    found.scheduled.map(async (one) => ({ ...one, sentBy: await senderOf(work, at, one) })),
  )
  const ids = [...new Set([...news.map(({ id }) => id), ...unended])]
  const { value: states } = await agree(at.nodes, quorum, (node) =>
    readOperationStates(node, timelock, ids, { blockHash: at.head.hash }),
  )
  const stateOf = new Map(ids.map((id, index) => [id, states[index] as OperationState]))
  const over = unended.filter((id) => stateOf.get(id)?.status !== 'pending')
  const maybePending = await findMaybePending(work, at, { over, scheduled: new Set(news.map(({ id }) => id)) })
  for (const operation of news) {
    const state = stateOf.get(operation.id)
    // What was over before this database first looked is no news.
    if (state !== undefined && (before !== undefined || state.status === 'pending'))
      await tell(work, { timelock, operation, state, seenBlock: blocks.to })
  }
  // Before the first look its roles were given when it was made.
  for (const change of before === undefined ? [] : found.roles) await tellRoleChange(work, timelock, change, blocks.to)
  await underLease(db, work.lease, async (tx) => {
    for (const id of unended) {
      const state = stateOf.get(id)
      if (state !== undefined)
        await table.updateOperation(tx, chainId, id, state, {
          newestBlock: at.head.number,
          isSure: !maybePending.has(id),
        })
    }
    for (const operation of news) {
      const state = stateOf.get(operation.id)
      if (state !== undefined) await table.storeOperation(tx, chainId, rowOf(work, operation), state, at.head.number)
    }
    await table.setTimelockBlock(tx, chainId, blocks.to)
  })
  memory.watch.timelockBlock = blocks.to
  metrics.timelockUnread(chainId, Number(last - blocks.to))
}

type Seen = ScheduledOperation & { sentBy: Address | null }

/** It is only told, so nobody waits for nodes that have forgotten the transaction. */
async function senderOf({ chain }: Work, at: FollowedHead, { txHash }: ScheduledOperation): Promise<Address | null> {
  return await agree(at.nodes, chain.config.quorum, (node) => readSender(node, txHash)).then(
    ({ value }) => value,
    () => null,
  )
}

/** What was read is final, although the nodes that said so may not be heard now; unless the chain does not have as many blocks any more. */
function lastToRead(before: bigint | undefined, { head, finalBlock }: FollowedHead): bigint {
  return before !== undefined && before > finalBlock && before <= head.number ? before : finalBlock
}

function rangeAfter(before: bigint | undefined, last: bigint): { from: bigint; to: bigint } {
  const earliest = last - MOST_BLOCKS + 1n
  const from = before === undefined ? (earliest < 0n ? 0n : earliest) : before + 1n
  const most = from + MOST_BLOCKS - 1n
  return { from, to: most < last ? most : last }
}

function rowOf({ chain }: Work, { id, calls, txHash, blockNumber, sentBy }: Seen): table.TimelockOperation {
  const described = calls.map((call) => describeCall(call, chain.config))
  return { operationId: id, calls: described, txHash, block: blockNumber, sentBy }
}

type News = { timelock: Address; operation: Seen; state: OperationState; seenBlock: bigint }

/** It changes nothing yet, so it pauses nothing: the change itself will, if it comes. */
async function tell(work: Work, { timelock, operation, state, seenBlock }: News): Promise<void> {
  const { config } = work.chain
  const { id, calls, txHash, blockNumber, sentBy } = operation
  if (state.status !== 'cancelled' && calls.every((call) => isAskedFor(call, config))) return
  const then = {
    pending: () => `can be executed from ${state.status === 'pending' ? state.readyAt.toISOString() : ''} on`,
    executed: () => 'was executed',
    cancelled: () => 'was cancelled',
  }[state.status]()
  const what = calls.map((call) => sentenceOf(describeCall(call, config))).join('; ')
  await report(work, {
    kind: 'timelock',
    details: `operation ${id} was scheduled in the timelock ${timelock} by ${sentBy ?? 'an unknown sender'} and ${then}: ${what}`,
    mayPause: false,
    transactions: [{ txHash, block: String(blockNumber), from: null, to: null, amount: null }],
    afterBlock: blockNumber - 1n,
    seenBlock,
  })
}
