// engine: postgres; only in test:long
/** Two processes without their database for some seconds, and with one that is locked: partners and alarms are told, nothing is lost, and nobody restarts anything. */
// Runbook: The database is away
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { createRandom } from '../support/random.ts'
import { temporaryFolder } from '../support/temp.ts'
import { atLeast, waitFor } from '../support/wait-for.ts'
import { CHAIN_ID } from '../torture/world/contracts.ts'
import { startWorld, type World } from '../torture/world/world.ts'

const LONG = { timeoutMs: atLeast(60_000), everyMs: 200 }

let world: World
before(async () => {
  const roles = { 'api-1': 'api,operator,settler', payer: 'payer,courier' }
  world = await startWorld(createRandom('away'), temporaryFolder('away'), () => {}, { roles })
  await world.chain.endSetup()
})
after(() => world?.stop())

async function ask(path: string, body?: object): Promise<{ status: number; text: string }> {
  const secret = world.parties.integrations[0]?.keys[0]?.secret
  const sent = { 'content-type': 'application/json', 'idempotency-key': randomUUID() }
  const response = await fetch(`${world.processes.apiUrls[0]}/v1${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${secret}`, ...(body && sent) },
    ...(body && { body: JSON.stringify(body) }),
  })
  return { status: response.status, text: await response.text() }
}

function mint(referenceId: string): Promise<{ status: number; text: string }> {
  const customer = world.parties.integrations[0]?.customers[0] ?? assert.fail()
  const { customerId, wallet: walletAddress } = customer
  return ask('/mints', { referenceId, customerId, walletAddress, amountMyr: '10', fiatConfirmed: true })
}

const isCompleted = async (referenceId: string) =>
  (await ask(`/mints/${referenceId}`)).text.includes('"status":"completed"')

/** As Prometheus asks, which takes what has not answered within ten seconds for gone. */
async function shows(line: string): Promise<boolean> {
  const response = await fetch(`${world.processes.operatorOrigin}/metrics`, { signal: AbortSignal.timeout(10_000) })
  return (await response.text()).split('\n').includes(line)
}
const isReady = async () => (await fetch(`${world.processes.operatorOrigin}/readyz`)).status
const heldFor = (reason: string) => `settlement_held{chain="${CHAIN_ID}",reason="${reason}"} 1`

test('without a database requests are 503 and alarms ring; with it everything goes on by itself', async () => {
  assert.equal((await mint('before-it-went')).status, 201)
  assert.ok(await shows('database_up 1'))
  assert.ok(await shows('process_role{role="settler"} 1'))
  await waitFor('it to settle', () => shows(`settlement_leading{chain="${CHAIN_ID}"} 1`), LONG)
  await world.database.crash(async () => {
    const refused = await mint('while-it-is-away')
    assert.deepEqual([refused.status, /"SERVICE_UNAVAILABLE"/.test(refused.text)], [503, true])
    assert.equal(await isReady(), 503)
    assert.ok(await shows('database_up 0'))
    await waitFor('the settler to say that its rounds fail', () => shows(heldFor('round-failed')), LONG)
  })
  await waitFor('the process to be ready', async () => (await isReady()) === 200, LONG)
  assert.equal((await mint('while-it-is-away')).status, 201)
  for (const each of ['before-it-went', 'while-it-is-away']) await waitFor(each, () => isCompleted(each), LONG)
  await waitFor('nothing to be held', () => shows(heldFor('none')), LONG)
  assert.ok(await shows('database_up 1'))
  assert.deepEqual(world.processes.deaths, [])
  const { ok, differences } = await world.operator.get<{ ok: boolean; differences: unknown[] }>('/reconcile')
  assert.deepEqual([ok, differences], [true, []])
})

test('while somebody has locked what everything needs, the process still says how it is', async () => {
  const unlock = await world.database.lock('lock table orders in access exclusive mode')
  try {
    for (let times = 0; times < 3; times += 1) assert.ok(await shows('operator_wrong_tokens_total 0'))
  } finally {
    await unlock()
  }
  await waitFor('the process to be ready', async () => (await isReady()) === 200, LONG)
})
