// engine: postgres; only in test:long
/**
 * A standby takes over while the old server lives on: one process works on each of them, with the same keys, chain and bank. What both know is settled and
 * paid once, each side finds what the other has done, and what the old one alone had comes to the new one as after a restore.
 */
// Runbook: The database is away
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { after, before, it } from 'node:test'
import { freePort } from '../support/ports.ts'
import { type PostgresServer, startPostgresServer } from '../support/postgres-server.ts'
import { waitFor } from '../support/wait-for.ts'
import { archiving, momentOf, restoreTo, takeBaseBackup } from './base-backup.ts'
import { type GoingLive, SERVICE_COMMAND, startGoingLive } from './going-live.ts'
import { goLive } from './standing.ts'

const PATIENT = { timeoutMs: 120_000, everyMs: 300 }

let live: GoingLive
let second: PostgresServer
const { archive, settings } = archiving()

before(async () => {
  ;[live, second] = await Promise.all([startGoingLive('anvil', settings), startPostgresServer({}, 'memory')])
  await goLive(live)
})
after(async () => {
  await live?.close()
  await second?.stop()
})

/** Starts a process with these changes. @returns where partners reach it */
async function start(changes: Readonly<Record<string, string>>): Promise<string> {
  const service = await live.startService(SERVICE_COMMAND, changes)
  const { OPERATOR_PORT = new URL(live.operatorUrl).port, PORT = new URL(live.apiUrl).port } = changes
  const isReady = async () => !service.running() || (await fetch(`http://127.0.0.1:${OPERATOR_PORT}/readyz`)).ok
  await waitFor('readiness', isReady, PATIENT)
  assert.ok(service.running(), service.output())
  return `http://127.0.0.1:${PORT}/v1`
}

async function stopAll(): Promise<void> {
  for (const service of live.services.filter((each) => each.running())) {
    await service.end('SIGTERM', 60_000)
    assert.equal(await service.exited, 0)
  }
}

type Kind = 'mints' | 'redeems'

async function call(api: string, method: string, url: string, body?: Record<string, unknown>) {
  const [apiKey, customerId] = await Promise.all(
    ['apiKey', 'customerId'].map((name) => live.shells.variable('The partner', name)),
  )
  const sent = { 'content-type': 'application/json', 'idempotency-key': randomUUID() }
  const response = await fetch(`${api}${url}`, {
    method,
    headers: { authorization: `Bearer ${apiKey}`, ...(body && sent) },
    ...(body && { body: JSON.stringify({ walletAddress: live.walletAddress, customerId, ...body }) }),
  })
  const answer = (await response.json()) as Record<string, unknown>
  assert.equal(answer.ok, true, JSON.stringify(answer))
  return answer
}

const post = (api: string, kind: Kind, referenceId: string, amount: string) =>
  call(api, 'POST', `/${kind}`, {
    referenceId,
    ...(kind === 'mints' ? { amountMyr: amount, fiatConfirmed: true } : { amountCoin: amount }),
  })
const becomes = (api: string, kind: Kind, referenceId: string, status: string) =>
  waitFor(
    `${referenceId} to be ${status}`,
    async () => (await call(api, 'GET', `/${kind}/${referenceId}`)).status === status,
    PATIENT,
  )

it('settles and pays what both servers know once, and goes on with the new one as after a restore', {
  timeout: 500_000,
}, async () => {
  const old = live.apiUrl
  const backup = await takeBaseBackup(live.server, archive)
  await post(old, 'mints', 'early-mint', '1000')
  await becomes(old, 'mints', 'early-mint', 'completed')
  // When the other server takes over, the bank has not answered yet.
  live.bank.script.push(...Array(200).fill('fail'))
  await post(old, 'redeems', 'asked-for-redeem', '40')
  await waitFor('the bank to be asked', () => live.bank.requests.length > 0, PATIENT)
  const moment = await momentOf(live.server, archive)
  await post(old, 'mints', 'mint-of-old', '11')
  await momentOf(live.server, archive)

  const access = path.join(backup.folder, 'pg_hba.conf')
  writeFileSync(access, `host all all 127.0.0.1/32 trust\n${readFileSync(access, 'utf8')}`)
  await restoreTo(second, backup, moment)
  const { port } = new URL(second.url)
  const DATABASE_URL = Object.assign(new URL(live.setting('service.env', 'DATABASE_URL')), { port }).href
  const [PORT, OPERATOR_PORT] = [String(await freePort()), String(await freePort())]
  const other = await start({ DATABASE_URL, PORT, OPERATOR_PORT })

  live.bank.script.length = 0
  await Promise.all([
    ...[old, other].map((api) => post(api, 'redeems', 'redeem-of-both', '7')),
    post(old, 'redeems', 'redeem-of-old', '5'),
    post(other, 'redeems', 'redeem-of-new', '3'),
  ])
  await Promise.all([
    ...[old, other].map((api) => becomes(api, 'redeems', 'asked-for-redeem', 'completed')),
    ...[old, other].map((api) => becomes(api, 'redeems', 'redeem-of-both', 'completed')),
    becomes(old, 'mints', 'mint-of-old', 'completed'),
    becomes(old, 'redeems', 'redeem-of-old', 'completed'),
    becomes(other, 'redeems', 'redeem-of-new', 'completed'),
  ])
  assert.deepEqual([live.bank.payments.size, live.bank.conflicts], [4, []])
  const told = live.services.map((service) => service.output()).join('\n')
  assert.match(told, /a second service settles here/)

  await stopAll()
  await live.server.kill()
  await start({ DATABASE_URL, COIN_ROLES: 'operator' })
  await stopAll()
  const asked = live.bank.requests.length
  const api = await start({ DATABASE_URL })
  await post(api, 'mints', 'mint-of-old', '11')
  await post(api, 'redeems', 'redeem-of-old', '5')
  await becomes(api, 'mints', 'mint-of-old', 'completed')
  await becomes(api, 'redeems', 'redeem-of-old', 'completed')
  const { batches } = await live.coin<{ batches: unknown[] }>('Devi', 'batch', 'list', '--unexplained')
  assert.deepEqual(batches, [])
  const books = await live.coin<{ ok: boolean; supply: string }>('Devi', 'reconcile')
  // 1 and 1000 and 11 were minted; 40, 7, 5 and 3 burnt.
  assert.deepEqual([books.ok, books.supply], [true, '957'])
  assert.deepEqual([live.bank.payments.size, live.bank.conflicts], [4, []])
  assert.equal(live.bank.requests.length, asked, 'the bank was told to pay again')
})
