// engine: pglite
/** A database that was started just now as a copy of an older one: what a settler had said there lets no lost order be made good before the fence is final. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { requireOrder } from '../../src/operator/orders/required.ts'
import { makeGood } from '../../src/settlement/explain/make-good.ts'
import { writeHold } from '../../src/settlement/tables/holds.sql.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { withoutGuards } from '../support/without-guards.ts'
import { addChain, addLost, addParty } from './world.ts'

const CHAIN = 31_337

let db: TestDatabase
before(async () => {
  db = await createTestDatabase()
  await addChain(db, CHAIN, 90n)
})
after(() => db.close())

test('a lost order is not made good by what was said before the database was started, while its chain is not fenced', async () => {
  const [integrationId = '', referenceId = ''] = (await addLost(db, await addParty(db))).split('/')
  await writeHold(db, CHAIN, { reason: 'none', details: null, blocked: [] })
  const [said] = await db.query<{ age: number }>(
    `update settlement_holds set seen_at = pg_postmaster_start_time() - interval '1 second'
     returning extract(epoch from now() - seen_at)::float8 as age`,
  )
  assert.ok((said?.age ?? 60) < 60, 'it counts as said just now')
  const run = () =>
    db.transaction(
      async (tx) => await makeGood(tx, (await requireOrder(tx, { integrationId, referenceId })).order, undefined),
    )
  await withoutGuards(db, (tx) => tx.query(`update chains set fenced_on = 'another timeline'`))
  assert.deepEqual(await run(), { refused: 'unfenced' })
  await withoutGuards(db, (tx) => tx.query('update chains set fenced_on = database_timeline()'))
  assert.ok('remint' in ((await run()) as object))
})
