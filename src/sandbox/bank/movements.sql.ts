/** What the simulated bank has not put on a statement yet. */
import type { Queryable } from '../../db/database.ts'
import type { Behaviour } from '../../payouts/rails/simulated-accounts.ts'

const LIMIT = 2_000
/** How long back the simulated bank looks: what a stopped sandbox left is older than that only after a long pause. */
const SINCE = `now() - interval '30 days'`

export type PaidOut = {
  endToEndId: string
  amountSen: bigint
  /** Whom it paid, of `bank_details`. */
  bankId: string
  behaviour: Behaviour | null
  reference: string
  ageMs: number
  /** Whether a statement shows that it left: then what is missing is that it came back. */
  isDebited: boolean
}

/** Payments that the simulated rail carries out, whose debit, or whose return, may be missing on the statements. */
export async function findPaidOut(db: Queryable): Promise<PaidOut[]> {
  const rows = await db.query<{
    end_to_end_id: string
    amount_sen: bigint
    bank_id: string
    behaviour: Behaviour | null
    reference: string
    age_ms: number
    is_debited: boolean
  }>(
    `select * from (
       select p.end_to_end_id, p.amount_sen, p.bank_id, p.behaviour, p.reference, p.created_at,
         (extract(epoch from now() - p.created_at) * 1000)::float8 as age_ms,
         exists (select from bank_lines l where l.end_to_end_id = p.end_to_end_id and l.amount_micro < 0) as is_debited,
         exists (select from bank_lines l where l.end_to_end_id = p.end_to_end_id and l.amount_micro > 0) as is_returned
       from simulated_rail_payments p where p.created_at > ${SINCE} and p.behaviour is distinct from 'rejected') p
     where not is_debited or (not is_returned and behaviour = 'returned') order by created_at, end_to_end_id limit ${LIMIT}`,
  )
  return rows.map((row) => ({
    endToEndId: row.end_to_end_id,
    amountSen: row.amount_sen,
    bankId: row.bank_id,
    behaviour: row.behaviour,
    reference: row.reference,
    ageMs: row.age_ms,
    isDebited: row.is_debited,
  }))
}

export type Owed = { orderId: bigint; integrationId: string; referenceId: string; amountMicro: bigint }

/** Settled mints that no statement shows as paid. */
export async function findOwedMints(db: Queryable): Promise<Owed[]> {
  const rows = await db.query<{ order_id: bigint; integration_id: string; reference_id: string; amount_micro: bigint }>(
    `select o.order_id, o.integration_id, o.reference_id, o.amount_micro from integrations i cross join lateral (
       select * from orders o where o.integration_id collate "C" = i.integration_id and o.direction = 'MINT' and o.status = 'completed'
         and o.created_at > ${SINCE} and not exists (select from bank_paid_mints p where p.order_id = o.order_id)
         and not exists (select from bank_lines l where l.servicer_reference = 'SIMC' || o.order_id)
       order by o.created_at desc, o.order_id desc limit ${LIMIT}) o
     order by o.order_id limit ${LIMIT}`,
  )
  return rows.map((row) => ({
    orderId: row.order_id,
    integrationId: row.integration_id,
    referenceId: row.reference_id,
    amountMicro: row.amount_micro,
  }))
}
