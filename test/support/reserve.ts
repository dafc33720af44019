/** What the bank has said about the reserve, as if statements had been imported and booked. */
import { createHash, randomBytes } from 'node:crypto'
import type { Queryable } from '../../src/db/database.ts'
import { recordEntries } from '../../src/ledger/entries.sql.ts'

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex')

async function addFile(db: Queryable, name: string): Promise<string> {
  const hash = hashOf(name)
  await db.query(
    `insert into bank_imports (content_hash, name, definition, message_id) values ($1, $2, 'camt.053', $2)`,
    [hash, name],
  )
  return hash
}

/**
 * The next statement of an account: it closes with `balanceMicro`, `daysAgo` days before today in the books' time zone.
 * What it moves is booked, unless `booked` is false.
 */
export async function bankSays(
  db: Queryable,
  balanceMicro: bigint,
  {
    bankAccount = 'main',
    daysAgo = 0,
    booked = true,
  }: { bankAccount?: string; daysAgo?: number; booked?: boolean } = {},
): Promise<void> {
  const name = `statement-${randomBytes(8).toString('hex')}`
  const hash = await addFile(db, name)
  const [before] = await db.query<{ closing_micro: bigint; position: bigint }>(
    'select closing_micro, position from bank_statements where bank_account = $1 order by position desc limit 1',
    [bankAccount],
  )
  await db.query(
    `insert into bank_statements (bank_account, statement_id, opened_on, opening_micro, closed_on, closing_micro, line_count,
       digest, content_hash, position, applied_at)
     select $1, $2, d.day, $3, d.day, $4, 0, $5, $5, $6, now()
     from (select (now() at time zone timezone)::date - $7::int as day from ledger_book) d`,
    [bankAccount, name, before?.closing_micro ?? 0n, balanceMicro, hash, (before?.position ?? 0n) + 1n, daysAgo],
  )
  const amountMicro = balanceMicro - (before?.closing_micro ?? 0n)
  if (!booked || amountMicro === 0n) return
  const lines = [
    { account: `reserve:${bankAccount}`, amountMicro },
    { account: `unallocated:${bankAccount}`, amountMicro: -amountMicro },
  ] as const
  await recordEntries(db, [{ reference: `test/${name}`, effectiveAt: new Date(), lines }])
}

/** The newest statement shows a movement under the bank's reference; its balance is what `bankSays` has said. */
export async function bankShows(
  db: Queryable,
  amounts: bigint | readonly bigint[],
  servicerReference: string,
): Promise<void> {
  await db.query(
    `insert into bank_lines (statement_no, bank_account, entry, detail, amount_micro, booked_on, value_on, is_reversal, servicer_reference)
     select s.statement_no, s.bank_account, 1 + (select count(*) from bank_lines), a.detail, a.micro, s.closed_on, s.closed_on, false, $2
     from (select * from bank_statements order by statement_no desc limit 1) s, unnest($1::bigint[]) with ordinality as a (micro, detail)`,
    [[amounts].flat().map(String), servicerReference],
  )
}

/** The bank notifies a movement of tomorrow, or of later, which no statement has yet. */
export async function bankNotifies(
  db: Queryable,
  amounts: bigint | readonly bigint[],
  {
    bankAccount = 'main',
    endToEndId = null,
    servicerReference = null,
    inDays = 2,
  }: { bankAccount?: string; endToEndId?: string | null; servicerReference?: string | null; inDays?: number } = {},
): Promise<void> {
  const name = `notification-${randomBytes(8).toString('hex')}`
  const hash = await addFile(db, name)
  await db.query(
    `insert into bank_notified (notified_key, bank_account, amount_micro, booked_on, end_to_end_id, content_hash, servicer_reference)
     select case part when 1 then $1 else encode(sha256(($1 || part)::bytea), 'hex') end, $2, micro, (now() + $5::int * interval '1 day')::date, $4, $1, $6
     from unnest($3::bigint[]) with ordinality as a (micro, part)`,
    [hash, bankAccount, [amounts].flat().map(String), endToEndId, inDays, servicerReference],
  )
}
