/** People of several roles before an operator API with four eyes, and a bank account that one of them asks to change. */
import assert from 'node:assert/strict'
import { bankOf } from '../support/bank-details.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { chainDouble, type OperatorFixture, type Person, startOperator } from './fixture.ts'
import { addCustomer, addParty, type Party } from './world.ts'

export const NEW_ACCOUNT = { bankBic: 'CIBBMYKL', bankAccount: '999988887777', bankName: 'A Thief' }
export const pathOf = (customerId: string) => `/customers/${customerId}/set`
export const under = (approvalId: string) => ({ 'x-approval': approvalId })

/** Everything but `people` is there between `begin` and `end`. */
export function createApproving() {
  let db: TestDatabase
  let api: OperatorFixture
  let party: Party
  const double = chainDouble(31_337)
  const people = {} as Record<'one' | 'two' | 'three' | 'treasurer' | 'viewer' | 'officer' | 'admin', Person>

  async function asked(customerId: string, body: object = NEW_ACCOUNT, person = people.one): Promise<string> {
    const answer = await person.call('POST', pathOf(customerId), body)
    assert.equal(answer.status, 202, JSON.stringify(answer.body))
    assert.deepEqual(Object.keys(answer.body).sort(), ['approvalId', 'approvers', 'ok', 'status'])
    assert.equal(answer.body.status, 'waiting')
    return answer.body.approvalId
  }

  async function approved(customerId: string, body: object = NEW_ACCOUNT): Promise<string> {
    const approvalId = await asked(customerId, body)
    assert.equal((await people.two.call('POST', `/approvals/${approvalId}/approve`, {})).status, 200)
    return approvalId
  }

  async function accountOf(customerId: string): Promise<string | undefined> {
    return (await bankOf(db, customerId))?.account ?? undefined
  }

  const statusOf = async (approvalId: string) =>
    (await people.viewer.call('GET', '/approvals?limit=500')).body.approvals.find(
      (each: { approvalId: string }) => each.approvalId === approvalId,
    )?.status

  const isSomebodyWaiting = async () =>
    (await db.query(`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`))
      .length > 0

  const newCustomer = async () => (await addCustomer(db, party.integrationId)).customerId

  return {
    people,
    double,
    asked,
    approved,
    accountOf,
    statusOf,
    isSomebodyWaiting,
    newCustomer,
    get db() {
      return db
    },
    get api() {
      return api
    },
    get party() {
      return party
    },
    async begin(): Promise<void> {
      db = await createTestDatabase()
      const open = await startOperator({ db })
      people.one = await open.person('onboarding', 'Aminah')
      people.two = await open.person('onboarding', 'Bala')
      people.three = await open.person('onboarding', 'Chong')
      people.treasurer = await open.person('treasury')
      people.officer = await open.person('compliance')
      people.viewer = await open.person('viewer')
      people.admin = await open.person('admin', 'Devi')
      await open.close()
      api = await startOperator({ db, chains: [double.chain], fourEyes: true })
      for (const person of Object.values(people)) {
        const { token } = person
        person.call = (method, target, body, headers = {}) =>
          api.call(method, target, body, { authorization: `Bearer ${token}`, ...headers })
      }
      party = await addParty(db)
    },
    async end(): Promise<void> {
      await api.close()
      await db.close()
    },
  }
}
