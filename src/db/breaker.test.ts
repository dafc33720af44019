import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createBreaker } from './breaker.ts'
import { DatabaseUnavailableError, StatementCancelledError } from './database.ts'

const SILENCE = new DatabaseUnavailableError('timeout')

/** A breaker on a clock of its own. `reply` decides the database's answer when it is asked whether it is there. */
function setUp() {
  let nowMs = 0
  let reply: (answers: boolean) => void = () => {}
  let asked = 0
  const said: string[] = []
  const log = (_fields: object, message: string) => void said.push(message)
  const breaker = createBreaker({
    nowMs: () => nowMs,
    logger: { info: log, warn: log },
    isThere: () => {
      asked += 1
      return new Promise((resolve) => {
        reply = resolve
      })
    },
  })
  const never = () => breaker.guard(() => breaker.unlessGivenUp(new Promise<string>(() => {})))
  return {
    breaker,
    said,
    never,
    asked: () => asked,
    send: (outcome?: Error) =>
      breaker.guard(() => (outcome === undefined ? Promise.resolve('answered') : Promise.reject(outcome))),
    pass: (ms: number) => {
      nowMs += ms
      breaker.tick()
    },
    reply: async (answers: boolean) => {
      reply(answers)
      await new Promise(setImmediate)
    },
  }
}

/** Settles as `pending` does, or fails: what the last answer decides needs no further event. */
const decided = <T>(pending: Promise<T>) => {
  const undecided = new Promise<never>((_, reject) => setImmediate(() => reject(new Error('it still waits'))))
  return Promise.race([pending, undecided])
}

test('a silent database is given up: what waits fails at once, and so does what comes', async () => {
  const { never, send, pass, reply, asked, said } = setUp()
  const waiting = [never(), never()]
  for (const one of waiting) one.catch(() => {})
  pass(2_000)
  assert.equal(asked(), 0, 'not before its time')
  pass(1)
  pass(100)
  assert.equal(asked(), 1, 'one question at a time')
  await reply(false)
  for (const one of waiting) await assert.rejects(decided(one), DatabaseUnavailableError)
  await assert.rejects(send(), DatabaseUnavailableError)
  assert.equal(said.length, 1)

  pass(250)
  await reply(false)
  await assert.rejects(send(), DatabaseUnavailableError)
  pass(250)
  assert.equal(asked(), 3)
  await reply(true)
  assert.equal(await send(), 'answered')
  assert.equal(said.length, 2)
})

test('a statement may take long while the database is there', async () => {
  const { breaker, pass, reply, asked } = setUp()
  let end: (text: string) => void = () => {}
  const slow = breaker.guard(() => breaker.unlessGivenUp(new Promise<string>((resolve) => (end = resolve))))
  for (let turn = 1; turn <= 3; turn += 1) {
    pass(2_001)
    assert.equal(asked(), turn)
    await reply(true)
  }
  end('answered')
  assert.equal(await decided(slow), 'answered')
})

test('nobody is asked while answers come, errors of the database itself included, nor while nothing is under way', async () => {
  for (const outcome of [undefined, new Error('violates a constraint'), new StatementCancelledError('a lock')]) {
    const { never, send, pass, asked } = setUp()
    pass(60_000)
    never().catch(() => {})
    for (let turn = 0; turn < 10; turn += 1) {
      pass(1_900)
      await send(outcome).catch(() => {})
    }
    assert.equal(asked(), 0)
  }
})

test('failures to connect are no answers', async () => {
  const { never, send, pass, asked } = setUp()
  never().catch(() => {})
  pass(1_500)
  await assert.rejects(send(SILENCE), SILENCE)
  pass(600)
  assert.equal(asked(), 1)
})

test('an answer that comes while the question is open counts for more than the question', async () => {
  const { never, send, pass, reply } = setUp()
  never().catch(() => {})
  pass(2_001)
  await send()
  await reply(false)
  assert.equal(await send(), 'answered')
})

test('what still arrives after giving up is handed back', async () => {
  const { breaker, pass, reply } = setUp()
  let arrive: (value: string) => void = () => {}
  const late: string[] = []
  const pending = new Promise<string>((resolve) => (arrive = resolve))
  const waiting = breaker.guard(() => breaker.unlessGivenUp(pending, (value) => late.push(value)))
  pass(2_001)
  waiting.catch(() => {})
  await reply(false)
  await assert.rejects(decided(waiting), DatabaseUnavailableError)
  arrive('a connection')
  await pending
  assert.deepEqual(late, ['a connection'])
})
