/** Final batches of others that the chain has executed again with another outcome, and the orders that had taken the first. Of these batches no outcome is noted. */
import type { Queryable } from '../../db/database.ts'
import { bookByOthers } from '../../payouts/executed.sql.ts'
import { findRefundsOf } from '../../payouts/lost-burn.sql.ts'
import { executedIn } from '../bitmap.ts'
import { holdFor, holdRefused, MINTED_AFTER_ALL } from '../repair/hold-minting.ts'
import { type Named, nameKept } from '../repair/name-kept.ts'
import { lockChain } from '../tables/chains.sql.ts'
import { readMadeGoodIn } from '../tables/ended-alike.sql.ts'
import { findNewerOf } from '../tables/placed.sql.ts'
import { noteOtherOutcome, readTakenOtherwise } from '../tables/taken.sql.ts'
import type { Work } from '../work.ts'
import type { Recorded } from './final-records.ts'

/**
 * Holds what would be paid or minted wrongly by what the batch has done now, each once by each process, or nobody could let it go:
 * - what was to be paid, or minted back, for a burn that an order has taken and that is refused now;
 * - what is to be minted, or paid, beside an instruction that had failed and was executed after all. Once that is final, it is what others have done of an
 *   order that had ended.
 * What was made good of such an order, and is refused now, is booked back. While the block is not final only what mints coin is held: nobody can undo that.
 * @returns by what it remembers what it has held; and what it has named
 */
export async function keepOtherwise(
  { chain, memory }: Work,
  tx: Queryable,
  { batch: { batchId }, record: { successBitmap } }: Recorded,
  isFinal: boolean,
): Promise<{ held: string[]; named: Named | undefined }> {
  const { chainId } = chain.config
  const now = { batchId, successBitmap }
  // Whoever makes it good sees what it has done now, or is seen.
  if (isFinal) await lockChain(tx, chainId)
  const { refused, executed } = await readTakenOtherwise(tx, chainId, now)
  const notHeld = (ids: readonly bigint[], what: string) =>
    ids.flatMap((id) => {
      const name = `${batchId}/${successBitmap}/${what}/${id}`
      return memory.recheck.told.has(name) ? [] : [{ id, name }]
    })
  const payouts = notHeld(isFinal ? refused : [], 'payout of')
  const refunds = notHeld(await findRefundsOf(tx, refused), 'refund')
  const newer = notHeld(await findNewerOf(tx, executed), 'newer')
  const [payoutsOf, refundIds] = [payouts.map(({ id }) => id), refunds.map(({ id }) => id)]
  // What could not be held, because its rail was asked or it has come back, may be to be paid again.
  const heldOf = await holdRefused(tx, { payoutsOf, refunds: refundIds })
  await holdFor(
    tx,
    newer.map(({ id }) => id),
    MINTED_AFTER_ALL,
  )
  const held = [...payouts.filter(({ id }) => heldOf.includes(id)), ...refunds, ...newer].map(({ name }) => name)
  if (!isFinal) return { held, named: undefined }
  await bookByOthers(tx, chainId, await readMadeGoodIn(tx, chainId, [batchId], executedIn(successBitmap)), {
    isGone: true,
  })
  const indexes = await noteOtherOutcome(tx, chainId, now)
  const named = indexes.length > 0 ? await nameKept(tx, chainId, { first: batchId, last: batchId, indexes }) : undefined
  return { held, named }
}
