// engine: postgres; both in test:long
/** Orders of one direction recorded together: as exact as one after another, and no row stops everybody. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import pg from 'pg'
import type { Queryable } from '../../src/db/database.ts'
import { utcDay, utcMonth } from '../../src/orders/accept/checks.ts'
import { createLane } from '../../src/orders/accept/lane.ts'
import { type NewRecord, recordOrders } from '../../src/orders/accept/record.sql.ts'
import type { Direction, NewOrder } from '../../src/orders/order.ts'
import {
  CHAIN_ID,
  createOrdersFixture,
  MICRO,
  newAddress,
  newReference,
  type OrdersFixture,
  OTHER_CHAIN_ID,
} from '../support/orders.ts'

/** An order as an acceptance would record it, over counters and wallets that belong to the run. */
type Wish = { owner: 0 | 1; wallet: 0 | 1 | 2; amount: number; isStale: boolean }
const wish = fc.record<Wish>({
  owner: fc.constantFrom(0, 1),
  wallet: fc.constantFrom(0, 1, 2),
  amount: fc.integer({ min: 1, max: 40 }),
  isStale: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
})

for (const engine of ['pglite', 'postgres'] as const) {
  describe(`together on ${engine}`, () => {
    let fixture: OrdersFixture
    before(async () => {
      fixture = await createOrdersFixture(engine)
    })
    after(() => fixture.close())

    for (const direction of ['REDEEM', 'TRANSFER'] as const) {
      test(`${direction}: any mixture is judged in the order of arrival, each with what those before it took`, async () => {
        const lots = fc.array(wish, { minLength: 1, maxLength: 12 })
        const limits = fc.record({
          caps: fc.tuple(fc.integer({ min: 1, max: 150 }), fc.integer({ min: 1, max: 150 })),
          balances: fc.array(fc.integer({ min: 0, max: 100 }), { minLength: 3, maxLength: 3 }),
        })
        await fc.assert(
          fc.asyncProperty(lots, lots, limits, async (first, second, { caps, balances }) => {
            const owners = [randomBytes(8).toString('hex'), randomBytes(8).toString('hex')] as const
            const wallets = [newAddress(), newAddress(), newAddress()] as const
            const taken = { owners: [0, 0], wallets: [0, 0, 0] }
            // The first lot finds no rows, the second finds those that the first made.
            for (const lot of [first, second]) {
              const before = structuredClone(taken)
              const sums = structuredClone(before)
              const expected = lot.map(({ owner, wallet, amount, isStale }) => {
                sums.owners[owner] = (sums.owners[owner] ?? 0) + amount
                sums.wallets[wallet] = (sums.wallets[wallet] ?? 0) + amount
                const holds =
                  !isStale && sums.owners[owner] <= caps[owner] && sums.wallets[wallet] <= (balances[wallet] ?? 0)
                if (holds) {
                  taken.owners[owner] = (taken.owners[owner] ?? 0) + amount
                  taken.wallets[wallet] = (taken.wallets[wallet] ?? 0) + amount
                }
                return holds
              })
              const records = lot.map((one) =>
                recordOf(direction, {
                  owner: owners[one.owner],
                  debitAddress: wallets[one.wallet] as string,
                  amountMicro: BigInt(one.amount),
                  capMicro: BigInt(caps[one.owner]),
                  balanceMicro: BigInt(balances[one.wallet] ?? 0),
                  epoch: one.isStale ? 7n : 0n,
                }),
              )
              const written = await recordOrders(fixture.db, direction, records, 5_000)
              assert.deepEqual(
                written.map(({ lost }) => !lost),
                expected,
              )
              assert.deepEqual(await recordedOf(records), expected)
              assert.deepEqual(await takenBy(direction, owners, wallets), taken)
            }
          }),
          { numRuns: engine === 'pglite' ? 40 : 60 },
        )
      })

      test(`${direction}: a wallet has a balance of its own on each chain, also for those recorded together`, async () => {
        const common = { owner: randomBytes(8).toString('hex'), debitAddress: newAddress(), capMicro: 100n }
        const on = (chainId: number, amountMicro: bigint, balanceMicro: bigint) => {
          const epoch = 0n
          return recordOf(direction, { ...common, chainId, amountMicro, balanceMicro, epoch })
        }
        const lost = async (...records: NewRecord[]) =>
          (await recordOrders(fixture.db, direction, records, 5_000)).map((written) => written.lost)
        assert.deepEqual(await lost(on(CHAIN_ID, 5n, 6n), on(OTHER_CHAIN_ID, 1n, 9n)), [false, false])
        assert.deepEqual(await lost(on(CHAIN_ID, 2n, 6n), on(OTHER_CHAIN_ID, 8n, 9n)), [true, false])
        assert.deepEqual(await lost(on(OTHER_CHAIN_ID, 1n, 9n), on(CHAIN_ID, 1n, 6n)), [true, false])
        const kept = await fixture.db.query<{ earmarked: bigint }>(
          'select earmarked_micro as earmarked from wallet_earmarks where address = $1 order by chain_id',
          [common.debitAddress],
        )
        assert.deepEqual(
          kept.map(({ earmarked }) => BigInt(earmarked)),
          [6n, 9n],
        )
      })

      test(`${direction}: one whose period has ended since its facts were read is lost, and takes nothing`, async () => {
        const [owner, debitAddress] = [randomBytes(8).toString('hex'), newAddress()]
        const common = { owner, debitAddress, amountMicro: 5n, capMicro: 10n, balanceMicro: 12n, epoch: 0n }
        const last = new Date(Date.now() - 86_400_000 * 32)
        const period = direction === 'REDEEM' ? utcMonth(last) : utcDay(last)
        const records = [recordOf(direction, { ...common, period }), recordOf(direction, common)]
        const written = await recordOrders(fixture.db, direction, records, 5_000)
        assert.deepEqual(
          written.map(({ lost }) => lost),
          [true, false],
        )
        assert.deepEqual(await takenBy(direction, [owner], [debitAddress]), { owners: [5], wallets: [5] })
      })

      test(`${direction}: of those recorded together, the cap and the balance of the last that holds are kept`, async () => {
        const [owner, debitAddress] = [randomBytes(8).toString('hex'), newAddress()]
        const common = { owner, debitAddress, epoch: 0n }
        const written = await recordOrders(
          fixture.db,
          direction,
          [
            recordOf(direction, { ...common, amountMicro: 5n, capMicro: 10n, balanceMicro: 12n }),
            recordOf(direction, { ...common, amountMicro: 20n, capMicro: 100n, balanceMicro: 130n }),
            recordOf(direction, { ...common, amountMicro: 1n, capMicro: 7n, balanceMicro: 200n }),
          ],
          5_000,
        )
        assert.deepEqual(
          written.map(({ lost }) => lost),
          [false, false, true],
        )
        const [table, name] =
          direction === 'REDEEM' ? ['withdrawal_usage', 'customer_id'] : ['transfer_usage', 'key_id']
        const kept = await fixture.db.query(
          `select u.committed_micro, u.cap_micro, e.earmarked_micro, e.balance_micro from ${table} u, wallet_earmarks e
           where u.${name} = $1 and e.address = $2`,
          [owner, debitAddress],
        )
        const rows = kept.map((row) => Object.values(row).map(BigInt as (value: unknown) => bigint))
        assert.deepEqual(rows, [[25n, 100n, 25n, 130n]])
      })
    }

    test('of orders recorded together, one that lost a race takes no other with it; alone, it is known at once', async () => {
      let statements = 0
      const query: Queryable['query'] = (text, params) => {
        statements += 1
        return fixture.db.query(text, params)
      }
      const lane = createLane({ query }, 'TRANSFER')
      const fresh = () => {
        const owned = { owner: randomBytes(8).toString('hex'), debitAddress: newAddress() }
        return recordOf('TRANSFER', { ...owned, amountMicro: 1n, capMicro: 9n, balanceMicro: 9n, epoch: 0n })
      }
      const first = fresh()
      await lane.record(first)
      const { referenceId } = first.acceptance.order
      const { acceptance, ...call } = fresh()
      const beaten = { ...call, acceptance: { ...acceptance, order: { ...acceptance.order, referenceId } } }
      assert.deepEqual([await lane.record(beaten), statements], [{ lost: true }, 2])
      // Two go out at once, the others together.
      const written = await Promise.all([fresh(), fresh(), beaten, fresh()].map((record) => lane.record(record)))
      assert.deepEqual(
        written.map(({ lost }) => lost),
        [false, false, true, false],
      )
      assert.equal(statements, 2 + 2 + 1 + 2)
    })

    function recordOf(
      direction: Direction,
      one: {
        owner: string
        debitAddress: string
        amountMicro: bigint
        capMicro: bigint
        balanceMicro: bigint
        epoch: bigint
        chainId?: number
        period?: string
      },
    ): NewRecord {
      const { owner, debitAddress, amountMicro, capMicro, balanceMicro, epoch, chainId = CHAIN_ID } = one
      const { period = direction === 'REDEEM' ? utcMonth(new Date()) : utcDay(new Date()) } = one
      const referenceId = newReference()
      const order: NewOrder = {
        integrationId: fixture.integrationId,
        referenceId,
        direction,
        status: 'pending',
        chainId,
        network: 'Test chain',
        tokenAddress: newAddress(),
        walletAddress: debitAddress,
        debitAddress,
        customerId: fixture.customerId,
        keyId: fixture.keyId,
        amountMicro,
        feeMicro: 0n,
        bankReference: null,
        batchId: null,
        batchIndex: null,
        batchStatus: null,
        txHash: null,
        blockNumber: null,
        failureReason: null,
        createdAt: new Date(),
        updatedAt: null,
      }
      return {
        call: { caller: fixture.caller, idempotencyKey: referenceId, fingerprint: 'ff' },
        acceptance: { order, usage: { owner, period, capMicro }, earmark: { epoch, balanceMicro } },
        event: undefined,
      }
    }

    async function recordedOf(records: readonly NewRecord[]): Promise<boolean[]> {
      const references = records.map(({ call }) => call.idempotencyKey)
      const rows = await fixture.db.query<{ reference_id: string }>(
        `select o.reference_id from orders o join idempotency_keys k on k.idempotency_key = o.reference_id
         where o.reference_id = any ($1)`,
        [references],
      )
      const found = new Set(rows.map(({ reference_id: reference }) => reference))
      return references.map((reference) => found.has(reference))
    }

    async function takenBy(direction: Direction, owners: readonly string[], wallets: readonly string[]) {
      const [table, owner] = direction === 'REDEEM' ? ['withdrawal_usage', 'customer_id'] : ['transfer_usage', 'key_id']
      const sum = async (text: string, name: string) => {
        const [row] = await fixture.db.query<{ micro: bigint }>(text, [name])
        return Number(row?.micro ?? 0n)
      }
      const inTurn = async (text: string, names: readonly string[]) => {
        const sums: number[] = []
        for (const name of names) sums.push(await sum(text, name))
        return sums
      }
      return {
        owners: await inTurn(`select committed_micro as micro from ${table} where ${owner} = $1`, owners),
        wallets: await inTurn('select earmarked_micro as micro from wallet_earmarks where address = $1', wallets),
      }
    }

    test('transfers of one key from many wallets, and redeems of one customer, share statements', async () => {
      const counted = countStatements(fixture)
      const posts = Array.from({ length: 120 }, () =>
        fixture.call('transfer', fixture.transferBody({ amountCoin: '1' })),
      )
      assert.ok((await Promise.all(posts)).every(({ status }) => status === 201))
      const redeems = Array.from({ length: 120 }, () => fixture.call('redeem', fixture.redeemBody({ amountCoin: '1' })))
      assert.ok((await Promise.all(redeems)).every(({ status }) => status === 201))
      const { transfers, withdrawals } = counted()
      assert.ok(transfers < 30 && withdrawals < 30, `${transfers} and ${withdrawals} statements for 120 each`)
    })
  })
}

/** How many accepting statements have moved usage counters. */
function countStatements(fixture: OrdersFixture): () => { transfers: number; withdrawals: number } {
  const counts = { transfers: 0, withdrawals: 0 }
  fixture.onStatement((text) => {
    if (text.includes('insert into transfer_usage')) counts.transfers += 1
    if (text.includes('insert into withdrawal_usage')) counts.withdrawals += 1
  })
  return () => counts
}

/** Cancelled for a lock, or not even tried. */
const CANCELLED_SOON = /^StatementCancelledError: .*(SQLSTATE 55P03|its rows are locked)/

describe('somebody holds a lock', () => {
  let fixture: OrdersFixture
  let human: pg.Client
  before(async () => {
    fixture = await createOrdersFixture('postgres')
    human = new pg.Client({ connectionString: fixture.db.url })
    await human.connect()
    // Makes the rows that are locked below.
    await fixture.call('transfer', fixture.transferBody())
    await fixture.call('redeem', fixture.redeemBody())
  })
  after(async () => {
    await human.end()
    await fixture.close()
  })

  const stranger = () => {
    const { caller, customerId, walletAddress } = fixture.neighbours.stranger
    fixture.chain.balances.set(`${CHAIN_ID} ${walletAddress}`, 1_000_000n * MICRO)
    return { caller, customerId, walletAddress }
  }

  /** Posts together with many others while somebody's transaction stays open. */
  async function whileLocked(lock: string, params: string[], work: () => Promise<void>): Promise<void> {
    await human.query('begin')
    await human.query(lock, params)
    try {
      await work()
    } finally {
      await human.query('rollback')
    }
  }

  for (const [what, lock] of [
    ['a customer', 'select from customers where customer_id = $1 for update'],
    ['an integration', 'select from integrations where integration_id = $2 for update'],
    ['a key', 'select from api_keys where key_id = $3 for update'],
    ['every wallet of a customer', 'select from wallets where customer_id = $1 for update'],
  ] as const) {
    test(`on ${what}: nobody waits, whatever is posted`, async () => {
      const names = [fixture.customerId, fixture.integrationId, fixture.keyId]
      const used = names.filter((_, place) => lock.includes(`$${place + 1}`))
      await whileLocked(lock.replace(/\$\d/, '$1'), used, async () => {
        // Whoever needed the lock would be cancelled before it is given back.
        const answers = await Promise.all([
          ...Array.from({ length: 10 }, () => fixture.call('mint', fixture.mintBody({ fiatConfirmed: true }))),
          fixture.call('redeem', fixture.redeemBody({ amountCoin: '1' })),
          fixture.call('transfer', fixture.transferBody({ amountCoin: '1' })),
        ])
        assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201]))
      })
    })
  }

  test('on the usage of a customer: its redeems are told to come back, those of others go on', async () => {
    const { caller, customerId, walletAddress } = stranger()
    const theirs = () =>
      fixture.attempt('redeem', fixture.redeemBody({ customerId, walletAddress, amountCoin: '1' }), { caller })
    await whileLocked(
      'select from withdrawal_usage where customer_id = $1 for update',
      [fixture.customerId],
      async () => {
        const ours = Array.from({ length: 8 }, () =>
          outcomeOf(fixture.attempt('redeem', fixture.redeemBody({ amountCoin: '1' }))),
        )
        const others = await Promise.all(Array.from({ length: 8 }, theirs))
        assert.ok(others.every(({ answer }) => answer?.status === 201))
        // By the patience of an acceptance (55P03), not after as long as any statement may take (57014).
        for (const told of await Promise.all(ours)) assert.match(told, CANCELLED_SOON)
        // While the lock is known, a repeat is refused without a statement, and nobody is held up again.
        let statements = 0
        fixture.onStatement((text) => {
          if (text.includes('insert into withdrawal_usage')) statements += 1
        })
        const late = await Promise.all(
          [1, 2, 3].map(() => outcomeOf(fixture.attempt('redeem', fixture.redeemBody({ amountCoin: '1' })))),
        )
        for (const told of late) assert.match(told, CANCELLED_SOON)
        assert.ok(statements <= 3, `${statements} statements`)
      },
    )
    const { answer } = await retried(() => fixture.attempt('redeem', fixture.redeemBody({ amountCoin: '1' })))
    assert.equal(answer?.status, 201)
  })

  test('an order that somebody else is about to record: the repeat waits for it, and no neighbour does', async () => {
    let isOvertaken = false
    // Without a processor for seconds the neighbours may come last all the same: then nothing is known.
    for (let time = 1; time <= 5 && !isOvertaken; time += 1) isOvertaken = await overtake(fixture.mintBody())
    assert.ok(isOvertaken, 'the neighbours wait as long as the repeat does')
  })

  /** Whether twenty neighbours are through before the repeat of an order that somebody is recording is given up. */
  async function overtake(body: Record<string, unknown>): Promise<boolean> {
    let isFirst = false
    await whileLocked(
      `insert into orders (integration_id, reference_id, direction, status, chain_id, network, token_address,
         wallet_address, customer_id, key_id, amount_micro)
       values ($1, $2, 'MINT', 'payment_pending', 1, 'n', 't', '0x' || repeat('a', 40), 'c', 'k', 1)`,
      [fixture.integrationId, String(body.referenceId)],
      async () => {
        const { caller, customerId } = stranger()
        let isStuck = true
        const stuck = outcomeOf(fixture.attempt('mint', body)).finally(() => {
          isStuck = false
        })
        const others = await Promise.all(
          Array.from({ length: 20 }, () => fixture.attempt('mint', fixture.mintBody({ customerId }), { caller })),
        )
        isFirst = isStuck
        assert.deepEqual(new Set(others.map(({ answer }) => answer?.status)), new Set([201]))
        assert.match(await stuck, CANCELLED_SOON)
      },
    )
    return isFirst
  }

  async function outcomeOf(attempt: ReturnType<OrdersFixture['attempt']>): Promise<string> {
    try {
      const { answer, code } = await attempt
      return String(answer?.status ?? code)
    } catch (error) {
      return String(error)
    }
  }

  /** Retries while told to come back later, as a client does. */
  async function retried<T>(work: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await work()
      } catch (error) {
        if (attempt === 20) throw error
        await new Promise((resolve) => setTimeout(resolve, 250))
      }
    }
  }
})
