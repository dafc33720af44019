/**
 * Rows as the other parts would have left them: two of everything where one would hide a missing condition, with names
 * and references equal wherever they may be.
 */

import { randomBytes } from 'node:crypto'
import { insertOne } from '../../src/bank-details/bank-details.sql.ts'
import type { Param, Queryable } from '../../src/db/database.ts'
import { checksumAddress } from '../../src/orders/address.ts'
import { STATES, type StateName } from '../../src/orders/life/states.ts'
import type { Direction } from '../../src/orders/order.ts'
import { A_BANK, TEST_SECRETS } from '../support/bank-details.ts'
import { addBatchRow, addSignedLine, batchColumns, someBatchId } from '../support/batch-rows.ts'

const hex = (bytes: number) => randomBytes(bytes).toString('hex')

/** Inserts one row. @returns the column `returning` of it */
async function insert<T>(db: Queryable, table: string, row: Record<string, Param>, returning: string): Promise<T> {
  const names = Object.keys(row)
  const [inserted] = await db.query<Record<string, T>>(
    `insert into ${table} (${names.join(', ')}) values (${names.map((_, index) => `$${index + 1}`).join(', ')})
     returning ${returning}`,
    Object.values(row),
  )
  return inserted?.[returning] as T
}

export { emptyTables as emptyDatabase } from '../support/empty-tables.ts'

export type Party = { integrationId: string; keyId: string; customerId: string; wallet: string }

/** An address whose key nobody has. */
export function someAddress(): string {
  return checksumAddress(`0x${hex(20)}`)
}

/** An integration with a key, and a customer with a bank account and a primary wallet. */
export async function addParty(db: Queryable, secrets = TEST_SECRETS): Promise<Party> {
  const integrationId = `int_${hex(12)}`
  await insert(db, 'integrations', { integration_id: integrationId, name: 'Acme' }, 'integration_id')
  return { integrationId, ...(await addCustomer(db, integrationId, secrets)), keyId: await addKey(db, integrationId) }
}

export async function addKey(db: Queryable, integrationId: string): Promise<string> {
  const key = { environment: 'sandbox', secret_sha256: '0'.repeat(64), scopes: [] }
  return insert(db, 'api_keys', { key_id: hex(8), integration_id: integrationId, ...key }, 'key_id')
}

export async function addCustomer(
  db: Queryable,
  integrationId: string,
  secrets = TEST_SECRETS,
): Promise<Pick<Party, 'customerId' | 'wallet'>> {
  const customerId = `cus_${hex(12)}`
  const wallet = someAddress()
  const verified = { verification_status: 'VERIFIED', verification_level: 'TIER_2', verified_at: new Date() }
  const bank = { bank_id: await insertOne(db, secrets, A_BANK, { customerId }) }
  const person = { account_type: 'RETAIL', country_code: 'MY', is_resident: true, monthly_cap_micro: 10n ** 15n }
  const names = { customer_id: customerId, integration_id: integrationId }
  await insert(db, 'customers', { ...names, ...person, ...verified, ...bank }, 'customer_id')
  await insert(db, 'wallets', { customer_id: customerId, address: wallet, is_primary: true }, 'address')
  return { customerId, wallet }
}

/** What the settler has recorded about a chain. */
export async function addChain(db: Queryable, chainId: number, observedBlock: bigint): Promise<void> {
  const contracts = { coin_address: '0x1', settlement_address: '0x2', genesis_hash: '0x00' }
  await insert(db, 'chains', { chain_id: chainId, ...contracts, observed_block: observedBlock }, 'chain_id')
}

export type OrderInput = {
  chainId: number
  direction: Direction
  amountMicro: bigint
  /** Where it is, in a batch of its own unless `batchId` names one. */
  state: StateName
  referenceId?: string
  batchId?: bigint
  blockNumber?: bigint
  createdAt?: Date
  updatedAt?: Date
}

/** An order; a redeem or transfer debits the party's wallet. Neither earmark nor usage is counted. @returns its number */
export async function addOrder(db: Queryable, party: Party, order: OrderInput): Promise<bigint> {
  const { batchId, blockNumber = 50n } = order
  const { status, stored } = STATES[order.state]
  const own = someBatchId()
  const [batch = null, index = null, txHash = null, block = null, reason = null] = batchColumns(stored, {
    batchId: batchId ?? own,
    blockNumber,
    txHash: `0x${hex(32)}`,
  })
  const orderId = await insert<bigint>(
    db,
    'orders',
    {
      integration_id: party.integrationId,
      reference_id: order.referenceId ?? `ref-${hex(8)}`,
      direction: order.direction,
      status: stored,
      chain_id: order.chainId,
      network: 'Test chain',
      token_address: '0x1',
      wallet_address: party.wallet,
      debit_address: order.direction === 'MINT' ? null : party.wallet,
      customer_id: party.customerId,
      key_id: party.keyId,
      amount_micro: order.amountMicro,
      batch_id: batch,
      batch_index: index,
      tx_hash: txHash,
      block_number: block,
      failure_reason: reason,
      created_at: order.createdAt ?? new Date(),
      updated_at: order.updatedAt ?? null,
    },
    'order_id',
  )
  const isSigned = status !== stored
  if (isSigned) {
    await addSignedLine(db, {
      orderId,
      batchId: order.state === 'requeued' ? null : (batchId ?? own),
      since: order.updatedAt ?? order.createdAt ?? new Date(),
    })
  }
  if ((batch !== null || (isSigned && order.state !== 'requeued')) && batchId === undefined) {
    const inBatch = { chainId: order.chainId, batchId: own, orderIds: [orderId], minedBlock: blockNumber }
    await addBatchRow(db, { ...inBatch, status: STATES[order.state].batch ?? 'final' })
  }
  return orderId
}

/** A completed mint whose batch was given up. @returns its name */
export async function addLost(db: Queryable, party: Party): Promise<string> {
  const referenceId = `lost-${hex(8)}`
  const order = {
    chainId: 31_337,
    direction: 'MINT',
    amountMicro: 1_000_000n,
    state: 'completed',
    referenceId,
  } as const
  const orderId = await addOrder(db, party, order)
  await db.query(
    'insert into lost_orders (order_id, chain_id, batch_id) select order_id, chain_id, batch_id from orders where order_id = $1',
    [orderId],
  )
  return `${party.integrationId}/${referenceId}`
}

export { addBatchRow as addBatch } from '../support/batch-rows.ts'

export type AttemptInput = {
  chainId: number
  batchId: bigint
  createdAt: Date
  answer?: string | null
}

/** @returns the hash of the signed transaction */
export async function addAttempt(db: Queryable, attempt: AttemptInput): Promise<string> {
  const signed = { signer: '0x51', nonce: 5n, raw_transaction: '\\x5ec4e7' }
  const fees = { max_fee_per_gas: '70', max_priority_fee_per_gas: '3', gas_limit: 21_000n }
  const names = { chain_id: attempt.chainId, batch_id: attempt.batchId, tx_hash: `0x${hex(32)}` }
  const told = { created_at: attempt.createdAt, last_answer: attempt.answer ?? null }
  return insert(db, 'batch_attempts', { ...names, ...signed, ...fees, ...told }, 'tx_hash')
}

export type PayoutInput = {
  orderId: bigint
  customerId: string
  status: string
  amountSen?: bigint
  timesAsked?: number
  error?: string
  createdAt?: Date
  holdReason?: string
}

/** @returns its id */
export async function addPayout(db: Queryable, payout: PayoutInput): Promise<string> {
  const { amountSen = 123n, timesAsked = 1, error = null, createdAt = new Date() } = payout
  const names = {
    payout_id: `po_${payout.orderId}_${hex(5)}`,
    order_id: payout.orderId,
    customer_id: payout.customerId,
    end_to_end_id: hex(6).toUpperCase(),
  }
  const { status } = payout
  const state = { status, times_asked: timesAsked, last_error: error, created_at: createdAt }
  const rail = {
    rail: 'simulated',
    rail_reference: status === 'sent' || status === 'paid' ? 'SIM' : null,
    hold_reason: payout.holdReason ?? null,
  }
  return insert(db, 'payouts', { ...names, amount_sen: amountSen, ...rail, ...state }, 'payout_id')
}

/** A payout that its rail has, and was asked for before the lines that nothing explains here. */
export async function addSentPayout(db: Queryable, payout: Omit<PayoutInput, 'status'>): Promise<string> {
  const payoutId = await addPayout(db, { ...payout, status: 'sent' })
  await db.query(
    `insert into payout_attempts (payout_id, attempt, end_to_end_id, rail, status, asked_at)
     select payout_id, attempt, end_to_end_id, rail, status, '2026-11-19' from payouts where payout_id = $1`,
    [payoutId],
  )
  return payoutId
}

/** A statement that waits for an earlier one. @returns its number */
export async function addWaitingStatement(db: Queryable): Promise<bigint> {
  const hash = Math.random().toString(16).slice(2).padEnd(64, '0')
  const [row] = await db.query<{ statement_no: bigint }>(
    `with i as (insert into bank_imports (content_hash, name, definition, message_id) values ($1, 'a', 'b', $1) returning content_hash)
     insert into bank_statements (bank_account, statement_id, opened_on, opening_micro, closed_on, closing_micro, line_count, digest, content_hash)
     select $1, $1, '2026-11-20', 0, '2026-11-20', 10000, 1, $1, content_hash from i returning statement_no`,
    [hash],
  )
  return row?.statement_no ?? 0n
}

/** A line of a statement that nothing explains, with its entry; a credit unless said otherwise. @returns its number */
export async function addUnallocatedLine(db: Queryable, amountMicro = 10_000n): Promise<bigint> {
  const statementNo = await addWaitingStatement(db)
  await db.query(
    `update bank_statements set position = (select coalesce(max(position), 0) + 1 from bank_statements), applied_at = now() where statement_no = $1`,
    [statementNo],
  )
  const [row] = await db.query<{ line_no: bigint }>(
    `insert into bank_lines (statement_no, bank_account, entry, detail, amount_micro, booked_on, value_on, is_reversal, state, reason, decided_at)
     select statement_no, bank_account, 1, 1, $2, '2026-11-20', '2026-11-20', false, 'unallocated', 'unknown', now()
     from bank_statements where statement_no = $1 returning line_no`,
    [statementNo, amountMicro],
  )
  return row?.line_no ?? 0n
}

/** Another one on the same statement. @returns its number */
export async function addLineBeside(db: Queryable, lineNo: bigint): Promise<bigint> {
  const [row] = await db.query<{ line_no: bigint }>(
    `insert into bank_lines (statement_no, bank_account, entry, detail, amount_micro, booked_on, value_on, is_reversal, state, reason, decided_at)
     select statement_no, bank_account, entry + 1, detail, amount_micro, booked_on, value_on, is_reversal, state, reason, now()
     from bank_lines where line_no = $1 returning line_no`,
    [lineNo],
  )
  return row?.line_no ?? 0n
}
