/**
 * A counter of usage, or the earmark of a wallet, is set to what its orders come to. Whoever moves an order that counts writes the counter
 * in the same transaction, so while its row is locked the orders that others can see are exactly those that it has counted.
 */
import type { Queryable } from '../../db/database.ts'
import { KINDS } from '../kinds.ts'
import { DIRECTIONS, type Direction } from '../order.ts'
import { NEXT_EPOCH } from './give-back.sql.ts'

/** A row: that of a key's or a customer's usage, or that of a wallet. */
export type Counter =
  | { of: Direction; owner: string; period: string }
  | { of: 'earmark'; chainId: number; address: string }

/** Statements about the row of an owner (`$1`) and a period (`$2`). */
const USAGE = Object.fromEntries(
  DIRECTIONS.map((direction) => {
    const { table, owner, period } = KINDS[direction].usage
    const make = `insert into ${table} (${owner}, ${period}, committed_micro, cap_micro) values ($1, $2::date, 0, 0)
      on conflict do nothing`
    const lock = `select from ${table} where ${owner} = $1 and ${period} = $2::date for no key update`
    // The cap that is in force is written by whoever adds to it next.
    const set = `update ${table} set committed_micro = $3::bigint, cap_micro = greatest(cap_micro, $3::bigint)
      where ${owner} = $1 and ${period} = $2::date`
    return [direction, { make, lock, set }]
  }),
) as Record<Direction, { make: string; lock: string; set: string }>

/** The same about the row of a wallet (`$2`) on a chain (`$1`). Facts that were read about it before are stale then. */
const EARMARK = {
  make: 'insert into wallet_earmarks (chain_id, address, earmarked_micro) values ($1, $2, 0) on conflict do nothing',
  lock: 'select from wallet_earmarks where chain_id = $1 and address = $2 for no key update',
  set: `update wallet_earmarks set earmarked_micro = $3, epoch = ${NEXT_EPOCH}, facts_epoch = ${NEXT_EPOCH}, balance_micro = null
    where chain_id = $1 and address = $2`,
}

const textsOf = ({ of }: Counter) => (of === 'earmark' ? EARMARK : USAGE[of])
const rowOf = (counter: Counter) =>
  counter.of === 'earmark' ? [counter.chainId, counter.address] : [counter.owner, counter.period]

/** Its row is made where there is none, and stays locked. What the orders come to is to be read after that, by a statement of its own. */
export async function lockCounter(tx: Queryable, counter: Counter): Promise<void> {
  const { make, lock } = textsOf(counter)
  await tx.query(make, rowOf(counter))
  await tx.query(lock, rowOf(counter))
}

export async function setCounter(tx: Queryable, counter: Counter, micro: bigint): Promise<void> {
  await tx.query(textsOf(counter).set, [...rowOf(counter), micro])
}
