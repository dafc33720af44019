// engine: postgres; both in test:long
/** Facts are about the caller, customer, wallet, chain and day of the question, and about no neighbour. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Param, Queryable, Row } from '../../src/db/database.ts'
import { acquireLease } from '../../src/leases/leases.sql.ts'
import { findGivenAnswer } from '../../src/orders/accept/answers.sql.ts'
import { listSettled, readCancelFacts } from '../../src/orders/accept/cancel-facts.sql.ts'
import { type Question, readFacts } from '../../src/orders/accept/facts.sql.ts'
import type { CreateFacts } from '../../src/orders/accept/facts.ts'
import {
  CHAIN_ID,
  createOrdersFixture,
  newAddress,
  newReference,
  type OrdersFixture,
  OTHER_CHAIN_ID,
} from '../support/orders.ts'

let fixture: OrdersFixture
type Party = OrdersFixture['neighbours']['stranger']
/** The named customer, its colleague of the same integration, a customer of the other integration. */
let parties: [Party, Party, Party]
const KEY = 'one-key-for-all'
const REFERENCE = 'one-reference-for-all'

before(async () => {
  fixture = await createOrdersFixture()
  parties = [fixture, fixture.neighbours.colleague, fixture.neighbours.stranger]
})
after(() => fixture.close())

const reading =
  <D extends keyof CreateFacts>(direction: D) =>
  async (db: Queryable, call: Question['call'], request: Question['request']): Promise<CreateFacts[D]> => {
    const [facts] = await readFacts(db, direction, [{ call, request }])
    assert.ok(facts)
    return facts
  }
const readMintFacts = reading('MINT')
const readRedeemFacts = reading('REDEEM')
const readTransferFacts = reading('TRANSFER')
const readMintFactsTogether = (db: Queryable, questions: Question[]) => readFacts(db, 'MINT', questions)

const callOf = (party: Party, idempotencyKey = KEY) => ({ caller: party.caller, idempotencyKey })
const requestOf = (party: Party, changes: { referenceId?: string; walletAddress?: string; chainId?: number } = {}) => ({
  referenceId: changes.referenceId ?? REFERENCE,
  amountMicro: 1n,
  walletAddress: changes.walletAddress ?? party.walletAddress,
  customerId: party.customerId,
  chain: {
    chainId: changes.chainId ?? CHAIN_ID,
    network: '',
    tokenAddress: '',
    contracts: [],
    hasSanctionsOracle: false,
  },
})

/** Every fact of each party has a unique value, and rows lie before and after those of the question. */
async function withUsage(work: (tx: Queryable) => Promise<void>): Promise<void> {
  // The clock stands still inside a transaction, so that today stays the same day even at midnight.
  const undo = new Error('undo')
  const transaction = fixture.db.transaction(async (tx) => {
    for (const [place, { keyId, customerId, walletAddress }] of parties.entries()) {
      await tx.query(
        `insert into transfer_usage (key_id, day, committed_micro, cap_micro)
         select $1, (now() at time zone 'UTC')::date + d, 100 * ($2::int + 1) + d, 1000 from unnest(array[1, 0, -1]) d`,
        [keyId, place],
      )
      await tx.query(
        `insert into withdrawal_usage (customer_id, month, committed_micro, cap_micro)
         select $1, (date_trunc('month', now() at time zone 'UTC') + m * interval '1 month')::date,
           10000 * ($2::int + 1) + m, 100000 from unnest(array[1, 0, -1]) m`,
        [customerId, place],
      )
      await tx.query(
        `insert into wallet_earmarks (chain_id, address, earmarked_micro, epoch, facts_epoch)
         select c, $1, c + $2::int, 7 * c + $2::int, 7 * c + $2::int from unnest(array[$4::bigint, $3::bigint]) c`,
        [walletAddress, place, CHAIN_ID, OTHER_CHAIN_ID],
      )
    }
    await work(tx)
    throw undo
  })
  await assert.rejects(transaction, (error) => error === undo)
}

const earmarkOf = (place: number, chainId: number) => ({
  observedBlock: chainId === CHAIN_ID ? 7n : 9n,
  earmarkedMicro: BigInt(chainId + place),
  epoch: BigInt(7 * chainId + place),
})

describe('usage, earmarks and wallets', () => {
  test("a transfer's: the key's day, the customer's primary wallet on the chain, its recipient's denial", async () => {
    await withUsage(async (tx) => {
      for (const [place, party] of parties.entries()) {
        for (const chainId of [CHAIN_ID, OTHER_CHAIN_ID]) {
          const request = requestOf(party, { chainId, walletAddress: newAddress() })
          const facts = await readTransferFacts(tx, callOf(party), request)
          assert.equal(facts.customer?.customerId, party.customerId)
          assert.equal(facts.sourceAddress, party.walletAddress)
          assert.equal(facts.committedTodayMicro, BigInt(100 * (place + 1)))
          assert.deepEqual(facts.debit, earmarkOf(place, chainId))
        }
      }
    })
  })

  test("a redeem's: the customer's month, its wallet on the chain", async () => {
    await withUsage(async (tx) => {
      for (const [place, party] of parties.entries()) {
        for (const chainId of [CHAIN_ID, OTHER_CHAIN_ID]) {
          const facts = await readRedeemFacts(tx, callOf(party), requestOf(party, { chainId }))
          assert.equal(facts.customer?.customerId, party.customerId)
          assert.equal(facts.walletLinked, true)
          assert.equal(facts.withdrawnThisMonthMicro, BigInt(10_000 * (place + 1)))
          assert.deepEqual(facts.debit, earmarkOf(place, chainId))
        }
      }
    })
  })

  test('a wallet is linked to its own customer only, whoever else has linked it', async () => {
    const [ours, colleague, stranger] = parties
    const linked = async (party: Party, walletAddress: string) =>
      (await readRedeemFacts(fixture.db, callOf(party), requestOf(party, { walletAddress }))).walletLinked
    for (const wallet of fixture.secondaryWallets) assert.equal(await linked(ours, wallet), true)
    for (const other of [colleague, stranger]) {
      assert.equal(await linked(ours, other.walletAddress), false)
      assert.equal(await linked(other, ours.walletAddress), false)
    }
    assert.equal(await linked(ours, newAddress()), false)
  })

  test('without any row nothing is used or earmarked, and a chain that nobody settles has no observed block', async () => {
    const [ours] = parties
    const nothing = { observedBlock: 7n, earmarkedMicro: 0n, epoch: 0n }
    const transfer = await readTransferFacts(fixture.db, callOf(ours), requestOf(ours))
    assert.deepEqual([transfer.committedTodayMicro, transfer.debit], [0n, nothing])
    const redeem = await readRedeemFacts(fixture.db, callOf(ours), requestOf(ours))
    assert.deepEqual([redeem.withdrawnThisMonthMicro, redeem.debit], [0n, nothing])
    const elsewhere = await readRedeemFacts(fixture.db, callOf(ours), requestOf(ours, { chainId: 1 }))
    assert.equal(elsewhere.debit.observedBlock, undefined)
  })
})

test('a chain limit is that of the chain and the direction, while it was read lately', async () => {
  const [ours] = parties
  const undo = new Error('undo')
  const transaction = fixture.db.transaction(async (tx) => {
    await tx.query(
      `insert into chain_limits (chain_id, direction, capacity_micro, read_at)
       select c.id, d.name, c.id * 10 + d.place, now() - c.age
       from (values ($1::bigint, interval '9 minutes'), ($2::bigint, interval '11 minutes')) as c (id, age),
         (values ('MINT', 1), ('REDEEM', 2), ('TRANSFER', 3)) as d (name, place)`,
      [CHAIN_ID, OTHER_CHAIN_ID],
    )
    for (const [place, read] of [readMintFacts, readRedeemFacts, readTransferFacts].entries()) {
      const limitOn = async (chainId: number) =>
        (await read(tx, callOf(ours), requestOf(ours, { chainId }))).chainLimitMicro
      assert.equal(await limitOn(CHAIN_ID), BigInt(CHAIN_ID * 10 + place + 1))
      assert.equal(await limitOn(OTHER_CHAIN_ID), undefined)
    }
    throw undo
  })
  await assert.rejects(transaction, (error) => error === undo)
})

describe('answers, orders, customers and denials', () => {
  const readers = {
    cancel: (party: Party, key: string, referenceId: string) =>
      readCancelFacts(fixture.db, callOf(party, key), { referenceId, chainIds: [CHAIN_ID, OTHER_CHAIN_ID] }),
    mint: (party: Party, key: string, referenceId: string) =>
      readMintFacts(fixture.db, callOf(party, key), requestOf(party, { referenceId })),
    redeem: (party: Party, key: string, referenceId: string) =>
      readRedeemFacts(fixture.db, callOf(party, key), requestOf(party, { referenceId })),
    transfer: (party: Party, key: string, referenceId: string) =>
      readTransferFacts(fixture.db, callOf(party, key), requestOf(party, { referenceId })),
  }

  /** Equal references and equal Idempotency-Keys in both integrations, with different orders and answers. */
  before(async () => {
    const [ours, , stranger] = parties
    for (const [owner, amountMyr] of [
      [stranger, '21'],
      [ours, '11'],
    ] as const) {
      const { caller, customerId } = owner
      const post = (referenceId: string, amount: string, idempotencyKey: string) =>
        fixture.call('mint', fixture.mintBody({ referenceId, customerId, amountMyr: amount }), {
          caller,
          idempotencyKey,
        })
      await post(REFERENCE, amountMyr, KEY)
      await post(`${REFERENCE}-2`, '99', `${KEY}-2`)
    }
  })

  const amountOf = (body: string | undefined) =>
    (JSON.parse(body ?? '{}') as { amounts?: { coin: string } }).amounts?.coin

  for (const [name, read] of Object.entries(readers)) {
    test(`${name}: each integration has its own order of a reference and its own answer under a key`, async () => {
      const [ours, , stranger] = parties
      for (const [party, coin, micro] of [
        [ours, '11', 11_000_000n],
        [stranger, '21', 21_000_000n],
      ] as const) {
        const facts = await read(party, KEY, REFERENCE)
        assert.deepEqual([facts.existing?.integrationId, facts.existing?.amountMicro], [party.integrationId, micro])
        assert.deepEqual(
          [facts.usedKey?.orderId, facts.usedKey?.firstStatus],
          [facts.existing?.orderId, 'payment_pending'],
        )
        const other = await read(party, `${KEY}-2`, `${REFERENCE}-2`)
        assert.deepEqual([other.existing?.amountMicro, other.usedKey?.orderId], [99_000_000n, other.existing?.orderId])
        const none = await read(party, 'a-new-key', newReference())
        assert.deepEqual([none.existing, none.usedKey], [undefined, undefined])
        assert.equal(amountOf((await findGivenAnswer(fixture.db, callOf(party)))?.answer?.body), coin)
        assert.equal(await findGivenAnswer(fixture.db, callOf(party, 'a-new-key')), undefined)
      }
    })
  }

  test('many together get what each gets alone: equal references, equal keys, any customer', async () => {
    const [ours, colleague, stranger] = parties
    const denied = newAddress()
    await fixture.db.query('insert into screening_denials (address) values (lower($1)), (lower($2))', [
      denied,
      newAddress(),
    ])
    const calls = [ours, stranger, colleague].flatMap((party) => [
      callOf(party),
      callOf(party, `${KEY}-2`),
      callOf(party, 'new'),
    ])
    const questions = calls.flatMap((call) =>
      [ours, stranger, colleague].flatMap((party) => [
        { call, request: requestOf(party) },
        { call, request: requestOf(party, { referenceId: `${REFERENCE}-2`, walletAddress: denied }) },
        { call, request: requestOf(party, { referenceId: newReference() }) },
      ]),
    )
    await fixture.db.transaction(async (tx) => {
      const together = await readMintFactsTogether(tx, questions)
      for (const [place, { call, request }] of questions.entries()) {
        assert.deepEqual(together[place], await readMintFacts(tx, call, request), `question ${place}`)
      }
    })
  })

  test('answers that come in another order, or are too few, are not taken for each other', async () => {
    const [ours, , stranger] = parties
    const questions = [ours, stranger].map((party) => ({ call: callOf(party), request: requestOf(party) }))
    const changed = (change: (rows: Row[]) => Row[]): Queryable => ({
      query: async <R extends Row>(text: string, params?: readonly Param[]) =>
        change(await fixture.db.query(text, params)) as R[],
    })
    const backwards = await readMintFactsTogether(
      changed((rows) => rows.toReversed()),
      questions,
    )
    assert.deepEqual(
      backwards.map(({ existing }) => existing?.integrationId),
      [ours.integrationId, stranger.integrationId],
    )
    const fewer = changed((rows) => rows.slice(1))
    await assert.rejects(readMintFactsTogether(fewer, questions), /1 rows/)
    const two = changed((rows) => [...rows, ...rows])
    await assert.rejects(readMintFacts(two, callOf(ours), requestOf(ours)), /2 rows/)
  })

  test("another integration's customer is nobody, whichever kind asks", async () => {
    const [ours, , stranger] = parties
    const request = requestOf(stranger)
    for (const read of [readMintFacts, readRedeemFacts, readTransferFacts]) {
      assert.equal((await read(fixture.db, callOf(ours), request)).customer, undefined)
      assert.equal((await read(fixture.db, callOf(stranger), request)).customer?.customerId, stranger.customerId)
    }
  })

  test('a denial names one address, in any case', async () => {
    const [ours] = parties
    const denied = newAddress()
    await fixture.db.query('insert into screening_denials (address) values (lower($1))', [denied])
    for (const [walletAddress, isDenied] of [
      [denied, true],
      [newAddress(), false],
    ] as const) {
      const request = requestOf(ours, { walletAddress })
      assert.equal((await readMintFacts(fixture.db, callOf(ours), request)).walletDenied, isDenied)
      assert.equal((await readTransferFacts(fixture.db, callOf(ours), request)).recipientDenied, isDenied)
      assert.equal((await readRedeemFacts(fixture.db, callOf(ours), request)).walletDenied, isDenied)
    }
  })

  test("a denial of a customer's primary wallet is a transfer's, and nobody else's", async () => {
    const [ours, colleague, stranger] = parties
    const undo = new Error('undo')
    const transaction = fixture.db.transaction(async (tx) => {
      await tx.query('insert into screening_denials (address) values (lower($1))', [ours.walletAddress])
      for (const party of [ours, colleague, stranger]) {
        const facts = await readTransferFacts(tx, callOf(party), requestOf(party, { walletAddress: newAddress() }))
        assert.deepEqual([facts.sourceDenied, facts.recipientDenied], [party === ours, false])
      }
      throw undo
    })
    await assert.rejects(transaction, (error) => error === undo)
  })
})

test('a mint that was accepted after a restore is cancelled only once no chain can settle what was lost under its reference; one from before, once its own cannot', async () => {
  const [ours] = parties
  const undo = new Error('undo')
  const transaction = fixture.db.transaction(async (tx) => {
    const accept = async () => {
      const referenceId = newReference()
      await tx.query(
        `insert into orders (integration_id, reference_id, direction, status, chain_id, network, token_address, wallet_address, amount_micro, customer_id, key_id)
         values ($1, $2, 'MINT', 'payment_pending', $3, 'n', '0xc', $4, 1, $5, $6)`,
        [ours.caller.integrationId, referenceId, CHAIN_ID, ours.walletAddress, ours.customerId, ours.keyId],
      )
      return referenceId
    }
    const before = await accept()
    await tx.query(`update database_timelines set timeline = 'lost'`)
    const fence = (chainId: number, on: string) =>
      tx.query(`update chains set fenced_on = ${on} where chain_id = $1`, [chainId])
    await fence(CHAIN_ID, 'database_timeline()')
    await fence(OTHER_CHAIN_ID, `'lost'`)
    const after = await accept()
    const isUnfenced = async (referenceId: string, ...chainIds: number[]) =>
      (await readCancelFacts(tx, callOf(ours), { referenceId, chainIds })).isUnfenced
    assert.equal(await isUnfenced(after, CHAIN_ID, OTHER_CHAIN_ID), true)
    assert.equal(await isUnfenced(after, CHAIN_ID), false)
    assert.equal(await isUnfenced(before, CHAIN_ID, OTHER_CHAIN_ID), false)
    // As of a chain that is given up, and has left the files of those first that answer partners.
    assert.ok(await acquireLease(tx, `settlement:${OTHER_CHAIN_ID}`, 'a settler', 60_000))
    assert.deepEqual(await listSettled(tx), [OTHER_CHAIN_ID])
    await fence(OTHER_CHAIN_ID, 'database_timeline()')
    assert.equal(await isUnfenced(after, CHAIN_ID, OTHER_CHAIN_ID), false)
    await fence(CHAIN_ID, `'lost'`)
    assert.equal(await isUnfenced(before, CHAIN_ID, OTHER_CHAIN_ID), true)
    throw undo
  })
  await assert.rejects(transaction, (error) => error === undo)
})
