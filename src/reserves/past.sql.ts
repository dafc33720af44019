/** What the reserve was at an instant: what the books say of it today. Nothing is decided on it. */

import type { Queryable } from '../db/database.ts'
import { readBalances } from '../ledger/balances.sql.ts'
import { readBankClosings, readClosedAges } from '../statements/balances.sql.ts'
import { batchSource } from '../values/batch-source.ts'
import { HOUSE } from '../values/house.ts'
import { madeByOthers, ofLostOrders, unexplained } from './beside-books.sql.ts'
import { bookedOf, EXTRA_SENT, factsOf, type ReadFacts, type Unbooked } from './facts.sql.ts'

/** What the balances as of `$1` hold: an entry that came after its day was closed counts from the day on which it was booked. */
const BOOKED_BY = `(e.effective_at <= $1 and e.day <= (select ($1::timestamptz at time zone timezone)::date from ledger_book))`

/**
 * Mints that were signed at `$1` and executed later, if at all, and coin that others had made (or burnt: negative) for no
 * order until then, or what was there of orders that were not made good. Payments too many count as they stand today. A batch that was abandoned since counts for nothing: its orders are in another one.
 */
const UNBOOKED_AT = `select
  (select coalesce(sum(o.amount_micro), 0) from batches b cross join lateral unnest(b.order_ids) as s (order_id)
    join orders o on o.order_id = s.order_id
    where b.created_at <= $1 and (b.status in ('signed', 'mined') or b.finalized_at > $1)
      and o.direction = 'MINT' and o.integration_id not in ${HOUSE}
      and not exists (select from ledger_entries e where ${BOOKED_BY}
        and e.reference = ${batchSource('b')} || '/' || o.integration_id))::text as signed,
  (${madeByOthers('join batches b using (chain_id, batch_id) where coalesce(b.settled_at, b.finalized_at) <= $1', 'where m.seen_at <= $1')}
    + ${ofLostOrders('l.lost_at <= $1 and coalesce(l.closed_at > $1, true)')} + ${unexplained('x.seen_at <= $1')})::text as beside,
  ${EXTRA_SENT} as extra`

/**
 * The facts as of an instant, by when each thing took effect: what came to be known since is in them, but for what came after its day was
 * closed. Of a bank account the
 * books count alone, and what they hold beyond its closing balance is what had come in since.
 */
export async function readReserveFactsAsOf(db: Queryable, asOf: Date): Promise<ReadFacts> {
  const [unbooked] = await db.query<Unbooked>(UNBOOKED_AT, [asOf])
  const balances = await readBalances(db, asOf)
  const closings = await readBankClosings(db, asOf)
  const ages = await readClosedAges(db, closings, asOf)
  return factsOf(
    unbooked,
    balances,
    closings.map(({ bankAccount, closingMicro, closedOn }) => {
      const bookedMicro = bookedOf(balances, bankAccount)
      const creditsSinceMicro = bookedMicro > closingMicro ? bookedMicro - closingMicro : 0n
      return { bankAccount, closingMicro, bookedMicro, creditsSinceMicro, ageMs: ages(closedOn) }
    }),
  )
}
