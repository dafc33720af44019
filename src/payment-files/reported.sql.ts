/** What people who must ask a bank about a payment need: its file, and the bank's last words about it. */
import type { Queryable } from '../db/database.ts'

/** `paymentFile`: null while it waits for one. `reported`: in a status report, also where nothing follows from it. */
export type FiledAs = {
  endToEndId: string
  paymentFile: string | null
  reported: string | null
  reportedAt: Date | null
}

/** Those of these payments that the rail of bank files has taken. */
export async function findFiledAs(db: Queryable, endToEndIds: readonly string[]): Promise<Map<string, FiledAs>> {
  const rows = await db.query<FiledAs>(
    `select end_to_end_id as "endToEndId", message_id as "paymentFile", status_reason as reported, reported_at as "reportedAt"
     from filed_payments where end_to_end_id = any ($1::text[])`,
    [endToEndIds],
  )
  return new Map(rows.map((row) => [row.endToEndId, row]))
}
