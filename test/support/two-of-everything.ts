/**
 * A database with two of everything that a statement may confuse: integrations with equal references, customers of one
 * integration, keys, chains with equal batch ids and wallets. A test reads what it changed as a difference of the whole
 * state, so that a statement that reaches too far is noticed whatever the test is about.
 */
import type { Queryable } from '../../src/db/database.ts'
import { phaseOf } from '../../src/orders/life/phase.ts'
import { STATES, type StateName } from '../../src/orders/life/states.ts'
import type { Direction } from '../../src/orders/order.ts'
import { BATCH_OF_ORDER, ORDER_COLUMNS, type OrderRow, orderFromRow } from '../../src/orders/row.sql.ts'
import { giveBank } from './bank-details.ts'
import { addBatchRow, addSignedLine, BATCH_COLUMNS, batchColumns, someBatchId } from './batch-rows.ts'
import { believeBurns } from './believed-burns.ts'

export const INTEGRATIONS = { a: 'int_00000000000000000000000a', b: 'int_00000000000000000000000b' } as const
/** Two of integration a, one of b. */
export const CUSTOMERS = {
  a1: 'cus_0000000000000000000000a1',
  a2: 'cus_0000000000000000000000a2',
  b1: 'cus_0000000000000000000000b1',
} as const
export const KEYS = { a1: '00000000000000a1', a2: '00000000000000a2', b1: '00000000000000b1' } as const
export const CHAINS = [1, 2] as const

export type Party = keyof typeof CUSTOMERS

export const integrationOf = (party: Party) => (party === 'b1' ? INTEGRATIONS.b : INTEGRATIONS.a)
/** A party's wallet: the same address on both chains. */
export const walletOf = (party: Party) => `0x${party.repeat(20)}`
export const accountOf = (party: Party) => ({
  bic: `BIC${party.toUpperCase()}`,
  account: `10${party}`,
  name: `Name ${party}`,
})

/** The default instant of an order's acceptance: the last of an October in UTC. */
export const ACCEPTED_AT = '2026-10-31T23:59:59.999Z'

export async function seedTwoOfEverything(db: Queryable): Promise<void> {
  await believeBurns(db)
  for (const id of Object.values(INTEGRATIONS)) {
    await db.query(`insert into integrations (integration_id, name) values ($1, 'Test')`, [id])
  }
  for (const chainId of CHAINS) {
    await db.query(
      `insert into chains (chain_id, coin_address, settlement_address, genesis_hash, observed_block)
       values ($1, '0x1', '0x2', '0x0', 7)`,
      [chainId],
    )
  }
  for (const party of Object.keys(CUSTOMERS) as Party[]) await seedParty(db, party)
}

async function seedParty(db: Queryable, party: Party): Promise<void> {
  await db.query(
    `insert into api_keys (key_id, integration_id, environment, secret_sha256, scopes) values ($1, $2, 'sandbox', $3, '{}')`,
    [KEYS[party], integrationOf(party), '0'.repeat(64)],
  )
  await db.query(
    `insert into customers (customer_id, integration_id, account_type, verification_status, verification_level, verified_at,
       country_code, is_resident, monthly_cap_micro)
     values ($1, $2, 'RETAIL', 'VERIFIED', 'TIER_2', now(), 'MY', true, 1000000000000)`,
    [CUSTOMERS[party], integrationOf(party)],
  )
  await giveBank(db, accountOf(party), { customerId: CUSTOMERS[party] })
  await db.query('insert into wallets (customer_id, address, is_primary) values ($1, $2, true)', [
    CUSTOMERS[party],
    walletOf(party),
  ])
}

export type PlacedOrder = {
  direction: Direction
  party: Party
  /** Unique within the integration; both integrations may use the same. */
  reference: string
  amountMicro?: bigint
  chainId?: number
  /** In a batch of its own, when it is in one; without its payout. */
  state?: StateName
  createdAt?: string
  bankReference?: string | null
}

/** Inserts an accepted order with the earmark and usage that acceptance takes. Returns its id. */
export async function placeOrder(db: Queryable, order: PlacedOrder): Promise<bigint> {
  const { direction, party, reference, amountMicro = 1_000_000n, chainId = 1 } = order
  const { state = 'created', createdAt = ACCEPTED_AT, bankReference = null } = order
  const { status, stored } = STATES[state]
  const batchId = someBatchId()
  const debit = direction === 'MINT' ? null : walletOf(party)
  const [row] = await db.query<{ order_id: bigint }>(
    `insert into orders (integration_id, reference_id, direction, status, chain_id, network, token_address,
       wallet_address, debit_address, customer_id, key_id, amount_micro, bank_reference, created_at, ${BATCH_COLUMNS})
     values ($1, $2, $3, $4, $5, 'Net', '0x1', $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17) returning order_id`,
    [
      integrationOf(party),
      reference,
      direction,
      stored,
      chainId,
      walletOf(party),
      debit,
      CUSTOMERS[party],
      KEYS[party],
      amountMicro,
      bankReference,
      new Date(createdAt),
      ...(state === 'rejected' ? [null, null, null, null, 'rejected'] : batchColumns(stored, { batchId })),
    ],
  )
  const orderId = row?.order_id ?? 0n
  if (status !== stored) await addSignedLine(db, { orderId, batchId: state === 'requeued' ? null : batchId })
  if (['processing', 'completed', 'failed'].includes(status) && state !== 'requeued' && state !== 'rejected') {
    const batch = { chainId, batchId, status: STATES[state].batch ?? 'final', orderIds: [orderId] } as const
    await addBatchRow(db, batch)
  }
  if (debit !== null) await takeEarmarkAndUsage(db, { direction, party, chainId, amountMicro, createdAt })
  return orderId
}

type Taking = { direction: Direction; party: Party; chainId: number; amountMicro: bigint; createdAt: string }

async function takeEarmarkAndUsage(db: Queryable, { direction, party, chainId, amountMicro, createdAt }: Taking) {
  await db.query(
    `insert into wallet_earmarks (chain_id, address, earmarked_micro) values ($1, $2, $3) on conflict (chain_id, address)
     do update set earmarked_micro = wallet_earmarks.earmarked_micro + excluded.earmarked_micro`,
    [chainId, walletOf(party), amountMicro],
  )
  if (direction === 'TRANSFER') await addUsage(db, 'transfer', party, createdAt.slice(0, 10), amountMicro)
  else await addUsage(db, 'withdrawal', party, `${createdAt.slice(0, 7)}-01`, amountMicro)
}

/** Adds to a usage counter without a cap that matters. */
export async function addUsage(
  db: Queryable,
  counter: 'mint' | 'transfer' | 'withdrawal',
  party: Party,
  period: string,
  amountMicro: bigint,
): Promise<void> {
  const [table, owner, column, id] = {
    mint: ['mint_usage', 'key_id', 'day', KEYS[party]],
    transfer: ['transfer_usage', 'key_id', 'day', KEYS[party]],
    withdrawal: ['withdrawal_usage', 'customer_id', 'month', CUSTOMERS[party]],
  }[counter]
  await db.query(
    `insert into ${table} (${owner}, ${column}, committed_micro, cap_micro) values ($1, $2::text::date, $3, 1000000000000000)
     on conflict (${owner}, ${column}) do update set committed_micro = ${table}.committed_micro + excluded.committed_micro`,
    [id ?? '', period, amountMicro],
  )
}

export type State = Readonly<Record<string, string>>

const STATE = [
  `select 'earmark ' || chain_id || ' ' || right(address, 2) as key, earmarked_micro || ' epoch ' || epoch as value
   from wallet_earmarks`,
  `select 'transfers ' || right(key_id, 2) || ' ' || day as key, committed_micro::text as value from transfer_usage`,
  `select 'mints ' || right(key_id, 2) || ' ' || day as key, committed_micro::text as value from mint_usage`,
  `select 'withdrawals ' || right(customer_id, 2) || ' ' || month as key, committed_micro::text as value from withdrawal_usage`,
  `select 'residual ' || right(customer_id, 2) as key, owed_micro::text as value from customer_residuals`,
  `select 'payout ' || right(o.integration_id, 1) || '/' || o.reference_id as key,
     concat_ws(' ', p.status, p.amount_sen, right(p.customer_id, 2), p.rail, p.hold_reason, 'asked ' || p.times_asked,
       (select d.account_ending from bank_details d where d.bank_id = p.bank_id),
       p.rail_reference, p.last_error) as value from payouts p join orders o using (order_id)`,
  `select 'event ' || right(o.integration_id, 1) || '/' || o.reference_id || ' ' || e.type as key,
     count(*) || ' for ' || right(min(e.integration_id), 1) as value from events e join orders o using (integration_id, reference_id)
   group by o.integration_id, o.reference_id, e.type`,
]

/** Everything that a move of orders or payouts may change, one line each. */
export async function readState(db: Queryable): Promise<State> {
  const lines: Record<string, string> = {}
  const rows = await db.query<OrderRow>(`select ${ORDER_COLUMNS} from orders o ${BATCH_OF_ORDER}`)
  for (const order of rows.map(orderFromRow)) {
    const { integrationId, referenceId, chainId, batchId, batchIndex, txHash, blockNumber, failureReason } = order
    const batch = batchId === null ? null : `${batchId}#${batchIndex}`
    const told = [order.status, phaseOf(order), batch, txHash, blockNumber, failureReason]
    lines[`order ${integrationId.at(-1)}/${referenceId} chain ${chainId}`] = told
      .filter((one) => one !== null)
      .join(' ')
  }
  for (const text of STATE) {
    for (const { key, value } of await db.query<{ key: string; value: string }>(text)) lines[key] = value
  }
  return lines
}

/** What `work` changed, line by line: the line as it is now, or `gone`. */
export async function changesOf(db: Queryable, work: () => Promise<unknown>): Promise<State> {
  const before = await readState(db)
  await work()
  const after = await readState(db)
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort()
  return Object.fromEntries(keys.filter((key) => before[key] !== after[key]).map((key) => [key, after[key] ?? 'gone']))
}
