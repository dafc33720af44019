/** Counts and sums for one look at everything. Each is bounded, because pages ask for them all the time. */
import type { Queryable } from '../db/database.ts'
import { WAITS } from '../payment-files/payments.sql.ts'
import { KIND_OF_ORDER } from './orders/kind.sql.ts'

const NEWEST = 20_000
const MOST = 1_000

export type Flow = { direction: string; status: string; orders: number; amountMicro: bigint }

/** Orders of the last 24 hours by what they do (`KIND_OF_ORDER`) and status as stored, of the newest 20,000. */
export async function readFlows(db: Queryable): Promise<{ flows: Flow[]; isWhole: boolean }> {
  const rows = await db.query<{ direction: string; status: string; orders: bigint; micro: string }>(
    `select direction, status, count(*) as orders, sum(amount_micro)::text as micro
     from (select ${KIND_OF_ORDER} as direction, status, amount_micro, created_at
       from orders order by order_id desc limit ${NEWEST}) newest
     where created_at > now() - interval '24 hours' group by direction, status order by direction, status`,
  )
  const flows = rows.map(({ direction, status, orders, micro }) => {
    return { direction, status, orders: Number(orders), amountMicro: BigInt(micro) }
  })
  return { flows, isWhole: flows.reduce((sum, { orders }) => sum + orders, 0) < NEWEST }
}

export type ChainQueue = {
  chainId: number
  /** Since when it is called lost, and why: then nothing is waited for there. */
  lost: { since: Date; reason: string } | null
  observedBlock: string | null
  settlerAlive: boolean
  /** What its settler last said that holds orders; null when nothing does. */
  hold: { reason: string; details: string | null; since: Date } | null
  /** Kinds of orders that are held while others go on. */
  blocked: string[]
  batchesInFlight: number
}

/** What the settlers say of their chains. */
export async function readQueues(db: Queryable): Promise<ChainQueue[]> {
  const rows = await db.query<{
    chain_id: bigint
    observed_block: string | null
    alive: boolean
    reason: string | null
    details: string | null
    since: Date | null
    blocked: string[] | null
    batches: bigint
    lost_at: Date | null
    lost_because: string | null
  }>(
    `select c.chain_id, c.observed_block::text, h.reason, h.details, h.since, h.blocked, l.lost_at, l.reason as lost_because,
       exists (select from leases l where l.name = 'settlement:' || c.chain_id and l.expires_at > now()) as alive,
       (select count(*) from batches b where b.chain_id = c.chain_id and b.status in ('signed', 'mined')) as batches
     from chains c left join lost_chains l on l.chain_id = c.chain_id
     left join settlement_holds h on h.chain_id = c.chain_id and l.chain_id is null order by c.chain_id`,
  )
  return rows.map((row) => ({
    chainId: Number(row.chain_id),
    lost: row.lost_at === null ? null : { since: row.lost_at, reason: row.lost_because ?? '' },
    observedBlock: row.observed_block,
    settlerAlive: row.alive,
    hold:
      row.reason === null || row.since === null || row.reason === 'none'
        ? null
        : { reason: row.reason, details: row.details, since: row.since },
    blocked: row.blocked ?? [],
    batchesInFlight: Number(row.batches),
  }))
}

export type Alarms = {
  ordersHeld: number
  tagConflicts: number
  bankLinesUnallocated: number
  /** Statements that wait for an earlier one. */
  statementsWaiting: number
  /** Files that the transport has brought and that were not taken in yet. */
  bankFilesWaiting: number
  /** 1 while no payment file is written before the folder was read back. */
  paymentFilesStopped: number
  approvalsWaiting: number
  endpointsDisabled: number
  /** Payments and payment files that wait because no key opens them. */
  paymentsNotOpened: number
  /** Payments, and payment files, that have waited for more than five minutes to be put out. */
  paymentsNotPutOut: number
  /** Lines of the audit log that have waited for their seal for more than a minute. */
  auditUnsealed: number
}

/** A file is made each minute in which a payment waits. */
const LATE = `now() - interval '5 minutes'`

/** How much waits for a person; each counted up to 1,000. */
export async function readAlarms(db: Queryable): Promise<Alarms> {
  const counted = (from: string) => `(select count(*) from (select from ${from} limit ${MOST}) counted)`
  const [row] = await db.query<Record<keyof Alarms, bigint>>(
    `select ${counted('order_holds')} as "ordersHeld", ${counted('tag_conflicts')} as "tagConflicts",
       ${counted(`bank_lines where state = 'unallocated'`)} as "bankLinesUnallocated",
       ${counted('bank_statements where position is null and withdrawn_at is null')} as "statementsWaiting",
       ${counted('bank_left')} as "bankFilesWaiting", ${counted('payment_file_stop')} as "paymentFilesStopped",
       ${counted(`approvals where status = 'waiting' and expires_at > now()
         and not exists (select from operators o where o.operator_id = requested_by and o.disabled_at is not null)`)} as "approvalsWaiting",
       ${counted(`webhook_endpoints where status = 'disabled'`)} as "endpointsDisabled",
       ${counted(`filed_payments where ${WAITS} and not_opened_since is not null`)}
         + ${counted('payment_files where put_out_at is null and withdrawn_at is null and not_opened_since is not null')} as "paymentsNotOpened",
       ${counted(`filed_payments where ${WAITS} and accepted_at < ${LATE}`)}
         + ${counted(`payment_files where put_out_at is null and withdrawn_at is null and created_at < ${LATE}`)} as "paymentsNotPutOut",
       ${counted(`audit_unsealed join audit_log using (audit_id) where created_at < now() - interval '1 minute'`)} as "auditUnsealed"`,
  )
  const of = (name: keyof Alarms) => Number(row?.[name] ?? 0n)
  return {
    ordersHeld: of('ordersHeld'),
    tagConflicts: of('tagConflicts'),
    bankLinesUnallocated: of('bankLinesUnallocated'),
    statementsWaiting: of('statementsWaiting'),
    bankFilesWaiting: of('bankFilesWaiting'),
    paymentFilesStopped: of('paymentFilesStopped'),
    approvalsWaiting: of('approvalsWaiting'),
    endpointsDisabled: of('endpointsDisabled'),
    paymentsNotOpened: of('paymentsNotOpened'),
    paymentsNotPutOut: of('paymentsNotPutOut'),
    auditUnsealed: of('auditUnsealed'),
  }
}
