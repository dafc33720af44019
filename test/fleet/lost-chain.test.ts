// engine: postgres; only in test:long
/** The chain of real processes, each with the database user of its role, is switched off for good: it is called lost, and everything that is left goes on. */
// Runbook: A chain is gone for good
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
  const roles = { 'api-1': 'api,operator', 'api-2': 'api', settler: 'settler', payer: 'payer', courier: 'courier' }
  world = await startWorld(createRandom('lost'), temporaryFolder('lost'), () => {}, { roles })
  await world.chain.endSetup()
})
after(() => world?.stop())

type Answer = { status: string; error?: { code: string }; chains?: object[] }

async function ask(n: number, path: string, body?: object): Promise<Answer> {
  const secret = world.parties.integrations[0]?.keys[0]?.secret
  const sent = { 'content-type': 'application/json', 'idempotency-key': randomUUID() }
  const response = await fetch(`${world.processes.apiUrls[n]}/v1${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${secret}`, ...(body && sent) },
    ...(body && { body: JSON.stringify(body) }),
  })
  return (await response.json()) as Answer
}

function mint(n: number, referenceId: string): Promise<Answer> {
  const { customerId, wallet: walletAddress } = world.parties.integrations[0]?.customers[0] ?? assert.fail()
  return ask(n, '/mints', { referenceId, customerId, walletAddress, amountMyr: '10', fiatConfirmed: true })
}
const has = (n: number, referenceId: string, status: string) =>
  waitFor(`${referenceId} to be ${status}`, async () => (await ask(n, `/mints/${referenceId}`)).status === status, LONG)

test('what was not final fails everywhere, nobody orders there, and nothing else is red', async () => {
  await mint(0, 'final-before-it-went')
  await has(1, 'final-before-it-went', 'completed')
  await mint(0, 'perhaps-signed-by-then')
  await world.chain.stop()
  await mint(1, 'accepted-afterwards')
  await world.database.query(`update chains set observed_at = now() - interval '2 days'`)
  const differing = await world.operator.get<{ ok: boolean }>('/reconcile')
  assert.equal(differing.ok, false)
  await world.operator.post('/chains/lost', { chainId: CHAIN_ID, reason: 'its nodes are switched off' })
  for (const [n, referenceId] of ['perhaps-signed-by-then', 'accepted-afterwards'].entries())
    await has(n, referenceId, 'failed')
  for (const n of [0, 1]) {
    await waitFor(
      'the process to know',
      async () => (await mint(n, `nobody-orders-there-${randomUUID()}`)).error?.code === 'INVALID_CHAIN_ID',
      LONG,
    )
    assert.deepEqual((await ask(n, '/config')).chains, [])
    assert.equal((await ask(n, '/mints/final-before-it-went')).status, 'completed')
  }
  const refs = ['final-before-it-went', 'perhaps-signed-by-then', 'accepted-afterwards']
  await waitFor('the webhooks', () => refs.every((one) => world.receiver.endedAtMs.has(one)), LONG)
  type Reconciled = { ok: boolean; differences: unknown[]; explained: string[] }
  const reconcile = async () => await world.operator.get<Reconciled>('/reconcile')
  await waitFor('what was accepted before they knew to end, too', async () => (await reconcile()).ok, LONG)
  const { differences, explained } = await reconcile()
  assert.deepEqual([differences, explained.length], [[], 1])
  const ready = await fetch(`${world.processes.operatorOrigin}/readyz`)
  assert.equal(ready.status, 200)
  assert.match(await ready.text(), new RegExp(`"chainId":${CHAIN_ID},"readable":false,"lost":true`))
  assert.deepEqual([world.processes.deaths, world.processes.fatals()], [[], []])
})
