/**
 * The accepting statement: one or many new orders of a direction with everything that must be true with them — idempotency
 * keys, usage, earmarks, events, deliveries. Its texts are constant, so that they can be prepared: one for each direction, and
 * one for mints that count towards no cap.
 */
import { type Param, type Queryable, violatedConstraint } from '../../db/database.ts'
import type { OrderEvent } from '../../events/event.ts'
import { ANNOUNCE_CTES } from '../../webhooks/queue/announce.sql.ts'
import { KINDS, type Kind } from '../kinds.ts'
import { newOrderCte } from '../life/accepted.sql.ts'
import { earmarkCte, usageCte } from '../life/take.sql.ts'
import type { Direction } from '../order.ts'
import { NEW_ORDER_COLUMNS } from '../row.sql.ts'
import type { KeyedCall } from './call.ts'
import type { Acceptance } from './decision.ts'

/**
 * The result of a write: `lost` means that nothing was written because another request was first. `createdAt` is set where an order began: the time of
 * the statement that recorded it.
 */
export type Written = { lost: true } | { lost: false; deliveriesDue: boolean; createdAt?: Date }

/** What concurrent requests, and the settler, can make a write violate. */
const RACE_CONSTRAINTS: ReadonlySet<string | undefined> = new Set([
  'orders_reference_unique',
  'idempotency_keys_unique',
  'mint_usage_within_cap',
  'transfer_usage_within_cap',
  'withdrawal_usage_within_cap',
  'wallet_earmarks_within_balance',
  'wallet_earmarks_facts_current',
])

/** Whether a write failed because somebody else was first: the facts are to be read and decided again. */
export function isLostRace(error: unknown): boolean {
  return RACE_CONSTRAINTS.has(violatedConstraint(error))
}

/** A new order and what is recorded with it. */
export type NewRecord = {
  call: KeyedCall
  acceptance: Acceptance
  /** Undefined where the contract names no event, as for a mint that waits for its payment. */
  event: OrderEvent | undefined
}

/** A column of the statement's input: its name, its type, and its value. */
export type Column = readonly [name: string, type: string, read: (record: NewRecord) => Param]

/** The statement dates the order itself (`CREATED_AT`): between its facts and it, the chain was asked, and rows were waited for. */
export const RECORD_COLUMNS: readonly Column[] = [
  ...NEW_ORDER_COLUMNS.map(([name, type, read]): Column => [name, type, ({ acceptance }) => read(acceptance.order)]),
  ['idempotency_key', 'text', ({ call }) => call.idempotencyKey],
  ['fingerprint', 'bytea', ({ call }) => `\\x${call.fingerprint}`],
  ['event_id', 'text', ({ event }) => event?.eventId ?? null],
  ['event_type', 'text', ({ event }) => event?.type ?? null],
]

const USAGE_COLUMNS: readonly Column[] = [
  ['owner', 'text', ({ acceptance }) => acceptance.usage?.owner ?? null],
  ['period', 'date', ({ acceptance }) => acceptance.usage?.period ?? null],
  ['cap_micro', 'bigint', ({ acceptance }) => acceptance.usage?.capMicro ?? null],
]

const EARMARK_COLUMNS: readonly Column[] = [
  ['facts_epoch', 'bigint', ({ acceptance }) => acceptance.earmark?.epoch ?? null],
  ['balance_micro', 'numeric', ({ acceptance }) => acceptance.earmark?.balanceMicro ?? null],
]

/** As exact as it is shown: who asks for orders after it is not given the same one again. */
export const CREATED_AT = `date_trunc('milliseconds', now()) as created_at`

/** What a statement takes: orders that count nowhere leave out what is about counters. */
type Takes = { usage: Kind['usage'] | undefined; debits: boolean }

function columnsOf({ usage, debits }: Takes): Column[] {
  return [...RECORD_COLUMNS, ...(usage === undefined ? [] : USAGE_COLUMNS), ...(debits ? EARMARK_COLUMNS : [])]
}

/** $1 is how long the statement waits for a row that somebody else has locked, then one array for each column. */
function requestCte(columns: readonly Column[]): string {
  const arrays = columns.map(([, type], place) => `$${place + 2}::${type}[]`)
  return `request as materialized (
    select r.*, ${CREATED_AT} from unnest(${arrays.join(', ')}) with ordinality
      as r (${columns.map(([name]) => name).join(', ')}, place)
    cross join (select set_config('lock_timeout', $1, true)) as patience)`
}

const WALLET_CTE = `wallet as materialized (
    select e.chain_id, e.address, e.earmarked_micro, e.epoch from wallet_earmarks e
    where (e.chain_id, e.address) in (select chain_id, debit_address from request)
    order by e.chain_id, e.address for no key update)`

const IS_COVERED = `coalesce(w.epoch, 0) = r.facts_epoch
      and coalesce(w.earmarked_micro, 0) + sum(r.amount_micro) over (partition by r.chain_id, r.debit_address order by r.place)
        <= r.balance_micro`

/** An order counts in the period of its own date: one that has begun since the facts were read is another. */
function withinCap(period: Kind['usage']['period']): string {
  return `(r.owner is null or r.period = date_trunc('${period}', r.created_at at time zone 'UTC')::date
      and coalesce(c.committed_micro, 0)
        + sum(r.amount_micro) over (partition by r.owner, r.period order by r.place) <= r.cap_micro)`
}

/**
 * Which requests hold: each is judged in the order of arrival, counting what those before it took. The rows of wallets
 * and counters are locked, so that their values cannot change meanwhile; rows that do not exist yet are judged by the
 * constraints alone.
 */
function judgedCtes({ table, owner, period }: Kind['usage'], debits: boolean): string {
  return `${debits ? `${WALLET_CTE},\n  ` : ''}counter as materialized (
    select u.${owner} as owner, u.${period} as period, u.committed_micro from ${table} u
    where (u.${owner}, u.${period}) in (select owner, period from request)
    order by u.${owner}, u.${period} for no key update),
  judged as (
    select r.*, ${debits ? `${IS_COVERED} and ` : ''}${withinCap(period)} as holds
    from request r
    ${debits ? 'left join wallet w on w.chain_id = r.chain_id and w.address = r.debit_address' : ''}
    left join counter c on c.owner = r.owner and c.period = r.period),
  accepted as materialized (select * from judged where holds)`
}

/** Every statement inserts keys, too, in the same order, after all references. */
export function recordCtes(accepted: string, usage: Takes['usage']): string {
  return `${newOrderCte(accepted, usage)},
  recorded as materialized (
    select a.*, o.order_id from ${accepted} a
    join new_order o on o.integration_id = a.integration_id and o.reference_id = a.reference_id),
  used_key as (
    insert into idempotency_keys (integration_id, idempotency_key, fingerprint, order_id, first_answer)
    select integration_id, idempotency_key, fingerprint, order_id, status
    from recorded order by integration_id, idempotency_key),
  source as (
    select event_id, event_type as type, integration_id, reference_id, amount_micro, null::bytea as tx_hash,
      null::bigint as block_number, created_at as happened_at from recorded where event_id is not null),
  ${ANNOUNCE_CTES}`
}

function recordText(takes: Takes): string {
  const { usage, debits } = takes
  const taken = usage === undefined ? [] : [judgedCtes(usage, debits), usageCte(usage, 'accepted')]
  const accepted = usage === undefined ? 'request' : 'accepted'
  const ctes = [
    requestCte(columnsOf(takes)),
    ...taken,
    ...(debits ? [earmarkCte(accepted)] : []),
    recordCtes(accepted, usage),
  ]
  return `with ${ctes.join(',\n  ')}
  select place, created_at, exists (select from planned_deliveries) as deliveries_due from ${accepted}`
}

/** A text, and the columns of its input in their order. */
type Statement = { text: string; columns: readonly Column[] }

function statementOf(takes: Takes): Statement {
  return { text: recordText(takes), columns: columnsOf(takes) }
}

const STATEMENTS: Readonly<Record<Direction, Statement>> = {
  MINT: statementOf(KINDS.MINT),
  REDEEM: statementOf(KINDS.REDEEM),
  TRANSFER: statementOf(KINDS.TRANSFER),
}
/** For mints that count nowhere (no cap, or not confirmed): they need no counter. */
const UNCOUNTED = statementOf({ usage: undefined, debits: false })

function statementFor(direction: Direction, records: readonly NewRecord[]): Statement {
  const counts = KINDS[direction].debits || records.some(({ acceptance }) => acceptance.usage !== undefined)
  return counts ? STATEMENTS[direction] : UNCOUNTED
}

/**
 * Records new orders of one direction. Orders that a cap, a balance or a change of earmarks no longer admits are lost;
 * all others are recorded, or none when it throws.
 * @param patienceMs how long to wait for a row that somebody else has locked
 * @returns what became of each, in the order given
 * @throws the database's error; a violated constraint means that one of them (nobody says which) lost a race
 */
export async function recordOrders(
  db: Queryable,
  direction: Direction,
  records: readonly NewRecord[],
  patienceMs: number,
): Promise<Written[]> {
  const { text, columns } = statementFor(direction, records)
  const arrays = columns.map(([, , read]) => records.map(read)) as Param[]
  const rows = await db.query<{ place: bigint; created_at: Date; deliveries_due: boolean }>(text, [
    `${patienceMs}ms`,
    ...arrays,
  ])
  const written: Written[] = records.map(() => ({ lost: true }))
  for (const { place, created_at: createdAt, deliveries_due: deliveriesDue } of rows)
    written[Number(place) - 1] = { lost: false, deliveriesDue, createdAt }
  return written
}
