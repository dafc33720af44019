/**
 * The tables `reconcile_cursors` and `reconcile_suspects`: which old batches, payouts and entries are compared with the books next. All take
 * turns, a few in each run; what differs is compared in every run until it differs no more.
 */
import type { Database, Queryable } from '../../db/database.ts'
import { findWrongBooks, MOST_FOUND, OLD_BATCHES, OLD_ENTRIES, OLD_PAYOUTS, type WrongBook } from './books.sql.ts'

/** Of each kind; the first ones are enough to act on. */
const MOST_LISTED = 100

/** Compares the books, and passes the turn on. */
export async function checkBooks(db: Database): Promise<WrongBook[]> {
  const turns = await db.query<Turn>('select what, position from reconcile_cursors')
  const known = await db.query<Suspect>('select what, subject from reconcile_suspects')
  const found = await findWrongBooks(db)
  const suspects = found.flatMap(suspectOf)
  const named = new Set(suspects.map(({ subject }) => subject))
  // Beyond the most that are found, nobody knows whether one still differs.
  const cleared = found.length < MOST_FOUND ? known.filter(({ subject }) => !named.has(subject)) : []
  await db.transaction(async (tx) => {
    await forget(tx, cleared)
    await remember(tx, suspects)
    await passOn(tx, turns)
  })
  return firstOfEach(found)
}

function firstOfEach(found: readonly WrongBook[]): WrongBook[] {
  const listed = new Map<WrongBook['what'], number>()
  return found.filter(({ what }) => {
    const place = (listed.get(what) ?? 0) + 1
    listed.set(what, place)
    return place <= MOST_LISTED
  })
}

type Turn = { what: string; position: bigint }
type Suspect = { what: 'batch' | 'payout'; subject: string }

function suspectOf({ what, subject }: WrongBook): Suspect[] {
  if (what === 'sent') return [{ what: 'payout', subject }]
  if (what !== 'minted' && what !== 'burnt') return []
  const [, chainId, batchId] = subject.split('/')
  return [{ what: 'batch', subject: `${chainId}/${batchId}` }]
}

const forget = (tx: Queryable, suspects: readonly Suspect[]) =>
  tx.query('delete from reconcile_suspects where subject = any($1::text[])', [suspects.map(({ subject }) => subject)])

const remember = (tx: Queryable, suspects: readonly Suspect[]) =>
  tx.query(
    `insert into reconcile_suspects (what, subject) select * from unnest($1::text[], $2::text[])
     on conflict (what, subject) do nothing`,
    [suspects.map(({ what }) => what), suspects.map(({ subject }) => subject)],
  )

/**
 * After the last comes the first again. Where another run has passed the turn on since `turns` were read, it stays: nobody has
 * compared what comes next.
 */
const passOn = (tx: Queryable, turns: readonly Turn[]) =>
  tx.query(
    `insert into reconcile_cursors (what, position)
     select 'batches:' || c.chain_id, case when count(b.batch_id) < ${OLD_BATCHES} then 0 else max(b.batch_id) end
     from chains c left join reconcile_cursors t on t.what = 'batches:' || c.chain_id left join lateral (
       select batch_id from batches where chain_id = c.chain_id and batch_id > coalesce(t.position, 0) and status = 'final' and not is_foreign
       order by batch_id limit ${OLD_BATCHES}) b on true
     group by c.chain_id
     union all
     select 'payouts', case when count(*) < ${OLD_PAYOUTS} then 0 else max(order_id) end
     from (select order_id from payouts where order_id > coalesce((select position from reconcile_cursors where what = 'payouts'), 0)
       order by order_id limit ${OLD_PAYOUTS}) p
     union all
     select 'entries', case when count(*) < ${OLD_ENTRIES} then 0 else max(entry_id) end
     from (select entry_id from ledger_entries where entry_id > coalesce((select position from reconcile_cursors where what = 'entries'), 0)
       order by entry_id limit ${OLD_ENTRIES}) e
     on conflict (what) do update set position = excluded.position
     where exists (select from unnest($1::text[], $2::bigint[]) as t (what, position)
       where t.what = reconcile_cursors.what and t.position = reconcile_cursors.position)`,
    [turns.map(({ what }) => what), turns.map(({ position }) => position)],
  )
