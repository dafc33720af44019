/** For tests that are about payouts and not about burns: payouts begin as if a payer had seen their burns on a chain. */
import type { Queryable } from '../../src/db/database.ts'

const BELIEVE = [
  `create or replace function believe_burn() returns trigger language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
   begin
     update payouts set burn = 'believed/' || new.payout_id where payout_id = new.payout_id and order_id is not null;
     return null;
   end $$`,
  'create or replace trigger believe_burn after insert on payouts for each row execute function believe_burn()',
  // Also where a test turns the guards off.
  'alter table payouts enable always trigger believe_burn',
]

export async function believeBurns(db: Queryable): Promise<void> {
  const believing = await db.query(`select from pg_trigger where tgname = 'believe_burn' and tgenabled = 'A'`)
  if (believing.length > 0) return
  // Two services over one database may both begin to make it: whoever comes second makes it once more.
  for (const statement of BELIEVE) await db.query(statement).catch(() => db.query(statement))
}

/** From now on burns must be seen. */
export async function disbelieveBurns(db: Queryable): Promise<void> {
  await db.query('drop trigger believe_burn on payouts')
}
