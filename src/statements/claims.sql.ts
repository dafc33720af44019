/** Claims: debits of a payment that was paid already, and the credits that give them back. */
import type { Queryable } from '../db/database.ts'
import { byHandNameIn } from '../payouts/by-hand.sql.ts'
import { placeOf } from './place.sql.ts'

/** So many debits too many of one payment are kept apart. */
const MOST_CLAIMS = 20

/** SQL: the claims of the payment that `name` names: 1 and on. */
export const claimNames = (name: string) => `${name} || '/claim/' || generate_series(1, ${MOST_CLAIMS})`

/** SQL: a line `l` is a debit that is claimed back, and has not come. */
const IS_OPEN = `l.matched_kind = 'claim' and l.amount_micro < 0
  and not exists (select from bank_lines c where c.matched_to = l.matched_to and c.amount_micro > 0)`

/** A claim that is open. `bankAccount`: in whose books it stands. */
export type OpenClaim = { to: string; bankAccount: string; lineNo: bigint; place: string; bookedOn: string }

const SELECT = `select l.matched_to as to, l.bank_account as "bankAccount", l.line_no as "lineNo", l.booked_on::text as "bookedOn",
    ${placeOf('l')} as place
  from bank_lines l join bank_statements s using (statement_no)`

const OF_PAYMENTS = `l.matched_to in (select ${claimNames('n')} from unnest($1::text[]) as n) and ${IS_OPEN}`

/** The oldest open claim of these payments (`po_…/1`). @param bankAccount of which one is closed first that left there: the bank gives back to where it took */
export async function findOpenClaim(
  db: Queryable,
  names: readonly string[],
  bankAccount = '',
): Promise<OpenClaim | undefined> {
  const [claim] = await db.query<OpenClaim>(
    `${SELECT} where ${OF_PAYMENTS} order by l.bank_account <> $2, l.line_no limit 1`,
    [names, bankAccount],
  )
  return claim
}

/** The payments of a payout, by a rail and by hand. */
const PAYMENTS = `select payout_id || '/' || a.attempt as name from payout_attempts a where payout_id = $1
  union all select ${byHandNameIn('payout_id', 'n')}
    from payouts p, generate_series(1, p.by_hand) as n where payout_id = $1`

/** The payment of a payout whose debit was shown last; undefined when none was. */
export async function findLastShown(tx: Queryable, payoutId: string): Promise<string | undefined> {
  const [row] = await tx.query<{ name: string }>(
    `select n.name from (${PAYMENTS}) n join bank_lines l on l.matched_to = n.name
     where l.matched_kind in ('payout', 'extra_payout') and l.amount_micro < 0 order by l.booked_on desc, l.line_no desc limit 1`,
    [payoutId],
  )
  return row?.name
}

/** The same of any payment of a payout. */
export async function findOpenClaimOf(
  db: Queryable,
  payoutId: string,
  bankAccount?: string,
): Promise<OpenClaim | undefined> {
  return await findOpenClaim(db, await namesOf(db, payoutId), bankAccount)
}

async function namesOf(db: Queryable, payoutId: string): Promise<string[]> {
  const rows = await db.query<{ name: string }>(PAYMENTS, [payoutId])
  return rows.map(({ name }) => name)
}

/** How many claims of what was paid to a customer are open. */
export async function countOpenClaims(db: Queryable, customerId: string): Promise<number> {
  const [row] = await db.query<{ n: bigint }>(
    `select count(*) as n from bank_lines l join payouts p on p.payout_id = split_part(l.matched_to, '/', 1)
     where ${IS_OPEN} and p.customer_id = $1`,
    [customerId],
  )
  return Number(row?.n ?? 0n)
}

/** A name for another claim of a payment; undefined when there are too many. */
export async function nextClaim(tx: Queryable, name: string): Promise<string | undefined> {
  const [row] = await tx.query<{ to: string }>(
    `select n as to from (select ${claimNames('$1::text')} as n) c
     where not exists (select from bank_lines l where l.matched_to = n) limit 1`,
    [name],
  )
  return row?.to
}

export type ListedClaim = Pick<OpenClaim, 'to' | 'lineNo' | 'place' | 'bookedOn'> & { amountMicro: bigint }

const MOST_LISTED = 100

const LIST = SELECT.replace('select ', 'select -l.amount_micro as "amountMicro", ')

/** Claims that are open, oldest first. */
export async function listOpenClaims(db: Queryable): Promise<ListedClaim[]> {
  return await db.query<ListedClaim>(`${LIST} where ${IS_OPEN} order by l.line_no limit ${MOST_LISTED}`)
}

/** Those of a payout, oldest first. */
export async function listOpenClaimsOf(db: Queryable, payoutId: string): Promise<ListedClaim[]> {
  return await db.query<ListedClaim>(`${LIST} where ${OF_PAYMENTS} order by l.line_no limit ${MOST_LISTED}`, [
    await namesOf(db, payoutId),
  ])
}
