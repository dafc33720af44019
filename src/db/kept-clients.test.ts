import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { test } from 'node:test'
import type pg from 'pg'
import { keepClients } from './kept-clients.ts'

type Released = { name: string; broken: boolean }

function start() {
  const released: Released[] = []
  const losses: string[] = []
  const pool = Object.assign(new EventEmitter(), { waitingCount: 0 })
  const kept = keepClients(pool as unknown as pg.Pool, (error) => losses.push(error.message))
  const connect = (name: string): pg.PoolClient => {
    const client = Object.assign(new EventEmitter(), {
      release: (broken = false) => released.push({ name, broken }),
    }) as unknown as pg.PoolClient
    pool.emit('connect', client)
    return client
  }
  return { kept, pool, released, losses, connect }
}

test('what is given is kept, and taken again', () => {
  const { kept, released, connect } = start()
  const client = connect('one')
  kept.give(client, false)
  assert.equal(kept.take(), client)
  assert.equal(kept.take(), undefined)
  assert.deepEqual(released, [])
})

test('a broken client, one for which somebody waits, and one that comes after the end go back to the pool', () => {
  const { kept, pool, released, connect } = start()
  kept.give(connect('broken'), true)
  pool.waitingCount = 1
  kept.give(connect('wanted'), false)
  assert.equal(kept.take(), undefined)
  pool.waitingCount = 0
  kept.give(connect('kept'), false)
  kept.close()
  kept.give(connect('late'), false)
  assert.deepEqual(released, [
    { name: 'broken', broken: true },
    { name: 'wanted', broken: false },
    { name: 'kept', broken: false },
    { name: 'late', broken: false },
  ])
  assert.equal(kept.take(), undefined)
})

test('what nobody took between two ticks goes back to the pool', () => {
  const { kept, released, connect } = start()
  kept.give(connect('idle'), false)
  const busy = connect('busy')
  kept.give(busy, false)
  kept.tick()
  assert.deepEqual(released, [])
  assert.equal(kept.take(), busy)
  kept.give(busy, false)
  kept.tick()
  assert.deepEqual(released, [{ name: 'idle', broken: false }])
  kept.tick()
  assert.deepEqual(released.at(-1), { name: 'busy', broken: false })
})

test('a client whose connection is lost is not taken again, whether it was kept then or in use', () => {
  const { kept, released, losses, connect } = start()
  const idle = connect('idle')
  kept.give(idle, false)
  idle.emit('error', new Error('gone'))
  assert.equal(kept.take(), undefined)
  const used = connect('used')
  used.emit('error', new Error('its statement says so'))
  kept.give(used, false)
  assert.equal(kept.take(), undefined)
  assert.deepEqual(losses, ['gone'])
  assert.deepEqual(released, [
    { name: 'idle', broken: true },
    { name: 'used', broken: true },
  ])
})
