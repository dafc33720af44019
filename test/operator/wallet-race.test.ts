// engine: postgres
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { waitFor } from '../support/wait-for.ts'
import { chainDouble, type OperatorFixture, startOperator } from './fixture.ts'
import { addParty, someAddress } from './world.ts'

const [first, second] = [chainDouble(1), chainDouble(2)]
let api: OperatorFixture
before(async () => {
  api = await startOperator({ chains: [first.chain, second.chain] })
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

/** Holds the next call of an action on the second chain. @returns when it has come, and lets it go on */
function held(action: 'linkWallet' | 'unlinkWallet') {
  const { admin } = second.chain
  const usual = admin[action]
  const [come, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  Object.assign(admin, {
    async [action](link: never) {
      Object.assign(admin, { [action]: usual })
      come.resolve()
      await released.promise
      return await usual(link)
    },
  })
  return { come: come.promise, release: released.resolve }
}

const linksOf = (customerId: string) =>
  api.db.query('select address, chain_id from wallet_links where customer_id = $1 order by chain_id', [customerId])
const isLinked = (address: string) => [first, second].map(({ state }) => state.linked.has(address))

for (const erased of [false, true]) {
  test(`a wallet that is removed while it is being linked stays linked on no chain${erased ? ', also where its customer is erased' : ''}`, async () => {
    const [{ customerId }, address] = [await addParty(api.db), someAddress()]
    const { come, release } = held('linkWallet')
    const adding = api.call('POST', '/wallets', { customerId, address })
    await come
    const { body } = await api.call('POST', '/wallets/remove', { customerId, address })
    assert.deepEqual([body.ok, body.changed], [true, true])
    if (erased) {
      const { body: party } = await api.call('GET', `/wallets?customerId=${customerId}`)
      for (const { address: each } of party.wallets)
        await api.call('POST', '/wallets/remove', { customerId, address: each })
      const answer = await api.call('POST', `/customers/${customerId}/erase`, { reason: 'x' })
      assert.equal(answer.status, 200, JSON.stringify(answer.body))
    }
    release()
    const answer = await adding
    assert.equal(answer.status, 409)
    assert.match(answer.body.error.message, erased ? /erased/ : /was removed from .* while it was being linked/)
    assert.deepEqual(isLinked(address), [false, false])
    assert.ok(!(await linksOf(customerId)).some((link) => link.address === address))
  })
}

test('a wallet that is removed while it is being linked, and added again on one chain, stays linked on no other', async () => {
  const [{ customerId }, address] = [await addParty(api.db), someAddress()]
  const { come, release } = held('linkWallet')
  const adding = api.call('POST', '/wallets', { customerId, address })
  await come
  assert.equal((await api.call('POST', '/wallets/remove', { customerId, address })).status, 200)
  assert.equal((await api.call('POST', '/wallets', { customerId, address, chainId: 1 })).status, 200)
  release()
  assert.equal((await adding).status, 409)
  assert.deepEqual(isLinked(address), [true, false])
})

test('a wallet that is added again while it is being removed keeps what is known of its links', async () => {
  const [{ customerId }, address] = [await addParty(api.db), someAddress()]
  const add = async () => (await api.call('POST', '/wallets', { customerId, address })).status
  const remove = () => api.call('POST', '/wallets/remove', { customerId, address })
  assert.equal(await add(), 200)
  const { come, release } = held('unlinkWallet')
  const removing = remove()
  await come
  assert.equal(await add(), 200)
  release()
  const answer = await removing
  assert.equal(answer.status, 409)
  assert.match(answer.body.error.message, /was added to .* again while it was being removed/)
  assert.equal((await linksOf(customerId)).filter((link) => link.address === address).length, 2)
  assert.equal((await remove()).status, 200)
  assert.deepEqual(isLinked(address), [false, false])
  assert.ok(!(await linksOf(customerId)).some((link) => link.address === address))
})

test('a chain that cannot be reached keeps a wallet linked on no other', async () => {
  const [{ customerId }, address] = [await addParty(api.db), someAddress()]
  const call = async (path: string) => (await api.call('POST', path, { customerId, address })).status
  assert.equal(await call('/wallets'), 200)
  first.state.readable = false
  assert.equal(await call('/wallets/remove'), 502)
  assert.deepEqual(isLinked(address), [true, false])
  first.state.readable = true
  assert.equal(await call('/wallets/remove'), 200)
  assert.deepEqual(isLinked(address), [false, false])
})
