/** The plans of an acceptance's facts, which PostgreSQL prepares while tables are small and keeps while they grow. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Queryable } from '../../src/db/database.ts'
import {
  readCancelFacts,
  readMintFacts,
  readMintFactsTogether,
  readRedeemFacts,
  readTransferFacts,
} from '../../src/orders/accept/facts.sql.ts'
import { CHAIN_ID, createOrdersFixture, newReference, type OrdersFixture } from '../support/orders.ts'

/** An address is a wallet of few customers, so the index over addresses is as good as a unique one. */
const SELECTIVE_INDEXES = [
  'chains_pkey',
  'customers_pkey',
  'idempotency_keys_unique',
  'orders_reference_unique',
  'screening_denials_pkey',
  'transfer_usage_pkey',
  'wallet_earmarks_pkey',
  'wallets_by_address',
  'wallets_one_primary',
  'wallets_pkey',
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
      chain: { chainId: CHAIN_ID, network: '', tokenAddress: '' },
    }
    const queries = [
      (db: Queryable) => readCancelFacts(db, call, request.referenceId),
      (db: Queryable) => readMintFacts(db, call, request),
      (db: Queryable) =>
        readMintFactsTogether(db, [
          { call, request },
          { call, request },
        ]),
      (db: Queryable) => readRedeemFacts(db, call, request),
      (db: Queryable) => readTransferFacts(db, call, request),
    ]
    for (const query of queries) {
      const lines = await planOf(query)
      for (const line of lines.filter((text) => text.includes('Scan') && !text.includes('Function Scan on'))) {
        assert.ok(
          SELECTIVE_INDEXES.some((index) => line.includes(`using ${index} `)),
          lines.join('\n'),
        )
      }
      // A filter next to an index condition means that the index was not used whole.
      assert.deepEqual(
        lines.filter((text) => text.includes('Filter:') && !text.includes('(customer_id = ')),
        [],
        lines.join('\n'),
      )
    }
  }

  /** The plan as it is prepared, without regard to parameters. */
  async function planOf(query: (db: Queryable) => Promise<unknown>): Promise<string[]> {
    let lines: string[] = []
    const explaining: Queryable = {
      async query(text, params) {
        const rows = await fixture.db.query<{ 'QUERY PLAN': string }>(`explain (generic_plan) ${text}`, params)
        lines = rows.map((row) => row['QUERY PLAN'])
        return []
      },
    }
    await assert.rejects(query(explaining), /did not answer one row|0 rows/)
    return lines
  }
})
