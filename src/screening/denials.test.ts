import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts'
import { allowAddress, denyAddress, findDenial, listDenials } from './denials.sql.ts'

let db: TestDatabase
before(async () => {
  db = await createTestDatabase()
})
after(() => db.close())

const ONE = '0x52908400098527886E0F7030069857D2E4169EE7'
const OTHER = '0x8617E340B3D01FA5F11F306F4090FD50E238070D'

it('denies and allows one address at a time, in any case of its letters', async () => {
  assert.equal(await findDenial(db, ONE), undefined)
  assert.equal(await denyAddress(db, ONE), true)
  assert.equal(await denyAddress(db, ONE.toLowerCase()), false)
  assert.equal(await denyAddress(db, OTHER), true)
  const denied = await findDenial(db, ONE)
  assert.ok(denied instanceof Date)
  assert.deepEqual(await findDenial(db, ONE.toLowerCase()), denied)
  await db.query(`update screening_denials set created_at = '2026-01-01T00:00:00Z' where address = lower($1)`, [OTHER])
  assert.deepEqual(await findDenial(db, ONE), denied)
  assert.deepEqual(await findDenial(db, OTHER), new Date('2026-01-01T00:00:00Z'))
  assert.equal(await allowAddress(db, ONE), true)
  assert.equal(await allowAddress(db, ONE), false)
  assert.equal(await findDenial(db, ONE), undefined)
  assert.ok((await findDenial(db, OTHER)) instanceof Date)
})

it('lists who is denied, page by page', async () => {
  const all = await listDenials(db, { after: undefined, limit: 10 })
  assert.deepEqual(
    all.map(({ address }) => address),
    [OTHER.toLowerCase()],
  )
  await denyAddress(db, ONE)
  const [first, second] = [ONE.toLowerCase(), OTHER.toLowerCase()]
  const page = async (after: string | undefined) =>
    (await listDenials(db, { after, limit: 1 })).map(({ address }) => address)
  assert.deepEqual([await page(undefined), await page(ONE), await page(OTHER)], [[first], [second], []])
})
