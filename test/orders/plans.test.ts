// engine: postgres; both in test:long
/** The plans of an acceptance's facts, which PostgreSQL prepares while tables are small and keeps while they grow. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Queryable } from '../../src/db/database.ts'
import { readCancelFacts } from '../../src/orders/accept/cancel-facts.sql.ts'
import { readFacts } from '../../src/orders/accept/facts.sql.ts'
import { newOrder } from '../../src/orders/accept/new-order.ts'
import { recordOrders } from '../../src/orders/accept/record.sql.ts'
import { recordUsualMints } from '../../src/orders/accept/usual.sql.ts'
import { DIRECTIONS } from '../../src/orders/order.ts'
import { CHAIN_ID, createOrdersFixture, newReference, type OrdersFixture } from '../support/orders.ts'

/** An address is a wallet of few customers, so the index over addresses is as good as a unique one. */
const SELECTIVE_INDEXES = [
  'batches_pkey',
  'chain_limits_pkey',
  'chains_pkey',
  'lost_chains_pkey',
  'customers_pkey',
  'database_timelines_pkey',
  'foreign_instructions_of_tag',
  'idempotency_keys_unique',
  'leases_pkey',
  'mint_usage_pkey',
  'orders_reference_unique',
  'payouts_order_id_key',
  'screening_denials_pkey',
  'signed_orders_pkey',
  'transfer_usage_pkey',
  'wallet_earmarks_pkey',
  'wallets_by_address',
  'wallets_one_primary',
  'wallets_pkey',
  'withdrawal_usage_pkey',
]

/** What an accepting statement may look up: the counters and wallets that it takes from, and endpoints of the integration. */
const RECORD_INDEXES = [
  'mint_usage_pkey',
  'transfer_usage_pkey',
  'wallet_earmarks_pkey',
  'webhook_endpoints_of_integration',
  'withdrawal_usage_pkey',
]

describe('facts are looked up by selective indexes only', () => {
  let fixture: OrdersFixture
  before(async () => {
    fixture = await createOrdersFixture('postgres')
  })
  after(() => fixture.close())

  test('in a database that was never analysed', checkAll)

  test('when the statistics say that the tables are tiny', async () => {
    await fixture.db.query('analyze')
    await checkAll()
  })

  async function checkAll(): Promise<void> {
    const call = { caller: fixture.caller, idempotencyKey: 'k' }
    const request = {
      referenceId: newReference(),
      amountMicro: 1n,
      walletAddress: fixture.walletAddress,
      customerId: fixture.customerId,
      chain: { chainId: CHAIN_ID, network: '', tokenAddress: '', contracts: [], hasSanctionsOracle: false },
    }
    const queries = [
      (db: Queryable) =>
        readCancelFacts(db, call, { referenceId: request.referenceId, chainIds: [request.chain.chainId] }),
      ...DIRECTIONS.map(
        (direction) => (db: Queryable) =>
          readFacts(db, direction, [
            { call, request },
            { call, request },
          ]),
      ),
    ]
    const details = {
      direction: 'MINT' as const,
      customerId: '',
      debitAddress: null,
      feeMicro: 0n,
      bankReference: null,
    }
    const counted = {
      call: { ...call, fingerprint: '00' },
      acceptance: {
        order: newOrder(request, details, { caller: fixture.caller }, new Date()),
        usage: { owner: fixture.caller.keyId, period: '2026-01-01', capMicro: 1n },
        earmark: undefined,
      },
      event: undefined,
    }
    const records = [
      ...DIRECTIONS.map((direction) => (db: Queryable) => recordOrders(db, direction, [], 1)),
      (db: Queryable) => recordOrders(db, 'MINT', [counted], 1),
    ]
    const usual = { ...counted, acceptance: { ...counted.acceptance, usage: undefined } }
    for (const line of scansOf(await planOf((db) => recordUsualMints(db, [usual], 1)))) {
      assert.ok(
        [...SELECTIVE_INDEXES, ...RECORD_INDEXES].some((index) => line.includes(`using ${index} `)),
        line,
      )
    }
    for (const record of records) {
      const lines = await planOf(record)
      assert.notEqual(lines.length, 0)
      for (const line of scansOf(lines)) {
        assert.ok(
          RECORD_INDEXES.some((index) => line.includes(`using ${index} `)),
          lines.join('\n'),
        )
      }
    }
    for (const query of queries) {
      const lines = await planOf(query)
      assert.notEqual(lines.length, 0)
      for (const line of scansOf(lines)) {
        assert.ok(
          SELECTIVE_INDEXES.some((index) => line.includes(`using ${index} `)),
          lines.join('\n'),
        )
      }
      // A filter next to an index condition means that the index was not fully used.
      assert.deepEqual(
        lines.filter((text) => text.includes(' Filter:') && !/One-Time Filter|\(customer_id = /.test(text)),
        [],
        lines.join('\n'),
      )
    }
  }

  /** Scans of tables, without rows that the statement itself made. */
  function scansOf(lines: readonly string[]): string[] {
    return lines.filter((text) => text.includes('Scan') && !/(Function|CTE|Subquery) Scan on/.test(text))
  }

  /** The generic plan, as prepared without regard to parameters. */
  async function planOf(query: (db: Queryable) => Promise<unknown>): Promise<string[]> {
    let lines: string[] = []
    const explaining: Queryable = {
      async query(text, params) {
        const rows = await fixture.db.query<{ 'QUERY PLAN': string }>(`explain (generic_plan) ${text}`, params)
        lines = rows.map((row) => row['QUERY PLAN'])
        return []
      },
    }
    await query(explaining).catch((error: Error) => assert.match(error.message, /did not return one row|0 rows/))
    return lines
  }
})
