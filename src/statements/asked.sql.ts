/** Which payments of a payout had been asked for when a debit was booked that names none: it is not that of a later one. */
import { addDays, BANK_TIME_ZONE } from '../bank-files/day.ts'
import type { Queryable } from '../db/database.ts'
import { DATABASE_TIMELINE } from '../db/timeline.sql.ts'
import { findPayments } from '../payouts/attempts.sql.ts'
import { byHandName, findByHand } from '../payouts/by-hand.sql.ts'
import { isQueuedAgain } from '../payouts/unretried.sql.ts'
import { hasLineOf } from './lines.sql.ts'
import type { Line, Payment } from './match.ts'

/** A bank may book on the day before what it is asked for soon after midnight, while its own day has not ended. */
const LATE_DAYS = 1

/** Of this rail the folder still shows what a lost history had asked for, payment by payment. */
export const READ_BACK = 'bank_files'

/** SQL: whether a history that is lost may have had a payout `p` that was queued only since. */
const IS_AGAIN = isQueuedAgain(`(select ${DATABASE_TIMELINE})`)

/** `askedOn`: the day on the bank's clocks; null before any rail was asked. `isOlder`: a history that is lost may have asked for it before. */
type Asked = { attempt: number; askedOn: string | null; isShown: boolean; isOlder: boolean }

const ASKED = `select n.attempt, (n.asked_at at time zone '${BANK_TIME_ZONE}')::date::text as "askedOn",
    exists (select from bank_lines d where d.matched_to = n.payout_id || '/' || n.attempt and d.amount_micro < 0) as "isShown",
    n.ask_first or (n.asked_on <> n.made_on or n.is_again) and n.rail <> '${READ_BACK}' or exists (select from filed_payments f left join payment_files w using (message_id)
      where f.end_to_end_id = n.end_to_end_id and (f.payout_id is null or w.is_read_back)) as "isOlder"
  from (select a.payout_id, a.attempt, a.end_to_end_id, a.asked_at, p.ask_first, a.rail, a.asked_on, p.made_on, ${IS_AGAIN} as is_again
    from payouts p join payout_attempts a using (payout_id) where p.payout_id = $1
    union all
    select p.payout_id, p.attempt, p.end_to_end_id, null, p.ask_first, '', p.made_on, p.made_on, ${IS_AGAIN}
    from payouts p where p.payout_id = $1
      and not exists (select from payout_attempts a where a.payout_id = p.payout_id and a.attempt = p.attempt)) n
  order by n.attempt`

type Debit = Pick<Line, 'amountMicro' | 'bookedOn' | 'endToEndId'>

/** Of a debit that names none of our payments, those of a payout; undefined of any other line. */
async function findAsked(tx: Queryable, line: Debit, payoutId: string): Promise<Asked[] | undefined> {
  const { amountMicro, endToEndId } = line
  if (amountMicro > 0n || (await findPayments(tx, endToEndId)).length > 0) return undefined
  return await tx.query<Asked>(ASKED, [payoutId])
}

const isAskedBy = (bookedOn: string, { askedOn, isOlder }: Asked) =>
  isOlder || (askedOn !== null && askedOn <= bookedOn)

/**
 * The payment of a payout that a debit which names none can be, where it was booked before the one that counts was asked for: the newest that had been asked
 * for by then, and whose own debit no statement shows. Undefined where
 * - there is no such payment, or the debit names one;
 * - the payment that counts had been asked for by then;
 * - operators have paid it by hand, and no statement shows that yet: all payments by rails have failed, and who paid may have said so late.
 */
export async function findEarlier(tx: Queryable, line: Debit, payoutId: string): Promise<number | undefined> {
  const byHand = await findByHand(tx, payoutId)
  if (byHand !== undefined && !(await hasLineOf(tx, byHandName(payoutId, byHand), 'debit'))) return undefined
  const asked = (await findAsked(tx, line, payoutId)) ?? []
  const counting = asked.at(-1)
  if (counting === undefined || isAskedBy(line.bookedOn, counting)) return undefined
  return asked.findLast((each) => isAskedBy(line.bookedOn, each) && !each.isShown)?.attempt
}

/** The newest payment after `attempt` that had been asked for when a debit was booked which names none, and whose debit another line is. */
export async function findShownThen(
  tx: Queryable,
  line: Debit,
  { payoutId, attempt }: Pick<Payment, 'payoutId' | 'attempt'>,
): Promise<number | undefined> {
  const asked = (await findAsked(tx, line, payoutId)) ?? []
  return asked.findLast((each) => each.attempt > attempt && each.isShown && isAskedBy(line.bookedOn, each))?.attempt
}

const FAILED_BEFORE = `select a.payout_id as "payoutId", a.attempt from payout_attempts a join payouts p using (payout_id)
    left join filed_payments f on f.end_to_end_id = a.end_to_end_id
  where a.payout_id = $1 and a.payout_id || '/' || a.attempt = $2 and a.is_extra and a.status = 'sent' and a.attempt < p.attempt
    and coalesce(f.meaning, 'rejected') = 'rejected'`

/**
 * A payment too many, by its name, that nothing shows any more and that had failed: the next one was asked for because of that. Undefined where the
 * bank has reported otherwise since.
 */
export async function findFailedBefore(
  tx: Queryable,
  name: string,
): Promise<{ payoutId: string; attempt: number } | undefined> {
  const [payoutId = ''] = name.split('/')
  const [row] = await tx.query<{ payoutId: string; attempt: number }>(FAILED_BEFORE, [payoutId, name])
  return row
}

/** The day on the bank's clocks on which a payout was there first, and whether a history that is lost may have had it before. */
const QUEUED = `select (least(p.created_at, min(a.asked_at)) at time zone '${BANK_TIME_ZONE}')::date::text as "queuedOn", p.ask_first or ${IS_AGAIN} as "isOlder"
  from payouts p left join payout_attempts a using (payout_id) where p.payout_id = $1 group by p.payout_id`

/** Why a debit is not what operators have paid by hand, which is often recorded later: there was nothing to be paid yet. */
export async function whyNotByHand(
  tx: Queryable,
  { amountMicro, bookedOn }: Pick<Line, 'amountMicro' | 'bookedOn'>,
  payoutId: string,
): Promise<string | undefined> {
  if (amountMicro > 0n) return undefined
  const [row] = await tx.query<{ queuedOn: string; isOlder: boolean }>(QUEUED, [payoutId])
  if (row === undefined || row.isOlder || bookedOn >= addDays(row.queuedOn, -LATE_DAYS)) return undefined
  return `${payoutId} has been there since ${row.queuedOn}, and the debit is of ${bookedOn}: nobody can have paid it by hand before.`
}

/** Why a debit that names nothing is not that of a payment: it was asked for later. */
export async function whyNotAsked(
  tx: Queryable,
  line: Debit,
  { payoutId, attempt }: Pick<Payment, 'payoutId' | 'attempt'>,
): Promise<string | undefined> {
  const asked = await findAsked(tx, line, payoutId)
  const own = asked?.find((each) => each.attempt === attempt)
  const { bookedOn } = line
  if (asked === undefined || (own !== undefined && isAskedBy(bookedOn, own))) return undefined
  const before = asked.filter((each) => each.attempt < attempt && isAskedBy(bookedOn, each))
  const { askedOn = null } = own ?? {}
  if (askedOn !== null && before.length === 0 && bookedOn >= addDays(askedOn, -LATE_DAYS)) return undefined
  const when = askedOn === null ? 'was not asked for yet' : `was asked for on ${askedOn}`
  const twice = before.some(({ isShown }) => isShown)
    ? ` If the bank has paid ${payoutId} twice, claim that back: "--claim ${payoutId}", or "--claims" in an allocation.`
    : ''
  return `${payoutId}/${attempt} ${when}, and the debit is of ${bookedOn}: it is not that of this payment.${twice}`
}
