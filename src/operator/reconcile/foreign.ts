/** What others did on the chains, as differences that name transactions, wallets and amounts. */
import type { Queryable } from '../../db/database.ts'
import { formatAmount } from '../../money.ts'
import { withOrder } from '../orders/commands-in.ts'
import { findLostOrders, type LostRow } from '../orders/lost.sql.ts'
import { sayLost, toDoByOthers } from '../orders/lost.ts'
import type { Difference, MovedBy } from './difference.ts'
import {
  countMoreOutcomes,
  type EndedConflict,
  type ForeignRow,
  findEndedConflicts,
  findForeignInstructions,
  findOpenMovements,
  findOtherOutcomes,
  type OpenMovement,
  type OtherOutcome,
} from './foreign.sql.ts'
import { findUnaskedExplanations, type UnaskedExplanation } from './unasked.sql.ts'

/** So many movements stand in a message; the fields have all of them. */
const SHOWN = 5

/** Everything that is not explained yet, or not made good. */
export async function findForeign(db: Queryable): Promise<Difference[]> {
  const [rows, unasked, outcomes, more, movements, ended, lost] = await Promise.all([
    findForeignInstructions(db),
    findUnaskedExplanations(db),
    findOtherOutcomes(db),
    countMoreOutcomes(db),
    findOpenMovements(db),
    findEndedConflicts(db),
    findLostOrders(db),
  ])
  return [
    ...foreignBatches(rows),
    ...unasked.map(unaskedExplanation),
    ...outcomes.map(otherOutcome),
    ...moreOutcomes(more),
    ...movements.map(foreignMovement),
    ...ended.map(endedConflict),
    ...lost.map(lostOrder),
  ]
}

const TAKEN_BACK =
  'It is given up: a settler takes it back within seconds. See that a process with the role settler runs.'

/** One difference for each batch. @param rows by chain and batch */
function foreignBatches(rows: readonly ForeignRow[]): Difference[] {
  const batches = Map.groupBy(rows, ({ chainId, batchId }) => `${chainId}/${batchId}`)
  return [...batches].flatMap(([subject, instructions]) => {
    const [first] = instructions
    if (first === undefined) return []
    const { chainId, batchId, txHash, block, signer, isGivenUp } = first
    const moved = instructions.map(movedBy)
    return [
      {
        kind: 'foreign_batch' as const,
        subject,
        message:
          `Batch ${batchId} of chain ${chainId} was not made here (transaction ${txHash}, block ${block}, sent by ${signer}) and did ` +
          `what no order asked for: ${sentenceOf(moved)}. ${isGivenUp ? TAKEN_BACK : `See "coin batch show ${chainId} ${batchId}", then "coin batch explain ${chainId} ${batchId} --reason …".`}`,
        transactions: moved,
      },
    ]
  })
}

function movedBy({ txHash, block, direction, walletAddress, debitAddress, amountMicro }: ForeignRow): MovedBy {
  return {
    txHash,
    block: String(block),
    amount: formatAmount(amountMicro),
    from: direction === 'MINT' ? null : debitAddress,
    to: direction === 'REDEEM' ? null : walletAddress,
  }
}

function sentenceOf(moved: readonly MovedBy[]): string {
  const shown = moved.slice(0, SHOWN).map(({ from, to, amount }) => {
    if (from === null) return `${amount} minted to ${to}`
    return to === null ? `${amount} burnt from ${from}` : `${amount} moved from ${from} to ${to}`
  })
  const more = moved.length > SHOWN ? [`and ${moved.length - SHOWN} more`] : []
  return [...shown, ...more].join(', ')
}

/** Whoever writes that hides what the batch did, and ends what is owed for it. */
function unaskedExplanation({ chainId, batchId, reason, isGivenUp, isSaid }: UnaskedExplanation): Difference {
  const lacks = isSaid ? 'nobody has approved the command that says so' : 'no command in the audit log says so'
  const what = isGivenUp ? 'is given up' : 'is explained'
  return {
    kind: 'unasked_explanation',
    subject: `${chainId}/${batchId}`,
    message:
      `Batch ${batchId} of chain ${chainId} ${what} ("${reason}"), and ${lacks}: that was written past the service, and the proof of reserves ` +
      'owes nothing any more for what the batch has burnt. Find out who has the database login of an operator process.',
  }
}

/** Neither coin nor books are wrong by themselves: what orders were told is. */
function otherOutcome({ chainId, batchId, seenAt }: OtherOutcome): Difference {
  return {
    kind: 'other_outcome',
    subject: `${chainId}/${batchId}`,
    message:
      `The chain had lost batch ${batchId} of chain ${chainId}, and has executed it again with another outcome than its orders were told, as was seen at ` +
      `${seenAt.toISOString()}. See "coin batch show ${chainId} ${batchId}", then "coin batch explain ${chainId} ${batchId} --reason …".`,
  }
}

function moreOutcomes(more: bigint): Difference[] {
  if (more === 0n) return []
  const message =
    `Settlers have noted so many batches that the chain executed again that ${more} were not compared. No chain does that: see the runbook ` +
    '"A database user\'s password was stolen".'
  return [{ kind: 'other_outcome', subject: 'batch_outcomes', message }]
}

/** What was seen beside batches. */
function foreignMovement({ chainId, movementId, ...seen }: OpenMovement): Difference {
  const { details, afterBlock, seenBlock, transactions } = seen
  const hashes = [...new Set(transactions.map(({ txHash }) => txHash))].slice(0, SHOWN)
  const by = hashes.length === 0 ? 'by a transaction that no node named' : `by ${hashes.join(', ')}`
  // What changed while nobody looked may be as old as the chain.
  const since = afterBlock === 0n ? '' : `after block ${afterBlock} and `
  return {
    kind: 'foreign_movement',
    subject: `${chainId}/${movementId}`,
    message:
      `On chain ${chainId}, ${since}up to block ${seenBlock}, ${by}: ${details}. Nobody here asked for it: find ` +
      `out who did it; once all up to it is known, run "coin chain resume --known ${chainId}/${movementId}".`,
    transactions,
  }
}

function endedConflict({ chainId, order, status, amountMicro, isDoneByOthers, ...of }: EndedConflict): Difference {
  return {
    kind: 'ended_order',
    subject: order,
    message:
      `${order} over ${formatAmount(amountMicro)} was already ${status} when a foreign batch on chain ${chainId} moved coin for it: ` +
      (isDoneByOthers
        ? withOrder(toDoByOthers(of), order)
        : `make it good, then run "coin batch explain ${chainId} ID --not-order ${order} --reason …".`),
  }
}

/** What it says is the order's own sentence. */
function lostOrder({ order, amountMicro, direction, integrationId, status, ...lost }: LostRow): Difference {
  return {
    kind: lost.isExecuted ? 'executed_order' : 'lost_order',
    subject: order,
    message: `${order} over ${formatAmount(amountMicro)} is ${status}, and ${withOrder(sayLost({ direction, integrationId }, lost), order)}`,
  }
}
