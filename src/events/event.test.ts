import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EVENT_TYPES, eventOf, eventTypeOf } from './event.ts'

const AT = new Date('2026-03-04T05:06:07.008Z')
const subject = {
  referenceId: 'reference-1',
  status: 'completed',
  direction: 'MINT',
  amounts: { myr: '12.5', coin: '12.5', decimals: 6, feeMyr: '0', amountRaw: '12500000' },
  blockchain: { txHash: '0xab', blockNumber: '17' },
  phase: 'COMPLETED',
  customerId: 'never told',
}

test('the body of an event, byte for byte', () => {
  const event = eventOf('int_1', subject, AT)
  assert.ok(event)
  assert.equal(event.type, 'mint.completed')
  assert.equal(event.eventId, 'evt_d55ff823ae6054f3aceb00784ee4f722')
  assert.equal(
    event.payload,
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
  assert.equal(eventOf('int_1', { ...subject, status: 'cancelled' }, AT), undefined)
})

test('an id names one event of one order of one integration, whenever the event is made', () => {
  const idOf = (integrationId: string, changes: Partial<typeof subject>, at = AT) =>
    eventOf(integrationId, { ...subject, ...changes }, at)?.eventId
  assert.equal(idOf('int_1', {}), idOf('int_1', { phase: 'FAILED' }, new Date(0)))
  const ids = [
    idOf('int_1', {}),
    idOf('int_2', {}),
    idOf('int_1', { referenceId: 'reference-2' }),
    idOf('int_1', { status: 'failed' }),
    idOf('int_1', { direction: 'REDEEM' }),
  ]
  assert.equal(new Set(ids).size, ids.length)
})
