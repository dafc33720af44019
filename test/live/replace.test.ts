// engine: postgres; only in test:long
/**
 * docs/OPERATIONS.md "Upgrades": processes are replaced one after another while orders come in. The new one runs beside the old one, partners
 * go where /readyz says, and no request is refused, no order is lost and nobody is paid twice.
 */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../support/ports.ts'
import { waitFor } from '../support/wait-for.ts'
import { type GoingLive, SERVICE_COMMAND, startGoingLive } from './going-live.ts'
import { goLive } from './standing.ts'

const PATIENT = { timeoutMs: 120_000, everyMs: 50 }
/** Below what a key may write in a minute. */
const PAUSE_MS = 1_100

let live: GoingLive
let apiKey: string
let customerId: string

before(async () => {
  live = await startGoingLive('anvil')
  await goLive(live)
  const variable = (name: string) => live.shells.variable('The partner', name)
  ;[apiKey, customerId] = await Promise.all([variable('apiKey'), variable('customerId')])
})
after(() => live?.close())

async function call(origin: string, url: string, body?: object): Promise<Record<string, unknown>> {
  const sent = { 'content-type': 'application/json', 'idempotency-key': randomUUID() }
  const response = await fetch(`${origin}${url}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${apiKey}`, ...(body && sent) },
    ...(body && { body: JSON.stringify({ walletAddress: live.walletAddress, customerId, ...body }) }),
  })
  return (await response.json()) as Record<string, unknown>
}

/** Posts orders, every third a redeem, to wherever partners are sent, until it is ended. */
function startLoad(originOf: () => string) {
  const posted: string[] = []
  const failures: string[] = []
  let ended = false
  const post = async (n: number) => {
    const isRedeem = n % 3 === 2
    const amount = isRedeem ? { amountCoin: '3' } : { amountMyr: '10', fiatConfirmed: true }
    const [kind, referenceId] = [isRedeem ? 'redeems' : 'mints', `rolling-${n}`]
    const answer = await call(originOf(), `/${kind}`, { referenceId, ...amount })
    const said = JSON.stringify(answer)
    if (answer.ok === true) posted.push(`/${kind}/${referenceId}`)
    // The first mints are not completed yet.
    else if (!said.includes('INSUFFICIENT_BALANCE')) failures.push(said)
  }
  const running = (async () => {
    for (let n = 0; !ended; n += 1) {
      await post(n).catch((error: unknown) => failures.push(String(error instanceof Error ? error.cause : error)))
      await sleep(PAUSE_MS)
    }
  })()
  return {
    posted,
    failures,
    async end(): Promise<void> {
      ended = true
      await running
    },
  }
}

it('no request fails, and every order comes to its end', { timeout: 500_000 }, async () => {
  const [port, operatorPort] = [await freePort(), await freePort()]
  const next = `http://127.0.0.1:${port}/v1`
  let origin = live.apiUrl
  const load = startLoad(() => origin)
  const grown = (by: number) => {
    const wanted = load.posted.length + by
    return waitFor('more orders', () => load.posted.length >= wanted, PATIENT)
  }
  await grown(12)
  const old = live.services.findLast((each) => each.running()) ?? assert.fail()
  const fresh = await live.startService(SERVICE_COMMAND, { PORT: String(port), OPERATOR_PORT: String(operatorPort) })
  const isReady = async () => (await fetch(`http://127.0.0.1:${operatorPort}/readyz`)).ok
  await waitFor('the new process to be ready', isReady, PATIENT)
  origin = next
  await old.end('SIGTERM', 60_000)
  assert.equal(await old.exited, 0)
  await grown(12)
  await load.end()
  for (const each of load.posted) {
    await waitFor(each, async () => (await call(next, each)).status === 'completed', { ...PATIENT, everyMs: 600 })
  }
  assert.deepEqual(load.failures, [])
  assert.ok(fresh.running(), fresh.output())
  assert.match(
    await live.type('Aminah', `OPERATOR_URL=http://127.0.0.1:${operatorPort} coin reconcile`),
    /No differences/,
  )
  assert.equal(live.bank.payments.size, load.posted.filter((each) => each.startsWith('/redeems')).length)
  assert.deepEqual(live.bank.conflicts, [])
})
