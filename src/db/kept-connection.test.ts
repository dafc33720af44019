// engine: postgres
/** The connection for notifications, when it breaks again before it was to be opened by itself. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import pg from 'pg'
import { createTestDatabase } from '../../test/support/database.ts'
import { keepConnection } from './kept-connection.ts'

test('one that breaks twice is opened again once, and nothing of it is left when it is closed', async (context) => {
  const db = await createTestDatabase({ engine: 'postgres' })
  context.mock.timers.enable({ apis: ['setTimeout'] })
  const told = { lost: Promise.withResolvers<void>(), back: Promise.withResolvers<void>() }
  let backs = 0
  const connection = keepConnection({
    makeClient: () => new pg.Client({ connectionString: db.url ?? '' }),
    prepare: async () => {},
    isNeeded: () => true,
    secret: '',
    logger: {
      info() {
        backs += 1
        told.back.resolve()
      },
      warn: () => told.lost.resolve(),
    },
  })
  const breakIt = async () => {
    told.lost = Promise.withResolvers()
    const [{ pid } = { pid: 0 }] = (await connection.current()?.query('select pg_backend_pid() as pid'))?.rows ?? []
    await db.query('select pg_terminate_backend($1)', [pid])
    await told.lost.promise
  }
  try {
    await connection.ensure()
    await breakIt()
    // Somebody needs it before its time.
    await connection.ensure()
    await breakIt()
    context.mock.timers.tick(60_000)
    await told.back.promise
    await connection.ensure()
    await setImmediate()
    assert.equal(backs, 1)
  } finally {
    await connection.close()
    context.mock.timers.reset()
    await db.close()
  }
})
