import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts'
import { DatabaseUnsuitableError } from '../db/database.ts'
import { requireOwnContracts } from './own-contracts.ts'
import { insertChain } from './tables/chains.sql.ts'

const CHAIN_ID = 31_337
const COIN = { name: 'Coin', symbol: 'COIN' }
const own = { config: { chainId: CHAIN_ID, coin: { ...COIN, address: '0xc' }, settlement: '0x5' } } as const
const elsewhere = { config: { ...own.config, chainId: 1_337, settlement: '0x6' } } as const

let db: TestDatabase
before(async () => {
  db = await createTestDatabase()
})
after(() => db.close())

test('contracts of a chain that no settler has worked with yet are taken as they are; then it is these and no others', async () => {
  await requireOwnContracts(db, [own, elsewhere])
  const genesis = { genesisHash: '0x9', observedBlock: 0n, observedHash: '0xb' }
  await insertChain(db, CHAIN_ID, { coinAddress: '0xc', settlementAddress: '0x5', ...genesis })
  await requireOwnContracts(db, [own, elsewhere])
  const settlement = { config: { ...own.config, settlement: '0x7' } } as const
  const coin = { config: { ...own.config, coin: { ...COIN, address: '0x8' } } } as const
  for (const [other, named] of [
    [settlement, '0xc and 0x7'],
    [coin, '0x8 and 0x5'],
  ] as const)
    await assert.rejects(requireOwnContracts(db, [elsewhere, other]), (error) => {
      assert.ok(error instanceof DatabaseUnsuitableError)
      assert.equal(
        error.message,
        `The chains file has the contracts ${named} for chain 31337, and this database belongs to 0xc and 0x5: correct the chains file.`,
      )
      return true
    })
})
