/** The facts of each POST in one query: one snapshot, one round trip. */
import type { Queryable, Row } from '../../db/database.ts'
import { ORDER_COLUMNS, type OrderRow, orderFromRow } from '../row.ts'
import type { PostCall } from './call.ts'
import type {
  CancelFacts,
  CommonFacts,
  CustomerFacts,
  DebitFacts,
  MintFacts,
  RedeemFacts,
  Remembered,
  TransferFacts,
} from './facts.ts'
import type { OrderRequest } from './request.ts'

type Call = Pick<PostCall, 'caller' | 'idempotencyKey'>

const BASE_COLUMNS = `date_trunc('milliseconds', now()) as now,
  k.fingerprint as remembered_fingerprint, k.status as remembered_status, k.body as remembered_body, ${ORDER_COLUMNS}`

function customerColumns(integrationId: string): string {
  return `c.customer_id as party_id, c.integration_id = ${integrationId} as is_own_party, c.verification_status,
  c.is_resident, c.monthly_cap_micro, c.can_mint, c.can_redeem, c.can_transfer,
  c.bank_account is not null as has_bank_account`
}

const CUSTOMER_COLUMNS = customerColumns('$1')

const DEBIT_COLUMNS =
  'ch.observed_block, coalesce(h.earmarked_micro, 0) as earmarked_micro, coalesce(h.epoch, 0) as epoch'

const FROM_BASE = `from (values (1)) as one
  left join idempotency_keys k on k.integration_id = $1 and k.idempotency_key = $2
  left join orders o on o.integration_id = $1 and o.reference_id = $3`

/** By its primary key alone, so that no plan walks through all customers of the integration. */
const FROM_PARTY = `${FROM_BASE}
  left join customers c on c.customer_id = $4`

const REMEMBERED = `select fingerprint as remembered_fingerprint, status as remembered_status, body as remembered_body
  from idempotency_keys where integration_id = $1 and idempotency_key = $2`

const CANCEL_FACTS = `select ${BASE_COLUMNS} ${FROM_BASE}`

const MINT_FACTS = `select ${BASE_COLUMNS}, ${CUSTOMER_COLUMNS},
  exists (select from screening_denials d where d.address = lower($5::text)) as address_denied
  ${FROM_PARTY}`

/** The same of many mints: one index lookup for each and every fact, whatever the planner believes about the tables. */
const MINT_FACTS_TOGETHER = `select q.place, ${BASE_COLUMNS}, ${customerColumns('q.integration_id')},
  d.address is not null as address_denied
  from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[]) with ordinality
    as q (integration_id, idempotency_key, reference_id, customer_id, wallet_address, place)
  left join lateral (
    select * from idempotency_keys
    where integration_id = q.integration_id and idempotency_key = q.idempotency_key limit 1) k on true
  left join lateral (
    select * from orders where integration_id = q.integration_id and reference_id = q.reference_id limit 1) o on true
  left join lateral (select * from customers where customer_id = q.customer_id limit 1) c on true
  left join lateral (
    select address from screening_denials where address = lower(q.wallet_address) limit 1) d on true`

const REDEEM_FACTS = `select ${BASE_COLUMNS}, ${CUSTOMER_COLUMNS}, ${DEBIT_COLUMNS},
  exists (select from wallets w where w.customer_id = $4 and w.address = $5) as wallet_linked,
  coalesce(u.committed_micro, 0) as committed_micro
  ${FROM_PARTY}
  left join withdrawal_usage u on u.customer_id = $4 and u.month = date_trunc('month', now() at time zone 'UTC')::date
  left join chains ch on ch.chain_id = $6
  left join wallet_earmarks h on h.chain_id = $6 and h.address = $5`

const TRANSFER_FACTS = `select ${BASE_COLUMNS}, ${CUSTOMER_COLUMNS}, ${DEBIT_COLUMNS},
  exists (select from screening_denials d where d.address = lower($5::text)) as address_denied,
  p.address as source_address, coalesce(u.committed_micro, 0) as committed_micro
  ${FROM_PARTY}
  left join wallets p on p.customer_id = $4 and p.is_primary
  left join transfer_usage u on u.key_id = $7 and u.day = (now() at time zone 'UTC')::date
  left join chains ch on ch.chain_id = $6
  left join lateral (
    select earmarked_micro, epoch from wallet_earmarks where chain_id = $6 and address = p.address limit 1) h on true`

/** The answer remembered under the call's Idempotency-Key; keys are scoped to the integration. */
export async function findRemembered(db: Queryable, { caller, idempotencyKey }: Call): Promise<Remembered | undefined> {
  const [row] = await db.query(REMEMBERED, [caller.integrationId, idempotencyKey])
  return row === undefined ? undefined : rememberedOf(row)
}

/** The facts of a cancellation: the mint of that reference, if it is one. */
export async function readCancelFacts(db: Queryable, call: Call, referenceId: string): Promise<CancelFacts> {
  return baseOf(await one(db, CANCEL_FACTS, [call.caller.integrationId, call.idempotencyKey, referenceId]))
}

/** The facts of a mint. @throws DatabaseUnavailableError, as do the others */
export async function readMintFacts(db: Queryable, call: Call, request: OrderRequest): Promise<MintFacts> {
  return mintFactsOf(await one(db, MINT_FACTS, partyParams(call, request)))
}

export type MintQuestion = { call: Call; request: OrderRequest }

/** The facts of several mints in one round trip and one snapshot, in the order of the questions. */
export async function readMintFactsTogether(db: Queryable, questions: readonly MintQuestion[]): Promise<MintFacts[]> {
  const rows = questions.map(({ call, request }) => partyParams(call, request))
  const columns = [0, 1, 2, 3, 4].map((column) => rows.map((row) => row[column] ?? null))
  const found = await db.query(MINT_FACTS_TOGETHER, columns)
  if (found.length !== questions.length) throw new Error(`the facts query answered ${found.length} rows`)
  return found.toSorted((a, b) => Number(a.place) - Number(b.place)).map(mintFactsOf)
}

function mintFactsOf(row: Row): MintFacts {
  return { ...commonOf(row), walletDenied: row.address_denied as boolean }
}

/** The facts of a redeem: what the wallet has earmarked, and what the customer withdrew this UTC month. */
export async function readRedeemFacts(db: Queryable, call: Call, request: OrderRequest): Promise<RedeemFacts> {
  const row = await one(db, REDEEM_FACTS, [...partyParams(call, request), request.chain.chainId])
  return {
    ...commonOf(row),
    walletLinked: row.wallet_linked as boolean,
    withdrawnThisMonthMicro: row.committed_micro as bigint,
    debit: debitOf(row),
  }
}

/** The facts of a transfer: what the customer's primary wallet has earmarked, and what the key transferred this UTC day. */
export async function readTransferFacts(db: Queryable, call: Call, request: OrderRequest): Promise<TransferFacts> {
  const params = [...partyParams(call, request), request.chain.chainId, call.caller.keyId]
  const row = await one(db, TRANSFER_FACTS, params)
  return {
    ...commonOf(row),
    sourceAddress: (row.source_address as string | null) ?? undefined,
    recipientDenied: row.address_denied as boolean,
    committedTodayMicro: row.committed_micro as bigint,
    debit: debitOf(row),
  }
}

function partyParams({ caller, idempotencyKey }: Call, request: OrderRequest): (string | null)[] {
  const { referenceId, customerId, walletAddress } = request
  return [caller.integrationId, idempotencyKey, referenceId, customerId ?? null, walletAddress]
}

async function one(db: Queryable, text: string, params: (string | number | null)[]): Promise<Row> {
  const [row, ...more] = await db.query(text, params)
  if (row === undefined || more.length > 0) throw new Error('the facts query did not answer one row')
  return row
}

function rememberedOf(row: Row): Remembered | undefined {
  if (row.remembered_fingerprint === null) return undefined
  return {
    fingerprint: row.remembered_fingerprint as string,
    status: row.remembered_status as number,
    body: row.remembered_body as string,
  }
}

function baseOf(row: Row): CancelFacts {
  return {
    now: row.now as Date,
    remembered: rememberedOf(row),
    existing: row.order_id === null ? undefined : orderFromRow(row as OrderRow),
  }
}

function commonOf(row: Row): CommonFacts {
  return { ...baseOf(row), customer: row.is_own_party === true ? customerOf(row) : undefined }
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

function debitOf(row: Row): DebitFacts {
  return {
    observedBlock: (row.observed_block as bigint | null) ?? undefined,
    earmarkedMicro: row.earmarked_micro as bigint,
    epoch: row.epoch as bigint,
  }
}
