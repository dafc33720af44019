/** The parts of the facts query about usage and earmarks, for questions `q`. */
import type { Row } from '../../db/database.ts'
import { KINDS } from '../kinds.ts'
import type { Direction } from '../order.ts'
import type { DebitFacts } from './facts.ts'

export const USED_COLUMN = 'coalesce(u.committed_micro, 0) as committed_micro'

/** The usage of the direction's owner in the present UTC period. */
export function usageJoin(direction: Direction): string {
  const { table, owner, period } = KINDS[direction].usage
  return `left join lateral (
    select committed_micro from ${table}
    where ${owner} = q.${owner === 'key_id' ? 'cap_key_id' : owner} and ${period} = date_trunc('${period}', now() at time zone 'UTC')::date limit 1) u on true`
}

/** Columns on that usage, and on the debited wallet. */
export const DEBIT_COLUMNS = `${USED_COLUMN}, ch.observed_block, coalesce(h.earmarked_micro, 0) as earmarked_micro, coalesce(h.epoch, 0) as epoch`

/** Joins for `DEBIT_COLUMNS`. @param address the debited wallet, in SQL */
export function debitJoins(direction: 'REDEEM' | 'TRANSFER', address: string): string {
  return `${usageJoin(direction)}
  left join lateral (select observed_block from chains where chain_id = q.chain_id limit 1) ch on true
  left join lateral (
    select earmarked_micro, epoch from wallet_earmarks where chain_id = q.chain_id and address = ${address} limit 1) h on true`
}

/** Reads `DEBIT_COLUMNS`. */
export function debitOf(row: Row): DebitFacts {
  return {
    observedBlock: (row.observed_block as bigint | null) ?? undefined,
    earmarkedMicro: row.earmarked_micro as bigint,
    epoch: row.epoch as bigint,
  }
}
