/** Lines that are to be booked, and what the database knows about the names in them. */

import { readOne, showDetails } from '../bank-details/bank-details.sql.ts'
import type { BankDetails } from '../bank-details/bank-details.ts'
import { isEndToEndId } from '../bank-files/end-to-end-id.ts'
import type { Queryable } from '../db/database.ts'
import { findRemitter } from '../integrations/remitters.sql.ts'
import { findPayments, paymentName } from '../payouts/attempts.sql.ts'
import { type SecretBox, UnknownKeyError } from '../secrets/secrets.ts'
import { readLostThrough } from './lost-keys.sql.ts'
import { type Facts, type Line, type ReferencedMint, referencesIn } from './match.ts'
import { placeOf } from './place.sql.ts'

const COLUMNS = `l.line_no, l.bank_account, ${placeOf('l')} as place,
  l.amount_micro, l.booked_on::text as booked_on, l.is_reversal, l.end_to_end_id, l.bank_id, l.return_code, l.taken_back, l.own_account, l.statement_no`

type LineRow = {
  line_no: bigint
  bank_account: string
  place: string
  amount_micro: bigint
  booked_on: string
  is_reversal: boolean
  end_to_end_id: string | null
  bank_id: string | null
  return_code: string | null
  taken_back: number
  own_account: string | null
  statement_no: bigint
}

function lineFromRow(row: LineRow, said: BankDetails | undefined): Line {
  return {
    lineNo: row.line_no,
    bankAccount: row.bank_account,
    place: row.place,
    amountMicro: row.amount_micro,
    bookedOn: row.booked_on,
    isReversal: row.is_reversal,
    endToEndId: row.end_to_end_id,
    remittance: said?.text ?? '',
    remitterAccount: said?.account ?? null,
    returnCode: row.return_code,
    takenBack: row.taken_back,
    ownAccount: row.own_account,
  }
}

/** The oldest lines of applied statements that are not booked, after a line, at most `limit`. */
export async function findUnbooked(
  db: Queryable,
  { after, limit }: { after: bigint; limit: number },
): Promise<bigint[]> {
  const rows = await db.query<{ line_no: bigint }>(
    `select l.line_no from bank_lines l join bank_statements s using (statement_no)
     where l.state = 'unbooked' and s.position is not null and l.line_no > $1 order by l.line_no limit $2`,
    [after, limit],
  )
  return rows.map((row) => row.line_no)
}

/**
 * A line in one of these states, locked; undefined when it is in another. Operators decide about the others by what they know, so one that does
 * not open is theirs to explain all the same.
 * @throws SecretBoxError when it is unbooked and does not open, unless its key was called lost
 */
export async function lockLine(
  tx: Queryable,
  secrets: SecretBox,
  lineNo: bigint,
  state: 'unbooked' | 'unallocated' | 'matched' | 'assigned',
): Promise<Line | undefined> {
  const [row] = await tx.query<LineRow>(
    `select ${COLUMNS} from bank_lines l join bank_statements s using (statement_no)
     where l.line_no = $1 and l.state = $2 and s.position is not null for update of l`,
    [lineNo, state],
  )
  if (row === undefined) return undefined
  const { bank_id: bankId } = row
  if (state !== 'unbooked') return lineFromRow(row, (await showDetails(tx, secrets, [bankId])).get(bankId ?? ''))
  try {
    return lineFromRow(row, await readOne(tx, secrets, bankId))
  } catch (error) {
    if (!(error instanceof UnknownKeyError)) throw error
    if (((await readLostThrough(tx, error.keyId)) ?? -1n) < row.statement_no) throw error
    return { ...lineFromRow(row, undefined), isUnread: true }
  }
}

/** What the names in a line mean. */
export async function readFacts(tx: Queryable, secrets: SecretBox, line: Line): Promise<Facts> {
  const { endToEndId, amountMicro, remittance, remitterAccount } = line
  const isOurs = endToEndId !== null && isEndToEndId(endToEndId)
  return {
    payments: isOurs ? await findPayments(tx, endToEndId) : [],
    // Who pays by a file of their own writes the reference as the payment's id, and perhaps no text.
    mints: amountMicro > 0n ? await findMints(tx, referencesIn(`${endToEndId ?? ''} ${remittance}`)) : [],
    remitterOf: remitterAccount === null ? undefined : await findRemitter(tx, secrets, remitterAccount),
  }
}

async function findMints(tx: Queryable, references: readonly string[]): Promise<ReferencedMint[]> {
  if (references.length === 0) return []
  const rows = await tx.query<{
    order_id: bigint
    integration_id: string
    reference_id: string
    amount_micro: bigint
    status: string
    is_paid: boolean
  }>(
    `select o.order_id, o.integration_id, o.reference_id, o.amount_micro, o.status,
       exists (select from bank_paid_mints p where p.order_id = o.order_id) as is_paid
     from integrations i cross join unnest($1::text[]) as r (reference)
     join orders o on o.integration_id = i.integration_id and o.reference_id = r.reference and o.direction = 'MINT'
     order by o.order_id`,
    [references],
  )
  return rows.map((row) => ({
    orderId: row.order_id,
    integrationId: row.integration_id,
    referenceId: row.reference_id,
    amountMicro: row.amount_micro,
    status: row.status,
    isPaid: row.is_paid,
  }))
}

/** Why a line is not what an operator says: its end-to-end id is that of another payment, and taken for something else it would hide that this was made. */
export async function namesAnother(
  tx: Queryable,
  { endToEndId }: Pick<Line, 'endToEndId'>,
  isMeant: (name: string) => boolean,
): Promise<string | undefined> {
  const payments = await findPayments(tx, endToEndId)
  const names = payments.map(paymentName)
  if (names.length === 0 || names.some(isMeant)) return undefined
  return `The line names another payment, ${names.join(' and ')}: say that it is that one's.`
}

/** With which account of ours it was booked that a payment was paid, or returned; undefined when it was not. */
export async function findBookedWith(
  tx: Queryable,
  { payoutId, attempt }: { payoutId: string; attempt: number },
  what: 'paid' | 'returned',
): Promise<string | undefined> {
  const [row] = await tx.query<{ paid_from: string | null; returned_to: string | null }>(
    'select paid_from, returned_to from payout_attempts where payout_id = $1 and attempt = $2',
    [payoutId, attempt],
  )
  return (what === 'paid' ? row?.paid_from : row?.returned_to) ?? undefined
}

/** The payment of a payout that counts; undefined when there is no such payout. */
export async function findPaymentOf(
  db: Queryable,
  payoutId: string,
): Promise<{ payoutId: string; attempt: number; amountSen: bigint } | undefined> {
  const [row] = await db.query<{ attempt: number; amount_sen: bigint }>(
    'select attempt, amount_sen from payouts where payout_id = $1',
    [payoutId],
  )
  return row && { payoutId, attempt: row.attempt, amountSen: row.amount_sen }
}

/**
 * The payment of a payout that came back, as a statement shows, while none shows that it left: a debit up to then that names nothing is
 * that one's, and not of a payment made after it. Undefined of a credit, and where there is none.
 */
export async function findCameBack(
  tx: Queryable,
  { amountMicro, bookedOn, endToEndId }: Pick<Line, 'amountMicro' | 'bookedOn' | 'endToEndId'>,
  payoutId: string,
): Promise<number | undefined> {
  if (amountMicro > 0n || (await findPayments(tx, endToEndId)).length > 0) return undefined
  const [row] = await tx.query<{ attempt: number }>(
    `select a.attempt from payout_attempts a join bank_lines c on c.matched_to = a.payout_id || '/' || a.attempt
     where a.payout_id = $1 and c.amount_micro > 0 and c.booked_on >= $2::date
       and not exists (select from bank_lines d where d.matched_to = c.matched_to and d.amount_micro < 0)
     order by a.attempt limit 1`,
    [payoutId, bookedOn],
  )
  return row?.attempt
}

/**
 * The other way round: the payment of a payout that left, as a statement shows, and has not come back, while the one after it is not known to have
 * been paid: a credit from then on that names nothing gives that one back. Undefined of a debit, and where there is none.
 */
export async function findStillOut(
  tx: Queryable,
  { amountMicro, bookedOn, endToEndId }: Pick<Line, 'amountMicro' | 'bookedOn' | 'endToEndId'>,
  payoutId: string,
): Promise<number | undefined> {
  if (amountMicro < 0n || (await findPayments(tx, endToEndId)).length > 0) return undefined
  const [row] = await tx.query<{ attempt: number }>(
    `select a.attempt from payouts p join payout_attempts a using (payout_id)
       join bank_lines d on d.matched_to = a.payout_id || '/' || a.attempt
     where p.payout_id = $1 and p.status || '' in ('queued', 'held', 'sent') and d.amount_micro < 0 and d.booked_on <= $2::date
       and not exists (select from bank_lines c where c.matched_to = d.matched_to and c.amount_micro > 0)
     order by a.attempt desc limit 1`,
    [payoutId, bookedOn],
  )
  return row?.attempt
}
