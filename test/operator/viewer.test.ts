// engine: postgres; both in test:long
/** Whoever may not see customers sees nothing of them, nor of anybody's account, in what everybody may look at. */
// docs/PRIVACY.md
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { COMMANDS } from '../../src/operators/commands.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { type OperatorFixture, startOperator } from './fixture.ts'
import { addChain, addKey, addOrder, addParty, addPayout, someAddress } from './world.ts'

const BANK = { bankBic: 'CIBBMYKL', bankAccount: '99887766', bankName: 'A Person' }
const OTHER = { ...BANK, bankAccount: '55443322' }
const PERSONAL = /CIBBMYKL|7766|3322|1199|person-17/
let db: TestDatabase
let api: OperatorFixture
before(async () => {
  db = await createTestDatabase()
  api = await startOperator({ db })
})
after(async () => {
  await api.close()
  await db.close()
})

/** Every list and look without an id of its own that a viewer has. */
const LISTS = COMMANDS.filter(({ route, roles }) => route.startsWith('GET ') && roles.includes('viewer'))
  .map(({ route }) => route.slice('GET '.length))
  .filter((path) => !path.includes(':'))

test('a viewer sees no external id, bank or digit of an account in any list; whoever may see customers does', async () => {
  const party = await addParty(db)
  const { integrationId, customerId } = party
  await addChain(db, 31_337, 7n)
  const post = async (path: string, body: object) => assert.equal((await api.call('POST', path, body)).status, 200)
  const person = { type: 'RETAIL', status: 'VERIFIED', level: 'TIER_2', country: 'MY', externalId: 'person-17' }
  await post('/customers', { integrationId, ...person, ...BANK })
  for (const bank of [BANK, OTHER]) await post(`/customers/${customerId}/set`, bank)
  for (const what of ['', '/remove'])
    await post(`/integrations/${integrationId}/remitters${what}`, { account: '9000001199' })
  await post(`/integrations/${integrationId}/remitters`, { account: '9000001199' })
  const order = { chainId: 31_337, direction: 'REDEEM', amountMicro: 1_000_000n, state: 'payoutPending' } as const
  const payoutId = await addPayout(db, { orderId: await addOrder(db, party, order), customerId, status: 'rejected' })
  await db.query(
    'update payouts set bank_id = (select bank_id from customers where customer_id = $2) where payout_id = $1',
    [payoutId, customerId],
  )
  await post(`/payouts/${payoutId}/assign`, { to: 'Bala' })

  const paths = [...LISTS, `/integrations/${integrationId}`].map((path) =>
    path === '/audit' ? `${path}?limit=500` : path,
  )
  const [viewer, support] = [await api.person('viewer'), await api.person('support')]
  const shown: string[] = []
  for (const path of paths) {
    const [seen, whole] = [await viewer.call('GET', path), await support.call('GET', path)]
    assert.doesNotMatch(JSON.stringify(seen.body), PERSONAL, path)
    if (PERSONAL.test(JSON.stringify(whole.body))) shown.push(path)
  }
  assert.deepEqual(shown, ['/audit?limit=500', '/payouts', `/integrations/${integrationId}`])
  const { entries } = (await viewer.call('GET', `/audit?target=${customerId}`)).body
  assert.deepEqual(
    entries[0].details.changed,
    ['bankAccount', 'bankBic', 'bankName'],
    'that it was changed stays to be seen',
  )
  assert.equal(entries[0].before.bankAccount, 'hidden')
})

test('nor does a viewer learn whose an external id is by searching for it', async () => {
  const { integrationId } = await addParty(db)
  const person = { type: 'RETAIL', status: 'VERIFIED', level: 'TIER_2', country: 'MY', externalId: '900101-14-1234' }
  const { body } = await api.call('POST', '/customers', { integrationId, ...person })
  const key = await addKey(db, integrationId)
  const party = { integrationId, keyId: key, customerId: body.customerId, wallet: someAddress() }
  await addOrder(db, party, { chainId: 31_337, direction: 'MINT', amountMicro: 1n, state: 'completed' })
  const [viewer, support] = [await api.person('viewer'), await api.person('support')]
  const found = async (who: typeof viewer, text: string) => {
    const answer = await who.call('GET', `/orders/find?${new URLSearchParams({ text })}`)
    assert.equal(answer.status, 200)
    return answer.body.orders.length
  }
  assert.deepEqual([await found(support, person.externalId), await found(viewer, person.externalId)], [1, 0])
  assert.equal(await found(viewer, body.customerId), 1)
})
