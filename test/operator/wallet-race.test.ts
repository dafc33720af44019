// engine: postgres
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { waitFor } from '../support/wait-for.ts'
import { chainDouble, type OperatorFixture, startOperator } from './fixture.ts'
import { addParty, someAddress } from './world.ts'

let api: OperatorFixture
before(async () => {
  api = await startOperator({ chains: [chainDouble(1).chain] })
})
after(() => api.close())

test('a wallet that two customers are given at once becomes the wallet of one, unless it may be shared', async () => {
  const [one, other] = [(await addParty(api.db)).customerId, (await addParty(api.db)).customerId]
  // Of one person the second would wait for its turn.
  const people = [await api.person('onboarding'), await api.person('onboarding')] as const
  const addAtOnce = async (rest: object) => {
    const address = someAddress()
    const answers = await api.db.transaction(async (tx) => {
      // Both look for another holder before either can record its own.
      await tx.query('lock table wallets in share mode')
      const asked = [one, other].map((customerId, index) =>
        people[index]?.call('POST', '/wallets', { customerId, address, ...rest }),
      )
      await waitFor('both to wait', async () => {
        // Not in the transaction, which would see the connections that there were when it first looked.
        const waiting = await api.db.query(`select 1 from pg_locks where not granted
          and pid in (select pid from pg_stat_activity where datname = current_database())`)
        return waiting.length === 2
      })
      return asked
    })
    return (await Promise.all(answers)).map((answer) => answer?.status).sort()
  }
  assert.deepEqual(await addAtOnce({}), [200, 409])
  assert.deepEqual(await addAtOnce({ shared: true }), [200, 200])
})
