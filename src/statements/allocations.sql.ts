/** Lines that are made of others, and go when nothing explains any of them. Whoever calls holds the lock under which lines are decided. */
import type { Queryable } from '../db/database.ts'
import type { Part } from './allocation.ts'
import { placeOf } from './place.sql.ts'
import type { Together } from './together.ts'

const NEXT = 'select coalesce(max(made_by), 0) + 1 as number from bank_lines where made_by is not null'

const TAKE = `update bank_lines set state = 'allocated', allocation = $2, reason = left($3, 500), decided_at = now()
  where line_no = any ($1::bigint[]) and state = 'unallocated' returning line_no`

/** Each stands behind the newest of the lines that it is made of, in the same entry, on its days, with its words. */
const MAKE = `insert into bank_lines (statement_no, bank_account, entry, detail, amount_micro, booked_on, value_on, is_reversal, end_to_end_id,
    bank_id, state, reason, decided_at, made_by)
  select n.statement_no, n.bank_account, n.entry, n.last_detail + p.ordinality, p.amount, n.booked_on, n.value_on, n.is_reversal, p.name,
    n.bank_id, 'unallocated', left($3, 500), now(), $2
  from (select l.*, (select max(d.detail) from bank_lines d where d.statement_no = l.statement_no and d.entry = l.entry) as last_detail
      from bank_lines l where l.line_no = any ($1::bigint[]) order by l.booked_on desc, l.line_no desc limit 1) n
    cross join unnest($4::bigint[], $5::text[]) with ordinality as p (amount, name, ordinality)
  order by p.ordinality returning line_no`

/** Takes unallocated lines together or apart, into unallocated ones. @returns the numbers of the lines that are made, in the order of the parts */
export async function makeLines(
  tx: Queryable,
  lineNos: readonly bigint[],
  parts: readonly Part[],
  reason: string,
): Promise<bigint[]> {
  const [row] = await tx.query<{ number: bigint }>(NEXT)
  const taken = await tx.query(TAKE, [lineNos, row?.number ?? 1n, reason])
  if (taken.length !== lineNos.length) throw new Error(`of ${lineNos.length} lines ${taken.length} were unallocated`)
  const made = await tx.query<{ line_no: bigint }>(MAKE, [
    lineNos,
    row?.number ?? 1n,
    reason,
    parts.map(({ amountMicro }) => String(amountMicro)),
    parts.map(({ endToEndId }) => endToEndId),
  ])
  return made.map((each) => each.line_no).sort((one, other) => Number(one - other))
}

const NOTHING_EXPLAINED = `exists (select from bank_lines f where f.line_no = $1 and f.made_by = m.made_by)
  and not exists (select from bank_lines o where o.made_by = m.made_by and o.state not in ('unallocated', 'dissolved'))`

const DISSOLVE = `update bank_lines m set state = 'dissolved', decided_at = now()
  where m.state = 'unallocated' and ${NOTHING_EXPLAINED} returning m.made_by`

const RESTORE = `update bank_lines set state = 'unallocated', reason = left($2, 500), decided_at = now()
  where allocation = $1 and state = 'allocated' returning line_no`

/**
 * Where nothing explains any line of an allocation after this one was taken back, what it was made of stands again; and where that had been made
 * itself, what the bank has said.
 */
export async function dissolve(tx: Queryable, lineNo: bigint, reason: string): Promise<void> {
  const [gone] = await tx.query<{ made_by: bigint }>(DISSOLVE, [lineNo])
  if (gone === undefined) return
  const rows = await tx.query<{ line_no: bigint }>(RESTORE, [gone.made_by, reason])
  for (const row of rows) await dissolve(tx, row.line_no, reason)
}

/** The lines that were made of one and explain it: those that nothing explains are not to be taken back. */
export async function listMadeOf(tx: Queryable, lineNo: bigint): Promise<bigint[]> {
  const rows = await tx.query<{ line_no: bigint }>(
    `select m.line_no from bank_lines l join bank_lines m on m.made_by = l.allocation
     where l.line_no = $1 and l.state = 'allocated' and m.state not in ('unallocated', 'dissolved') order by m.line_no`,
    [lineNo],
  )
  return rows.map((row) => row.line_no)
}

/** SQL: the numbers of the lines that `l` is made of; null for what the bank has said. */
export const MADE_OF = `(select string_agg(o.line_no::text, ', ' order by o.line_no) from bank_lines o
  where o.allocation = l.made_by and o.state = 'allocated')`

/** `place`: where the first of the lines stands that were allocated (`main/S1/3.1`); `lines`: the numbers of all. */
export type WrongAllocation = { place: string; lines: string; amountMicro: bigint; madeMicro: bigint }

/** Allocations of lines of these statements whose lines do not come to what they were made of. */
export async function findWrongAllocations(db: Queryable, statements: readonly bigint[]): Promise<WrongAllocation[]> {
  const rows = await db.query<{ place: string; lines: string; amount: string; made: string }>(
    `select a.place, a.lines, a.amount::text as amount, coalesce(m.made, 0)::text as made
     from (select l.allocation, sum(l.amount_micro) as amount, string_agg(l.line_no::text, ', ' order by l.line_no) as lines,
         min(l.line_no) as first, (array_agg(${placeOf('l')} order by l.line_no))[1] as place
       from bank_lines l join bank_statements s using (statement_no)
       where l.state = 'allocated' and l.allocation in (select allocation from bank_lines where statement_no = any ($1::bigint[]) and state = 'allocated')
       group by 1) a
     left join lateral (select sum(m.amount_micro) as made from bank_lines m where m.made_by = a.allocation and m.state <> 'dissolved') m on true
     where a.amount is distinct from m.made order by a.first limit 100`,
    [statements],
  )
  return rows.map(({ place, lines, amount, made }) => ({
    place,
    lines,
    amountMicro: BigInt(amount),
    madeMicro: BigInt(made),
  }))
}

/**
 * A debit that names a payment file, or a section of one, and that nothing has ever explained: what was taken back is for operators to say. `rejected`: how
 * many payments of that file the bank has rejected.
 */
export type LateDebit = { lineNo: bigint; amountMicro: bigint; together: Together; rejected: bigint }

const MOST_LATE = 100

/**
 * Those of which a payment was rejected, the newest first, at most `MOST_LATE`. `offset 0` has the rejections of each counted once.
 * @param seen line → how many rejections were known when it was looked at last: it is left out until there are others, so that it keeps none waiting
 */
export async function findLateTogether(db: Queryable, seen: ReadonlyMap<bigint, bigint>): Promise<LateDebit[]> {
  return await db.query<LateDebit>(
    `select * from (select l.line_no as "lineNo", l.amount_micro as "amountMicro", l.together, (
         select count(*) from filed_payments f where f.meaning = 'rejected' and f.message_id in (
           select substring(n from '^[A-Z0-9]{1,12}-[0-9]{8}') from jsonb_array_elements_text(l.together -> 'names') as n)) as rejected
       from bank_lines l where l.state = 'unallocated' and l.together is not null and l.taken_back = 0 and l.allocation is null
       offset 0) d
     where rejected > 0 and ("lineNo", rejected) not in (select line_no, known from unnest($1::bigint[], $2::bigint[]) as s (line_no, known))
     order by "lineNo" desc limit ${MOST_LATE}`,
    [[...seen.keys()], [...seen.values()]],
  )
}
