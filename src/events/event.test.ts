import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bodyOf, EVENT_TYPES, eventIdsOf, eventOf, eventTypeOf } from './event.ts'

const AT = new Date('2026-03-04T05:06:07.008Z')
const subject = {
  integrationId: 'int_1',
  referenceId: 'reference-1',
  status: 'completed',
  direction: 'MINT',
  amountMicro: 12_500_000n,
  txHash: '0xab' as string | null,
  blockNumber: 17n as bigint | null,
  customerId: 'never told',
}

test('the body of an event, byte for byte', () => {
  const event = eventOf(subject, AT)
  assert.ok(event)
  assert.equal(event.type, 'mint.completed')
  assert.equal(event.eventId, 'evt_d55ff823ae6054f3aceb00784ee4f722')
  assert.equal(
    bodyOf(event),
    `{"id":"${event.eventId}","type":"mint.completed","createdAt":"2026-03-04T05:06:07.008Z","data":{"referenceId":"reference-1",` +
      '"status":"completed","direction":"MINT","amounts":{"myr":"12.5","coin":"12.5","decimals":6},' +
      '"blockchain":{"txHash":"0xab","blockNumber":"17"}}}',
  )
})

test('there is an event for what the contract names, and for nothing else', () => {
  const found = ['MINT', 'REDEEM', 'TRANSFER'].flatMap((direction) =>
    ['payment_pending', 'pending', 'processing', 'completed', 'failed', 'cancelled'].map((status) =>
      eventTypeOf({ direction, status }),
    ),
  )
  assert.deepEqual(found.filter((type) => type !== undefined).toSorted(), [...EVENT_TYPES].toSorted())
  assert.equal(eventOf({ ...subject, status: 'cancelled' }, AT), undefined)
})

test('an id names one event of one order of one integration, whenever the event is made', () => {
  const idOf = (changes: Partial<typeof subject>, at = AT) => eventOf({ ...subject, ...changes }, at)?.eventId
  assert.equal(idOf({}), idOf({ amountMicro: 1n, txHash: null }, new Date(0)))
  const ids = [
    idOf({}),
    idOf({ integrationId: 'int_2' }),
    idOf({ referenceId: 'reference-2' }),
    idOf({ status: 'failed' }),
    idOf({ direction: 'REDEEM' }),
  ]
  assert.equal(new Set(ids).size, ids.length)
  assert.ok(
    ids.every(
      (id, index) =>
        eventIdsOf({ ...subject, ...(index === 1 ? { integrationId: 'int_2' } : {}) }).includes(id ?? '') ===
        (index !== 2),
    ),
  )
})

test('the body says of an order that moved no coin, and of a transfer, what the API says', () => {
  const bodyFor = (changes: Partial<typeof subject>) =>
    JSON.parse(bodyOf(eventOf({ ...subject, ...changes }, AT) ?? assert.fail()))
  assert.deepEqual(bodyFor({ status: 'failed', txHash: null, blockNumber: null }).data.blockchain, {
    txHash: null,
    blockNumber: null,
  })
  assert.deepEqual(bodyFor({ direction: 'TRANSFER' }).data.amounts, { myr: null, coin: '12.5', decimals: 6 })
  const { type, data } = bodyFor({ direction: 'REDEEM', status: 'pending', amountMicro: 1n })
  assert.deepEqual(
    [type, data.status, data.direction, data.amounts.myr],
    ['redeem.pending', 'pending', 'REDEEM', '0.000001'],
  )
})
