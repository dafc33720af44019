/** Lists that share slots: never more at a time, and all come forward. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { createSlots } from './slots.ts'

test('no more are worked on than there are slots, and lists go forward in proportion', async () => {
  const slots = createSlots(3)
  const begun: string[] = []
  let working = 0
  let most = 0
  const work = async (item: string) => {
    begun.push(item)
    working += 1
    most = Math.max(most, working)
    await turn()
    working -= 1
  }
  await Promise.all([
    slots.each(['a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'a7', 'a8'], work),
    slots.each(['b1', 'b2', 'b3', 'b4'], work),
  ])
  assert.equal(most, 3)
  assert.deepEqual(begun.filter((item) => item.startsWith('a')).length, 8)
  assert.deepEqual(begun.slice(0, 9), ['a1', 'a2', 'a3', 'b1', 'b2', 'a4', 'a5', 'b3', 'a6'])
})

test('what fails gives its slot back', async () => {
  const slots = createSlots(1)
  const fails = slots.each(['x'], () => Promise.reject(new Error('planted')))
  const seen: string[] = []
  await Promise.all([assert.rejects(fails, /planted/), slots.each(['y'], async (item) => void seen.push(item))])
  assert.deepEqual(seen, ['y'])
})

test('what is heavy takes as many slots as it weighs, and is not overtaken for ever', async () => {
  const slots = createSlots(3)
  const events: string[] = []
  const weights: Record<string, number> = { heavy: 2, giant: 9 }
  let taken = 0
  let most = 0
  const weigh = (item: string) => weights[item] ?? 1
  const work = async (item: string) => {
    const weight = Math.min(3, weigh(item))
    taken += weight
    most = Math.max(most, taken)
    events.push(item)
    await turn()
    taken -= weight
  }
  await slots.each(['a', 'heavy', 'b', 'giant', 'c', 'd'], work, weigh)
  assert.equal(most, 3)
  assert.deepEqual(events, ['a', 'heavy', 'b', 'giant', 'c', 'd'])
  await slots.each(['x', 'y', 'z'], work, weigh)
  assert.equal(most, 3)
})

test('beside a heavy one that waits others go on, but never so many that it waits longer', async () => {
  const slots = createSlots(4)
  const events: string[] = []
  const ends = new Map<string, () => void>()
  const work = async (item: string) => {
    events.push(item)
    await new Promise<void>((end) => ends.set(item, end))
  }
  const end = async (item: string) => {
    ends.get(item)?.()
    await turn()
    return events.splice(0).join(' ')
  }
  const done = slots.each(['a', 'b', 'heavy', 'c', 'd', 'e', 'f'], work, (item) => (item === 'heavy' ? 3 : 1))
  await turn()
  // One place is left beside what is heavy.
  assert.equal(events.splice(0).join(' '), 'a b c')
  assert.equal(await end('c'), 'd')
  assert.equal(await end('a'), '')
  assert.equal(await end('b'), 'heavy')
  assert.equal(await end('d'), 'e')
  assert.equal(await end('heavy'), 'f')
  assert.deepEqual([await end('e'), await end('f')], ['', ''])
  await done
})
