// engine: postgres; both in test:long
/** Several chains that are gone for good: what cannot be ended on one of them keeps nothing of another. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Database } from '../../src/db/database.ts'
import { endOnLostChains } from '../../src/settlement/lost/lost-loop.ts'
import { addChain, addOrder, addParty } from '../operator/world.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { silent } from './fixture.ts'

const [FIRST, SECOND] = [31_337, 31_338]

let db: TestDatabase
before(async () => {
  db = await createTestDatabase()
})
after(() => db.close())

test('what fails on one lost chain is told after the others have ended', async () => {
  const party = await addParty(db)
  for (const chainId of [FIRST, SECOND]) {
    await addChain(db, chainId, 90n)
    await addOrder(db, party, { chainId, direction: 'MINT', state: 'created', amountMicro: 5n })
    await db.query(`insert into lost_chains (chain_id, reason, lost_by) values ($1, 'switched off', 'Aminah')`, [
      chainId,
    ])
  }
  let isBroken = true
  const refusing: Database = {
    ...db,
    transaction: (work) =>
      db.transaction(async (tx) => {
        const query: typeof tx.query = (text, params) => {
          if (isBroken && params?.includes(FIRST) && text.startsWith('select from lost_chains'))
            throw new Error('no row')
          return tx.query(text, params)
        }
        return await work({ ...tx, query })
      }),
  }
  const end = () =>
    endOnLostChains({ db: refusing, logger: silent, holder: 'it', times: { leaseMs: 10_000 } }, new Map())
  const failed = async () => {
    const rows = await db.query<{ chain: number }>(
      `select chain_id::int as chain from orders where status = 'failed' order by 1`,
    )
    return rows.map(({ chain }) => chain)
  }
  await assert.rejects(end(), /no row/)
  assert.deepEqual(await failed(), [SECOND])
  isBroken = false
  assert.equal(await end(), true)
  assert.deepEqual(await failed(), [FIRST, SECOND])
  assert.equal(await end(), false)
})
