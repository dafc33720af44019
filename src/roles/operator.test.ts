import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts'
import { loadConfig } from '../config.ts'
import { DatabaseUnsuitableError } from '../db/database.ts'
import { insertChain } from '../settlement/tables/chains.sql.ts'
import { operatorApp } from './operator.ts'

let db: TestDatabase
before(async () => {
  db = await createTestDatabase()
  const block = { genesisHash: '0x9', observedBlock: 1n, observedHash: '0xb' }
  await insertChain(db, 31_337, { coinAddress: '0xc', settlementAddress: '0x5', ...block })
})
after(() => db.close())

test('operators are served by no process with other contracts: it would stop, freeze and link on those', async () => {
  const config = loadConfig({ COIN_ROLES: 'operator' })
  const chains = [{ config: { chainId: 31_337, coin: { address: '0xd' }, settlement: '0x5' } }]
  await assert.rejects(
    operatorApp({ config, db, chains } as never, {} as never, undefined),
    (error) => error instanceof DatabaseUnsuitableError && /this database belongs to 0xc and 0x5/.test(error.message),
  )
})
