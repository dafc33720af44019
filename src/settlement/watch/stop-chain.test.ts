import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freshMemory } from '../fresh-memory.ts'
import type { Work } from '../work.ts'
import { stopOnChain } from './stop-chain.ts'

/** A settler whose pauser answers as told, and its clock. */
function settler(answers: ('stopped' | 'unreachable' | Promise<void>)[], hasKey = true) {
  const asked: number[] = []
  const wanted: unknown[] = []
  const fatal: string[] = []
  const state = { nowMs: 0 }
  const work = {
    memory: freshMemory(),
    nowMs: () => state.nowMs,
    logger: { fatal: (_: object, text: string) => void fatal.push(text), error: () => {} },
    chain: {
      config: { chainId: 1, pauser: hasKey ? {} : undefined },
      admin: {
        async pause(options: object) {
          asked.push(state.nowMs)
          wanted.push(options)
          const answer = answers[asked.length - 1]
          if (answer === 'unreachable') throw new Error('no node answers')
          await answer
          return '0x1'
        },
      },
    },
  } as unknown as Work
  const round = async (atMs: number, isPaused: boolean) => {
    state.nowMs = atMs
    work.memory.watch.isPaused = isPaused
    stopOnChain(work)
    await new Promise(setImmediate)
  }
  return { round, asked, wanted, fatal, memory: work.memory.watch }
}

test('a process that starts while settlement is paused here stops it on chain, once', async () => {
  const { round, asked, fatal } = settler(['stopped'])
  await round(0, true)
  await round(60_000, true)
  assert.deepEqual([asked, fatal.length], [[0], 1])
})

test('a stop that did not succeed is tried again after half a minute', async () => {
  const { round, asked, fatal } = settler(['unreachable', 'stopped'])
  for (const atMs of [0, 29_999, 30_000, 90_000]) await round(atMs, true)
  assert.deepEqual([asked, fatal.length], [[0, 30_000], 1])
})

test('what was resumed and is paused again is stopped again, at once', async () => {
  const { round, asked } = settler(['stopped', 'stopped'])
  await round(0, true)
  await round(1_000, false)
  await round(2_000, true)
  assert.deepEqual(asked, [0, 2_000])
})

test('without a pause, or without the key, nothing is sent', async () => {
  const idle = settler([])
  await idle.round(0, false)
  const keyless = settler([], false)
  await keyless.round(0, true)
  assert.deepEqual([idle.asked, keyless.asked], [[], []])
})

test('settlement alone is stopped, with a deadline before the next try', async () => {
  const { round, wanted } = settler(['stopped'])
  await round(0, true)
  const [{ settlementOnly, deadlineMs } = { settlementOnly: false, deadlineMs: 0 }] = wanted as {
    settlementOnly: boolean
    deadlineMs: number
  }[]
  assert.equal(settlementOnly, true)
  assert.ok(deadlineMs > 0 && deadlineMs < 30_000)
})

test('while a stop is under way no other begins, whatever the time and whatever an operator says; afterwards one does', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const { round, asked } = settler([promise, 'stopped'])
  await round(0, true)
  await round(60_000, true)
  await round(60_001, false)
  await round(120_000, true)
  assert.deepEqual(asked, [0])
  resolve()
  await new Promise(setImmediate)
  await round(120_001, true)
  await round(240_000, true)
  assert.deepEqual(asked, [0, 120_001])
})

test('a stop that is under way or failed is not told as done', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const { round, memory } = settler(['unreachable', promise])
  await round(0, true)
  assert.equal(memory.stop.isDone, false)
  await round(30_000, true)
  assert.equal(memory.stop.isDone, false)
  resolve()
  await round(30_001, true)
  assert.equal(memory.stop.isDone, true)
})
