/** Actions on several chains: what of their failures is logged, beside being told. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { KeyMissingError } from '../../src/chain/admin.ts'
import { chainDouble, type OperatorFixture, startOperator } from './fixture.ts'

const [here, there] = [chainDouble(1), chainDouble(2)]
let api: OperatorFixture
before(async () => {
  api = await startOperator({ chains: [here.chain, there.chain] })
})
after(() => api.close())

const failuresLogged = () => api.log.filter((line) => line.includes('operator action failed'))

test('a chain that cannot be reached is logged as an error, a refusal that was told is not', async () => {
  Object.assign(there.chain.admin, { freeze: () => Promise.reject(new KeyMissingError('freezer', 2)) })
  const address = `0x${'1'.repeat(40)}`
  const refused = await api.call('POST', '/wallets/freeze', { address })
  assert.deepEqual(
    [refused.body.ok, refused.body.chains?.map(({ ok }: { ok: boolean }) => ok)],
    [false, [true, false]],
    JSON.stringify(refused.body),
  )
  assert.deepEqual(failuresLogged(), [])

  there.state.readable = false
  const failed = await api.call('POST', '/chains/pause', {})
  assert.deepEqual(
    failed.body.chains.map(({ ok }: { ok: boolean }) => ok),
    [true, false],
  )
  const [line, ...more] = failuresLogged()
  assert.deepEqual(more, [])
  const { level, chainId, action } = JSON.parse(line ?? '')
  assert.deepEqual([level, chainId, action], [50, 2, 'chain.pause'])
})

test('what a holder is asked to sign is valid for a week from now', async () => {
  const { integrationId } = (await api.call('POST', '/integrations', { name: 'Acme' })).body
  const customer = { integrationId, type: 'RETAIL', status: 'VERIFIED', level: 'TIER_2', country: 'MY' }
  const { customerId } = (await api.call('POST', '/customers', customer)).body
  const from = Math.floor(Date.now() / 1000)
  const asked = { customerId, address: `0x${'1'.repeat(40)}`, chainId: 1 }
  const { body } = await api.call('POST', '/wallets/consent', asked)
  const seconds = Number(body.typedData.message.deadline) - 604_800
  assert.ok(seconds >= from - 60 && seconds <= Date.now() / 1000 + 60, JSON.stringify(body))
})
