// engine: postgres; both in test:long
/** Two services that settle on one contract by mistake, each with a database of its own. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pino } from 'pino'
import { connectChain } from '../../src/chain/chain.ts'
import { listBatches } from '../../src/operator/batches/batches.sql.ts'
import { createSettler } from '../../src/settlement/settler.ts'
import { createTestDatabase } from '../support/database.ts'
import { waitFor } from '../support/wait-for.ts'
import { withoutGuards } from '../support/without-guards.ts'
import { orderState, placeOrders, seedParties, wallet } from './fixture.ts'
import { QUICK, startScenario } from './scenario.ts'

const mint = (seed: number, amountMicro: bigint) => ({ direction: 'MINT', amountMicro, to: wallet(seed) }) as const

test('both settle every order of theirs once, and each says that somebody else settles there', async () => {
  const s = await startScenario()
  const other = await createTestDatabase()
  const said: [string[], string[]] = [[], []]
  const loggerOf = (place: 0 | 1) =>
    pino({ level: 'fatal' }, { write: (line: string) => void said[place].push(JSON.parse(line).msg) })
  const chain = connectChain(s.config, { db: other, logger: loggerOf(1) })
  const second = createSettler({ db: other, chains: [chain], logger: loggerOf(1), holder: 'other', times: QUICK })
  try {
    await seedParties(other)
    const ids = await s.place(...[1, 2, 3, 4].map((seed) => mint(seed, 10n)))
    const theirs = await placeOrders(
      other,
      s.config,
      [1, 2, 3, 4].map((seed) => mint(seed, 7n)),
    )
    // Integrations of two services never have the same id; here they do, so that their references must differ.
    await withoutGuards(other, (tx) => tx.query(`update orders set reference_id = 'other-' || reference_id`))
    await s.settle({ logger: loggerOf(0) })
    second.start()
    for (const id of ids) await s.until(id, 'completed')
    await waitFor('the other service', async () => {
      const states = await Promise.all(theirs.map((id) => orderState(other, id)))
      return states.every(({ status }) => status === 'completed')
    })
    assert.equal(await s.chain.admin.supply(), 4n * 17n)
    // One more order each, so that both have come across the other's last batch.
    const [mine] = await s.place(mint(5, 1n))
    await s.until(mine, 'completed')
    const [last = 0n] = await placeOrders(other, s.config, [mint(5, 1n)])
    await waitFor('its last order', async () => (await orderState(other, last)).status === 'completed')
    for (const [place, db] of [s.db, other].entries()) {
      assert.ok(said[place as 0 | 1].some((line) => /a second service settles here/.test(line)))
      const page = { chainId: 31_337, foreign: false, after: undefined, limit: 100 }
      assert.ok((await listBatches(db, { ...page, unexplained: true })).length > 0)
      assert.deepEqual(await db.query('select 1 from tag_conflicts'), [])
    }
  } finally {
    await second.stop()
    await other.close()
    await s.end()
  }
})
