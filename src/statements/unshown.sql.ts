/** Whether it may be said that a payment was not made: no debit may be its own, and of what a rail calls paid statements go far enough. */
import { addDays, BANK_TIME_ZONE } from '../bank-files/day.ts'
import type { Queryable } from '../db/database.ts'
import { sayRinggit } from '../money.ts'
import { byHandNameIn } from '../payouts/by-hand.sql.ts'
import { placeOf } from './place.sql.ts'

/** Within so many days of a rail's word a bank has booked what it has paid: no run of weekends and holidays is as long. */
const DAYS = 7
/** An empty account without statements for so long before the payment is taken for closed. */
const CLOSED_AFTER_DAYS = 30

type CalledPaid = {
  paidFrom: string
  paidOn: string
  endToEndId: string
  name: string
}

type Debit = { place: string; bookedOn: string }

/** Of the payment that a rail calls paid: when, as the bank's clocks say, and from which account. */
const CALLED_PAID = `select coalesce(a.paid_from, a.rail) as "paidFrom", (p.status_since at time zone '${BANK_TIME_ZONE}')::date::text as "paidOn",
    p.end_to_end_id as "endToEndId", p.payout_id || '/' || p.attempt as name
  from payouts p join payout_attempts a on a.payout_id = p.payout_id and a.attempt = p.attempt
  where p.payout_id = $1 and p.status || '' = 'paid'`

/** SQL: lines that nothing explains, or not yet. Each state is read by itself, as each has an index of its own: both at once would cost all lines of all years. */
export const OPEN_LINES = `(select * from bank_lines where state = 'unbooked' union all select * from bank_lines where state = 'unallocated')`

/** SQL: of which payments the lines were that were once made of `l`, and of those in turn. */
const FREED_PARTS = `(with recursive part as (
    select m.allocation, m.freed_from from bank_lines m where m.made_by = l.allocation
    union select m.allocation, m.freed_from from part join bank_lines m on m.made_by = part.allocation)
  select split_part(freed_from, '/', 1) from part)`

/**
 * Debits of standing statements that may be the payment of a payout, of whichever attempt, and nobody has said what they are: of its amount, since
 * it was queued; or once taken for it, perhaps with charges of the bank, and freed.
 */
const MAYBE = `select ${placeOf('l')} as place, l.booked_on::text as "bookedOn",
    -l.amount_micro as "amountMicro"
  from payouts p join ${OPEN_LINES} l on (
    l.amount_micro = -p.amount_sen * 10000 and l.booked_on >= (p.created_at at time zone '${BANK_TIME_ZONE}')::date - 1
    or l.amount_micro < 0 and (split_part(l.freed_from, '/', 1) = p.payout_id or p.payout_id in ${FREED_PARTS}))
  join bank_statements s using (statement_no)
  where p.payout_id = $1 and p.status || '' in ('sent', 'paid', 'paid_by_hand') and s.withdrawn_at is null
  order by l.line_no limit 1`

/** A debit of a standing statement that is the payment, or names it. */
const SHOWN = `select ${placeOf('l')} as place, l.booked_on::text as "bookedOn"
  from (select * from bank_lines where matched_to = $1 union all select * from bank_lines where end_to_end_id = $2) l
  join bank_statements s using (statement_no)
  where l.amount_micro < 0 and s.withdrawn_at is null order by l.line_no limit 1`

/** A payment that its rail calls paid, and how far the statements of each account go, for whoever decides whether it was. */
export async function describeCalledPaid(
  db: Queryable,
  payoutId: string,
): Promise<{ paidFrom: string; paidOn: string; statements: string } | undefined> {
  const [called] = await db.query<CalledPaid>(CALLED_PAID, [payoutId])
  if (called === undefined) return undefined
  const newest = await db.query<{ bankAccount: string; closedOn: string }>(NEWEST)
  const { paidFrom, paidOn } = called
  const statements = newest.map(({ bankAccount, closedOn }) => `${bankAccount} to ${closedOn}`).join(', ')
  return { paidFrom, paidOn, statements }
}

/** Of each account that ever had a statement. */
const NEWEST_OF_EACH = `select distinct on (bank_account) bank_account, closed_on, closing_micro
  from bank_statements where position is not null order by bank_account, closed_on desc, position desc`

const NEWEST = `select bank_account as "bankAccount", closed_on::text as "closedOn", closing_micro as "closingMicro"
  from (${NEWEST_OF_EACH}) n order by 1`

/**
 * Why it cannot be said of a payment that it was not made: a debit may be its own, or its rail calls it paid and statements do not go far
 * enough; undefined when it can. The caller holds the lock under which lines are booked.
 */
export async function whyMaybePaid(tx: Queryable, payoutId: string): Promise<string | undefined> {
  const [called] = await tx.query<CalledPaid>(CALLED_PAID, [payoutId])
  const [shown] = called === undefined ? [] : await tx.query<Debit>(SHOWN, [called.name, called.endToEndId])
  if (shown !== undefined) return `A statement shows that ${payoutId} was paid: ${shown.place}.`
  const [maybe] = await tx.query<Debit & { amountMicro: bigint }>(MAYBE, [payoutId])
  if (maybe !== undefined) {
    return `${maybe.place} of ${maybe.bookedOn} may be its debit: ${sayRinggit(maybe.amountMicro)} that nothing explains. Say what that line is first.`
  }
  return called === undefined ? undefined : await whyNotFarEnough(tx, called)
}

async function whyNotFarEnough(tx: Queryable, { paidFrom, paidOn }: CalledPaid): Promise<string | undefined> {
  const newest = await tx.query<{ bankAccount: string; closedOn: string; closingMicro: bigint }>(NEWEST)
  const own = newest.filter(({ bankAccount }) => bankAccount === paidFrom)
  const closedBefore = addDays(paidOn, -CLOSED_AFTER_DAYS)
  const open = newest.filter(({ closedOn, closingMicro }) => closingMicro !== 0n || closedOn >= closedBefore)
  const accounts = own.length > 0 ? own : open
  if (accounts.length === 0)
    return 'No statement of the account that it left was taken in: nothing shows that it did not.'
  const until = addDays(paidOn, DAYS)
  const behind = accounts.filter(({ closedOn }) => closedOn < until)
  if (behind.length === 0) return undefined
  const ends = behind.map(({ bankAccount, closedOn }) => `those of ${bankAccount} end on ${closedOn}`).join(', ')
  return `Its rail called it paid on ${paidOn}: that it was not is shown by statements up to ${until}, and ${ends}.`
}

/** So many are looked at, oldest first, and so many are named. */
const MOST_LOOKED_AT = 5_000
const MOST_NAMED = 100

/** `status`: what it counts as; `since`: when it was said. `by`: its rail, or an operator. */
export type Unshown = {
  payoutId: string
  status: 'sent' | 'paid' | 'paid_by_hand'
  amountMicro: bigint
  since: string
  by: string
}

/**
 * Payments that count as made, and that no statement shows although a week of statements after it was said is there: of the account that it left or,
 * where nobody names one of ours, of all with money in them.
 */
const UNSHOWN = `with newest as materialized (${NEWEST_OF_EACH}),
  covered as materialized (
    select n.bank_account, n.closed_on from newest n
    union all
    select '', min(closed_on) from newest where closing_micro <> 0 or closed_on > (select max(closed_on) from newest) - ${CLOSED_AFTER_DAYS}),
  said as (
    (select p.payout_id, p.attempt, p.status, p.amount_sen, p.status_since, p.rail, '' as paid_from, p.payout_id || '/' || p.attempt as name
     from payouts p where p.status = 'sent' order by p.created_at limit ${MOST_LOOKED_AT})
    union all
    (select p.payout_id, p.attempt, p.status, p.amount_sen, p.status_since, p.rail, coalesce(a.paid_from, ''), p.payout_id || '/' || p.attempt
     from payout_attempts a join payouts p on p.payout_id = a.payout_id and p.attempt = a.attempt
     where a.status = 'paid' and not a.is_shown and p.status = 'paid' order by a.asked_at limit ${MOST_LOOKED_AT})
    union all
    (select p.payout_id, p.attempt, p.status, p.amount_sen, p.status_since, 'an operator', '',
       ${byHandNameIn('p.payout_id', 'p.by_hand')}
     from payouts p where p.status = 'paid_by_hand' order by p.created_at desc limit ${MOST_LOOKED_AT}))
  select d.payout_id as "payoutId", d.status, d.amount_sen * 10000 as "amountMicro", d.rail as by,
    (d.status_since at time zone '${BANK_TIME_ZONE}')::date::text as since
  from said d join covered c on c.bank_account = case when exists (select from newest n where n.bank_account = d.paid_from) then d.paid_from else '' end
    and c.closed_on >= (d.status_since at time zone '${BANK_TIME_ZONE}')::date + ${DAYS}
  where not exists (select from bank_lines l where l.matched_to = d.name and l.amount_micro < 0)
  order by d.status_since limit ${MOST_NAMED}`

/** Nothing is named before the first statement. */
export async function findUnshown(db: Queryable): Promise<Unshown[]> {
  return await db.query<Unshown>(UNSHOWN)
}
