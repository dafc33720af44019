// engine: postgres; both in test:long
/**
 * Orders of all integrations through the operator API: which ones are listed, and what is shown of each, without
 * anything of another.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { eventIdOf } from '../../src/events/event.ts'
import { insertRefund } from '../../src/orders/life/refund.sql.ts'
import { writeHold } from '../../src/settlement/tables/holds.sql.ts'
import { withoutGuards } from '../support/without-guards.ts'
import { chainDouble, type OperatorFixture, startOperator } from './fixture.ts'
import { addAttempt, addBatch, addChain, addOrder, addParty, addPayout, type OrderInput, type Party } from './world.ts'

const MICRO = 1_000_000n
const MINUTE_MS = 60_000
const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * MINUTE_MS)
const PENDING = { state: 'created' } as const
const SUBMITTED = { state: 'submitted' } as const

const first = chainDouble(1)
const second = chainDouble(2)
let api: OperatorFixture
let one: Party
let other: Party

before(async () => {
  api = await startOperator({ chains: [first.chain, second.chain] })
  ;[one, other] = [await addParty(api.db), await addParty(api.db)]
  await addChain(api.db, 1, 100n)
  await addChain(api.db, 2, 200n)
  await lead(1, '1 hour')
  await lead(2, '1 hour')
})
after(() => api.close())

async function lead(chainId: number, until: string): Promise<void> {
  await api.db.query(
    `insert into leases (name, holder, token, expires_at, lasts) values ($1, 'a settler', 1, now() + $2::interval, '1 hour')
     on conflict (name) do update set expires_at = excluded.expires_at`,
    [`settlement:${chainId}`, until],
  )
}

const place = (order: Partial<OrderInput> = {}, party = one) =>
  addOrder(api.db, party, { chainId: 1, direction: 'MINT', amountMicro: MICRO, ...PENDING, ...order })

/** The fields by which the tests tell orders apart. */
type Listed = { referenceId: string; integrationId: string; waiting: string | null }

async function list(query: string): Promise<string[]> {
  const { status, body } = await api.call('GET', `/orders?${query}`)
  assert.equal(status, 200, JSON.stringify(body))
  return body.orders.map(({ referenceId }: Listed) => referenceId)
}

async function show(party: Party, referenceId: string) {
  const { status, body } = await api.call('GET', `/orders/${party.integrationId}/${referenceId}`)
  assert.equal(status, 200, JSON.stringify(body))
  return body
}

describe('the list', () => {
  it('is of all integrations newest first, or of one, in pages that neither repeat nor miss any', async () => {
    for (const referenceId of ['reference-a', 'reference-b', 'reference-c']) {
      await place({ referenceId })
      await place({ referenceId }, other)
    }
    const whole = 'reference-c reference-c reference-b reference-b reference-a reference-a'.split(' ')
    assert.deepEqual(await list('limit=500'), whole)
    assert.deepEqual(await list(`integrationId=${other.integrationId}`), ['reference-c', 'reference-b', 'reference-a'])
    const pages: Listed[] = []
    let after = ''
    for (const size of [2, 2, 2, 0]) {
      const { body } = await api.call('GET', `/orders?limit=2${after}`)
      assert.equal(body.orders.length, size)
      pages.push(...body.orders)
      after = `&after=${body.next}`
    }
    assert.equal(new Set(pages.map((order) => `${order.integrationId} ${order.referenceId}`)).size, 6)
    assert.equal((await api.call('GET', '/orders?limit=7')).body.next, null)
  })

  it('is of one status when that is asked for', async () => {
    await place({ referenceId: 'was-cancelled', state: 'cancelled' })
    await place({ referenceId: 'was-failed', state: 'failed' }, other)
    assert.deepEqual(await list('status=cancelled'), ['was-cancelled'])
    assert.deepEqual(await list('status=failed'), ['was-failed'])
  })

  it('of what is stuck has what we must finish and has not moved for so long', async () => {
    const old = minutesAgo(11)
    await place({ referenceId: 'old-untouched', createdAt: old })
    await place({ referenceId: 'old-and-moved', createdAt: old, updatedAt: minutesAgo(1) })
    await place({ referenceId: 'moved-long-ago', createdAt: minutesAgo(30), updatedAt: old, ...SUBMITTED })
    await place({
      referenceId: 'waits-for-partner',
      createdAt: old,
      state: 'paymentPending',
    })
    await place({ referenceId: 'long-completed', createdAt: old, state: 'completed' })
    assert.deepEqual(await list('stuck=true'), ['moved-long-ago', 'old-untouched'])
    assert.deepEqual(await list('stuck=true&olderThan=12m'), [])
    assert.deepEqual(await list('stuck=true&status=payment_pending'), ['waits-for-partner'])
    assert.deepEqual(await list('stuck=false&status=payment_pending'), ['waits-for-partner'])
    assert.equal((await list('stuck=true&olderThan=0&limit=500')).length, 9)
    // What has ended waits for nobody.
    assert.deepEqual(await list('stuck=true&status=completed'), [])
    assert.deepEqual(await list('status=completed&limit=1'), ['long-completed'])
    for (const query of [
      'olderThan=366d&stuck=true',
      'after=x',
      'status=lost',
      'stuck=yes',
      'olderThan=1w&stuck=true',
      'olderThan=12m',
      'olderThan=12m&stuck=false',
    ]) {
      assert.equal((await api.call('GET', `/orders?${query}`)).status, 400, query)
    }
  })

  it('of what is stuck has at once what somebody holds or must decide about, unless an age is named', async () => {
    const before = await list('stuck=true')
    const held = await place({ referenceId: 'one-is-held' })
    const conflicting = await place({ referenceId: 'conflicts', ...SUBMITTED })
    await place({ referenceId: 'under-way' })
    await api.call('POST', `/orders/${one.integrationId}/one-is-held/hold`, { reason: 'a look' })
    await api.db.query(`insert into tag_conflicts (order_id, chain_id, tag) values ($1, 1, 'x')`, [conflicting])
    assert.deepEqual(await list('stuck=true'), ['conflicts', 'one-is-held', ...before])
    assert.deepEqual(await list('stuck=true&olderThan=10m'), before)
    await api.call('POST', `/orders/${one.integrationId}/one-is-held/release`, { reason: 'seen' })
    await api.db.query('delete from tag_conflicts where order_id = $1', [conflicting])
    assert.ok(held < conflicting)
    const ended = await place({ referenceId: 'failed-and-settled', state: 'failed' })
    await place({ referenceId: 'failed-as-it-should', state: 'failed' })
    await api.db.query(`insert into tag_conflicts (order_id, chain_id, tag) values ($1, 1, 'x')`, [ended])
    assert.deepEqual(await list('stuck=true&status=failed'), ['failed-and-settled'])
    assert.deepEqual(await list('stuck=true&status=cancelled'), [])
    assert.deepEqual(await list('stuck=true&olderThan=10m'), ['failed-and-settled', ...before])
    await api.db.query('delete from tag_conflicts where order_id = $1', [ended])
  })
})

describe('the reason why an order waits', () => {
  const waiting = async (referenceId: string, party = one) => (await show(party, referenceId)).waiting

  it('is told from the settler and the node of its own chain', async () => {
    await place({ referenceId: 'waits-on-one', chainId: 1 })
    await place({ referenceId: 'waits-on-two', chainId: 2 })
    await place({ referenceId: 'waits-on-none', chainId: 3 })
    assert.match(await waiting('waits-on-none'), /No settler works on chain 3/)
    await lead(2, '-1 second')
    assert.match(await waiting('waits-on-one'), /^(due|in-flight): /)
    assert.match(await waiting('waits-on-two'), /No settler works on chain 2/)
    await lead(2, '1 hour')
    first.state.paused = true
    second.state.readable = false
    assert.match(await waiting('waits-on-one'), /paused on chain 1/)
    assert.match(await waiting('waits-on-two'), /Chain 2 does not answer/)
    second.state.readable = true
    first.state.paused = false
    second.state.signers = [
      { address: '0xempty', nonce: 0n, gasBalance: 0n, isLow: true },
      { address: '0xrich', nonce: 0n, gasBalance: 1n, isLow: true },
    ]
    assert.match(await waiting('waits-on-one'), /^(due|in-flight): /)
    assert.equal(
      await waiting('waits-on-two'),
      'A signer has no gas: send native coin to 0xempty ("coin chain status" says how much).',
    )
    // Where this process signs nothing, it may be one in reserve.
    const { signers } = second.chain.config
    Object.assign(second.chain.config, { signers: [] })
    assert.match(await waiting('waits-on-two'), /^(due|in-flight): /)
    Object.assign(second.chain.config, { signers })
    second.state.signers = []
    await lead(3, '1 hour')
    assert.match(await waiting('waits-on-none'), /not configured/)
  })

  it('is said by what its settler says where the nodes answer late, and nobody waits long for them', async () => {
    await place({ referenceId: 'waits-on-slow', chainId: 2 })
    await writeHold(api.db, 2, { reason: 'gas-price', details: null, blocked: [] })
    const { status } = second.chain.admin
    const slow = new Promise<never>((_, reject) => setTimeout(() => reject(new Error('too late')), 6_000))
    slow.catch(() => {})
    Object.assign(second.chain.admin, { status: () => slow })
    try {
      const { waiting } = await show(one, 'waits-on-slow')
      assert.match(waiting, /^gas-price: /)
    } finally {
      Object.assign(second.chain.admin, { status })
      await writeHold(api.db, 2, { reason: 'none', details: null, blocked: [] })
    }
  })

  it('is told from the batch of its own chain, where another chain has a batch of that number', async () => {
    await addBatch(api.db, { chainId: 1, batchId: 9n, status: 'signed' })
    await addBatch(api.db, { chainId: 2, batchId: 9n, status: 'signed' })
    await addBatch(api.db, { chainId: 1, batchId: 8n, status: 'final', nonce: 4n })
    await addAttempt(api.db, { chainId: 1, batchId: 9n, createdAt: minutesAgo(1), answer: 'second answer' })
    await addAttempt(api.db, { chainId: 1, batchId: 9n, createdAt: minutesAgo(5), answer: 'first answer' })
    await addAttempt(api.db, { chainId: 2, batchId: 9n, createdAt: minutesAgo(0), answer: 'of another chain' })
    await addAttempt(api.db, { chainId: 1, batchId: 8n, createdAt: minutesAgo(0), answer: 'of another batch' })
    await place({ referenceId: 'submitted-on-one', ...SUBMITTED, batchId: 9n })
    await place({ referenceId: 'submitted-on-two', ...SUBMITTED, batchId: 9n, chainId: 2 }, other)
    assert.match(await waiting('submitted-on-one'), /^Batch 9 .*: 2 signed; the node last answered "second answer"\.$/)
    assert.match(await waiting('submitted-on-two', other), /: 1 signed; the node last answered "of another chain"\.$/)
  })

  it('counts confirmations by the block that the settler of its own chain has recorded', async () => {
    const confirming = { state: 'confirming' } as const
    await place({ referenceId: 'confirming-on-one', ...confirming, blockNumber: 98n })
    await place({ referenceId: 'confirming-on-two', ...confirming, blockNumber: 200n, chainId: 2 })
    assert.equal(await waiting('confirming-on-one'), 'It is mined in block 98 and has 3 of 2 confirmations.')
    assert.equal(await waiting('confirming-on-two'), 'It is mined in block 200 and has 1 of 2 confirmations.')
  })

  it('asks no chain when nothing of it waits', async () => {
    await place({ referenceId: 'is-completed', state: 'completed', chainId: 2 })
    first.state.readable = false
    second.state.readable = false
    assert.equal(await waiting('is-completed'), null)
    first.state.readable = true
    second.state.readable = true
  })
})

describe('the story of one order', () => {
  it('says which key has confirmed the payment of a mint: another than the one that placed it may have been stolen', async () => {
    const orderId = await place({ referenceId: 'confirmed-mint', state: 'created', direction: 'MINT' })
    await withoutGuards(api.db, (tx) =>
      tx.query(`update orders set mint_cap_key_id = 'the-other-key', mint_cap_day = current_date where order_id = $1`, [
        orderId,
      ]),
    )
    const { keyId, confirmedKeyId } = await show(one, 'confirmed-mint')
    assert.deepEqual([keyId, confirmedKeyId], [one.keyId, 'the-other-key'])
    const { orders } = await api.run('order', 'list', '--integration', one.integrationId)
    const listed = orders.find(({ referenceId }: { referenceId: string }) => referenceId === 'confirmed-mint')
    assert.equal(listed.confirmedKeyId, 'the-other-key')
  })

  it('has its own batch, attempts, payout, events and deliveries, and those of no other', async () => {
    const { db } = api
    const paying = { state: 'payoutPending', direction: 'REDEEM', blockNumber: 90n } as const
    await addBatch(db, { chainId: 1, batchId: 21n, status: 'final', signer: 'signer-of-mine', minedBlock: 90n })
    await addBatch(db, { chainId: 2, batchId: 21n, status: 'final', signer: 'signer-of-other' })
    const mine = await place({ referenceId: 'same-reference', ...paying, batchId: 21n })
    const theirs = await place({ referenceId: 'same-reference', ...paying, batchId: 21n, chainId: 2 }, other)
    const later = await addAttempt(db, { chainId: 1, batchId: 21n, createdAt: minutesAgo(1) })
    const earlier = await addAttempt(db, { chainId: 1, batchId: 21n, createdAt: minutesAgo(2) })
    const ofTheirs = await addAttempt(db, { chainId: 2, batchId: 21n, createdAt: minutesAgo(1) })
    await addAttempt(db, { chainId: 1, batchId: 8n, createdAt: minutesAgo(1) })
    const payoutId = await addPayout(db, { orderId: mine, customerId: one.customerId, status: 'queued', timesAsked: 3 })
    await addPayout(db, { orderId: theirs, customerId: other.customerId, status: 'sent' })
    const events = await addStory(mine, one)
    await addStory(theirs, other)

    const shown = await show(one, 'same-reference')
    assert.equal(shown.order.chainId, 1)
    assert.deepEqual([shown.integrationId, shown.customerId], [one.integrationId, one.customerId])
    assert.deepEqual([shown.keyId, shown.debitAddress], [one.keyId, one.wallet])
    // What a stolen key has placed is found in the list, too.
    const { orders } = await api.run('order', 'list', '--integration', one.integrationId)
    const [listed] = orders.filter(({ referenceId }: { referenceId: string }) => referenceId === 'same-reference')
    assert.equal(listed.keyId, one.keyId)
    assert.equal(listed.confirmedKeyId, null)
    assert.deepEqual([shown.batch.signer, shown.batch.minedBlock], ['signer-of-mine', '90'])
    assert.deepEqual(
      shown.attempts.map(({ txHash }: { txHash: string }) => txHash),
      [earlier, later],
    )
    assert.deepEqual([shown.payout.payoutId, shown.payout.amountMyr, shown.payout.timesAsked], [payoutId, '1.23', 3])
    assert.equal(shown.waiting, `Payout ${payoutId} is queued: its rail was asked 3 times.`)
    assert.deepEqual(
      shown.events.map(({ eventId }: { eventId: string }) => eventId),
      events,
    )
    assert.deepEqual(
      shown.deliveries.map(({ eventId, status, nextAttemptAt, httpStatus }: Record<string, unknown>) => ({
        eventId,
        status,
        isScheduled: nextAttemptAt !== null,
        httpStatus,
      })),
      [
        { eventId: events[0], status: 'delivered', isScheduled: false, httpStatus: 204 },
        { eventId: events[1], status: 'due', isScheduled: true, httpStatus: null },
      ],
    )
    assert.ok(!JSON.stringify(shown).includes('5ec4e7'), 'signed bytes are left out')

    const { batch, attempts, waiting } = await show(other, 'same-reference')
    assert.deepEqual([batch.signer, attempts.length, attempts[0].txHash], ['signer-of-other', 1, ofTheirs])
    assert.ok(waiting !== null && !waiting.includes(payoutId), waiting)
  })

  it('of an order in no batch has no batch, and none of anyone', async () => {
    await place({ referenceId: 'not-yet-in-a-batch' })
    const { batch, attempts, payout, events, deliveries } = await show(one, 'not-yet-in-a-batch')
    assert.deepEqual(
      { batch, attempts, payout, events, deliveries },
      {
        batch: null,
        attempts: [],
        payout: null,
        events: [],
        deliveries: [],
      },
    )
  })

  it('shows the latest hundred attempts and deliveries, oldest first', async () => {
    await addBatch(api.db, { chainId: 1, batchId: 30n, status: 'signed', nonce: 30n })
    const hashes: string[] = []
    for (let count = 101; count > 0; count -= 1) {
      hashes.push(await addAttempt(api.db, { chainId: 1, batchId: 30n, createdAt: minutesAgo(count) }))
    }
    const orderId = await place({ referenceId: 'often-bumped', ...SUBMITTED, batchId: 30n })
    await addStory(orderId, one)
    await api.db.query(
      `with told as (select event_id, e.created_at from events e join orders using (integration_id, reference_id)
         where order_id = $1 and type = 'redeem.completed'),
       heard as (insert into webhook_endpoints (endpoint_id, integration_id, url, secret_encrypted)
         select 'we_of_many_' || n, $2, 'https://x', 'sb1.x' from generate_series(1, 99) n returning endpoint_id)
       insert into deliveries (event_id, event_at, endpoint_id, status) select event_id, created_at, endpoint_id, 'due' from told, heard`,
      [orderId, one.integrationId],
    )
    const { attempts, deliveries } = await show(one, 'often-bumped')
    assert.deepEqual([deliveries.length, deliveries[0].status, deliveries[99].status], [100, 'due', 'due'])
    assert.deepEqual(
      attempts.map(({ txHash }: { txHash: string }) => txHash),
      hashes.slice(1),
    )
  })
})

it('a mint that waits for its payment is neither held nor rejected, and its refusal says what stops it instead', async () => {
  const name = `/orders/${one.integrationId}/not-paid-yet`
  await place({ referenceId: 'not-paid-yet', state: 'paymentPending' })
  for (const verb of ['hold', 'reject']) {
    const { status, body } = await api.call('POST', `${name}/${verb}`, { reason: 'a call' })
    assert.equal(status, 409, verb)
    assert.match(body.error.message, /before the partner confirms its payment.*"coin customer suspend cus_\w+"/, verb)
  }
})

it('whoever holds an order that is held is told so, and where both reasons are', async () => {
  const name = `${one.integrationId}/held-twice`
  await place({ referenceId: 'held-twice' })
  const hold = async (reason: string) => (await api.call('POST', `/orders/${name}/hold`, { reason })).body
  assert.deepEqual(Object.keys(await hold('a first call')), ['ok', 'orderId', 'status', 'held'])
  const { held, note } = await hold('a second call')
  assert.equal(held, 'a first call')
  const [, pasted = ''] = /"coin ([^"]+)"/.exec(note) ?? []
  const { holds } = await api.run(...pasted.split(' '))
  assert.deepEqual(
    holds.map(({ reason }: { reason: string }) => reason),
    ['a first call', 'a second call'],
  )
})

describe('the refunds of a payout', () => {
  const named = (name: string, verb = '') => `/orders/refunds/${encodeURIComponent(name)}${verb}`

  it('are shown, found, held and released by their names, those after the first too', async () => {
    const redeemOrderId = await place({ direction: 'REDEEM', state: 'payoutPending' })
    for (const name of ['pay_0011223344556677', 'pay_0011223344556677/2']) {
      await api.db.transaction((tx) => insertRefund(tx, { redeemOrderId, name, amountMicro: MICRO }))
      const { status, body } = await api.call('GET', named(name))
      assert.deepEqual([status, body.order?.referenceId], [200, name])
      const found = await api.call('GET', `/orders/find?text=${encodeURIComponent(`refunds/${name}`)}`)
      assert.deepEqual(
        found.body.orders.map(({ referenceId }: Listed) => referenceId),
        [name],
      )
      for (const [verb, held] of [
        ['/hold', 'looked into'],
        ['/release', null],
      ] as const) {
        const { body: done } = await api.call('POST', named(name, verb), { reason: 'looked into' })
        assert.equal(done.held, held, JSON.stringify(done))
      }
    }
    for (const name of ['pay_0011223344556677/3', 'pay_0011223344556677/02', 'pay_0011223344556677/', 'short/2', '/2'])
      assert.equal((await api.call('GET', named(name))).status, 404, name)
    const unnamed = await api.call('GET', `/orders/find?text=${encodeURIComponent(`${one.integrationId}/`)}`)
    assert.deepEqual(unnamed.body.orders, [])
  })
})

/** Two events, the first delivered at its second attempt, the second due. @returns their ids */
async function addStory(orderId: bigint, party: Party): Promise<string[]> {
  const endpointId = `we_${orderId}`
  await api.db.query(
    `insert into webhook_endpoints (endpoint_id, integration_id, url, secret_encrypted) values ($1, $2, 'https://x', 'sb1.x')`,
    [endpointId, party.integrationId],
  )
  const [order] = await api.db.query<{ reference: string }>(
    'select reference_id as reference from orders where order_id = $1',
    [orderId],
  )
  const { reference } = order ?? assert.fail()
  const types = ['redeem.pending', 'redeem.completed'] as const
  const ids = types.map((type) => ({ eventId: eventIdOf(party.integrationId, reference, type), type }))
  for (const [index, { eventId, type }] of ids.entries()) {
    await api.db.query(
      `insert into events (event_id, type, integration_id, reference_id, amount_micro, happened_at, created_at)
       values ($1, $2, $3, $4, 1, now(), date_trunc('hour', now()))`,
      [eventId, type, party.integrationId, reference],
    )
    const status = index === 0 ? 'delivered' : 'due'
    const [row] = await api.db.query<{ delivery_id: bigint }>(
      `insert into deliveries (event_id, event_at, endpoint_id, status)
       select event_id, created_at, $2, $3 from events where event_id = $1 returning delivery_id`,
      [eventId, endpointId, status],
    )
    if (index > 0) continue
    for (const [attempt, httpStatus] of [
      [1, 500],
      [2, 204],
    ] as const) {
      await api.db.query(
        `insert into delivery_attempts (delivery_id, attempt, started_at, duration_ms, http_status)
         values ($1, $2, now(), 5, $3)`,
        [row?.delivery_id ?? 0n, attempt, httpStatus],
      )
    }
  }
  return ids.map(({ eventId }) => eventId)
}
