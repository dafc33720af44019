// engine: postgres
/** The books of a proof of reserves are read as of one moment, whatever is booked between two reads. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Database } from '../../src/db/database.ts'
import { proveReserves } from '../../src/reserves/prover.ts'
import { createBankWorld } from '../support/bank-world.ts'
import { someBank } from '../support/statements.ts'

const KEY = new Uint8Array(32).fill(0x5a)

test('a redeem that is burnt while the books are read is in none of what is stated', async (t) => {
  const world = await createBankWorld()
  t.after(() => world.close())
  await world.importXml(someBank().closeDay(), 'opening.xml')
  const { db } = world
  let burnt = 0
  /** After the first statement that reads, the coin of a redeem is burnt by another connection. */
  const burning: Database = {
    ...db,
    query: (text, params) => db.query(text, params),
    transaction: (work) =>
      db.transaction((tx) =>
        work({
          async query(text, params) {
            const rows = await tx.query(text, params)
            if (burnt === 0 && !text.startsWith('set ')) {
              burnt += 1
              await world.burntRedeem('250')
            }
            return rows as never
          },
        }),
      ),
  }
  const payable = async (of: Database) => (await proveReserves({ db: of, chains: [], key: KEY }))?.payableMicro
  const before = await payable(db)
  assert.equal(await payable(burning), before)
  assert.equal(burnt, 1)
  assert.equal(await payable(db), String(BigInt(before ?? 0) + 250_000_000n))
})
