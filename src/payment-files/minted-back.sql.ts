/** Payments that a backup had as accepted and not put out: the lost history may have called them unpaid, and had their coin minted back, or had them paid by a retry. */
import type { Queryable } from '../db/database.ts'
import { DATABASE_TIMELINE } from '../db/timeline.sql.ts'
import { isUnfenced } from '../payouts/unretried.sql.ts'

/** Payouts `p` of a backup that their rail had accepted there, with their redeems `o`. */
const ACCEPTED_BEFORE = `payouts p join payout_attempts a on a.payout_id = p.payout_id and a.attempt = p.attempt and a.asked_on <> (select ${DATABASE_TIMELINE})
    cross join lateral (select * from orders where order_id = p.order_id limit 1) o`

/** Chains on which what a lost history has signed may be executed yet. */
export async function listUnfenced(db: Queryable): Promise<number[]> {
  const rows = await db.query<{ chain_id: number }>(`select chain_id from chains n where ${isUnfenced('n')}`)
  return rows.map(({ chain_id: chainId }) => Number(chainId))
}

/**
 * SQL: whether a payment `f` of a backup waits because what the lost history has signed may be executed yet: nobody knows whether its coin is minted back.
 * @param unfenced the parameter with the chains of which that was so when the run looked for what was minted back: it has not seen what was read since
 */
export const awaitsFence = (f: string, unfenced: string): string =>
  `exists (select from ${ACCEPTED_BEFORE} where p.payout_id = ${f}.payout_id and (o.chain_id = any (${unfenced}::bigint[]) or ${isUnfenced('o')}))`

/** `newest`: of all attempts of its payout; `refunds`: how often its coin was to be minted back; `isMinted`: others have minted some coin to the wallet of its redeem. */
export type NotOut = {
  endToEndId: string
  payoutId: string
  attempt: number
  newest: number
  refunds: number
  integrationId: string
  referenceId: string
  isMinted: boolean
}

/** Those of which others have minted some coin to the wallet of their redeem, or, once a payment file was read back, all. */
export async function findNotOut(db: Queryable): Promise<NotOut[]> {
  const rows = await db.query<Omit<NotOut, 'isMinted'> & { wallet: string; isReadBack: boolean }>(
    `select f.end_to_end_id as "endToEndId", p.payout_id as "payoutId", p.attempt, p.refunds::int as refunds, o.wallet_address as wallet,
       (select max(e.attempt) from payout_attempts e where e.payout_id = p.payout_id) as newest, o.integration_id as "integrationId", o.reference_id as "referenceId",
       exists (select from payment_files where is_read_back) as "isReadBack"
     from (select end_to_end_id, payout_id from filed_payments where message_id is null and withdrawn_at is null
         union all select n.end_to_end_id, n.payout_id from payment_files w join filed_payments n using (message_id)
         where w.put_out_at is null and w.withdrawn_at is null) f
       join (${ACCEPTED_BEFORE}) on p.payout_id = f.payout_id and p.end_to_end_id = f.end_to_end_id
     where p.status || '' in ('queued', 'sent') order by 1`,
  )
  const minted = await findMintedTo(
    db,
    rows.map(({ wallet }) => wallet),
  )
  return rows
    .map(({ wallet, ...row }) => ({ ...row, isMinted: minted.has(wallet) }))
    .filter(({ isMinted, isReadBack }) => isMinted || isReadBack)
}

/** Those of these wallets to which others have minted something: all at once, because looked for one by one each would read all that others have done. */
async function findMintedTo(db: Queryable, wallets: readonly string[]): Promise<ReadonlySet<string>> {
  if (wallets.length === 0) return new Set()
  const rows = await db.query<{ wallet: string }>(
    `select distinct wallet from unnest($1::text[]) as w (wallet) join foreign_instructions i on i.wallet_address = w.wallet
     where i.direction = 'MINT' and i.succeeded and i.order_id is null`,
    [[...new Set(wallets)]],
  )
  return new Set(rows.map(({ wallet }) => wallet))
}

/** Those of these payments that are in a file, with its name. */
export async function findFiled(db: Queryable, endToEndIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (endToEndIds.length === 0) return new Map()
  const rows = await db.query<{ id: string; messageId: string }>(
    'select end_to_end_id as id, message_id as "messageId" from filed_payments where end_to_end_id = any ($1::text[]) and message_id is not null',
    [endToEndIds],
  )
  return new Map(rows.map(({ id, messageId }) => [id, messageId]))
}

/** Whether a payment is in no file that went out, or may go out before the transaction ends. Its payout is locked. */
export async function isNotOut(tx: Queryable, endToEndId: string): Promise<boolean> {
  const rows = await tx.query(
    `select from filed_payments f left join payment_files w using (message_id) where f.end_to_end_id = $1 and w.put_out_at is null`,
    [endToEndId],
  )
  return rows.length > 0
}

/** Whether a file has payments that wait for a fence. */
export async function areAnyUnfenced(tx: Queryable, messageId: string, unfenced: readonly number[]): Promise<boolean> {
  const rows = await tx.query(
    `select from filed_payments f where f.message_id = $1 and ${awaitsFence('f', '$2')} limit 1`,
    [messageId, unfenced],
  )
  return rows.length > 0
}
