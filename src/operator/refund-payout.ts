/** What mints the coin of a payout back instead of paying it, and what keeps a payout from either. */
import type { Queryable } from '../db/database.ts'
import { payoutAdmin } from '../payouts/admin.ts'
import { lockPayout } from '../payouts/attempts.sql.ts'
import { hasCameBack, type Payout } from '../payouts/payout.ts'
import { findPayout } from '../payouts/payouts.sql.ts'
import { endReminted } from '../settlement/explain/reminted-on-lost.ts'
import { findLeftChain } from '../settlement/tables/holds.sql.ts'
import { findLostBatch, isOrderLost } from '../settlement/tables/lost.sql.ts'
import { findLostChainOf } from '../settlement/tables/lost-chains.sql.ts'
import { findLostPayment, whyMaybeRetried } from '../statements/lost-payments.sql.ts'
import { lockPayeesDebit } from '../statements/shown.sql.ts'
import type { OperatorDeps } from './deps.ts'
import { OperatorError } from './errors.ts'
import { whyMintedBack, whyReminted } from './minted-back.ts'
import { requirePayout } from './require-payout.ts'

type Deps = Pick<OperatorDeps, 'chains'>

const UNBURNT =
  'The chain has lost the burn of its redeem, so that the holder has the coin: have it paid, by "coin payout release" if it is held, "coin payout retry" if it came back, or "coin payout mark-paid", then run "coin order make-good"; or, if its partner does not want it any more, "coin order make-good --unpaid" alone.'

const UNBURNT_BOOKED =
  'The chain has lost the burn of its redeem, so that the holder has the coin, and its integration owes the ringgit already, as it had been paid before: have it paid, by "coin payout release" if it is held, "coin payout retry" if it came back, or "coin payout mark-paid", and nothing else is to be done; or, if its partner does not want it any more, "coin order make-good --unpaid" alone.'

/** A refund that cannot settle keeps the payout from being paid, and as nobody sees that chain, nobody could end it. */
const whyNotOn = (chainId: number) =>
  `Its redeem was burnt on chain ${chainId}, where no settler works and which the chains file does not name: no coin can be minted back there. Run "coin payout retry" or "coin payout mark-paid", or put the chain back into the file first.`

const whyNotOnLost = (chainId: number) =>
  `Its redeem was burnt on chain ${chainId}, which is lost: no coin can be minted back there. Run "coin payout retry" or "coin payout mark-paid".`

/**
 * Begins it, or records what has minted the coin back on a lost chain.
 * @returns undefined where the payout's status does not allow it
 * @throws OperatorError CONFLICT with what speaks against it, or has to be done first
 */
export async function refund(tx: Queryable, { chains }: Deps, payoutId: string): Promise<Payout | undefined> {
  const { orderId, status } = await findPayable(tx, payoutId)
  const isCase = hasCameBack(status)
  const lost = isCase ? await whyStillHeld(tx, payoutId) : undefined
  if (lost !== undefined) throw new OperatorError('CONFLICT', lost)
  if (orderId !== null && (await isOrderLost(tx, orderId)))
    throw new OperatorError('CONFLICT', (await findLostBatch(tx, orderId))?.isClosed ? UNBURNT_BOOKED : UNBURNT)
  const gone = isCase && orderId !== null ? await findLostChainOf(tx, orderId) : undefined
  if (gone !== undefined && (await endReminted(tx, payoutId)) !== 'ended')
    throw new OperatorError('CONFLICT', whyNotOnLost(gone))
  if (gone !== undefined) return await findPayout(tx, payoutId)
  const left = isCase && orderId !== null ? await findUnnamedChain(tx, chains, orderId) : undefined
  if (left !== undefined) throw new OperatorError('CONFLICT', whyNotOn(left))
  if (orderId !== null) return await payoutAdmin.refund(tx, payoutId)
  const sentence = `${payoutId} pays parts of a sen: there is no coin to mint back. Run "coin payout retry" or "coin payout mark-paid".`
  throw new OperatorError('CONFLICT', sentence)
}

/** The chain of a redeem where no settler works and which the chains file does not name. */
async function findUnnamedChain(db: Queryable, chains: Deps['chains'], orderId: bigint): Promise<number | undefined> {
  const left = await findLeftChain(db, orderId)
  return chains.some(({ config }) => config.chainId === left) ? undefined : left
}

/** Whether coin can be minted back for a payout at all: it pays a redeem, on a chain that is there. */
export async function mayRefund(
  db: Queryable,
  chains: Deps['chains'],
  { orderId, burn }: Pick<Payout, 'orderId' | 'burn'>,
): Promise<boolean> {
  if (orderId === null || burn === null || (await findLostChainOf(db, orderId)) !== undefined) return false
  return (await findUnnamedChain(db, chains, orderId)) === undefined
}

/** Where the lost history has minted the coin back, too, that is only to be recorded: whatever it had had paid again is over, and nobody retries that. */
async function whyStillHeld(tx: Queryable, payoutId: string): Promise<string | undefined> {
  if ((await whyReminted(tx, payoutId)) !== undefined) return undefined
  const locked = await lockPayout(tx, payoutId)
  return (
    (await findLostPayment(tx, payoutId)) ?? (locked?.isRefunding ? undefined : await whyMaybeRetried(tx, payoutId))
  )
}

/**
 * A payout, unless it could be paid again while a debit of it that nothing explains says that the payee may have been paid, or the holder has its coin.
 * @throws OperatorError CONFLICT, NOT_FOUND
 */
export async function findPayable(tx: Queryable, payoutId: string): Promise<Payout> {
  const maybe = await lockPayeesDebit(tx, payoutId)
  // Before what has minted its coin back is looked for: a settler that sees it later has this payout held, or what is to mint it back once more.
  await lockPayout(tx, payoutId)
  const payout = await requirePayout(tx, payoutId)
  const isCase = hasCameBack(payout.status)
  const why = isCase ? (maybe ?? (await whyMintedBack(tx, payoutId))) : undefined
  if (why !== undefined) throw new OperatorError('CONFLICT', why)
  return payout
}
