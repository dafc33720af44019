/** Fills the database with completed orders, as if they had been accepted and settled. */
import { type Bench, CHAIN_ID, COIN, WALLET } from './service.ts'

const AT_ONCE = 50_000

/** The reference of the n-th order. */
export function referenceOf(n: number): string {
  return `seeded-${String(n).padStart(9, '0')}`
}

/** Adds the orders `from` to `to` (exclusive), one for each past second, the newest last, with answers and events. */
export async function seedOrders(bench: Bench, from: number, to: number): Promise<void> {
  for (let first = from; first < to; first += AT_ONCE) {
    await bench.db.query(
      `with seeded as (
         insert into orders (integration_id, reference_id, direction, status, chain_id, network, token_address,
           wallet_address, debit_address, customer_id, key_id, amount_micro, batch_id, batch_index, tx_hash, block_number,
           created_at, updated_at)
         select $1, 'seeded-' || lpad(n::text, 9, '0'), case n % 3 when 0 then 'REDEEM' else 'MINT' end, 'completed',
           $2::bigint, 'Bench', $3, $4, case n % 3 when 0 then $4 end, $5, $6, 1000000, n / 255, n % 255,
           decode(repeat('ab', 32), 'hex'), n / 255, now() - make_interval(secs => 2000000 - n), now()
         from generate_series($7::int, $8::int - 1) n
         returning order_id, reference_id),
       used_keys as (
         insert into idempotency_keys (integration_id, idempotency_key, fingerprint, order_id, first_answer)
         select $1, reference_id, sha256(reference_id::bytea), order_id, 'pending' from seeded)
       insert into events (event_id, type, integration_id, reference_id, amount_micro, tx_hash, block_number, happened_at)
       select 'evt_' || reference_id, 'mint.completed', $1, reference_id, 1000000, decode(repeat('ab', 32), 'hex'), 1, now() from seeded`,
      [
        bench.integrationId,
        CHAIN_ID,
        COIN,
        WALLET,
        bench.customerId,
        bench.keyId,
        first,
        Math.min(first + AT_ONCE, to),
      ],
    )
  }
  await bench.db.query('analyze')
}
