/** Payment files that nobody can read any more, and what is known of them all the same. */
import type { Queryable } from '../db/database.ts'
import type { StoredFile } from './files.sql.ts'

/** Whether people have said, since the file was made, that its key is lost. */
export async function isCalledLost(
  db: Queryable,
  keyId: string,
  { messageId }: Pick<StoredFile, 'messageId'>,
): Promise<boolean> {
  const rows = await db.query(
    `select from lost_keys k join payment_files f on f.created_at <= k.said_at
     where k.key_id = $1 and f.message_id = $2 limit 1`,
    [keyId, messageId],
  )
  return rows.length > 0
}

/** The payments of a file. Ids and amounts are kept apart from it, and are not sealed; in which section of it each was is not. */
export async function listFiled(
  db: Queryable,
  messageId: string,
): Promise<{ endToEndId: string; amountSen: bigint }[]> {
  return await db.query<{ endToEndId: string; amountSen: bigint }>(
    `select end_to_end_id as "endToEndId", amount_sen as "amountSen" from filed_payments where message_id = $1 order by 1`,
    [messageId],
  )
}
