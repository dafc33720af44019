/** What the sealer reads and writes. */
import type { Queryable } from '../db/database.ts'
import { GENESIS, type Seal, type SealedEntry } from '../seals/chain.ts'
import type { Unsealed } from '../seals/sealed-log.ts'
import { sealedInstant } from '../seals/sealing.sql.ts'
import type { Account } from './accounts.ts'
import type { Entry } from './postings.ts'
import { within } from './within.sql.ts'

/** An entry exactly as it is stored; `fields` has all of it. */
export type SealedContent = SealedEntry & { day: string; accounts: readonly string[]; amountsMicro: readonly string[] }

/** The fields of an entry `e` that a seal covers. */
export const SEALED_COLUMNS = `e.entry_id, e.reference, ${sealedInstant('e.effective_at')} as effective_at,
  ${sealedInstant('e.recorded_at')} as recorded_at, e.day::text as day, e.accounts, e.amounts_micro::text[] as amounts_micro`

export type SealedRow = {
  entry_id: bigint
  reference: string
  effective_at: string
  recorded_at: string
  day: string
  accounts: string[]
  amounts_micro: string[]
}

/** Reads what a seal covers. */
export function contentFromRow(row: SealedRow): SealedContent {
  const { entry_id: entryId, day, accounts, amounts_micro: amountsMicro } = row
  const fields = [row.reference, row.effective_at, row.recorded_at, day, accounts, amountsMicro]
  return { entryId, fields, day, accounts, amountsMicro }
}

/** The lines of an entry as it is stored. */
export function linesOfContent({ accounts, amountsMicro }: SealedContent): Entry['lines'] {
  return accounts.map((account, index) => ({
    account: account as Account,
    amountMicro: BigInt(amountsMicro[index] ?? '0'),
  }))
}

/** The newest seal, or where the chain begins. */
export async function readNewestSeal(db: Queryable): Promise<Seal> {
  const [row] = await db.query<Seal>(
    `select position, encode(hash, 'hex') as hash from ledger_seals order by position desc limit 1`,
  )
  return row ?? GENESIS
}

/** The oldest entries that wait for their seal, at most `limit`. */
export async function readUnsealed(tx: Queryable, limit: number): Promise<Unsealed<SealedContent>[]> {
  const rows = await tx.query<SealedRow & { is_sealed: boolean }>(
    `select ${SEALED_COLUMNS}, (select position from ledger_seals s where s.entry_id = e.entry_id) is not null as is_sealed
     from (select entry_id from ledger_unsealed order by entry_id limit $1) u join ledger_entries e using (entry_id) order by e.entry_id`,
    [limit],
  )
  return rows.map(({ is_sealed: isSealed, ...row }) => ({ ...contentFromRow(row), isSealed }))
}

// Every part names the entries itself: a join with what was just sealed reads all that waits, once for each of them.
const STORE = `with sealed as (
    insert into ledger_seals (position, entry_id, hash)
    select s.position, s.entry_id, decode(s.hash, 'hex') from unnest($1::bigint[], $2::bigint[], $3::text[]) as s (position, entry_id, hash)),
  done as (delete from ledger_unsealed where entry_id = any ($4::bigint[]))
  insert into ledger_totals as t (account, day, debit_micro, credit_micro)
  select l.account, e.day, sum(greatest(l.amount, 0)), sum(greatest(-l.amount, 0))
  from ledger_entries e cross join lateral unnest(e.accounts, e.amounts_micro) as l (account, amount)
  where e.entry_id = any ($4::bigint[]) group by 1, 2 order by 1, 2
  on conflict (account, day) do update
    set debit_micro = ${within('t.debit_micro')} + excluded.debit_micro, credit_micro = ${within('t.credit_micro')} + excluded.credit_micro`

/** Stores the seals of entries, and adds the entries, and those that were sealed before, to the totals of their days. */
export async function storeSeals(
  tx: Queryable,
  seals: readonly (Seal & { entryId: bigint })[],
  entryIds: readonly bigint[],
): Promise<void> {
  await tx.query(STORE, [
    seals.map(({ position }) => position),
    seals.map(({ entryId }) => entryId),
    seals.map(({ hash }) => hash),
    entryIds,
  ])
}
