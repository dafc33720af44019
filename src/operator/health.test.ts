import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { createMetrics } from '../metrics/metrics.ts'
import { createHealth, databaseAnswers } from './health.ts'

const never = new Promise<never>(() => {})
const chain = (chainId: number, head: () => Promise<unknown>) => ({ config: { chainId }, reader: { head } })
const database = (query: () => Promise<unknown>) => ({ query: query as () => Promise<never[]> })
const answers = async () => []
const fails = () => Promise.reject(new Error('away'))

describe('health', () => {
  it('is ready while the database answers and the settler of this process, if it has one, runs', async () => {
    const report = (db: () => Promise<unknown>, settlerRunning?: () => boolean) =>
      createHealth({ db: database(db), chains: [], settlerRunning })()
    assert.deepEqual(await report(answers), { ready: true, database: true, chains: [] })
    assert.deepEqual(await report(fails), { ready: false, database: false, chains: [] })
    assert.deepEqual(await report(answers, () => true), {
      ready: true,
      database: true,
      chains: [],
      settler: { running: true },
    })
    assert.deepEqual(
      [(await report(answers, () => false)).ready, (await report(fails, () => true)).ready],
      [false, false],
    )
  })

  it('is not ready before partners are answered, where this process does that', async () => {
    let isAnswering = false
    const health = createHealth({ db: database(answers), chains: [], isAnswering: () => isAnswering })
    assert.equal((await health()).ready, false)
    isAnswering = true
    assert.equal((await health()).ready, true)
  })

  it('is not ready once the process was told to end, so that load balancers look elsewhere', async () => {
    const health = createHealth({ db: database(answers), chains: [], isStopping: () => true })
    assert.deepEqual(await health(), { ready: false, database: true, chains: [] })
  })

  it('says of each chain whether it can be read, which does not affect readiness', async () => {
    const chains = [chain(1, answers), chain(2, fails), chain(3, answers)]
    const { ready, chains: told } = await createHealth({ db: database(answers), chains })()
    assert.equal(ready, true)
    assert.deepEqual(told, [
      { chainId: 1, readable: true },
      { chainId: 2, readable: false },
      { chainId: 3, readable: true },
    ])
  })

  it('asks the database once at a time and a chain once a second, however many ask: whoever reaches the port may', async () => {
    const asked = { database: 0, chain: 0 }
    const { promise: away, resolve: answer } = Promise.withResolvers<unknown[]>()
    const query = () => {
      asked.database += 1
      return away
    }
    const head = () => {
      asked.chain += 1
      return away
    }
    let isStopping = false
    const health = createHealth({ db: database(query), chains: [chain(1, head)], isStopping: () => isStopping })
    const reports = Array.from({ length: 500 }, health)
    answer([])
    for (const { ready, chains } of await Promise.all(reports)) assert.ok(ready && chains[0]?.readable)
    assert.deepEqual(asked, { database: 1, chain: 1 })
    await setTimeout(10)
    isStopping = true
    assert.equal((await health()).ready, false)
    assert.deepEqual(asked, { database: 2, chain: 1 })
    await setTimeout(1_100)
    await health()
    assert.deepEqual(asked, { database: 3, chain: 2 })
  })

  it('names keys with too little gas money, which does not affect readiness', async () => {
    const lowKeys = (chainId: number) => (chainId === 2 ? ['pauser'] : [])
    const chains = [chain(1, answers), chain(2, answers)]
    const { ready, chains: told } = await createHealth({ db: database(answers), chains, lowKeys })()
    assert.equal(ready, true)
    assert.deepEqual(told, [
      { chainId: 1, readable: true },
      { chainId: 2, readable: true, lowKeys: ['pauser'] },
    ])
  })

  it('counts what does not answer in time as failed', async () => {
    const health = createHealth({ db: database(() => never), chains: [chain(1, () => never)], timeoutMs: 10 })
    assert.deepEqual(await health(), { ready: false, database: false, chains: [{ chainId: 1, readable: false }] })
  })
})

it('the gauge of the database is 1 while it answers, and 0 when it fails or takes too long', async () => {
  const metrics = createMetrics()
  let probe: () => Promise<unknown> = answers
  metrics.showDatabase(() =>
    databaseAnswers(
      database(() => probe()),
      10,
    ),
  )
  const shown = async () => /^database_up (\d)$/m.exec(await metrics.registry.metrics())?.[1]
  assert.equal(await shown(), '1')
  probe = fails
  assert.equal(await shown(), '0')
  probe = () => never
  assert.equal(await shown(), '0')
})
