/** Where a bank leaves our ids out: the payments that a debit may be, and the debits that a payment may be although somebody has called them something else. */
import { BANK_TIME_ZONE } from '../bank-files/day.ts'
import type { Queryable } from '../db/database.ts'
import { byHandNameIn } from '../payouts/by-hand.sql.ts'
import type { Belonging } from './lines.sql.ts'
import { placeOf } from './place.sql.ts'
import { OPEN_LINES } from './unshown.sql.ts'

/** So many are named. */
const MOST_NAMED = 5
/** Of each kind so many of one amount are looked at. */
const MOST_LOOKED_AT = 1_000

/** Of a line's amount: what counts as sent or paid, under the name by which a debit would be its own. */
const SAID = `(select p.payout_id, p.created_at, p.payout_id || '/' || p.attempt as name
    from payouts p where p.status = 'sent' and p.amount_sen * 10000 = -l.amount_micro order by p.created_at limit ${MOST_LOOKED_AT})
  union all
  (select p.payout_id, p.created_at, p.payout_id || '/' || p.attempt
    from payout_attempts a join payouts p on p.payout_id = a.payout_id and p.attempt = a.attempt
    where a.status = 'paid' and not a.is_shown and p.status = 'paid' and p.amount_sen * 10000 = -l.amount_micro order by a.asked_at limit ${MOST_LOOKED_AT})
  union all
  (select p.payout_id, p.created_at, ${byHandNameIn('p.payout_id', 'p.by_hand')}
    from payouts p where p.status = 'paid_by_hand' and p.amount_sen * 10000 = -l.amount_micro order by p.created_at limit ${MOST_LOOKED_AT})`

const PAYMENTS = `select d.payout_id as "payoutId" from bank_lines l cross join lateral (${SAID}) d
  where l.line_no = $1 and l.amount_micro < 0 and d.payout_id <> all ($2::text[])
    and l.booked_on >= (d.created_at at time zone '${BANK_TIME_ZONE}')::date - 1
    and not exists (select from bank_lines m where m.matched_to = d.name and m.amount_micro < 0)
  order by d.created_at, d.payout_id limit ${MOST_NAMED}`

/** Payouts but these that count as sent or paid, whose debit no statement shows, and of which the line may be it. */
export async function findPaymentsItMayBe(db: Queryable, lineNo: bigint, butNot: readonly string[]): Promise<string[]> {
  const rows = await db.query<{ payoutId: string }>(PAYMENTS, [lineNo, butNot])
  return rows.map(({ payoutId }) => payoutId)
}

/** `kind`: null of what was allocated: then `to` names all that it is. */
export type CalledOtherwise = { place: string; bookedOn: string; kind: Belonging['kind'] | null; to: string }

const MADE_TO = `(select string_agg(m.matched_to, ', ' order by m.line_no) from bank_lines m where m.made_by = l.allocation and l.state = 'allocated')`

const CALLED_OTHERWISE = `select ${placeOf('l')} as place, l.booked_on::text as "bookedOn",
    l.matched_kind as kind, coalesce(l.matched_to, ${MADE_TO}, 'other lines') as to
  from payouts p join bank_lines l on l.amount_micro = -p.amount_sen * 10000 and l.state in ('assigned', 'allocated') and l.amount_micro < 0
  join bank_statements s using (statement_no)
  where p.payout_id = $1 and s.withdrawn_at is null and l.booked_on >= (p.created_at at time zone '${BANK_TIME_ZONE}')::date - 1
    and coalesce(l.matched_to, '') <> p.payout_id and (not starts_with(coalesce(l.matched_to, ''), p.payout_id || '/')
      or l.matched_kind = 'claim' and not exists (select from bank_lines c where c.matched_to = l.matched_to and c.amount_micro > 0))
    and not exists (select from bank_lines m where m.made_by = l.allocation and l.state = 'allocated' and starts_with(m.matched_to, p.payout_id || '/'))
  order by l.line_no desc limit ${MOST_NAMED}`

/**
 * Debits of a payout's amount, since it was queued, that an operator has said are something else; newest first. Also what is claimed back as a second
 * debit of a payment before: it may be the one that counts.
 */
export async function findCalledOtherwise(db: Queryable, payoutId: string): Promise<CalledOtherwise[]> {
  return await db.query<CalledOtherwise>(CALLED_OTHERWISE, [payoutId])
}

/** Debits that nothing explains, since a payout was queued: it may be a part of one, or stand in several. */
export async function sumUnexplained(db: Queryable, payoutId: string): Promise<{ count: number; amountMicro: bigint }> {
  const [row] = await db.query<{ count: bigint; amount: string }>(
    `select count(*) as count, coalesce(-sum(l.amount_micro), 0)::text as amount
     from payouts p join ${OPEN_LINES} l on l.amount_micro < 0
       and l.booked_on >= (p.created_at at time zone '${BANK_TIME_ZONE}')::date - 1
     join bank_statements s using (statement_no)
     where p.payout_id = $1 and s.withdrawn_at is null`,
    [payoutId],
  )
  return { count: Number(row?.count ?? 0n), amountMicro: BigInt(row?.amount ?? 0) }
}
