// engine: postgres
/**
 * Three API processes, two settlers, two payers and two couriers on one PostgreSQL and one Redis, each as a database user of its
 * roles alone: what the contract says of concurrent requests holds across them, and any one of them may die.
 */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { GuardedProcess } from '../support/guarded-process.ts'
import { freePort } from '../support/ports.ts'
import { createRandom } from '../support/random.ts'
import { missingRedis, startRedis } from '../support/redis.ts'
import { temporaryFolder } from '../support/temp.ts'
import { atLeast, waitFor } from '../support/wait-for.ts'
import { startWorld, type World } from '../torture/world/world.ts'

const FLEET = {
  'api-1': 'api,operator',
  'api-2': 'api',
  'api-3': 'api',
  'settler-1': 'settler',
  'settler-2': 'settler',
  'payer-1': 'payer',
  'payer-2': 'payer',
  'courier-1': 'courier',
  'courier-2': 'courier',
}
const LONG = { timeoutMs: atLeast(60_000), everyMs: 200 }
/** Longer than a process leaves Redis alone after a late answer. */
const PAUSE_WITHOUT_REDIS_MS = 1_500
const MINUTE_MS = 60_000

type Answer = { status: number; code: string; isReplay: boolean; body: Record<string, unknown> & { ok: boolean } }

describe('a fleet', { skip: missingRedis(), timeout: 410_000 }, () => {
  let world: World
  let redis: GuardedProcess
  let redisPort: number
  let folder: string

  /** How often a process has said that Redis was too late, after which it counts for itself for a second. */
  const lateAnswers = () =>
    readdirSync(folder)
      .filter((name) => /^api-\d\.log$/.test(name))
      .reduce(
        (sum, name) => sum + readFileSync(path.join(folder, name), 'utf8').split('Redis does not answer').length - 1,
        0,
      )

  before(async () => {
    redisPort = await freePort()
    redis = await startRedis(redisPort)
    const settings = { REDIS_URL: `redis://127.0.0.1:${redisPort}` }
    folder = temporaryFolder('fleet')
    world = await startWorld(createRandom('fleet'), folder, () => {}, { roles: FLEET, settings })
    await world.chain.endSetup()
  })
  after(async () => {
    await world?.stop()
    await redis.end('SIGKILL')
  })

  const partner = () => {
    const [integration] = world.parties.integrations
    const [key] = integration?.keys ?? []
    const [capped, customer] = integration?.customers ?? []
    assert.ok(integration !== undefined && key !== undefined && capped !== undefined && customer !== undefined)
    return { integration, key, capped, customer }
  }

  /** A request to the `n`th API process, counted from 0 and around. */
  async function ask(
    n: number,
    method: 'GET' | 'POST',
    path: string,
    options: { body?: Record<string, unknown>; idempotencyKey?: string; secret?: string } = {},
  ): Promise<Answer> {
    const { apiUrls } = world.processes
    const { body, idempotencyKey = randomUUID(), secret = partner().key.secret } = options
    const response = await fetch(`${apiUrls[n % apiUrls.length]}/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${secret}`,
        ...(method === 'POST' ? { 'content-type': 'application/json', 'idempotency-key': idempotencyKey } : {}),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(atLeast(30_000)),
    })
    const answer = (await response.json()) as Answer['body'] & { error?: { code: string } }
    const isReplay = response.headers.get('x-coin-idempotent-replay') === 'true'
    return { status: response.status, code: answer.error?.code ?? '', isReplay, body: answer }
  }

  const mintOf = (referenceId: string, amountMyr = '10') => {
    const { customerId, wallet } = partner().customer
    return { referenceId, customerId, walletAddress: wallet, amountMyr, fiatConfirmed: true }
  }
  const redeemOf = (referenceId: string, amountCoin: string, from: 'customer' | 'capped' = 'customer') => {
    const { customerId, wallet } = partner()[from]
    return { referenceId, customerId, walletAddress: wallet, amountCoin }
  }
  const newReference = () => `fleet-${randomUUID()}`

  /** Posts an order to one process and follows it at the others until it is completed. */
  async function completes(kind: 'mints' | 'redeems', body: { referenceId: string }): Promise<void> {
    const posted = await ask(0, 'POST', `/${kind}`, { body })
    assert.equal(posted.status, 201, JSON.stringify(posted.body))
    let n = 0
    await waitFor(
      `${kind} ${body.referenceId} to be completed`,
      async () => {
        n += 1
        return (await ask(n, 'GET', `/${kind}/${body.referenceId}`)).body.status === 'completed'
      },
      LONG,
    )
  }

  test('one reference, posted to all at once: one order', async () => {
    const referenceId = newReference()
    const answers = await Promise.all(
      Array.from({ length: 9 }, (_, n) => ask(n, 'POST', '/mints', { body: mintOf(referenceId) })),
    )
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201]))
    assert.equal(new Set(answers.map(({ body }) => body.createdAt)).size, 1)
    const listed = await ask(1, 'GET', '/transactions?limit=100')
    const same = (listed.body.transactions as { referenceId: string }[]).filter(
      (item) => item.referenceId === referenceId,
    )
    assert.equal(same.length, 1)
  })

  test('one idempotency key, presented to all at once: one first answer, byte for byte', async () => {
    const options = { body: mintOf(newReference()), idempotencyKey: randomUUID() }
    const answers = await Promise.all(Array.from({ length: 9 }, (_, n) => ask(n, 'POST', '/mints', options)))
    assert.equal(answers.filter(({ isReplay }) => !isReplay).length, 1)
    assert.equal(new Set(answers.map(({ status, body }) => `${status} ${JSON.stringify(body)}`)).size, 1)
    const other = { ...options, body: mintOf(newReference()) }
    assert.deepEqual((await ask(2, 'POST', '/mints', other)).code, 'IDEMPOTENCY_CONFLICT')
  })

  test('a rate limit is the same number for all together', async () => {
    const { integrationId } = partner().integration
    const limit = 40
    const deadlineMs = performance.now() + 2 * MINUTE_MS
    for (;;) {
      const { apiKey: secret } = await world.operator.post<{ apiKey: string }>('/keys', {
        integrationId,
        scopes: 'all',
        rateRead: limit,
      })
      const late = lateAnswers()
      // Who has found Redis late before counts for itself until then.
      await sleep(PAUSE_WITHOUT_REDIS_MS)
      const minute = Math.floor(Date.now() / MINUTE_MS)
      const statuses: number[] = []
      for (let n = 0; n < 3 * limit; n += 12) {
        const wave = Array.from({ length: 12 }, (_, m) => ask(n + m, 'GET', '/transactions?limit=1', { secret }))
        statuses.push(...(await Promise.all(wave)).map(({ status }) => status))
      }
      const counted = [200, 429].map((wanted) => statuses.filter((status) => status === wanted).length)
      // A new minute begins a new window, and on a busy machine Redis answers late: then nothing is known, and another key tries.
      const isKnown = Math.floor(Date.now() / MINUTE_MS) === minute && lateAnswers() === late
      if (isKnown || performance.now() > deadlineMs) {
        assert.deepEqual(counted, [limit, 2 * limit], isKnown ? '' : 'Redis was late each time')
        break
      }
    }
  })

  test('a revoked key is refused everywhere a second later', async () => {
    const { integrationId } = partner().integration
    const { keyId, apiKey: secret } = await world.operator.post<{ keyId: string; apiKey: string }>('/keys', {
      integrationId,
      scopes: 'all',
    })
    const everywhere = () => Promise.all([0, 1, 2].map((n) => ask(n, 'GET', '/transactions?limit=1', { secret })))
    assert.deepEqual(
      (await everywhere()).map(({ status }) => status),
      [200, 200, 200],
    )
    await world.operator.post(`/keys/${keyId}/revoke`, {})
    // The contract's second, by the clock.
    await sleep(1_000)
    assert.deepEqual(
      (await everywhere()).map(({ status }) => status),
      [401, 401, 401],
    )
  })

  test('a key with an end, as every replaced one has, is answered as any other', async () => {
    const { integrationId } = partner().integration
    const { keyId, apiKey: secret } = await world.operator.post<{ keyId: string; apiKey: string }>('/keys', {
      integrationId,
      scopes: 'all',
    })
    await world.operator.post(`/keys/${keyId}/rotate`, { overlap: '1d' })
    const everywhere = await Promise.all(
      [0, 1, 2].map((n) => ask(n, 'POST', '/mints', { secret, body: mintOf(newReference()) })),
    )
    assert.deepEqual(
      everywhere.map(({ status }) => status),
      [201, 201, 201],
    )
    // What a sandbox makes on demand needs more rights than a user of the role has: it is not there, instead of failing.
    const onDemand = await ask(0, 'POST', '/sandbox/keys', { secret, body: { scenario: 'rate_limited' } })
    assert.equal(onDemand.code, 'NOT_FOUND')
  })

  test('a customer’s month is never overdrawn, whoever is asked', async () => {
    const { capped } = partner()
    assert.equal(capped.monthlyCapMicro, 120_000_000n)
    await completes('mints', {
      ...mintOf(newReference(), '400'),
      customerId: capped.customerId,
      walletAddress: capped.wallet,
    } as {
      referenceId: string
    })
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, n) =>
        ask(n, 'POST', '/redeems', { body: redeemOf(newReference(), '25', 'capped') }),
      ),
    )
    assert.equal(
      answers.filter(({ status }) => status === 201).length,
      4,
      JSON.stringify(answers.map(({ code }) => code)),
    )
    assert.deepEqual(
      new Set(answers.filter(({ status }) => status !== 201).map(({ code }) => code)),
      new Set(['MONTHLY_WITHDRAWAL_LIMIT_EXCEEDED']),
    )
  })

  for (const n of [1, 2]) {
    const dying = [`settler-${n}`, `payer-${n}`, `courier-${n}`]
    test(`${dying.join(', ')} die: the others take over`, async () => {
      await Promise.all(dying.map((name) => world.processes.stop(name, 'SIGKILL')))
      const [mint, redeem] = [newReference(), newReference()]
      await completes('mints', mintOf(mint))
      await completes('redeems', redeemOf(redeem, '1'))
      await waitFor('the webhooks', () => [mint, redeem].every((one) => world.receiver.endedAtMs.has(one)), LONG)
      for (const name of dying) world.processes.start(name)
      await world.processes.allServe()
    })
  }

  test('only those that answer partners ask the database at their start whether outcomes may be made on demand', () => {
    const asked = readdirSync(folder)
      .filter((name) => /^(?:api|settler|payer|courier)-1\.log$/.test(name))
      .map((name) => [name, readFileSync(path.join(folder, name), 'utf8').includes('no outcomes on demand')])
      .toSorted()
    const others = ['courier-1.log', 'payer-1.log', 'settler-1.log'].map((name) => [name, false])
    assert.deepEqual(asked, [['api-1.log', true], ...others])
  })

  test('a settler that has just begun looks after months, and drops none before it believes its clock', async () => {
    const [{ name = '' } = {}] = await world.database.query<{ name: string }>(
      `select make_month('events', first, 100), 'events_' || to_char(first, 'YYYY_MM') as name
       from (select date_trunc('month', now() - interval '20 months')::date as first) month`,
    )
    const waits = () =>
      readFileSync(path.join(folder, 'settler-1.log'), 'utf8').split('nothing is dropped until the clock').length - 1
    await world.processes.stop('settler-1', 'SIGTERM')
    const before = waits()
    world.processes.start('settler-1')
    await waitFor('it to say that it waits', () => waits() > before, LONG)
    const there = await world.database.query('select 1 where to_regclass($1) is not null', [name])
    assert.equal(there.length, 1)
    await world.processes.allServe()
  })

  test('without Redis nothing else is lost: each process counts for itself', async () => {
    await redis.end('SIGKILL')
    const { integrationId } = partner().integration
    const { apiKey: secret } = await world.operator.post<{ apiKey: string }>('/keys', {
      integrationId,
      scopes: 'all',
      rateRead: 1_000,
    })
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, n) => ask(n, 'GET', '/transactions?limit=1', { secret })),
    )
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
    await completes('mints', mintOf(newReference()))
    assert.ok(lateAnswers() > 0, 'said in the logs')
    redis = await startRedis(redisPort)
  })

  test('nobody died, and the books agree', async () => {
    assert.deepEqual(world.processes.deaths, [])
    assert.deepEqual(world.processes.fatals(), [])
    const { ok, differences } = await world.operator.get<{ ok: boolean; differences: unknown[] }>('/reconcile')
    assert.deepEqual([ok, differences], [true, []])
    const codes = await world.processes.stopAll()
    assert.deepEqual(new Set(codes.map(({ code }) => code)), new Set([0]))
  })
})
