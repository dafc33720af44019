import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { pino } from 'pino'
import { AT_ONCE, backoffMs, createLoop, createWorkLoop, type Pause } from './work-loop.ts'

const logger = pino({ level: 'silent' })

/** Lets promises settle, often enough for any round here. */
async function settle(): Promise<void> {
  for (let times = 0; times < 10; times += 1) await turn()
}

/** A loop whose rounds a test scripts, on a clock that the test moves. */
function scripted(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const state = { rounds: 0, next: async (): Promise<Pause> => ({ ms: 1_000, wakeable: true }) }
  const loop = createLoop({
    name: 'scripted',
    logger,
    work() {
      state.rounds += 1
      return state.next()
    },
  })
  const pass = async (ms: number) => {
    await settle()
    t.mock.timers.tick(ms)
    await settle()
  }
  return { loop, state, pass }
}

test('the pause that a round asks for is kept, to its end', async (t) => {
  const { loop, state, pass } = scripted(t)
  loop.start()
  loop.start()
  await pass(999)
  assert.equal(state.rounds, 1)
  await pass(1)
  assert.equal(state.rounds, 2)
  await loop.stop()
})

test('a wake ends only a pause that can be cut short', async (t) => {
  const { loop, state, pass } = scripted(t)
  loop.start()
  await pass(10)
  loop.wake()
  await pass(0)
  assert.equal(state.rounds, 2)
  state.next = async () => ({ ms: 1_000, wakeable: false })
  loop.wake()
  await pass(0)
  assert.equal(state.rounds, 3)
  loop.wake()
  await pass(999)
  assert.equal(state.rounds, 3)
  await pass(1)
  assert.equal(state.rounds, 4)
  await loop.stop()
})

test('a wake during a round cuts short the pause after it, once', async (t) => {
  const { loop, state, pass } = scripted(t)
  const round = Promise.withResolvers<Pause>()
  state.next = () => round.promise
  loop.start()
  await settle()
  loop.wake()
  state.next = async () => ({ ms: 1_000, wakeable: true })
  round.resolve({ ms: 1_000, wakeable: true })
  await pass(0)
  assert.equal(state.rounds, 2)
  await pass(999)
  assert.equal(state.rounds, 2)
  await loop.stop()
})

test('a round that failed is repeated after a pause that doubles, up to five seconds, whoever wakes the loop', async (t) => {
  const { loop, state, pass } = scripted(t)
  state.next = () => Promise.reject(new Error('down'))
  loop.start()
  for (const [index, ms] of [50, 100, 200, 400].entries()) {
    await pass(ms - 1)
    loop.wake()
    await pass(0)
    assert.equal(state.rounds, index + 1)
    await pass(1)
    assert.equal(state.rounds, index + 2)
  }
  state.next = async () => ({ ms: 5, wakeable: false })
  await pass(800)
  state.next = () => Promise.reject(new Error('down again'))
  await pass(5)
  const { rounds } = state
  await pass(50)
  assert.equal(state.rounds, rounds + 1)
  await loop.stop()
})

test('the pause after failures is bounded', () => {
  assert.deepEqual([1, 2, 7, 8, 9, 2_000].map(backoffMs), [50, 100, 3_200, 5_000, 5_000, 5_000])
})

test('stopping tells the round under way, lets it end, and lets nothing begin', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const round = Promise.withResolvers<Pause>()
  const signals: AbortSignal[] = []
  const loop = createLoop({
    name: 'stopped',
    logger,
    work(signal) {
      signals.push(signal)
      return round.promise
    },
  })
  loop.start()
  await settle()
  let ended = false
  const stopped = loop.stop().then(() => {
    ended = true
  })
  await settle()
  assert.deepEqual([ended, signals[0]?.aborted], [false, true])
  round.resolve({ ms: 1_000, wakeable: false })
  await stopped
  assert.equal(signals.length, 1)
})

test('stopping cuts any pause short', async (t) => {
  const { loop, state } = scripted(t)
  state.next = async () => ({ ms: 1_000, wakeable: false })
  loop.start()
  await settle()
  await loop.stop()
  assert.equal(state.rounds, 1)
})

test('a poller works again at once while there is more to do, else at the next poll', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const more = [true, true, false, false]
  let rounds = 0
  const loop = createWorkLoop({
    name: 'poller',
    logger,
    pollMs: 50,
    async work() {
      rounds += 1
      return more.shift() ?? false
    },
  })
  loop.start()
  await settle()
  assert.equal(rounds, 3)
  t.mock.timers.tick(49)
  await settle()
  assert.equal(rounds, 3)
  t.mock.timers.tick(1)
  await settle()
  assert.equal(rounds, 4)
  loop.wake()
  await settle()
  assert.equal(rounds, 5)
  await loop.stop()
  assert.deepEqual(AT_ONCE, { ms: 0, wakeable: true })
})
