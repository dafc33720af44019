// engine: postgres; both in test:long
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { waitFor } from '../support/wait-for.ts'
import { type Fixture, startFixture } from './fixture.ts'
import { startReceiver } from './http-receiver.ts'

const NEVER_MS = 60_000

/** A receiver that holds every request until it is closed, and counts those it holds at the same time. */
async function hangingReceiver() {
  let open = 0
  let peak = 0
  const started = await startReceiver((response) => {
    open += 1
    peak = Math.max(peak, open)
    response.on('close', () => {
      open -= 1
    })
  })
  after(() => started.close())
  return {
    ...started,
    open: () => open,
    resetPeak: () => {
      peak = open
    },
    peak: () => peak,
  }
}

async function healthyReceiver() {
  const started = await startReceiver()
  after(() => started.close())
  return started
}

/** Appends to the endpoints that exist now; later endpoints get later events only. */
async function backlog(fixture: Fixture, urls: string[], count: number): Promise<void> {
  for (const url of urls) await fixture.addEndpoint(url)
  await fixture.append(count)
}

test('endpoints that never answer hold their share of slots, and the others are served at once', async () => {
  const fixture = await startFixture()
  const hanging = await hangingReceiver()
  await backlog(
    fixture,
    Array.from({ length: 6 }, (_, index) => `${hanging.url}/${index}`),
    20,
  )
  await fixture.startCourier({ maxInFlight: 16, maxPerEndpoint: 2, timeoutMs: NEVER_MS })
  await waitFor('the hanging endpoints to hold all they may', () => hanging.open() === 12)

  const healthy = await healthyReceiver()
  await fixture.addEndpoint(healthy.url)
  await fixture.append(50)
  await waitFor('fifty deliveries', async () => (await fixture.statuses()).delivered === 50)
  assert.equal(healthy.received.length, 50)
  assert.equal(hanging.received.length, 12, 'each hanging endpoint was asked twice, and none has been given up')
  await hanging.close()
})

test('endpoints known as slow never take more than half of the slots together', async () => {
  const fixture = await startFixture()
  const hanging = await hangingReceiver()
  await backlog(fixture, [`${hanging.url}/a`, `${hanging.url}/b`], 30)
  await fixture.startCourier({ maxInFlight: 8, maxPerEndpoint: 8, slowMs: 20, timeoutMs: 200 })
  await waitFor('the first round', () => hanging.received.length >= 8 && hanging.open() <= 4)
  hanging.resetPeak()
  await waitFor('further rounds', () => hanging.received.length >= 20)
  assert.ok(hanging.peak() <= 4, String(hanging.peak()))
})

test('one that answers every eighth delivery at once, and lets the others hang, takes no more of the slots than the slow', async () => {
  const fixture = await startFixture()
  let [asked, open, peak] = [0, 0, 0]
  const receiver = await startReceiver((response) => {
    asked += 1
    if (asked > 16 && asked % 8 === 0) return void response.writeHead(204).end()
    open += 1
    peak = Math.max(peak, open)
    response.on('close', () => {
      open -= 1
    })
  })
  after(() => receiver.close())
  await backlog(fixture, [`${receiver.url}/a`, `${receiver.url}/b`], 60)
  await fixture.startCourier({ maxInFlight: 16, maxPerEndpoint: 8, slowMs: 50, timeoutMs: 1_000 })
  await waitFor('the first round', () => asked >= 16 && open <= 8)
  peak = open
  await waitFor('further rounds', () => asked >= 60)
  assert.ok(peak <= 8, String(peak))
})

test('a long backlog of one endpoint does not come before the first event of another', async () => {
  const fixture = await startFixture()
  const order: string[] = []
  const hook = await startReceiver((response, { path }) => {
    order.push(path)
    response.writeHead(204).end()
  })
  after(() => hook.close())
  await backlog(fixture, [`${hook.url}/busy`], 200)
  await fixture.addEndpoint(`${hook.url}/quiet`, ['mint.failed'])
  await fixture.append(1, 'failed')
  await fixture.startCourier({ maxInFlight: 4, maxPerEndpoint: 4 })
  await waitFor('all', async () => (await fixture.statuses()).due === undefined)
  assert.ok(order.indexOf('/hooks/quiet') < 4, String(order.indexOf('/hooks/quiet')))
})

test('never more to one endpoint at a time than its share', async () => {
  const fixture = await startFixture()
  const hanging = await hangingReceiver()
  await backlog(fixture, [hanging.url], 40)
  await fixture.startCourier({ maxInFlight: 100, maxPerEndpoint: 3, timeoutMs: 100 })
  await waitFor('several rounds', () => hanging.received.length >= 12)
  assert.equal(hanging.peak(), 3)
})
