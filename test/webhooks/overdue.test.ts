/** Webhooks that wait although their time has come are shown by whoever serves operators, whatever couriers do. */
// Runbook: Webhooks wait
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import { createMetrics } from '../../src/metrics/metrics.ts'
import { createSecretBox } from '../../src/secrets/secrets.ts'
import { readOverdueSeconds } from '../../src/webhooks/queue/overdue.sql.ts'
import { waitFor } from '../support/wait-for.ts'
import { startFixture } from './fixture.ts'
import { startReceiver } from './http-receiver.ts'

async function withEndpoints(count: number) {
  const fixture = await startFixture()
  const hook = await startReceiver()
  after(() => hook.close())
  const ids: string[] = []
  for (let made = 0; made < count; made += 1) ids.push((await fixture.addEndpoint(hook.url)).endpointId)
  const move = (endpointId: string | undefined, change: string) =>
    fixture.db.query(`update deliveries set ${change} where endpoint_id = $1`, [endpointId ?? assert.fail()])
  return { fixture, ids: ids.sort(), move }
}

test('each endpoint with the first delivery whose time has come, and none that waits for its time', async () => {
  const { fixture, ids, move } = await withEndpoints(4)
  await fixture.append(3)
  await move(ids[0], `next_attempt_at = now() - interval '10 minutes' + (delivery_id % 3) * interval '9 minutes'`)
  await move(ids[1], `next_attempt_at = now() + interval '1 minute'`)
  await move(ids[2], `next_attempt_at = now() - interval '1 hour', status = 'delivered'`)
  await move(ids[3], `next_attempt_at = now() - interval '20 minutes', claimed_until = now() - interval '19 minutes'`)
  const overdue = await readOverdueSeconds(fixture.db)
  assert.deepEqual([...overdue.keys()], [ids[3], ids[0]])
  const minutes = [...overdue.values()].map((seconds) => Math.floor(seconds / 60))
  assert.deepEqual(minutes, [20, 10])
})

test('at most the twenty endpoints that wait longest', async () => {
  const { fixture, ids, move } = await withEndpoints(20)
  await fixture.append(1)
  const other = await fixture.db.query<{ endpoint_id: string }>(
    `insert into deliveries (event_at, event_id, endpoint_id, next_attempt_at)
     select event_at, event_id, 'wh_other', now() - interval '1 minute' from deliveries limit 1 returning endpoint_id`,
  )
  for (const [place, id] of ids.entries()) await move(id, `next_attempt_at = now() - ${place} * interval '1 minute'`)
  const shown = [...(await readOverdueSeconds(fixture.db)).keys()]
  assert.deepEqual([shown.length, shown.includes(other[0]?.endpoint_id ?? ''), shown[0]], [20, true, ids[19]])
  assert.ok(!shown.includes(ids[0] ?? ''))
})

test('a courier without the key of a secret counts what waits for it; with the right one the gauge is empty', async () => {
  const { fixture, ids, move } = await withEndpoints(1)
  await fixture.append(1)
  const metrics = createMetrics()
  metrics.showOverdueWebhooks(() => readOverdueSeconds(fixture.db))
  const shows = async (line: RegExp) => line.test(await metrics.registry.metrics())
  await move(ids[0], `next_attempt_at = now() - interval '10 minutes'`)
  assert.ok(await shows(new RegExp(`^webhook_overdue_seconds\\{endpoint="${ids[0]}"\\} 60\\d`, 'm')))
  assert.ok(await shows(/^webhook_secrets_unopened_total 0$/m))
  const wrong = await fixture.startCourier({ secrets: createSecretBox(randomBytes(32)), metrics: metrics.courier })
  await waitFor('the secret not to open', () => shows(/^webhook_secrets_unopened_total 1$/m))
  await wrong.stop()
  await move(ids[0], 'next_attempt_at = now()')
  await fixture.startCourier()
  await waitFor('the delivery', async () => (await fixture.statuses()).delivered === 1)
  assert.ok(!(await shows(/^webhook_overdue_seconds\{/m)))
})
