/** What the chains and the banks have of days that are to be closed, and the books have not yet. */
import type { Queryable } from '../../db/database.ts'

/** How many batches of a chain, or lines of a bank account, are behind. */
export type Behind<T> = { of: T; many: number }

/**
 * Batches that were signed by the end of a day in the books' time zone and are not final: each may be in a block of such a day, and what it moves there is
 * booked once it is final. One that settles nothing moves nothing, and of a chain that is lost nothing becomes final.
 */
export async function readNotFinal(db: Queryable, through: string): Promise<Behind<number>[]> {
  const rows = await db.query<{ chain_id: bigint; many: bigint }>(
    `select b.chain_id, count(*) as many from batches b, ledger_book
     where b.status in ('signed', 'mined') and b.fence_tag is null and b.created_at < ($1::date + 1)::timestamp at time zone timezone
       and not exists (select from lost_chains l where l.chain_id = b.chain_id)
     group by 1 order by 1`,
    [through],
  )
  return rows.map(({ chain_id: chainId, many }) => ({ of: Number(chainId), many: Number(many) }))
}

/** Lines of applied statements, of such days, that are not booked: those of a long statement are booked one after the other. */
export async function readNotBooked(db: Queryable, through: string): Promise<Behind<string>[]> {
  const rows = await db.query<{ bank_account: string; many: bigint }>(
    `select l.bank_account, count(*) as many from bank_lines l join bank_statements s using (statement_no)
     where l.state = 'unbooked' and s.position is not null and l.booked_on <= $1::date group by 1 order by 1`,
    [through],
  )
  return rows.map(({ bank_account: bankAccount, many }) => ({ of: bankAccount, many: Number(many) }))
}
