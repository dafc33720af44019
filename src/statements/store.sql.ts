/** Files, statements and notifications, written whole in the transaction that takes them in. */
import { insertDetails } from '../bank-details/bank-details.sql.ts'
import type { Queryable } from '../db/database.ts'
import type { SecretBox } from '../secrets/secrets.ts'
import { isToldBetween } from './between.sql.ts'
import { SAME_ID_DAYS } from './chain.sql.ts'
import { STATEMENTS_LOCK } from './locks.ts'
import type { NewNotified, NewStatement } from './statement.ts'

/** Waits until nobody else is recording a file; holds until the transaction ends. */
export async function lockRecording(tx: Queryable): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(${STATEMENTS_LOCK.record})`)
}

export type KnownImport = { definition: string; contentHash: string; messageId: string }

/** The files taken in before that share a content hash, or a message id of the same weeks. */
export async function findImports(
  tx: Queryable,
  { contentHash, messageId, createdAt }: { contentHash: string; messageId: string; createdAt: string | null },
): Promise<KnownImport[]> {
  const rows = await tx.query<{ definition: string; content_hash: string; message_id: string }>(
    `select definition, content_hash, message_id from bank_imports
     where refusal_code is null and (content_hash = $1
       or message_id = $2 and coalesce(abs(created_on - $3::date), 0) <= ${SAME_ID_DAYS})`,
    [contentHash, messageId, dayOf(createdAt)],
  )
  return rows.map((row) => ({ definition: row.definition, contentHash: row.content_hash, messageId: row.message_id }))
}

/** The statements that a file has brought, by the names under which they are kept. */
export async function findNamesOf(
  tx: Queryable,
  contentHash: string,
): Promise<Pick<NewStatement, 'bankAccount' | 'statementId'>[]> {
  return await tx.query(
    'select bank_account as "bankAccount", statement_id as "statementId" from bank_statements where content_hash = $1',
    [contentHash],
  )
}

/** A withdrawn statement that may have told another one: it has its content; or is of its days, and began or ended as that does. */
const MAY_HAVE_TOLD = `(w.digest = $3 or w.closed_on between $4::date and $5::date
  and (w.opening_micro = $6 or w.closed_on = $5::date and w.closing_micro = $7))`

/** The parameters that name them below. */
const BALANCES = { account: '$2', opening: '$6', firstDay: '$4', lastDay: '$5', closing: '$7', sequence: '$8' } as const
const IS_TOLD_AGAIN = isToldBetween(BALANCES)

/**
 * Whether a statement that was left out of a file is to be looked at once more: what may have told it was withdrawn since, and nothing that stands is
 * between its balances. Of one that comes to nothing balances prove nothing, as everywhere.
 */
export async function isFreed(tx: Queryable, statement: NewStatement, contentHash: string): Promise<boolean> {
  const { bankAccount, digest, sequence, openingMicro, closedOn, closingMicro, lines } = statement
  const [firstDay = closedOn] = [closedOn, ...lines.map(({ bookedOn }) => bookedOn)].sort()
  const rows = await tx.query(
    `select from bank_imports i where i.content_hash = $1 and ($6::bigint = $7::bigint or not ${IS_TOLD_AGAIN})
       and exists (select from bank_statements w where w.bank_account = $2 and w.withdrawn_at > i.imported_at and w.content_hash <> $1 and ${MAY_HAVE_TOLD})`,
    [contentHash, bankAccount, digest, firstDay, closedOn, openingMicro, closingMicro, sequence],
  )
  return rows.length > 0
}

/** The day in the time of creation that a message names. */
const dayOf = (createdAt: string | null = null) => createdAt?.slice(0, 10) ?? null

export type NewImport = {
  contentHash: string
  name: string
  definition: string | null
  messageId: string | null
  createdAt?: string | null
  refusal: { code: string; sentence: string } | null
}

/** Records a file. One that was refused before may be taken now, or be refused for another reason. */
export async function insertImport(tx: Queryable, file: NewImport): Promise<void> {
  await tx.query(
    `insert into bank_imports (content_hash, name, definition, message_id, refusal_code, refusal_sentence, created_on)
     values ($1, $2, $3, $4, $5, $6, $7)
     on conflict (content_hash) do update set name = excluded.name, definition = excluded.definition,
       message_id = excluded.message_id, refusal_code = excluded.refusal_code,
       refusal_sentence = excluded.refusal_sentence, created_on = excluded.created_on, imported_at = now()
     where bank_imports.refusal_code is not null`,
    [
      file.contentHash,
      file.name,
      file.definition,
      file.messageId,
      file.refusal?.code ?? null,
      file.refusal?.sentence ?? null,
      dayOf(file.createdAt),
    ],
  )
}

/** Stores a statement and its lines; it waits until it is applied. @returns its number */
export async function insertStatement(
  tx: Queryable,
  secrets: SecretBox,
  statement: NewStatement,
  contentHash: string,
): Promise<bigint> {
  const { bankAccount, statementId, sequence, openedOn, openingMicro, closedOn, closingMicro, lines, digest } =
    statement
  const { accountDigest = null } = statement
  const [row] = await tx.query<{ statement_no: bigint }>(
    `insert into bank_statements (bank_account, statement_id, sequence, opened_on, opening_micro, closed_on,
       closing_micro, line_count, digest, content_hash, account_digest)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) returning statement_no`,
    [
      bankAccount,
      statementId,
      sequence,
      openedOn,
      openingMicro,
      closedOn,
      closingMicro,
      lines.length,
      digest,
      contentHash,
      accountDigest,
    ],
  )
  if (row === undefined) throw new Error('a statement was not stored')
  const bankIds = await keepSaid(tx, secrets, lines)
  const rows = lines.map((line, index) => rowOf(line, bankIds[index] ?? null))
  await tx.query(
    `insert into bank_lines (statement_no, bank_account, entry, detail, amount_micro, booked_on, value_on, is_reversal,
       servicer_reference, end_to_end_id, bank_id, return_code, own_account, together)
     select $1, $2, l.entry, l.detail, l.amount_micro, l.booked_on, l.value_on, l.is_reversal, l.servicer_reference,
       l.end_to_end_id, l.bank_id, l.return_code, l.own_account, l.together
     from jsonb_to_recordset($3::text::jsonb) as l (entry int, detail int, amount_micro bigint, booked_on date,
       value_on date, is_reversal boolean, servicer_reference text, end_to_end_id text, bank_id text,
       return_code text, own_account text, together jsonb)
     order by l.entry, l.detail`,
    [row.statement_no, bankAccount, JSON.stringify(rows)],
  )
  return row.statement_no
}

type Said = { remittance: string; remitterName?: string | null; remitterAccount: string | null }

/** Keeps whom each line names, and the bank's words. @returns for each the id of its bank details; null when it says nothing */
async function keepSaid(tx: Queryable, secrets: SecretBox, said: readonly Said[]): Promise<(string | null)[]> {
  const details = said.map(({ remittance, remitterName = null, remitterAccount: account }) => {
    const isSilent = remittance === '' && remitterName === null && account === null
    return isSilent
      ? null
      : { bic: null, account, name: remitterName, ...(remittance === '' ? {} : { text: remittance }) }
  })
  const kept = await insertDetails(
    tx,
    secrets,
    details.filter((each) => each !== null),
  )
  const ids = kept.values()
  return details.map((each) => (each === null ? null : (ids.next().value ?? null)))
}

function rowOf(line: NewStatement['lines'][number], bankId: string | null) {
  return {
    entry: line.entry,
    detail: line.detail,
    amount_micro: String(line.amountMicro),
    booked_on: line.bookedOn,
    value_on: line.valueOn,
    is_reversal: line.isReversal,
    servicer_reference: line.servicerReference,
    end_to_end_id: line.endToEndId,
    bank_id: bankId,
    return_code: line.returnCode,
    own_account: line.ownAccount,
    // What went to another account of ours paid nobody.
    together: line.ownAccount === null ? line.together : null,
  }
}

/** Stores what notifications say happened; what was notified before is left alone. */
export async function insertNotified(
  tx: Queryable,
  secrets: SecretBox,
  notified: readonly NewNotified[],
  contentHash: string,
): Promise<void> {
  const known = await tx.query<{ notified_key: string }>(
    'select notified_key from bank_notified where notified_key = any ($1::text[])',
    [notified.map(({ key }) => key)],
  )
  const keys = new Set(known.map((row) => row.notified_key))
  const fresh = notified.filter(({ key }) => !keys.has(key))
  const bankIds = await keepSaid(tx, secrets, fresh)
  await tx.query(
    `insert into bank_notified (notified_key, bank_account, amount_micro, booked_on, servicer_reference, end_to_end_id,
       bank_id, content_hash, notification, own_account)
     select n.key, n.bank_account, n.amount_micro, n.booked_on, n.servicer_reference, n.end_to_end_id, n.bank_id, $2, n.notification,
       n.own_account
     from jsonb_to_recordset($1::text::jsonb) as n (key text, bank_account text, amount_micro bigint, booked_on date,
       servicer_reference text, end_to_end_id text, bank_id text, notification integer, own_account text)
     on conflict do nothing`,
    [
      JSON.stringify(
        fresh.map((one, index) => ({
          key: one.key,
          bank_account: one.bankAccount,
          amount_micro: String(one.amountMicro),
          booked_on: one.bookedOn,
          servicer_reference: one.servicerReference,
          end_to_end_id: one.endToEndId,
          bank_id: bankIds[index] ?? null,
          notification: one.notification,
          own_account: one.ownAccount,
        })),
      ),
      contentHash,
    ],
  )
}
