/** No mint is signed that the reserve does not cover (RESERVE_GUARD=hold). What is minted back to a holder, or again, is owed already and exempt. */
import type { Queryable } from '../../db/database.ts'
import { formatAmount } from '../../money.ts'
import { lockGrants, readReserveFacts } from '../../reserves/facts.sql.ts'
import { type Room, roomOf } from '../../reserves/guard.ts'
import { isOfHouse } from '../../values/house.ts'
import { setHeld } from '../holds.ts'
import type { PendingOrder, PerBucket } from '../tables/waiting.sql.ts'
import type { Work } from '../work.ts'

/** Another chain has used up what the reserve covers. Nothing was stored. */
export class ReserveUsedUpError extends Error {
  override readonly name = 'ReserveUsedUpError'
}

/** What buckets have room for, mints only as far as the reserve reaches. */
export async function withinReserve(work: Work, room: PerBucket, waiting: readonly PendingOrder[]): Promise<PerBucket> {
  const { db, memory, reserve } = work
  memory.form.shortOfReserve = false
  if (reserve === undefined || reserve.guard === 'off' || mintedIn(waiting) === 0n) return room
  const covered = roomOf(await readReserveFacts(db), reserve)
  if (reserve.guard === 'warn') {
    if (covered.roomMicro < mintedIn(waiting)) warn(work, covered)
    return room
  }
  memory.form.shortOfReserve = covered.roomMicro < room.mint
  memory.form.reserve = detailsOf(covered)
  return memory.form.shortOfReserve ? { ...room, mint: covered.roomMicro } : room
}

/**
 * Grants mints in the transaction that stores them signed. One transaction grants at a time, on whichever chain, so no two use
 * the same ringgit.
 * @throws ReserveUsedUpError when the reserve does not cover them: the transaction must be rolled back
 */
export async function grantMints(tx: Queryable, { reserve }: Work, orders: readonly PendingOrder[]): Promise<void> {
  const mintedMicro = mintedIn(orders)
  if (reserve?.guard !== 'hold' || mintedMicro === 0n) return
  await lockGrants(tx)
  const { roomMicro } = roomOf(await readReserveFacts(tx), reserve)
  if (mintedMicro > roomMicro) throw new ReserveUsedUpError('the reserve does not cover these mints any more')
}

/** Says that mints wait for the reserve. */
export function holdForReserve(work: Work): false {
  return setHeld(work, 'reserve', work.memory.form.reserve)
}

function mintedIn(orders: readonly PendingOrder[]): bigint {
  return orders.reduce(
    (total, order) => total + (order.direction === 'MINT' && !isOfHouse(order) ? order.amountMicro : 0n),
    0n,
  )
}

function detailsOf({ roomMicro, blind, oldAccounts }: Room): Record<string, string> {
  if (blind === 'no_statement') return { reason: 'no statement was read yet' }
  if (blind === 'statement_old') return { reason: 'a statement is too old', accounts: oldAccounts.join(', ') }
  return { covered: formatAmount(roomMicro) }
}

function warn({ logger, chain, memory, nowMs }: Work, covered: Room): void {
  if (nowMs() - memory.form.reserveWarnedAtMs < WARN_AGAIN_MS) return
  memory.form.reserveWarnedAtMs = nowMs()
  logger.error(
    { chainId: chain.config.chainId, ...detailsOf(covered) },
    'mints are signed that the reserve does not cover',
  )
}

const WARN_AGAIN_MS = 60_000
