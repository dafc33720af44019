/**
 * The tables `reconcile_cursors` and `reconcile_suspects`: how far batches, payouts and entries have been compared with one another, and what
 * differed.
 */
import type { Queryable } from '../../db/database.ts'
import type { BatchName } from './books.sql.ts'
import type { Step, Walk } from './walk.ts'

/** What counts as recent: the newest batches of each chain, payouts and numbers of entries. A payout has two entries or more. */
export const RECENT = { batches: 200, payouts: 5_000, entries: 10_200 }

/** A walk goes from the position `t` on: to what is newer, or to what is older. */
const AFTER = 'coalesce(t.position, 0)'
const BEFORE = 'coalesce(nullif(t.position, 0), 9223372036854775807)'
const OWN = `status = 'final' and not is_foreign`

export type BatchWalk = 'new' | 'recent' | 'old'
/** The cursors of each chain begin so. Of those that can still become final, the oldest ends what is new. */
const CURSOR_OF_BATCHES: Record<BatchWalk, string> = { new: 'new batches:', recent: 'recent batches:', old: 'batches:' }
const BATCHES_OF: Record<BatchWalk, (most: number) => string> = {
  new: (most) => `select batch_id, order_count from batches
    where chain_id = c.chain_id and batch_id > ${AFTER} and ${OWN} and batch_id < coalesce(
      (select min(batch_id) from batches f where f.chain_id = c.chain_id and f.status in ('signed', 'mined')), 9223372036854775807)
    order by batch_id limit ${most}`,
  recent: (most) => `select * from (
      select batch_id, order_count from batches where chain_id = c.chain_id and ${OWN} order by batch_id desc limit ${RECENT.batches}) newest
    where batch_id < ${BEFORE} order by batch_id desc limit ${most}`,
  old: (most) => `select batch_id, order_count from batches
    where chain_id = c.chain_id and batch_id > ${AFTER} and ${OWN} order by batch_id limit ${most}`,
}

/** Where the walk of each chain is, and the next final batches that the service made itself: at most `most`. */
export async function readBatches(db: Queryable, walk: BatchWalk, most: number): Promise<Walk<BatchName>[]> {
  const rows = await db.query<{ chain: bigint; at: bigint; batch: bigint | null; orders: bigint }>(
    `select c.chain_id as chain, coalesce(t.position, 0) as at, b.batch_id as batch, b.order_count::bigint as orders
     from chains c left join reconcile_cursors t on t.what = '${CURSOR_OF_BATCHES[walk]}' || c.chain_id
     left join lateral (${BATCHES_OF[walk](most)}) b on true`,
  )
  return [...Map.groupBy(rows, ({ chain }) => chain)].map(([chainId, found]) => ({
    what: `${CURSOR_OF_BATCHES[walk]}${chainId}`,
    position: found[0]?.at ?? 0n,
    rows: found.flatMap(({ batch, orders }) =>
      batch === null ? [] : [{ position: batch, item: { chainId, batchId: batch }, orders }],
    ),
  }))
}

export type PayoutWalk = 'new entries' | 'recent entries' | 'entries' | 'payouts'
/** Entries are sealed in one sequence, whatever the sequence in which they were committed. */
const PAYOUTS_OF: Record<PayoutWalk, (most: number) => string> = {
  'new entries': (most) => `select s.position, e.reference as name from cursor t cross join lateral (
      select position, entry_id from ledger_seals where position > t.position order by position limit ${most}) s
    cross join lateral (select reference from ledger_entries where entry_id = s.entry_id limit 1) e`,
  'recent entries': (most) => `select e.* from cursor t cross join lateral (
    select entry_id as position, reference as name from ledger_entries where entry_id < ${BEFORE}
      and entry_id > (select max(entry_id) from ledger_entries) - ${RECENT.entries} order by entry_id desc limit ${most}) e`,
  entries: (most) => `select e.* from cursor t cross join lateral (
    select entry_id as position, reference as name from ledger_entries where entry_id > t.position order by entry_id limit ${most}) e`,
  payouts: (most) => `select p.* from cursor t cross join lateral (
    select order_id as position, 'payout/' || payout_id as name from payouts where order_id > t.position order by order_id limit ${most}) p`,
}

/** Where the walk is, and the next of it, at most `most`: each names a payout, or is an entry of something else. */
export async function readPayouts(db: Queryable, what: PayoutWalk, most: number): Promise<Walk<string | undefined>> {
  const rows = await db.query<{ at: bigint; position: bigint | null; name: string }>(
    `with cursor as (select coalesce((select position from reconcile_cursors where what = $1), 0) as position)
     select t.position as at, n.position, n.name from cursor t left join (${PAYOUTS_OF[what](most)}) n on true order by n.position`,
    [what],
  )
  const placed = rows.flatMap(({ position, name }) =>
    position === null ? [] : [{ position, item: payoutOf(name), orders: 1n }],
  )
  return { what, position: rows[0]?.at ?? 0n, rows: what === 'recent entries' ? placed.reverse() : placed }
}

function payoutOf(reference: string): string | undefined {
  const [kind, payoutId] = reference.split('/')
  return kind === 'payout' ? payoutId : undefined
}

/** Recent batches, and the payouts that are recent or named by recent entries. */
export async function readNewest(db: Queryable): Promise<{ batches: BatchName[]; payoutIds: string[] }> {
  const batches = await db.query<BatchName>(
    `select b.chain_id as "chainId", b.batch_id as "batchId" from chains c cross join lateral (
       select chain_id, batch_id from batches where chain_id = c.chain_id and ${OWN} order by batch_id desc limit ${RECENT.batches}) b`,
  )
  const payouts = await db.query<{ name: string }>(
    `(select 'payout/' || payout_id as name from payouts where order_id is not null order by order_id desc limit ${RECENT.payouts})
     union all
     (select 'payout/' || payout_id from payouts where order_id is null order by created_at desc limit ${RECENT.payouts})
     union all
     (select reference from ledger_entries order by entry_id desc limit ${RECENT.entries})`,
  )
  return { batches, payoutIds: payouts.flatMap(({ name }) => payoutOf(name) ?? []) }
}

/** Where another run has passed the turn on meanwhile, it stays: nobody has compared what comes next. */
export async function passOn(tx: Queryable, walked: readonly Step[]): Promise<void> {
  const steps = walked.filter(({ from, to }) => from !== to)
  if (steps.length === 0) return
  await tx.query(
    `insert into reconcile_cursors as t (what, position) select what, place from unnest($1::text[], $3::bigint[]) as s (what, place)
     on conflict (what) do update set position = excluded.position
     where exists (select from unnest($1::text[], $2::bigint[]) as s (what, place) where s.what = t.what and s.place = t.position)`,
    [steps.map(({ what }) => what), steps.map(({ from }) => from), steps.map(({ to }) => to)],
  )
}

/** The cursor `part` says when the last part was read, in milliseconds. @returns whether the next one is due; then it counts as read */
export async function takePart(db: Queryable, everyMs: number): Promise<boolean> {
  const rows = await db.query(
    `insert into reconcile_cursors as t (what, position) select 'part', (extract(epoch from now()) * 1000)::bigint
     on conflict (what) do update set position = excluded.position
     where t.position <= excluded.position - $1::bigint or t.position > excluded.position returning what`,
    [BigInt(everyMs)],
  )
  return rows.length > 0
}

/** Compared in each run until it differs no more: `chain/batch`, a payout, or a statement (`main/S1`). */
export type Suspect = { what: 'batch' | 'payout' | 'statement'; subject: string }

/** Everything of these kinds that differed. */
export const readSuspects = (db: Queryable, ...kinds: Suspect['what'][]): Promise<Suspect[]> =>
  db.query<Suspect>('select what, subject from reconcile_suspects where what = any ($1::text[]) order by subject', [
    kinds,
  ])

/** What is right again. */
export async function forget(tx: Queryable, suspects: readonly Suspect[]): Promise<void> {
  if (suspects.length === 0) return
  await tx.query('delete from reconcile_suspects where subject = any($1::text[])', [
    suspects.map(({ subject }) => subject),
  ])
}

/** @returns how many of them are new */
export async function remember(tx: Queryable, suspects: readonly Suspect[]): Promise<number> {
  if (suspects.length === 0) return 0
  const rows = await tx.query(
    `insert into reconcile_suspects (what, subject) select * from unnest($1::text[], $2::text[])
     on conflict (what, subject) do nothing returning subject`,
    [suspects.map(({ what }) => what), suspects.map(({ subject }) => subject)],
  )
  return rows.length
}
