import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { keepBank } from '../../test/support/bank-details.ts'
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts'
import { testConnections } from '../../test/support/needs-connections.ts'
import type { CorporateDetails } from './corporate.ts'
import {
  findCorporate,
  findCorporateOfAny,
  insertCorporate,
  listCorporates,
  lockCorporate,
  updateCorporate,
} from './corporates.sql.ts'
import type { CustomerDetails } from './customer.ts'
import {
  findCustomer,
  findCustomerOfAny,
  insertCustomer,
  listCustomers,
  lockCustomer,
  updateCustomer,
} from './customers.sql.ts'
import { addWallet, findOtherHolder, listWallets } from './wallets.sql.ts'

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
  bankId: null,
  externalId: null,
}

const CORPORATE: CorporateDetails = {
  companyName: 'Same name',
  status: 'PENDING',
  stage: 'REVIEW',
  countryCode: 'MY',
  industry: 'Trade',
  canMint: true,
  canRedeem: true,
  canPayroll: true,
}

let db: TestDatabase
before(async () => {
  db = await createTestDatabase()
  await db.query(`insert into integrations (integration_id, name) values ($1, 'Ours'), ($2, 'Theirs')`, [OURS, THEIRS])
})
after(() => db.close())

describe('parties', () => {
  it('come back as they were stored, to their integration only', async () => {
    // Two more of each, with the same details.
    await insertCustomer(db, OURS, { ...DETAILS, level: 'TIER_9' })
    const customerId = await insertCustomer(db, OURS, { ...DETAILS, externalId: 'CRM-1' })
    await insertCustomer(db, THEIRS, { ...DETAILS, level: 'TIER_9', externalId: 'CRM-1' })
    assert.match(customerId, /^cus_[0-9a-f]{24}$/)
    const { createdAt, ...customer } = (await findCustomer(db, OURS, customerId)) ?? { createdAt: undefined }
    assert.ok(createdAt instanceof Date)
    const own = {
      customerId,
      integrationId: OURS,
      verifiedAt: null,
      monthlyCommittedMicro: 0n,
      hasWallet: false,
      erasedAt: null,
    }
    assert.deepEqual(customer, { ...DETAILS, ...own, bank: null, externalId: 'CRM-1' })
    assert.equal(await findCustomer(db, THEIRS, customerId), undefined)
    assert.equal((await findCustomerOfAny(db, customerId))?.customerId, customerId)
    await insertCorporate(db, OURS, CORPORATE)
    const corporateId = await insertCorporate(db, OURS, { ...CORPORATE, status: 'VERIFIED' })
    await insertCorporate(db, THEIRS, CORPORATE)
    assert.notEqual((await findCorporate(db, OURS, corporateId))?.verifiedAt, null)
    assert.equal(await findCorporate(db, THEIRS, corporateId), undefined)
    assert.equal((await findCorporateOfAny(db, corporateId))?.corporateId, corporateId)
  })

  it('are changed one at a time; the instant of a verification is that of the first change', async () => {
    const customers = [
      await insertCustomer(db, OURS, DETAILS),
      await insertCustomer(db, OURS, DETAILS),
      await insertCustomer(db, THEIRS, DETAILS),
    ] as const
    const corporates = [
      await insertCorporate(db, OURS, CORPORATE),
      await insertCorporate(db, OURS, CORPORATE),
      await insertCorporate(db, THEIRS, CORPORATE),
    ] as const
    const [, customerId] = customers
    const [, corporateId] = corporates
    const others = async () => [
      await findCustomerOfAny(db, customers[0]),
      await findCustomerOfAny(db, customers[2]),
      await findCorporateOfAny(db, corporates[0]),
      await findCorporateOfAny(db, corporates[2]),
    ]
    const before = await others()
    const changed: CustomerDetails = {
      accountType: 'RETAIL',
      status: 'VERIFIED',
      level: 'TIER_3',
      countryCode: 'MY',
      isResident: true,
      monthlyCapMicro: 11_000_000n,
      canMint: false,
      canRedeem: true,
      canTransfer: false,
      bankId: await keepBank(db, { bic: 'CIBBMYKL', account: '999999', name: 'Another Person' }, { customerId }),
    }
    const changedCorporate: CorporateDetails = {
      companyName: 'New name',
      status: 'VERIFIED',
      stage: 'COMPLETE',
      countryCode: 'SG',
      industry: 'Mining',
      canMint: false,
      canRedeem: false,
      canPayroll: false,
    }
    const update = async (details: CustomerDetails, corporate: CorporateDetails) => {
      await updateCustomer(db, customerId, details)
      await updateCorporate(db, corporateId, corporate)
      return [await findCustomerOfAny(db, customerId), await findCorporateOfAny(db, corporateId)] as const
    }
    const [customer, corporate] = await update(changed, changedCorporate)
    const verifiedAt = customer?.verifiedAt
    assert.ok(verifiedAt instanceof Date && corporate?.verifiedAt instanceof Date)
    for (const [name, value] of Object.entries(changed)) assert.deepEqual(customer?.[name as 'level'], value)
    for (const [name, value] of Object.entries(changedCorporate)) assert.deepEqual(corporate[name as 'stage'], value)
    assert.deepEqual(customer?.bank, { bic: 'CIBBMYKL', accountEnding: '9999' })
    const [still, stillCorporate] = await update({ ...changed, bankId: null }, changedCorporate)
    assert.deepEqual([still?.verifiedAt, still?.bank], [verifiedAt, null])
    assert.deepEqual(stillCorporate?.verifiedAt, corporate.verifiedAt)
    const [suspended, suspendedCorporate] = await update(
      { ...changed, status: 'SUSPENDED' },
      { ...changedCorporate, status: 'SUSPENDED' },
    )
    assert.deepEqual([suspended?.verifiedAt, suspendedCorporate?.verifiedAt], [null, null])
    assert.deepEqual(await others(), before)
  })

  it('are listed by integration in pages that neither repeat nor miss any, even of the same instant', async () => {
    const [mine, other] = ['int_mine', 'int_other']
    await db.query(`insert into integrations (integration_id, name) values ($1, 'Same'), ($2, 'Same')`, [mine, other])
    for (const integrationId of [other, mine, other, mine, other, mine]) {
      await insertCustomer(db, integrationId, DETAILS)
      await insertCorporate(db, integrationId, CORPORATE)
    }
    await db.query(`update customers set created_at = '2026-01-01' where integration_id = any ($1)`, [[mine, other]])
    await db.query(`update corporates set created_at = '2026-01-01' where integration_id = any ($1)`, [[mine, other]])
    const idsOf = {
      customers: async (page: { integrationId: string; after: string | undefined; limit: number }) =>
        (await listCustomers(db, page)).map(({ customerId }) => customerId),
      corporates: async (page: { integrationId: string; after: string | undefined; limit: number }) =>
        (await listCorporates(db, page)).map(({ corporateId }) => corporateId),
    }
    for (const [table, list] of Object.entries(idsOf)) {
      const seen: string[] = []
      for (let after: string | undefined; ; ) {
        const page = await list({ integrationId: mine, after, limit: 1 })
        if (page.length === 0) break
        assert.equal(page.length, 1)
        after = page[0]
        seen.push(...page)
        assert.ok(seen.length <= 3)
      }
      assert.deepEqual([seen.length, seen], [3, seen.toSorted()], table)
      const id = table === 'customers' ? 'customer_id' : 'corporate_id'
      await db.query(`update ${table} set created_at = '2025-01-01' where ${id} = $1`, [seen.at(-1) ?? ''])
      const listed = await list({ integrationId: mine, after: undefined, limit: 100 })
      assert.deepEqual(listed, [seen.at(-1), ...seen.slice(0, -1)], table)
    }
  })

  testConnections('are locked one at a time', async () => {
    const [customerId, neighbour] = [await insertCustomer(db, OURS, DETAILS), await insertCustomer(db, OURS, DETAILS)]
    const [corporateId, next] = [await insertCorporate(db, OURS, CORPORATE), await insertCorporate(db, OURS, CORPORATE)]
    const free = async (table: string, column: string, id: string) =>
      (await db.query(`select from ${table} where ${column} = $1 for no key update skip locked`, [id])).length === 1
    await db.transaction(async (tx) => {
      await lockCustomer(tx, customerId)
      await lockCorporate(tx, corporateId)
      assert.deepEqual(
        [
          await free('customers', 'customer_id', customerId),
          await free('customers', 'customer_id', neighbour),
          await free('corporates', 'corporate_id', corporateId),
          await free('corporates', 'corporate_id', next),
        ],
        [false, true, false, true],
      )
    })
  })

  it('show what redeems committed in the current UTC month, and in no other', async () => {
    const customerId = await insertCustomer(db, OURS, DETAILS)
    await db.query(
      `insert into withdrawal_usage (customer_id, month, committed_micro, cap_micro)
       select c, (date_trunc('month', now() at time zone 'utc') + n * interval '1 month')::date, 100 * place + n, 1000
       from unnest($1::text[]) with ordinality as v (c, place) cross join generate_series(-2, 2) n`,
      [[customerId, await insertCustomer(db, OURS, DETAILS)]],
    )
    assert.equal((await findCustomer(db, OURS, customerId))?.monthlyCommittedMicro, 100n)
  })

  it('have wallets, which another customer may have too', async () => {
    const [first, second] = [await insertCustomer(db, OURS, DETAILS), await insertCustomer(db, THEIRS, DETAILS)]
    await addWallet(db, { customerId: second, address: wallet(9), makePrimary: false })
    assert.equal((await findCustomer(db, OURS, first))?.hasWallet, false)
    await addWallet(db, { customerId: first, address: wallet(1), makePrimary: false })
    assert.equal((await findCustomer(db, OURS, first))?.hasWallet, true)
    assert.equal(await findOtherHolder(db, second, wallet(1)), first)
    assert.equal(await findOtherHolder(db, first, wallet(1)), undefined)
    assert.equal(await findOtherHolder(db, first, wallet(2)), undefined)
  })

  it('have one primary wallet each: the first, until another is made primary', async () => {
    const [one, other] = [await insertCustomer(db, OURS, DETAILS), await insertCustomer(db, OURS, DETAILS)]
    const add = (customerId: string, number: number, makePrimary = false) =>
      addWallet(db, { customerId, address: wallet(number), makePrimary })
    const of = async (customerId: string) =>
      (await listWallets(db, customerId)).map(({ address, isPrimary }) => [address, isPrimary])
    for (const customerId of [one, other]) {
      for (const number of [6, 7, 8]) await add(customerId, number)
      assert.deepEqual(await of(customerId), [
        [wallet(6), true],
        [wallet(7), false],
        [wallet(8), false],
      ])
    }
    await add(one, 7, true)
    const moved = [
      [wallet(6), false],
      [wallet(7), true],
      [wallet(8), false],
    ]
    assert.deepEqual(await of(one), moved)
    for (const [number, makePrimary] of [
      [7, false],
      [7, true],
      [8, false],
    ] as const) {
      await add(one, number, makePrimary)
      assert.deepEqual(await of(one), moved)
    }
    assert.deepEqual((await of(other))[0], [wallet(6), true])
    await db.query(`update wallets set created_at = '2026-01-01' where address = $1`, [wallet(8)])
    assert.deepEqual(await of(one), [moved[2], moved[0], moved[1]])
    await add(one, 5, true)
    assert.deepEqual(
      (await of(one)).filter(([, isPrimary]) => isPrimary),
      [[wallet(5), true]],
    )
  })
})

function wallet(number: number): string {
  return `0x${String(number).repeat(40)}`
}
