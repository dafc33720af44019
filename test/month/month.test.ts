// engine: postgres
/** A small month of business: every day balances, and every difference that was planted is named, and nothing else. */
import assert from 'node:assert/strict'
import { after, before, mock, test } from 'node:test'
import { auditMonth } from './audit.ts'
import { playMonth } from './month.ts'
import { plantErrors } from './plant.ts'
import { createMonthWorld, FIRST_DAY, type MonthWorld } from './world.ts'

const options = { orders: 400, seed: 'a small month' }

let world: MonthWorld
before(async () => {
  mock.timers.enable({ apis: ['Date'], now: new Date(`${FIRST_DAY}T00:00:00Z`) })
  world = await createMonthWorld(options)
})
after(async () => {
  await world.close()
  mock.timers.reset()
})

test('a month closes to the sen, and what differs is what was planted', async () => {
  const month = await playMonth(world, options)
  const { seen } = month.payments
  for (const [what, times] of Object.entries(seen)) assert.ok(times > 0, `${what} in the month`)
  const looked = await auditMonth(world)
  assert.ok((looked.entries ?? 0) > 400 && (looked.lines ?? 0) > 100, JSON.stringify(looked))
  assert.ok((await plantErrors(world, month)) > 15)
})
