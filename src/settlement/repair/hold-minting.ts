/**
 * What orders of the house are about to mint, back or again, where the chain has done otherwise than was known when they began: the holder may have that
 * coin. They are held until somebody has decided that, also where what was seen is not in a final block: nothing is signed while the chain lacks the
 * batch, so that they would all go into the next one as soon as it is there.
 */
import type { Queryable } from '../../db/database.ts'
import { holdAbove } from '../../orders/life/hold.sql.ts'
import { findRefundsOf, holdLostBurns } from '../../payouts/lost-burn.sql.ts'
import { findNewerOf, findRemintsOf, type Placed } from '../tables/placed.sql.ts'

const REFUND_OF_LOST =
  'the chain had lost the burn that it mints back: while "coin reconcile" names its redeem as lost, the holder has the coin, and it is released only if the coin is owed twice. Otherwise the chain has the burn again: release it'
const REFUND_OF_TAKEN =
  'a batch of others had burnt the coin that it mints back, and has refused that when it was executed again: the holder has the coin, unless the chain has changed that since. Reject it, or release it if the coin is owed all the same'
const REMINT_OF_THERE =
  'the chain has executed the batch of what it mints again, or back, once more, as its partner was told: the holder has the coin. Reject it, then run "coin batch explain CHAIN ID --reason …" for that batch. If "coin reconcile" goes on naming that order, release it'
const AFTER_ALL =
  'an earlier order that was to mint the same was executed after all: the holder has the coin. Reject it, then run "coin batch explain CHAIN ID --reason …" for the batch of the earlier one, and "coin order make-good ORDER --reason …" for that'

export const MINTED_AFTER_ALL =
  'a batch of others has done after all what an earlier order was to mint: the holder has the coin, unless the chain has changed that since. Reject a refund, then run "coin order make-good ORDER --reason …" for the earlier one; release a remint, which takes that outcome'

export const BURNT_BESIDE =
  'the chain has burnt it by the batch that it had left as not burnt. Run "coin batch explain CHAIN ID --reason …" for that batch, then reject it: the books say that its integration is owed the coin. Released, it burns its amount once more, and is paid'

/** Of a redeem whose burn is lost, its holder has the coin again: it is neither paid nor minted back before somebody has decided that. */
export async function holdForLost(tx: Queryable, orderIds: readonly bigint[]): Promise<void> {
  await holdLostBurns(tx, orderIds)
  await holdFor(tx, await findRefundsOf(tx, orderIds), REFUND_OF_LOST)
}

/** The same where redeems have taken the burn of a batch of others, which has refused it since. @returns those whose payouts it has held */
export async function holdRefused(
  tx: Queryable,
  { payoutsOf, refunds }: { payoutsOf: readonly bigint[]; refunds: readonly bigint[] },
): Promise<bigint[]> {
  if (refunds.length > 0) await holdFor(tx, refunds, REFUND_OF_TAKEN)
  return payoutsOf.length > 0 ? await holdLostBurns(tx, payoutsOf, { isTaken: true }) : []
}

/**
 * Holds what would mint, or burn, beside what a batch has done now:
 * - a refund of a redeem whose burn it has refused;
 * - what is to be minted again for an order of which the contrary was noted, and that it has done as was told;
 * - a later order of the house for the same, where an earlier one had failed and was executed;
 * - a redeem that had left it, and that it has burnt.
 * @param executed the places of the instructions that it has executed
 */
export async function holdMinting(
  tx: Queryable,
  placed: readonly Placed[],
  executed: readonly number[],
): Promise<void> {
  const of = (isChosen: (each: Placed, isThere: boolean) => boolean) =>
    placed.filter((each) => isChosen(each, executed.includes(each.index))).map(({ orderId }) => orderId)
  const refused = of(({ stands, noted }, isThere) => stands === 'moved' && !isThere && noted === null)
  await holdFor(tx, await findRefundsOf(tx, refused), REFUND_OF_LOST)
  const asTold = of(
    ({ stands, noted }, isThere) => stands !== 'left' && noted !== null && isThere === (stands === 'moved'),
  )
  await holdFor(tx, [...(await findRemintsOf(tx, asTold)), ...(await findNewerOf(tx, asTold))], REMINT_OF_THERE)
  const afterAll = of(({ stands }, isThere) => stands === 'failed' && isThere)
  await holdFor(tx, await findNewerOf(tx, afterAll), AFTER_ALL)
  const left = of(({ stands, isBeside }, isThere) => stands === 'left' && isThere && !isBeside)
  await holdFor(tx, left, BURNT_BESIDE)
}

export async function holdFor(tx: Queryable, orderIds: readonly bigint[], reason: string): Promise<void> {
  await holdAbove(
    tx,
    orderIds.map((orderId) => ({ orderId, reason })),
  )
}
