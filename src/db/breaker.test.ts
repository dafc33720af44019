import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createBreaker } from './breaker.ts'
import { DatabaseUnavailableError, StatementCancelledError } from './database.ts'

function setUp() {
  let nowMs = 0
  const said: string[] = []
  const log = (_fields: object, message: string) => void said.push(message)
  const breaker = createBreaker({ nowMs: () => nowMs, logger: { info: log, warn: log } })
  let sent = 0
  const send = (outcome: Error | undefined): Promise<string> =>
    breaker.guard(async () => {
      sent += 1
      if (outcome !== undefined) throw outcome
      return 'answered'
    })
  return { breaker, send, said, sent: () => sent, pass: (ms: number) => (nowMs += ms) }
}
const SILENCE = new DatabaseUnavailableError('timeout')

test('after three failures in a row statements fail at once; one at a time is tried, until the first answer', async () => {
  const { breaker, send, said, sent, pass } = setUp()
  for (let n = 0; n < 3; n += 1) await assert.rejects(send(SILENCE), SILENCE)
  assert.equal(sent(), 3)
  assert.equal(said.length, 1)
  let end: () => void = () => {}
  const probe = breaker.guard(() => new Promise<void>((_resolve, reject) => (end = () => reject(SILENCE))))
  await assert.rejects(send(undefined), DatabaseUnavailableError)
  end()
  await assert.rejects(probe, SILENCE)
  pass(199)
  await assert.rejects(send(undefined), DatabaseUnavailableError)
  assert.equal(sent(), 3, 'nothing is sent before its time')
  pass(1)
  assert.equal(await send(undefined), 'answered')
  assert.equal(await send(undefined), 'answered')
  assert.equal(said.length, 2)
})

test('a statement that the database itself refuses or cancels shows that it is there', async () => {
  for (const answer of [new Error('violates a constraint'), new StatementCancelledError('a lock'), undefined]) {
    const { send } = setUp()
    for (let n = 0; n < 10; n += 1) {
      await assert.rejects(send(SILENCE), SILENCE)
      await assert.rejects(send(SILENCE), SILENCE)
      await send(answer).catch(() => {})
    }
    assert.equal(await send(undefined), 'answered')
  }
})

test('failures of statements sent before the last answer count for nothing: others are being answered', async () => {
  const { breaker, send, pass } = setUp()
  const fails: (() => void)[] = []
  const slow = Array.from({ length: 5 }, () =>
    breaker.guard(() => new Promise((_resolve, reject) => fails.push(() => reject(SILENCE)))),
  )
  pass(10)
  await send(undefined)
  for (const fail of fails) fail()
  await Promise.allSettled(slow)
  assert.equal(await send(undefined), 'answered')
})
