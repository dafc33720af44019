/** What notifications said, and whether a statement shows it too. */
import type { Queryable } from '../db/database.ts'
import { isSumOfParts, sumsOfParts } from './in-all.sql.ts'

const MAX_FINDINGS = 100
/** What no statement shows by then is no longer named: whoever had to ask the bank has asked. */
const NAMED_FOR_DAYS = 90

/** A payer may use the same end-to-end id every month; a bank books what it has notified within days. */
const BOOKED_WITHIN_DAYS = 14

/** Lines of statements that stand. */
const STANDING_LINES =
  '(bank_lines l join bank_statements b on b.statement_no = l.statement_no and b.withdrawn_at is null)'

const IS_IN_PARTS = isSumOfParts({
  account: 'n.bank_account',
  reference: 'n.servicer_reference',
  amount: 'n.amount_micro',
})

/** What is looked for among the lines of statements. */
const CLOSED = `(select bank_account, max(closed_on) as closed_on from bank_statements where position is not null group by 1) a`
const IS_SOUGHT = `not n.is_shown and n.bank_account = a.bank_account and n.booked_on > a.closed_on - ${NAMED_FOR_DAYS}`

const SUMS = sumsOfParts({
  references: `select n.servicer_reference from bank_notified n cross join ${CLOSED} where ${IS_SOUGHT}`,
  lines: `${STANDING_LINES} where true`,
})

/** Names the key that has sealed bank details. Hashes of equal texts are equal under one key alone. */
const KEY_OF = `split_part(d.sealed, '.', 2)`

/**
 * Notes which of what was notified has a line by now. It is the same movement when the bank's reference of it is, or the payer's or
 * ours within a few days, and the amount: of a line, or of all lines into which an entry was taken apart. What is no longer named is not looked at: it would
 * be with every file of the bank, more each day.
 */
export async function markShown(tx: Queryable): Promise<void> {
  await tx.query(
    `with ${SUMS}
     update bank_notified n set is_shown = true from ${CLOSED}
     where ${IS_SOUGHT} and (
       exists (select from ${STANDING_LINES} where l.servicer_reference = n.servicer_reference
         and l.bank_account = n.bank_account and l.amount_micro = n.amount_micro)
       or ${IS_IN_PARTS}
       or exists (select from ${STANDING_LINES} where l.end_to_end_id = n.end_to_end_id
         and l.bank_account = n.bank_account and l.amount_micro = n.amount_micro
         and l.booked_on between n.booked_on - ${BOOKED_WITHIN_DAYS} and n.booked_on + ${BOOKED_WITHIN_DAYS})
       or (n.servicer_reference is null and n.end_to_end_id is null and exists (
         select from bank_statements s join bank_lines l using (statement_no)
         where s.withdrawn_at is null and s.bank_account = n.bank_account and n.booked_on between s.opened_on and s.closed_on
           and l.booked_on = n.booked_on and l.amount_micro = n.amount_micro
           and ((select d.text_key from bank_details d where d.bank_id = l.bank_id)
               is not distinct from (select d.text_key from bank_details d where d.bank_id = n.bank_id)
             or (select ${KEY_OF} from bank_details d where d.bank_id = l.bank_id)
               <> (select ${KEY_OF} from bank_details d where d.bank_id = n.bank_id)))))`,
  )
}

/** Takes back what lines of a statement may have shown, before it is looked for among those that stand. */
export async function forgetShownBy(tx: Queryable, statementNo: bigint): Promise<void> {
  await tx.query(
    `update bank_notified n set is_shown = false where n.is_shown and exists (select from bank_lines l
       where l.statement_no = $1 and l.bank_account = n.bank_account
         and (l.amount_micro = n.amount_micro or l.servicer_reference = n.servicer_reference))`,
    [statementNo],
  )
}

export type NotShown = { bankAccount: string; bookedOn: string; name: string; amountMicro: bigint; closedOn: string }

/** What was notified for a day that is over for an account's statements, and that none of them shows. */
export async function findNotShown(db: Queryable): Promise<NotShown[]> {
  const rows = await db.query<{
    bank_account: string
    booked_on: string
    name: string
    amount: bigint
    closed_on: string
  }>(
    `select n.bank_account, n.booked_on::text as booked_on, n.amount_micro as amount, s.closed_on::text as closed_on,
       coalesce(n.end_to_end_id, n.servicer_reference, left(n.notified_key, 12)) as name
     from (select bank_account, max(closed_on) as closed_on from bank_statements where position is not null group by 1) s
     join bank_notified n on n.bank_account = s.bank_account and n.booked_on < s.closed_on and n.booked_on > s.closed_on - ${NAMED_FOR_DAYS}
     where not n.is_shown order by n.bank_account, n.booked_on, name limit ${MAX_FINDINGS}`,
  )
  return rows.map((row) => ({
    bankAccount: row.bank_account,
    bookedOn: row.booked_on,
    name: row.name,
    amountMicro: row.amount,
    closedOn: row.closed_on,
  }))
}

export type Notified = {
  bankAccount: string
  bookedOn: string
  amountMicro: bigint
  endToEndId: string | null
  reference: string | null
  importedAt: Date
}

/** The newest of what was notified and no statement shows, but for days that are over for the account's statements (`findNotShown`). */
export async function listNotified(db: Queryable): Promise<Notified[]> {
  return await db.query<Notified>(
    `select n.bank_account as "bankAccount", n.booked_on::text as "bookedOn", n.amount_micro as "amountMicro", n.end_to_end_id as "endToEndId",
       n.servicer_reference as reference, n.imported_at as "importedAt"
     from bank_notified n left join (select bank_account, max(closed_on) as closed_on from bank_statements where position is not null group by 1) s using (bank_account)
     where not n.is_shown and n.booked_on >= coalesce(s.closed_on, n.booked_on)
     order by n.booked_on desc, n.bank_account, n.notified_key limit ${MAX_FINDINGS}`,
  )
}
