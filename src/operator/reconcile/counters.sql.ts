/** One counter of usage, or one earmark, beside what its orders come to: read from the orders themselves, at one moment. */
import type { Queryable } from '../../db/database.ts'
import { KINDS } from '../../orders/kinds.ts'
import type { Counter } from '../../orders/life/recount.sql.ts'
import { DIRECTIONS, type Direction, STATUSES } from '../../orders/order.ts'
import { COUNTED, usageOf } from './counted.sql.ts'
import { TAKING } from './findings.sql.ts'

/** Who has orders, also past the service: the index of each is read once. */
const WITH_ORDERS = `with recursive named as (
    (select integration_id collate "C" as id from orders order by integration_id collate "C" limit 1)
    union all
    select (select o.integration_id collate "C" from orders o where o.integration_id collate "C" > n.id
      order by o.integration_id collate "C" limit 1) from named n where n.id is not null)`

/** No order can be of a later time; beyond that no instant of a day could be told. */
const DAY = `least($2::date, date '290000-01-01')`

/** Orders `o` that may count for the owner `$1`: whoever has as many as there are in a day is not asked about each. */
const OF_OWNER: Record<Direction, string> = {
  MINT: 'o.mint_cap_key_id = $1',
  REDEEM: 'o.customer_id = $1',
  TRANSFER: 'o.key_id in (select $1 union all select key_id from api_keys where cap_key_id = $1)',
}

/** Orders of the direction that were accepted in the period `$2`. */
const acceptedIn = (direction: Direction) => {
  const { period } = KINDS[direction].usage
  return `select ${COUNTED} from named n cross join unnest($3::text[]) as s (status) join orders o
    on o.integration_id collate "C" = n.id and o.direction = '${direction}' and o.status = s.status
      and o.created_at >= ${DAY}::timestamp at time zone 'UTC'
      and o.created_at < (${DAY} + interval '1 ${period}') at time zone 'UTC' and ${OF_OWNER[direction]}`
}

/** Mints that were accepted before the day `$2` on which they were confirmed, by the index of these. */
const CONFIRMED_LATER = `select ${COUNTED} from orders o
    where o.mint_cap_day = $2::date and o.mint_cap_day <> (o.created_at at time zone 'UTC')::date`

const USAGE = Object.fromEntries(
  DIRECTIONS.map((direction) => {
    const { table, owner, period } = KINDS[direction].usage
    const orders = direction === 'MINT' ? `${acceptedIn('MINT')} union all ${CONFIRMED_LATER}` : acceptedIn(direction)
    const text = `${WITH_ORDERS}
    select coalesce((select committed_micro from ${table} where ${owner} = $1 and ${period} = $2::date), 0)::bigint as recorded,
      coalesce((select sum(u.amount_micro) from (${usageOf(`(${orders})`)}) u where u.owner = $1 and u.period = $2::date), 0)::text as orders`
    return [direction, text]
  }),
) as Record<Direction, string>

const EARMARK = `select
    coalesce((select earmarked_micro from wallet_earmarks where chain_id = $1 and address = $2), 0)::bigint as recorded,
    coalesce((select sum(t.amount_micro) from (${TAKING}) t where t.chain_id = $1 and t.address = $2), 0)::text as orders`

export type Counted = { recordedMicro: bigint; ordersMicro: bigint }

export async function readCounter(db: Queryable, counter: Counter): Promise<Counted> {
  const [text, params] =
    counter.of === 'earmark'
      ? [EARMARK, [counter.chainId, counter.address]]
      : [USAGE[counter.of], [counter.owner, counter.period, STATUSES]]
  const [row] = await db.query<{ recorded: bigint; orders: string }>(text, params)
  return { recordedMicro: row?.recorded ?? 0n, ordersMicro: BigInt(row?.orders ?? 0) }
}

/** The months of a customer's usage that `reconcile` compares: this one, and any later one that somebody has written. */
export async function readMonths(db: Queryable, customerId: string): Promise<string[]> {
  const rows = await db.query<{ month: string }>(
    `select this.month from (select date_trunc('month', now() at time zone 'UTC')::date as month) this
     union select u.month from withdrawal_usage u
       where u.customer_id = $1 and u.month > date_trunc('month', now() at time zone 'UTC')::date
     order by 1`,
    [customerId],
  )
  return rows.map(({ month }) => month)
}
