/** In whose counter of usage an order counts. */
import type { UsageCounter } from '../kinds.ts'

/**
 * An expression over an order `row`. A key and those that replaced it share a counter: where the order itself does not say which, its
 * key does, for ever.
 */
export function counterOwner({ owner, storedIn }: UsageCounter, row: string): string {
  if (storedIn !== undefined) return `${row}.${storedIn.owner}`
  if (owner === 'customer_id') return `${row}.customer_id`
  return `coalesce((select k.cap_key_id from api_keys k where k.key_id = ${row}.key_id), ${row}.key_id)`
}
