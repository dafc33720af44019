/** Whether it may be said that a payment was not made: no debit may be its own, and of what a rail calls paid statements go far enough. */
import { addDays } from '../bank-files/day.ts'
import type { Queryable } from '../db/database.ts'
import { formatAmount } from '../money.ts'

/** Within so many days of a rail's word a bank has booked what it has paid: no run of weekends and holidays is as long. */
const DAYS = 7
/** An empty account without statements for so long before the payment is taken for closed. */
const CLOSED_AFTER_DAYS = 30

type Claimed = {
  paidFrom: string
  paidOn: string
  amountMicro: bigint
  endToEndId: string
  name: string
}

type Debit = { place: string; bookedOn: string }

/** Of the payment that a rail calls paid: when, as the bank's clocks say, and from which account. */
const CLAIMED = `select coalesce(a.paid_from, a.rail) as "paidFrom", (p.status_since at time zone 'Asia/Kuala_Lumpur')::date::text as "paidOn",
    p.amount_sen * 10000 as "amountMicro", p.end_to_end_id as "endToEndId", p.payout_id || '/' || p.attempt as name
  from payouts p join payout_attempts a on a.payout_id = p.payout_id and a.attempt = p.attempt
  where p.payout_id = $1 and p.status || '' = 'paid'`

/**
 * Debits of standing statements that may be the payment of a payout, of whichever attempt: of its amount, since it was queued, and nobody
 * has said what they are.
 */
const MAYBE = `select l.bank_account || '/' || s.statement_id || '/' || l.entry || '.' || l.detail as place, l.booked_on::text as "bookedOn",
    p.amount_sen * 10000 as "amountMicro"
  from payouts p join bank_lines l on l.amount_micro = -p.amount_sen * 10000 and l.state in ('unbooked', 'unallocated')
  join bank_statements s using (statement_no)
  where p.payout_id = $1 and p.status || '' in ('sent', 'paid', 'paid_by_hand') and s.withdrawn_at is null
    and l.booked_on >= (p.created_at at time zone 'Asia/Kuala_Lumpur')::date - 1
  order by l.line_no limit 1`

/** A debit of a standing statement that is the payment, or names it. */
const SHOWN = `select l.bank_account || '/' || s.statement_id || '/' || l.entry || '.' || l.detail as place, l.booked_on::text as "bookedOn"
  from bank_lines l join bank_statements s using (statement_no)
  where l.amount_micro < 0 and s.withdrawn_at is null and (l.matched_to = $1 or l.end_to_end_id = $2) order by l.line_no limit 1`

/** A payment that its rail calls paid, and how far the statements of each account go, for whoever decides whether it was. */
export async function describeClaim(
  db: Queryable,
  payoutId: string,
): Promise<{ amountMicro: bigint; paidFrom: string; paidOn: string; statements: string } | undefined> {
  const [claimed] = await db.query<Claimed>(CLAIMED, [payoutId])
  if (claimed === undefined) return undefined
  const newest = await db.query<{ bankAccount: string; closedOn: string }>(NEWEST)
  const { amountMicro, paidFrom, paidOn } = claimed
  const statements = newest.map(({ bankAccount, closedOn }) => `${bankAccount} to ${closedOn}`).join(', ')
  return { amountMicro, paidFrom, paidOn, statements }
}

const NEWEST = `select distinct on (bank_account) bank_account as "bankAccount", closed_on::text as "closedOn", closing_micro as "closingMicro"
  from bank_statements where position is not null order by bank_account, closed_on desc, position desc`

/**
 * Why it cannot be said of a payment that it was not made: a debit may be its own, or its rail calls it paid and statements do not go far
 * enough; undefined when it can. The caller holds the lock under which lines are booked.
 */
export async function whyMaybePaid(tx: Queryable, payoutId: string): Promise<string | undefined> {
  const [claimed] = await tx.query<Claimed>(CLAIMED, [payoutId])
  const [shown] = claimed === undefined ? [] : await tx.query<Debit>(SHOWN, [claimed.name, claimed.endToEndId])
  if (shown !== undefined) return `A statement shows that ${payoutId} was paid: ${shown.place}.`
  const [maybe] = await tx.query<Debit & { amountMicro: bigint }>(MAYBE, [payoutId])
  if (maybe !== undefined) {
    return `${maybe.place} of ${maybe.bookedOn} may be its debit: RM ${formatAmount(maybe.amountMicro)} that nothing explains. Say what that line is first.`
  }
  return claimed === undefined ? undefined : await whyNotFarEnough(tx, claimed)
}

async function whyNotFarEnough(tx: Queryable, { paidFrom, paidOn }: Claimed): Promise<string | undefined> {
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
