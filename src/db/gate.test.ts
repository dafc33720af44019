import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DatabaseUnavailableError } from './database.ts'
import { createGate } from './gate.ts'

test('work runs one after another, in the order of its arrival', async () => {
  const gate = createGate({ waitTimeoutMs: 10_000, maxWaiting: 10 })
  const seen: string[] = []
  await Promise.all(
    ['a', 'b', 'c'].map((name) =>
      gate.run(async () => {
        seen.push(`${name} starts`)
        await new Promise(setImmediate)
        seen.push(`${name} ends`)
      }),
    ),
  )
  assert.deepEqual(seen, ['a starts', 'a ends', 'b starts', 'b ends', 'c starts', 'c ends'])
})

test('a failure does not hold up what comes after', async () => {
  const gate = createGate({ waitTimeoutMs: 10_000, maxWaiting: 10 })
  await assert.rejects(
    gate.run(() => Promise.reject(new Error('broken'))),
    /broken/,
  )
  assert.equal(await gate.run(() => Promise.resolve(1)), 1)
})

test('waiting is bounded in time, and work that was given up never runs', async () => {
  const gate = createGate({ waitTimeoutMs: 1, maxWaiting: 10 })
  const first = Promise.withResolvers<void>()
  const running = gate.run(() => first.promise)
  let ran = false
  const late = gate.run(async () => {
    ran = true
  })
  await assert.rejects(late, DatabaseUnavailableError)
  first.resolve()
  await running
  assert.equal(await gate.run(() => Promise.resolve('next')), 'next')
  assert.equal(ran, false)
})

test('the queue is bounded in length', async () => {
  const gate = createGate({ waitTimeoutMs: 10_000, maxWaiting: 1 })
  const first = Promise.withResolvers<void>()
  const running = gate.run(() => first.promise)
  const waiting = gate.run(() => Promise.resolve())
  await assert.rejects(
    gate.run(() => Promise.resolve()),
    DatabaseUnavailableError,
  )
  first.resolve()
  await Promise.all([running, waiting])
})

test('closing lets the queue finish and refuses what comes later', async () => {
  const gate = createGate({ waitTimeoutMs: 10_000, maxWaiting: 10 })
  let ended = 0
  const work = [1, 2, 3].map(() =>
    gate.run(async () => {
      ended += 1
    }),
  )
  await gate.close()
  assert.equal(ended, 3)
  await Promise.all(work)
  await assert.rejects(
    gate.run(() => Promise.resolve()),
    DatabaseUnavailableError,
  )
})

test('closing waits for what was begun however long that takes, in a queue that is full as well', async () => {
  for (const maxWaiting of [0, 10]) {
    const gate = createGate({ waitTimeoutMs: 1, maxWaiting })
    const first = Promise.withResolvers<void>()
    const running = gate.run(() => first.promise)
    const late = assert.rejects(
      gate.run(() => Promise.resolve()),
      DatabaseUnavailableError,
    )
    let isClosed = false
    const closing = Promise.all([gate.close(), gate.close()]).then(() => {
      isClosed = true
    })
    await late
    // What waits behind it would be given up in the same turn.
    await new Promise(setImmediate)
    await assert.rejects(
      gate.run(() => Promise.resolve()),
      /the database is closed/,
    )
    assert.equal(isClosed, false)
    first.resolve()
    await Promise.all([running, closing])
  }
})
