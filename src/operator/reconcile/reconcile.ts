/** Proves that the coin in existence is what the orders say, and that the books behind them agree. */
import { ChainError } from '../../chain-errors.ts'
import type { Database, Queryable } from '../../db/database.ts'
import { type GuardTrouble, readGuardTroubles } from '../../db/guards.sql.ts'
import { formatAmount, sayRinggit } from '../../money.ts'
import { type LostCoins, readLostCoins } from '../../reserves/lost-coins.sql.ts'
import type { SecretBox } from '../../secrets/secrets.ts'
import type { OperatorChain } from '../deps.ts'
import type { BookedThing } from './books.sql.ts'
import type { Difference } from './difference.ts'
import { disagreement, usageTroubles, wrongCounter } from './disagreements.ts'
import { findElsewhere } from './elsewhere.ts'
import { findPayoutTroubles, findWrongEarmarks, type PayoutTrouble, readExpectedSupply } from './findings.sql.ts'
import { findForeign } from './foreign.ts'
import { findHeldOtherwise } from './held.ts'
import { checkStatements } from './statements.ts'
import { checkBooks } from './turns.ts'
import { checkUsage } from './usage.ts'

export type { Difference } from './difference.ts'

/** One chain's coin at the end of `block`: what exists, what the ledger holds, and that with what explained foreign batches did. */
export type ChainSupply = {
  chainId: number
  block: bigint
  supplyMicro: bigint
  expectedMicro: bigint
  bookedMicro: bigint
}

export type Reconciliation = {
  /** Whether there is no difference. */
  ok: boolean
  /** Coin in existence on all chains that could be read. */
  supply: string
  /** What should exist: by the books, and by foreign batches that an operator has explained. */
  expected: string
  /** Coin that the ledger holds. */
  books: string
  chains: { chainId: number; block: string; supply: string; expected: string; books: string }[]
  differences: Difference[]
  /** Why what should exist is not what the ledger holds, a sentence for each such chain; and one for each that is lost, which is in no sum. */
  explained: string[]
}

/**
 * Compares everything. Chains are asked in parallel; one that cannot be read is itself a difference. Keeps what it has added up
 * and how far it has read, and changes nothing else.
 * @param secrets opens who paid and was paid in statements
 */
export async function reconcile(
  db: Database,
  chains: readonly OperatorChain[],
  secrets: SecretBox,
): Promise<Reconciliation> {
  const lost = await readLostCoins(db)
  const there = chains.filter(({ config }) => lost.every(({ chainId }) => chainId !== config.chainId))
  const read = await Promise.all(there.map((chain) => readSupply(db, chain)))
  const supplies = read.filter((result) => 'supplyMicro' in result)
  const unreadable = read.filter((result) => 'kind' in result)
  const [elsewhere, earmarks, usage, payouts, books, statements, foreign, holds, guards] = await Promise.all([
    findElsewhere(
      db,
      there,
      lost.map(({ chainId }) => chainId),
    ),
    findWrongEarmarks(db),
    checkUsage(db),
    findPayoutTroubles(db),
    checkBooks(db),
    checkStatements(db, secrets),
    findForeign(db),
    findHeldOtherwise(db),
    readGuardTroubles(db),
  ])
  const others = [
    ...unreadable,
    ...elsewhere,
    ...earmarks.map((found) =>
      wrongCounter('earmark', found, 'earmarked in the wallet', 'what its unmined orders will take'),
    ),
    ...usageTroubles(usage),
    ...payouts.map(payoutTrouble),
    ...books.map(({ what, ...found }) =>
      disagreement('books', found, `booked for ${found.subject}`, WHAT_IS_BOOKED[what]),
    ),
    ...statements,
    ...foreign,
    ...holds,
    ...guards.map(guardOff),
  ]
  return judge(supplies, others, lost.map(sayLost))
}

/** Nobody can compare anything there, and nothing else can be done about it. */
function sayLost({ chainId, lostAt, coinsMicro, reason }: LostCoins): string {
  return `Chain ${chainId} is lost since ${lostAt.toISOString()} (${reason}): ${formatAmount(coinsMicro)} coin stay owed to its holders, and nothing was compared there.`
}

async function readSupply(db: Queryable, { config, admin }: OperatorChain): Promise<ChainSupply | Difference> {
  const { chainId } = config
  try {
    const expected = await readExpectedSupply(db, chainId)
    if (expected === undefined)
      return { chainId, block: 0n, supplyMicro: await admin.supply(), expectedMicro: 0n, bookedMicro: 0n }
    return { chainId, ...expected, supplyMicro: await admin.supply(expected.block) }
  } catch (error) {
    if (!(error instanceof ChainError)) throw error
    return {
      kind: 'chain_unreadable',
      subject: String(chainId),
      message: `The supply on chain ${chainId} could not be read: see "coin chain status", then run this again.`,
    }
  }
}

function guardOff({ subject, trouble }: GuardTrouble): Difference {
  return {
    kind: 'guard_off',
    subject,
    message: `The ${subject} ${trouble}: the database accepts what it should refuse.`,
  }
}

/**
 * Adds up the chains and says where supply and orders differ (pure).
 * @param lost a sentence for each chain that is lost
 */
export function judge(
  supplies: readonly ChainSupply[],
  others: readonly Difference[],
  lost: readonly string[] = [],
): Reconciliation {
  const wrong = supplies.filter(({ supplyMicro, expectedMicro }) => supplyMicro !== expectedMicro)
  const differences = [...wrong.map(supplyDifference), ...others]
  const sum = (pick: (chain: ChainSupply) => bigint) =>
    formatAmount(supplies.reduce((total, chain) => total + pick(chain), 0n))
  return {
    ok: differences.length === 0,
    supply: sum(({ supplyMicro }) => supplyMicro),
    expected: sum(({ expectedMicro }) => expectedMicro),
    books: sum(({ bookedMicro }) => bookedMicro),
    chains: supplies.map(({ chainId, block, supplyMicro, expectedMicro, bookedMicro }) => ({
      chainId,
      block: block.toString(),
      supply: formatAmount(supplyMicro),
      expected: formatAmount(expectedMicro),
      books: formatAmount(bookedMicro),
    })),
    differences,
    explained: [
      ...supplies.filter(({ expectedMicro, bookedMicro }) => expectedMicro !== bookedMicro).map(explanation),
      ...lost,
    ],
  }
}

function explanation({ chainId, expectedMicro, bookedMicro }: ChainSupply): string {
  const [amount, side] = lead(expectedMicro - bookedMicro)
  return `Chain ${chainId} should have ${amount} coin ${side} than the books hold, by what was explained of batches.`
}

const lead = (micro: bigint) => (micro > 0n ? [formatAmount(micro), 'more'] : [formatAmount(-micro), 'less'])

function supplyDifference({ chainId, block, supplyMicro, expectedMicro }: ChainSupply): Difference {
  const [amount, side] = lead(supplyMicro - expectedMicro)
  return {
    kind: 'supply',
    subject: String(chainId),
    message: `Chain ${chainId} has ${amount} coin ${side} at block ${block} than mints minus redeems come to.`,
  }
}

const WHAT_IS_BOOKED: Record<BookedThing, string> = {
  payable: 'the payouts that are not with the rail',
  residual: 'the parts of a sen that are kept',
  minted: 'the mints of this batch',
  burnt: 'the redeems of this batch',
  fees: 'the fees of this batch',
  sent: 'the amounts of this payout',
  unsealed: 'entries that the sealer has not reached for a minute',
}

/** `ID`: the payout's, so that each command can be pasted. */
const PAYOUT_MESSAGES: Record<PayoutTrouble['kind'], string> = {
  payout_rejected: 'was refused: see "coin payout show ID", which says what can be done',
  payout_returned: 'came back from the bank: see "coin payout show ID", which says what can be done',
  payout_twice:
    'was paid, or is being paid, once more than was owed: see "coin payout show ID", and get it back from the payee',
  payout_held: 'is held: "coin payout show ID" says why, and what can be done',
  payout_late: 'has been queued for over an hour: see whether a process with the payer role runs',
  payout_missing: 'was burnt but has no payout',
  redeem_not_completed: 'was paid out but is not completed',
}

function sayRefunding(kind: PayoutTrouble['kind'], refundOrder: string): string {
  const was = kind === 'payout_returned' ? 'came back from the bank' : 'was refused by the rail'
  return `${was}, and its coin is being minted back: see "coin order show ${refundOrder}"`
}

function payoutTrouble({ kind, subject, amountMicro, error, refundOrder }: PayoutTrouble): Difference {
  const reason = error === null ? '' : ` (${error})`
  const what = refundOrder === null ? PAYOUT_MESSAGES[kind].replaceAll('ID', subject) : sayRefunding(kind, refundOrder)
  return {
    kind,
    subject,
    message: `${subject} over ${sayRinggit(amountMicro)} ${what}${reason}.`,
  }
}
