/** The facts of one or many POSTs in one query: one snapshot, one round trip, one index look-up for each fact. */
import type { Queryable, Row } from '../../db/database.ts'
import { type RowsColumn, rowsOf, rowsParam } from '../../db/rows-param.ts'
import { orderTag } from '../../values/order-tag.ts'
import { DIRECTIONS, type Direction } from '../order.ts'
import { BATCH_OF_ORDER, ORDER_COLUMNS, type OrderRow, orderFromRow } from '../row.sql.ts'
import { type CallKey, capKeyOf } from './call.ts'
import type { BaseFacts, CommonFacts, CreateFacts, CustomerFacts, UsedKey } from './facts.ts'
import type { FirstStatus } from './first-answer.ts'
import type { OrderRequest } from './request.ts'
import { DEBIT_COLUMNS, debitJoins, debitOf, USED_COLUMN, usageJoin } from './used-facts.sql.ts'

/** A question for facts: a call and its request. */
export type Question = { call: CallKey; request: OrderRequest }

/** Of the Idempotency-Key `k`, for `baseOf`. */
export const KEY_COLUMNS = `encode(k.fingerprint, 'hex') as key_fingerprint, k.order_id as key_order_id, k.first_answer`

const QUESTION_COLUMNS: readonly RowsColumn<Question>[] = [
  ['integration_id', 'text', ({ call }) => call.caller.integrationId],
  ['key_id', 'text', ({ call }) => call.caller.keyId],
  ['cap_key_id', 'text', ({ call }) => capKeyOf(call.caller)],
  ['idempotency_key', 'text', ({ call }) => call.idempotencyKey],
  ['reference_id', 'text', ({ request }) => request.referenceId],
  ['customer_id', 'text', ({ request }) => request.customerId ?? null],
  ['wallet_address', 'text', ({ request }) => request.walletAddress],
  ['chain_id', 'bigint', ({ request }) => request.chain.chainId],
  ['amount_micro', 'numeric', ({ request }) => String(request.amountMicro)],
  ['tag', 'text', ({ call, request }) => orderTag(call.caller.integrationId, request.referenceId)],
]

/**
 * Whether a limit of a chain, `l`, is believed. After ten minutes without news no settler works, and the limit may have been
 * raised; and a time of reading that is still to come was written while the database's clock was ahead.
 */
export const IS_LIMIT_BELIEVED = `l.read_at between now() - interval '10 minutes' and now() + interval '1 minute'`

const COMMON_COLUMNS = `q.place, now() as now, ${KEY_COLUMNS}, ${ORDER_COLUMNS},
  c.customer_id as party_id, c.integration_id = q.integration_id as is_own_party, c.verification_status, c.is_resident,
  c.monthly_cap_micro, c.can_mint, c.can_redeem, c.can_transfer, c.bank_id is not null as has_bank_account,
  case when ${IS_LIMIT_BELIEVED} then l.capacity_micro end as chain_limit_micro,
  s.settled_chain_id, s.settled_same`

/**
 * Lateral look-ups with `limit 1` go by index, one after another, whatever the planner believes about the tables. A
 * customer is looked up by its primary key alone, so that no plan walks through all customers of an integration.
 */
const COMMON_JOINS = `left join lateral (
    select * from idempotency_keys
    where integration_id = q.integration_id and idempotency_key = q.idempotency_key limit 1) k on true
  left join lateral (
    select * from orders where integration_id = q.integration_id and reference_id = q.reference_id limit 1) o on true
  ${BATCH_OF_ORDER}
  left join lateral (select * from customers where customer_id = q.customer_id limit 1) c on true`

const DENIED_COLUMN = 'd.address is not null as address_denied'
export const DENIED_JOIN = `left join lateral (
    select address from screening_denials where address = lower(q.wallet_address) limit 1) d on true`

const PARTS: Readonly<Record<Direction, { columns: string; joins: string }>> = {
  MINT: {
    columns: `${USED_COLUMN}, ${DENIED_COLUMN}`,
    joins: `${DENIED_JOIN}
  ${usageJoin('MINT')}`,
  },
  REDEEM: {
    columns: `${DEBIT_COLUMNS}, w.address is not null as wallet_linked, ${DENIED_COLUMN}`,
    joins: `${DENIED_JOIN}
  left join lateral (
    select address from wallets where customer_id = q.customer_id and address = q.wallet_address limit 1) w on true
  ${debitJoins('REDEEM', 'q.wallet_address')}`,
  },
  TRANSFER: {
    columns: `${DEBIT_COLUMNS}, ${DENIED_COLUMN}, p.address as source_address, sd.address is not null as source_denied`,
    joins: `${DENIED_JOIN}
  left join lateral (
    select address from wallets where customer_id = q.customer_id and is_primary limit 1) p on true
  left join lateral (
    select address from screening_denials where address = lower(p.address) limit 1) sd on true
  ${debitJoins('TRANSFER', 'p.address')}`,
  },
}

/** As `l`: the most that one order of this direction may ever be on its chain, as the settler has last read it. */
export function limitJoin(direction: Direction): string {
  return `left join lateral (
    select capacity_micro, read_at from chain_limits
    where chain_id = q.chain_id and direction = '${direction}' limit 1) l on true`
}

const DEBITED: Readonly<Record<Direction, string>> = { MINT: 'null', REDEEM: 'q.wallet_address', TRANSFER: 'p.address' }

function settledJoin(direction: Direction): string {
  return `cross join lateral (
    select max(i.chain_id) as settled_chain_id, bool_or(i.chain_id = q.chain_id and i.order_id is null and i.direction = '${direction}'
      and i.amount_micro = q.amount_micro and lower(i.wallet_address) = lower(q.wallet_address)
      and lower(i.debit_address) is not distinct from lower(${DEBITED[direction]})) as settled_same
    from foreign_instructions i where i.tag = q.tag) s`
}

function factsText(direction: Direction): string {
  const { columns, joins } = PARTS[direction]
  return `select ${COMMON_COLUMNS}, ${columns}
  from ${rowsOf('$1', 'q', QUESTION_COLUMNS)}
  ${COMMON_JOINS}
  ${limitJoin(direction)}
  ${joins}
  ${settledJoin(direction)}`
}

const TEXTS = Object.fromEntries(DIRECTIONS.map((direction) => [direction, factsText(direction)])) as Record<
  Direction,
  string
>

/** The facts that only orders of one direction need. */
const OWN_FACTS: { [D in Direction]: (row: Row) => Omit<CreateFacts[D], keyof CommonFacts> } = {
  MINT: (row) => ({
    walletDenied: row.address_denied as boolean,
    committedTodayMicro: row.committed_micro as bigint,
  }),
  REDEEM: (row) => ({
    walletLinked: row.wallet_linked as boolean,
    walletDenied: row.address_denied as boolean,
    withdrawnThisMonthMicro: row.committed_micro as bigint,
    debit: debitOf(row),
  }),
  TRANSFER: (row) => ({
    sourceAddress: (row.source_address as string | null) ?? undefined,
    sourceDenied: row.source_denied as boolean,
    recipientDenied: row.address_denied as boolean,
    committedTodayMicro: row.committed_micro as bigint,
    debit: debitOf(row),
  }),
}

/**
 * The facts of POSTs of one direction in one round trip and one snapshot, in the order of the questions.
 * @throws DatabaseUnavailableError, as do the others
 */
export async function readFacts<D extends Direction>(
  db: Queryable,
  direction: D,
  questions: readonly Question[],
): Promise<CreateFacts[D][]> {
  const rows = await db.query(TEXTS[direction], [rowsParam(QUESTION_COLUMNS, questions)])
  if (rows.length !== questions.length) throw new Error(`the facts query returned ${rows.length} rows`)
  return rows
    .toSorted((a, b) => Number(a.place) - Number(b.place))
    .map((row) => ({ ...commonOf(row), ...OWN_FACTS[direction](row) }) as CreateFacts[D])
}

function usedKeyOf(row: Row): UsedKey | undefined {
  if (row.key_fingerprint === null) return undefined
  return {
    fingerprint: row.key_fingerprint as string,
    orderId: row.key_order_id as bigint,
    firstStatus: (row.first_answer as FirstStatus | null) ?? undefined,
  }
}

/** The facts of any POST: of a row with `now`, KEY_COLUMNS and ORDER_COLUMNS. */
export function baseOf(row: Row): BaseFacts {
  return {
    now: row.now as Date,
    usedKey: usedKeyOf(row),
    existing: row.order_id === null ? undefined : orderFromRow(row as OrderRow),
  }
}

function commonOf(row: Row): CommonFacts {
  const base = baseOf(row)
  const settledOn = row.settled_chain_id as bigint | null
  return {
    ...base,
    customer: row.is_own_party === true ? customerOf(row) : undefined,
    chainLimitMicro: (row.chain_limit_micro as bigint | null) ?? undefined,
    settledBefore: settledOn === null ? 'no' : row.settled_same === true ? 'same' : 'otherwise',
    ownChainId: base.existing?.chainId ?? (settledOn === null ? undefined : Number(settledOn)),
  }
}

function customerOf(row: Row): CustomerFacts {
  return {
    customerId: row.party_id as string,
    verificationStatus: row.verification_status as string,
    isResident: row.is_resident as boolean,
    monthlyCapMicro: row.monthly_cap_micro as bigint,
    canMint: row.can_mint as boolean,
    canRedeem: row.can_redeem as boolean,
    canTransfer: row.can_transfer as boolean,
    hasBankAccount: row.has_bank_account as boolean,
  }
}
