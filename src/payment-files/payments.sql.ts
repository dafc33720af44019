/** Payments that the rail has accepted, each end-to-end id once. */
import { deleteDetails, insertOne, readBelonging } from '../bank-details/bank-details.sql.ts'
import { paymentBound } from '../bank-details/bank-details.ts'
import type { Meaning } from '../bank-files/status-report/codes.ts'
import type { Queryable } from '../db/database.ts'
import type { PayoutInstruction } from '../payouts/rail.ts'
import type { SecretBox } from '../secrets/secrets.ts'
import { awaitsFence } from './minted-back.sql.ts'

export type AcceptedPayment = Pick<PayoutInstruction, 'endToEndId' | 'amountSen' | 'bic' | 'account' | 'name'> & {
  payoutId: string | null
  isResident: boolean
  remittance: string
}

export type KnownPayment = Omit<AcceptedPayment, 'bic' | 'account' | 'name'> & {
  /** Names the payee in `bank_details`. */
  bankId: string
  /** The file that it is in; null: the next one takes it. */
  messageId: string | null
  meaning: string | null
  reason: string | null
}

/** A payment with its payee. */
export type OpenedPayment = KnownPayment & Pick<AcceptedPayment, 'bic' | 'account' | 'name'>

type PaymentRow = {
  end_to_end_id: string
  payout_id: string | null
  amount_sen: bigint
  bank_id: string
  is_resident: boolean
  remittance: string
  message_id: string | null
  meaning: string | null
  status_reason: string | null
}

const COLUMNS = `end_to_end_id, payout_id, amount_sen, bank_id, is_resident, remittance, message_id, meaning, status_reason`

function paymentFromRow(row: PaymentRow): KnownPayment {
  return {
    endToEndId: row.end_to_end_id,
    payoutId: row.payout_id,
    amountSen: row.amount_sen,
    bankId: row.bank_id,
    isResident: row.is_resident,
    remittance: row.remittance,
    messageId: row.message_id,
    meaning: row.meaning,
    reason: row.status_reason,
  }
}

/** The payment under this end-to-end id. */
export async function findPayment(db: Queryable, endToEndId: string): Promise<KnownPayment | undefined> {
  const [row] = await db.query<PaymentRow>(`select ${COLUMNS} from filed_payments where end_to_end_id = $1`, [
    endToEndId,
  ])
  return row && paymentFromRow(row)
}

/** Accepts a payment for the next file. @returns false where its end-to-end id is known: then nothing changes */
export async function insertPayment(tx: Queryable, secrets: SecretBox, payment: AcceptedPayment): Promise<boolean> {
  const { endToEndId, payoutId, amountSen, bic, account, name, isResident, remittance } = payment
  const bankId = await insertOne(tx, secrets, { bic, account, name }, { payment: paymentBound(payment) })
  const rows = await tx.query(
    `insert into filed_payments (end_to_end_id, payout_id, amount_sen, bank_id, is_resident, remittance)
     values ($1, $2, $3, $4, $5, $6) on conflict do nothing returning end_to_end_id`,
    [endToEndId, payoutId, amountSen, bankId, isResident, remittance],
  )
  if (rows.length === 0) await deleteDetails(tx, [bankId])
  return rows.length > 0
}

/** The account of a payment's payee; undefined when it does not open as this payment's. */
export async function readPayeeAccount(
  db: Queryable,
  secrets: SecretBox,
  payment: KnownPayment,
): Promise<string | undefined> {
  const [payee] = await readBelonging(db, secrets, [{ bankId: payment.bankId, payment: paymentBound(payment) }])
  return payee?.account ?? undefined
}

/**
 * The payment of a payout that somebody has held, whose payment somebody has found at the bank or made otherwise, that has another attempt by now, or of
 * which the bank has carried out an earlier one: it goes into no file, and out with none. One that waits may have been paid by hand meanwhile.
 */
export const IS_UNDUE = `(withdrawn_at is not null or exists (
      select from payouts p where p.payout_id = filed_payments.payout_id
        and (p.status not in ('queued', 'sent') or p.end_to_end_id <> filed_payments.end_to_end_id))
    or exists (select from payout_attempts a where a.payout_id = filed_payments.payout_id and a.is_extra))`

/** A payment that the next file is to take. */
export const WAITS = `message_id is null and not ${IS_UNDUE}`

const IN_ORDER = `coalesce(greatest(not_opened_since, passed_over_at), '-infinity'), accepted_at, end_to_end_id`

/**
 * The oldest payments without a file, at most `limit`, locked. `unopened`: those of them whose payee does not open as the payee of
 * that payment and amount. They come after all others from then on. `areBehind`: whether all of these did so before.
 * @param options.after the last one of those that were looked at; `unfenced`: see `awaitsFence`
 */
export async function lockWaiting(
  tx: Queryable,
  secrets: SecretBox,
  limit: number,
  { after, unfenced }: { after?: string | undefined; unfenced: readonly number[] },
): Promise<{ waiting: OpenedPayment[]; unopened: string[]; last: string | undefined; areBehind: boolean }> {
  const rows = await tx.query<PaymentRow & { is_behind: boolean }>(
    `select ${COLUMNS}, coalesce(not_opened_since, passed_over_at) is not null as is_behind from filed_payments where ${WAITS} and not ${awaitsFence('filed_payments', '$3')} and ($2::text is null or (${IN_ORDER})
       > (select ${IN_ORDER} from filed_payments where end_to_end_id = $2))
     order by ${IN_ORDER} limit $1 for update`,
    [limit, after ?? null, unfenced],
  )
  const known = rows.map(paymentFromRow)
  const payees = await readBelonging(
    tx,
    secrets,
    known.map((payment) => ({ bankId: payment.bankId, payment: paymentBound(payment) })),
  )
  const waiting: OpenedPayment[] = []
  const unopened: string[] = []
  for (const [index, payment] of known.entries()) {
    const { bic, account, name } = payees[index] ?? {}
    if (bic && account && name) waiting.push({ ...payment, bic, account, name })
    else unopened.push(payment.endToEndId)
  }
  const areBehind = rows.length > 0 && rows.every((row) => row.is_behind)
  return { waiting, unopened, last: known.at(-1)?.endToEndId, areBehind }
}

/** These payments are those of a file now. */
export async function putIntoFile(tx: Queryable, endToEndIds: readonly string[], messageId: string): Promise<void> {
  await tx.query(
    'update filed_payments set message_id = $2, not_opened_since = null, passed_over_at = null where end_to_end_id = any ($1::text[])',
    [endToEndIds, messageId],
  )
}

/** The payments of a file that never went out wait for another one. */
export async function takeOutOfFile(tx: Queryable, messageId: string): Promise<void> {
  await tx.query('update filed_payments set message_id = null where message_id = $1', [messageId])
}

/**
 * A payment of a file that was read back: it was sent, whatever was believed before. What the file does not say is forgotten.
 * @returns the file that it was in and that never went out, as far as the database knows
 */
export async function upsertReadBack(
  tx: Queryable,
  secrets: SecretBox,
  payment: AcceptedPayment,
  messageId: string,
): Promise<string | undefined> {
  const { endToEndId, amountSen, bic, account, name } = payment
  if (await insertPayment(tx, secrets, payment)) {
    await putIntoFile(tx, [endToEndId], messageId)
    return undefined
  }
  const [believed] = await tx.query<{ bank_id: string; message_id: string | null }>(
    `select p.bank_id, p.message_id from filed_payments p where p.end_to_end_id = $1 and not exists (
       select from payment_files f where f.message_id = p.message_id and f.put_out_at is not null) for update`,
    [endToEndId],
  )
  if (believed === undefined) return undefined
  const bankId = await insertOne(tx, secrets, { bic, account, name }, { payment: paymentBound(payment) })
  await tx.query(
    'update filed_payments set amount_sen = $2, bank_id = $3, message_id = $4, not_opened_since = null where end_to_end_id = $1',
    [endToEndId, amountSen, bankId, messageId],
  )
  await deleteDetails(tx, [believed.bank_id])
  return believed.message_id ?? undefined
}

export type Reported = { endToEndId: string; code: string; meaning: Meaning; reason: string }

const AFTER_CREDITED = ', after it was reported as credited: ask the bank'

/**
 * Keeps what a report says, unless a later one has spoken; one that is still to come was made now, by the clock that all processes share, or
 * no other would be heard for as long. Which of two is the later one that clock does not say: it may have been set back since. What was reported as credited stays so: a rejection after that proves nothing.
 * @returns what it means now, and whether it denies what was reported before; undefined when nothing was kept
 */
export async function storeReported(
  tx: Queryable,
  { endToEndId, code, meaning, reason }: Reported,
  reportedAt: Date,
): Promise<{ meaning: Meaning; isContrary: boolean } | undefined> {
  const [row] = await tx.query<{ meaning: Meaning; isContrary: boolean }>(
    `with known as (
       select meaning = 'paid' and $3 = 'rejected' as is_contrary, greatest(reported_at, least($5::timestamptz, now())) as at from filed_payments
       where end_to_end_id = $1 and (reported_at is null or reported_at <= $5::timestamptz) for update)
     update filed_payments f set status_code = $2, reported_at = known.at,
       meaning = case when known.is_contrary then 'paid' else $3 end,
       status_reason = left($4, 450) || case when known.is_contrary then $6 else '' end
     from known where f.end_to_end_id = $1 returning f.meaning, coalesce(known.is_contrary, false) as "isContrary"`,
    [endToEndId, code, meaning, reason, reportedAt, AFTER_CREDITED],
  )
  return row
}

/** Whether the payee of a payout is a resident. */
export async function readResidency(db: Queryable, payoutId: string): Promise<boolean | undefined> {
  const [row] = await db.query<{ is_resident: boolean }>(
    'select c.is_resident from payouts p join customers c using (customer_id) where p.payout_id = $1',
    [payoutId],
  )
  return row?.is_resident
}
