/** What banks have reported of payments, and what people who must ask one need: its file, and its last words. */
import type { Queryable } from '../db/database.ts'

/** `paymentFile`: null while it waits for one. `bankId`: its payee. `reported`: in a status report, also where nothing follows from it. */
export type FiledAs = {
  endToEndId: string
  bankId: string
  paymentFile: string | null
  reported: string | null
  reportedAt: Date | null
}

/** Those of these payments that the rail of bank files has taken. */
export async function findFiledAs(db: Queryable, endToEndIds: readonly string[]): Promise<Map<string, FiledAs>> {
  const rows = await db.query<FiledAs>(
    `select end_to_end_id as "endToEndId", bank_id as "bankId", message_id as "paymentFile", status_reason as reported, reported_at as "reportedAt"
     from filed_payments where end_to_end_id = any ($1::text[])`,
    [endToEndIds],
  )
  return new Map(rows.map((row) => [row.endToEndId, row]))
}

/** Whether the rail of bank files has taken a payment that is in no file yet, so that no bank has it. */
export async function waitsForFile(db: Queryable, endToEndId: string): Promise<boolean> {
  const filed = (await findFiledAs(db, [endToEndId])).get(endToEndId)
  return filed !== undefined && filed.paymentFile === null
}

/** The payments of a file that the bank has rejected. */
export async function listRejected(tx: Queryable, messageId: string): Promise<ReadonlySet<string>> {
  const rows = await tx.query<{ end_to_end_id: string }>(
    `select end_to_end_id from filed_payments where message_id = $1 and meaning = 'rejected'`,
    [messageId],
  )
  return new Set(rows.map((row) => row.end_to_end_id))
}
