import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Database, Param, Row } from '../db/database.ts'
import { createSessionLookup } from './session-lookup.ts'

test('made-up cookies cost one query at a time, however many come, and nobody who was seen waits behind them', async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const asked: number[] = []
  const session = { operator_id: 'opr_1', token_sha256: null, expires_at: new Date(Date.now() + 60_000) }
  const query = async <R extends Row>(text: string, params: readonly Param[] = []): Promise<R[]> => {
    if (!text.includes('select secret_sha256')) return []
    const secrets = params[0] as readonly string[]
    asked.push(secrets.length)
    if (!secrets.includes('known')) await released
    return secrets.includes('known') ? ([{ secret_sha256: 'known', ...session }] as unknown as R[]) : []
  }
  const lookup = createSessionLookup({
    db: { query } as unknown as Database,
    recognize: async ({ operatorId }) => ({ operatorId, isCertain: true }) as never,
    times: { lifetimeMs: 60_000, idleMs: 60_000 },
  })
  assert.equal((await lookup.find('known', true))?.principal.operatorId, 'opr_1')
  const madeUp = Array.from({ length: 1_000 }, (_, index) => lookup.find(`made-up-${index}`, true))
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal((await lookup.find('known', true))?.principal.isCertain, true)
  release()
  assert.ok((await Promise.all(madeUp)).every((found) => found === undefined))
  assert.deepEqual(asked, [1, 1_000, 1])
})
