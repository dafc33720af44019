// engine: postgres; both in test:long
/** Mints that are recorded before their facts are read: never one that its facts would refuse, and none that differs from others. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import { DatabaseUnavailableError, type Queryable, StatementCancelledError } from '../../src/db/database.ts'
import type { PostCall } from '../../src/orders/accept/call.ts'
import type { Terms } from '../../src/orders/accept/checks.ts'
import { decideMint } from '../../src/orders/accept/decide-mint.ts'
import { readFacts } from '../../src/orders/accept/facts.sql.ts'
import type { MintRequest } from '../../src/orders/accept/request.ts'
import { createUsualMints } from '../../src/orders/accept/usual.ts'
import { orderTag } from '../../src/values/order-tag.ts'
import { addBatchRow, someBatchId } from '../support/batch-rows.ts'
import { policy } from '../support/decisions.ts'
import {
  CHAIN_ID,
  createOrdersFixture,
  newAddress,
  newReference,
  type OrdersFixture,
  OTHER_CHAIN_ID,
} from '../support/orders.ts'

const LIMIT_MICRO = 700_000_000n
const ONE = 1_000_000n

/** What is otherwise than usual about a mint, each by itself or together. */
const FAULTS = [
  'unknown',
  'strange',
  'pending',
  'suspended',
  'non-resident',
  'cannot mint',
  'denied',
  'key used',
  'reference used',
  'settled before',
  'settled otherwise',
  'above the limit',
  'above the ceiling',
  'below the floor',
  'contract',
  'key with a cap',
  'oracle',
] as const
type Fault = (typeof FAULTS)[number]
const CUSTOMERS = FAULTS.slice(0, 6) as readonly Fault[]

for (const engine of ['pglite', 'postgres'] as const) {
  describe(`usual mints on ${engine}`, () => {
    let fixture: OrdersFixture
    const customers = new Map<Fault, string>([['unknown', 'cus_0123456789abcdef01234567']])

    before(async () => {
      fixture = await createOrdersFixture(engine)
      const { db, neighbours } = fixture
      customers.set('strange', neighbours.stranger.customerId)
      const made: readonly (readonly [Fault, string])[] = [
        ['pending', `verification_status = 'PENDING', verified_at = null`],
        ['suspended', `verification_status = 'SUSPENDED', verified_at = null`],
        ['non-resident', 'is_resident = false'],
        ['cannot mint', 'can_mint = false'],
      ]
      for (const [fault, change] of made) {
        const customerId = `cus_${fault.replaceAll(/[^a-z]/g, '')}`
        await db.query(
          `insert into customers (customer_id, integration_id, account_type, verification_status, verification_level,
             verified_at, country_code, is_resident, monthly_cap_micro)
           select $1, integration_id, account_type, verification_status, verification_level, verified_at, country_code,
             is_resident, monthly_cap_micro from customers where customer_id = $2`,
          [customerId, fixture.customerId],
        )
        await db.query(`update customers set ${change} where customer_id = $1`, [customerId])
        customers.set(fault, customerId)
      }
      await db.query(
        `insert into chain_limits (chain_id, direction, capacity_micro) values ($1, 'MINT', $2), ($1, 'REDEEM', 1)`,
        [CHAIN_ID, LIMIT_MICRO],
      )
      await db.query(
        `insert into webhook_endpoints (endpoint_id, integration_id, url, secret_encrypted) values ('we_1', $1, 'https://x', 'sb1.s')`,
        [fixture.integrationId],
      )
    })
    after(() => fixture.close())

    /** A mint with these faults, in a world that has them. */
    async function plant(faults: ReadonlySet<Fault>) {
      const { db, caller } = fixture
      const chainId = faults.has('oracle') ? OTHER_CHAIN_ID : CHAIN_ID
      const contract = newAddress()
      const request: MintRequest = {
        referenceId: newReference(),
        amountMicro: amountOf(faults),
        walletAddress: faults.has('contract') ? contract : newAddress(),
        customerId: customers.get(CUSTOMERS.find((fault) => faults.has(fault)) ?? 'unknown') ?? '',
        chain: {
          chainId,
          network: 'Test',
          tokenAddress: contract,
          contracts: [contract],
          hasSanctionsOracle: faults.has('oracle'),
        },
        fiatConfirmed: true,
      }
      if (!CUSTOMERS.some((fault) => faults.has(fault))) request.customerId = fixture.customerId
      const call: PostCall = {
        caller: { ...caller, mintDayCapMicro: faults.has('key with a cap') ? 10n ** 15n : null },
        idempotencyKey: randomUUID(),
        fingerprint: 'ab'.repeat(32),
        body: {},
      }
      if (faults.has('denied'))
        await db.query('insert into screening_denials (address) values ($1)', [request.walletAddress.toLowerCase()])
      if (faults.has('key used')) await post({ ...call }, { ...usualRequest(), chain: request.chain })
      if (faults.has('reference used'))
        await post({ ...call, idempotencyKey: randomUUID() }, { ...usualRequest(), referenceId: request.referenceId })
      if (faults.has('settled before')) await settle(request, request.walletAddress)
      if (faults.has('settled otherwise')) await settle(request, newAddress())
      const terms: Terms = { caller: call.caller, policy }
      return { call, request, terms }
    }

    function usualRequest(): MintRequest {
      return {
        referenceId: newReference(),
        amountMicro: ONE,
        walletAddress: newAddress(),
        fiatConfirmed: true,
        customerId: fixture.customerId,
        chain: {
          chainId: CHAIN_ID,
          network: 'Test',
          tokenAddress: newAddress(),
          contracts: [],
          hasSanctionsOracle: false,
        },
      }
    }

    async function post(call: PostCall, request: MintRequest): Promise<void> {
      const chain = { ...request.chain, hasSanctionsOracle: false }
      const made = await createUsualMints(fixture.db)(call, { ...request, chain }, { caller: call.caller, policy })
      // With a cap it is not recorded this way, and needs not be: the key is used by an order without one.
      if (made === undefined)
        assert.ok(
          await createUsualMints(fixture.db)(
            { ...call, caller: fixture.caller },
            { ...request, chain },
            { caller: fixture.caller, policy },
          ),
        )
    }

    async function settle(request: MintRequest, walletAddress: string): Promise<void> {
      const { chainId } = request.chain
      const batchId = someBatchId()
      await addBatchRow(fixture.db, { chainId, batchId, status: 'final', isForeign: true, orderIds: [] })
      await fixture.db.query(
        `insert into foreign_instructions (chain_id, batch_id, instruction_index, tag, direction, wallet_address, amount_micro, succeeded)
         values ($1, $2, 0, $3, 'MINT', $4, $5, true)`,
        [chainId, batchId, orderTag(fixture.integrationId, request.referenceId), walletAddress, request.amountMicro],
      )
    }

    const rowsOf = (references: readonly string[]) =>
      fixture.db.query(
        `select o.*, k.order_id = o.order_id as own_key, k.first_answer, encode(k.fingerprint, 'hex') as fingerprint, e.type, e.amount_micro as told,
           e.happened_at = o.created_at as told_at, (select count(*) from deliveries d where d.event_id = e.event_id) as deliveries
         from orders o join idempotency_keys k on k.order_id = o.order_id
           left join events e on e.integration_id = o.integration_id and e.reference_id = o.reference_id
         where o.reference_id = any ($1) order by array_position($1, o.reference_id)`,
        [references],
      )

    test('what is recorded without reading facts is what reading them would have recorded', async () => {
      await fc.assert(
        fc.asyncProperty(fc.subarray([...FAULTS], { maxLength: 2 }), async (chosen) => {
          const faults = new Set(chosen)
          const { call, request, terms } = await plant(faults)
          const [facts] = await readFacts(fixture.db, 'MINT', [{ call, request }])
          assert.ok(facts)
          const usual = await createUsualMints(fixture.db)(call, request, terms)
          assert.equal(usual !== undefined, faults.size === 0, chosen.join(', '))
          if (usual === undefined) return
          assert.equal(facts.usedKey, undefined)
          const decision = decideMint(request, facts, terms)
          assert.ok(decision.kind === 'accept', decision.kind)
          const { createdAt } = usual.order
          const expected = { ...decision.acceptance.order, createdAt }
          assert.deepEqual([usual.order, decision.acceptance.usage], [expected, undefined])
          const [row] = await rowsOf([request.referenceId])
          assert.equal(row?.created_at instanceof Date && row.created_at.getTime(), createdAt.getTime())
          assert.ok(createdAt >= facts.now && usual.deliveriesDue)
        }),
        { numRuns: engine === 'pglite' ? 60 : 100, examples: [[[]], ...FAULTS.map((fault): [Fault[]] => [[fault]])] },
      )
    })

    test('its rows are those of a mint whose facts were read', async () => {
      const usual = usualRequest()
      const call = (): PostCall => ({
        caller: fixture.caller,
        idempotencyKey: randomUUID(),
        fingerprint: 'cd'.repeat(32),
        body: {},
      })
      assert.ok(await createUsualMints(fixture.db)(call(), usual, { caller: fixture.caller, policy }))
      const body = { walletAddress: usual.walletAddress, amountMyr: '1', fiatConfirmed: true }
      // Somebody who was unusual a moment ago.
      await fixture.attempt('mint', fixture.mintBody({ ...body, amountMyr: '999999' }))
      const texts: string[] = []
      fixture.onStatement((text) => texts.push(text))
      const mint = fixture.mintBody(body)
      await fixture.callAs('cd'.repeat(32), 'mint', mint)
      assert.equal(texts.filter((text) => text.includes('lateral')).length, 1)
      const [one, other] = await rowsOf([usual.referenceId, String(mint.referenceId)])
      const own = ['order_id', 'reference_id', 'created_at', 'token_address', 'network', 'fee_micro']
      const shown = (row: typeof one) => Object.entries(row ?? {}).filter(([name]) => !own.includes(name))
      assert.deepEqual(shown(one), shown(other))
      assert.deepEqual(
        [one?.own_key, one?.first_answer, one?.type, one?.told_at],
        [true, 'pending', 'mint.pending', true],
      )
    })

    test('one that waits for its payment tells of nothing', async () => {
      const request = { ...usualRequest(), fiatConfirmed: false }
      const call = { caller: fixture.caller, idempotencyKey: randomUUID(), fingerprint: 'ef'.repeat(32), body: {} }
      const made = await createUsualMints(fixture.db)(call, request, { caller: fixture.caller, policy })
      assert.equal(made?.order.status, 'payment_pending')
      const [row] = await rowsOf([request.referenceId])
      assert.deepEqual([row?.status, row?.first_answer, row?.type], ['payment_pending', 'payment_pending', null])
    })

    test('what was used before, or is repeated in one statement, takes no other with it', async () => {
      const record = createUsualMints(fixture.db)
      const call = (idempotencyKey = randomUUID()): PostCall => ({
        caller: fixture.caller,
        idempotencyKey,
        fingerprint: 'ab'.repeat(32),
        body: {},
      })
      const terms: Terms = { caller: fixture.caller, policy }
      const [key, keyAgain, used, again] = [randomUUID(), randomUUID(), usualRequest(), usualRequest()]
      assert.ok(await record(call(key), used, terms))
      const made = await Promise.all([
        record(call(), usualRequest(), terms),
        record(call(key), usualRequest(), terms),
        record(call(), used, terms),
        record(call(), again, terms),
        record(call(), again, terms),
        record(call(keyAgain), usualRequest(), terms),
        record(call(keyAgain), usualRequest(), terms),
        record(call(), usualRequest(), terms),
      ])
      assert.deepEqual(
        made.map((usual) => usual !== undefined),
        [true, false, false, true, false, true, false, true],
      )
    })

    test('a limit of nothing is a brake, and one that nobody has read lately, or in time to come, is not believed', async () => {
      const call = { caller: fixture.caller, idempotencyKey: randomUUID(), fingerprint: 'ab'.repeat(32), body: {} }
      const readAt = (minutes: number) => `capacity_micro = 1, read_at = now() + interval '${minutes} minutes'`
      for (const change of ['capacity_micro = 0', readAt(-11), readAt(2)]) {
        const undo = new Error('undo')
        const transaction = fixture.db.transaction(async (tx) => {
          await tx.query(`update chain_limits set ${change} where chain_id = $1 and direction = 'MINT'`, [CHAIN_ID])
          assert.ok(await createUsualMints(tx)(call, usualRequest(), { caller: fixture.caller, policy }), change)
          throw undo
        })
        await assert.rejects(transaction, (error) => error === undo)
      }
    })

    test('repeats that come together take no other with them, and are told apart', async () => {
      const mint = fixture.mintBody({ fiatConfirmed: true, customerId: fixture.neighbours.colleague.customerId })
      const key = randomUUID()
      const others = Array.from({ length: 5 }, () => fixture.mintBody({ ...mint, referenceId: newReference() }))
      const answers = await Promise.all([
        ...[key, key, randomUUID()].map((idempotencyKey) => fixture.call('mint', mint, { idempotencyKey })),
        ...others.map((body) => fixture.call('mint', body)),
        fixture.attempt('mint', { ...mint, referenceId: newReference() }, { idempotencyKey: key }),
      ])
      const [first, replay, again] = answers as { body: string; replay: boolean }[]
      assert.deepEqual([first?.replay, replay?.replay, again?.replay], [false, true, false])
      assert.deepEqual([replay?.body, again?.body], [first?.body, first?.body])
      assert.equal((answers.at(-1) as { code?: string }).code, 'IDEMPOTENCY_CONFLICT')
      const references = [mint, ...others].map(({ referenceId }) => String(referenceId))
      const rows = await fixture.db.query('select from orders where reference_id = any ($1)', [references])
      assert.equal(rows.length, 6)
    })

    test('what a partner asks of the customer of another one is remembered for nobody else, in either direction', async () => {
      let sent = 0
      const db: Queryable = {
        query(text, params) {
          sent += 1
          return fixture.db.query(text, params)
        },
      }
      const record = createUsualMints(db)
      const strange = { ...fixture.caller, integrationId: 'int_stranger' }
      const ask = async (caller: PostCall['caller'], changes: Partial<MintRequest> = {}) => {
        const call = { caller, idempotencyKey: randomUUID(), fingerprint: 'ab'.repeat(32), body: {} }
        sent = 0
        const made = await record(call, { ...usualRequest(), ...changes }, { caller, policy })
        return [made !== undefined, sent]
      }
      assert.deepEqual(await ask(strange), [false, 1])
      assert.deepEqual(await ask(fixture.caller), [true, 1])
      const colleague = { customerId: fixture.neighbours.colleague.customerId }
      assert.deepEqual(await ask(fixture.caller, { ...colleague, amountMicro: LIMIT_MICRO + 1n }), [false, 1])
      assert.deepEqual(await ask(strange, colleague), [false, 1])
    })

    test('whoever was unusual reads facts first for a while, and after a failed statement everybody does for a moment', async () => {
      let [nowMs, sent, fails] = [0, 0, false]
      const db: Queryable = {
        query(text, params) {
          sent += 1
          if (fails) return Promise.reject(new StatementCancelledError('its rows are locked'))
          return fixture.db.query(text, params)
        },
      }
      const record = createUsualMints(db, () => nowMs)
      const colleague = fixture.neighbours.colleague.customerId
      const one = async (changes: Partial<MintRequest> = {}) => {
        const call = { caller: fixture.caller, idempotencyKey: randomUUID(), fingerprint: 'ab'.repeat(32), body: {} }
        sent = 0
        const made = await record(call, { ...usualRequest(), ...changes }, { caller: fixture.caller, policy })
        return [made !== undefined, sent]
      }
      assert.deepEqual(await one(), [true, 1])
      assert.deepEqual(await one({ amountMicro: LIMIT_MICRO + 1n }), [false, 1])
      assert.deepEqual(await one(), [false, 0])
      assert.deepEqual(await one({ customerId: colleague }), [true, 1])
      nowMs = 10_000
      assert.deepEqual(await one(), [true, 1])
      fails = true
      assert.deepEqual(await one(), [false, 1])
      fails = false
      assert.deepEqual(await one({ customerId: colleague }), [false, 0])
      nowMs = 11_000
      assert.deepEqual(await one(), [true, 1])
      const away = { query: () => Promise.reject(new DatabaseUnavailableError('no connection')) }
      const call = { caller: fixture.caller, idempotencyKey: randomUUID(), fingerprint: 'ab'.repeat(32), body: {} }
      await assert.rejects(
        createUsualMints(away)(call, usualRequest(), { caller: fixture.caller, policy }),
        DatabaseUnavailableError,
      )
    })
  })
}

function amountOf(faults: ReadonlySet<Fault>): bigint {
  if (faults.has('above the ceiling')) return policy.mintCeilingMicro + 1n
  if (faults.has('above the limit')) return LIMIT_MICRO + 1n
  if (faults.has('below the floor')) return policy.mintFloorMicro - 1n
  return LIMIT_MICRO
}
