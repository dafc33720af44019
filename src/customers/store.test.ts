import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts'
import { findCorporate, insertCorporate } from './corporates/store.ts'
import type { CustomerDetails } from './customer.ts'
import { findCustomer, insertCustomer } from './store.ts'
import { addWallet, findOtherHolder } from './wallets/store.ts'

const [OURS, THEIRS] = ['int_ours', 'int_theirs']
const DETAILS: CustomerDetails = {
  accountType: 'ENTERPRISE',
  status: 'PENDING',
  level: 'TIER_1',
  countryCode: 'SG',
  isResident: false,
  monthlyCapMicro: 10_000_000n,
  canMint: true,
  canRedeem: false,
  canTransfer: true,
  bank: { bic: 'MBBEMYKL', account: '12345678', name: 'A Person' },
}

let db: TestDatabase
before(async () => {
  db = await createTestDatabase()
  await db.query(`insert into integrations (integration_id, name) values ($1, 'Ours'), ($2, 'Theirs')`, [OURS, THEIRS])
})
after(() => db.close())

describe('parties', () => {
  it('come back as they were stored, to their integration only', async () => {
    const customerId = await insertCustomer(db, OURS, DETAILS)
    assert.match(customerId, /^cus_[0-9a-f]{24}$/)
    const { createdAt, ...customer } = (await findCustomer(db, OURS, customerId)) ?? { createdAt: undefined }
    assert.ok(createdAt instanceof Date)
    const own = { customerId, integrationId: OURS, verifiedAt: null, monthlyCommittedMicro: 0n, hasWallet: false }
    assert.deepEqual(customer, { ...DETAILS, ...own })
    assert.equal(await findCustomer(db, THEIRS, customerId), undefined)
    const corporate = {
      companyName: 'X',
      status: 'VERIFIED',
      stage: 'COMPLETE',
      countryCode: 'MY',
      industry: 'Y',
    } as const
    const corporateId = await insertCorporate(db, OURS, {
      ...corporate,
      canMint: true,
      canRedeem: true,
      canPayroll: true,
    })
    assert.notEqual((await findCorporate(db, OURS, corporateId))?.verifiedAt, null)
    assert.equal(await findCorporate(db, THEIRS, corporateId), undefined)
  })

  it('show what redeems of the current UTC month committed, and of no other', async () => {
    const customerId = await insertCustomer(db, OURS, DETAILS)
    await db.query(
      `insert into withdrawal_usage (customer_id, month, committed_micro, cap_micro)
       select $1, (date_trunc('month', now() at time zone 'utc') - n * interval '1 month')::date, 100 + n, 1000
       from generate_series(0, 2) n`,
      [customerId],
    )
    assert.equal((await findCustomer(db, OURS, customerId))?.monthlyCommittedMicro, 100n)
  })

  it('have wallets, which another customer may have too', async () => {
    const [first, second] = [await insertCustomer(db, OURS, DETAILS), await insertCustomer(db, THEIRS, DETAILS)]
    const address = '0x52908400098527886E0F7030069857D2E4169EE7'
    await addWallet(db, { customerId: first, address, makePrimary: false })
    assert.equal((await findCustomer(db, OURS, first))?.hasWallet, true)
    assert.equal(await findOtherHolder(db, second, address), first)
    assert.equal(await findOtherHolder(db, first, address), undefined)
  })
})
