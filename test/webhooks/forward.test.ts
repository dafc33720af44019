/** `webhook listen --forward-to`: the receiver is treated as the service would. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { forwardEvent } from '../../src/webhooks/forward.ts'
import { ACKNOWLEDGE_WITHIN_MS } from '../../src/webhooks/send.ts'
import { type Answerer, startReceiver } from './http-receiver.ts'

async function receiver(answer?: Answerer) {
  const started = await startReceiver(answer)
  after(() => started.close())
  return started
}

const forwardTo = (url: string) => forwardEvent({ url, secret: 'whsec_x', payload: '{"id":"evt_1"}', at: new Date() })

test('the receiver has five seconds from when it has the request, however long finding and reaching it took; then it is over', async (t) => {
  const answered = await receiver((response) => {
    t.mock.timers.tick(ACKNOWLEDGE_WITHIN_MS - 1)
    response.writeHead(204).end()
  })
  const late = await receiver(() => t.mock.timers.tick(ACKNOWLEDGE_WITHIN_MS))
  t.mock.timers.enable({ apis: ['setTimeout'] })
  for (const [{ url }, status, error] of [
    [answered, 204, null],
    [late, null, 'timeout'],
  ] as const) {
    const forwarding = forwardTo(url)
    t.mock.timers.tick(ACKNOWLEDGE_WITHIN_MS - 1)
    const forwarded = await forwarding
    assert.deepEqual([forwarded.status, forwarded.error], [status, error])
  }
})

test('the same request as the service sends, to any address, and no redirect is followed', async () => {
  let status = 204
  const { port, received } = await receiver((response) =>
    response.writeHead(status, { location: '/other' }).end('word'),
  )
  const byName = await forwardTo(`http://localhost:${port}/hooks`)
  assert.deepEqual([byName.status, byName.error], [204, null])
  const [first] = received
  assert.deepEqual([first?.path, first?.body], ['/hooks', '{"id":"evt_1"}'])
  assert.match(String(first?.headers['user-agent']), /^stablecoin-partner-api-webhooks\//)
  status = 302
  const moved = await forwardTo(`http://127.0.0.1:${port}/hooks`)
  assert.deepEqual([moved.status, moved.error, moved.answer], [302, 'redirect', 'word'])
  assert.equal(received.length, 2)
  const nowhere = await forwardTo('http://nobody.invalid/')
  assert.match(String(nowhere.error), /^dns_failed: \w+$/)
})
