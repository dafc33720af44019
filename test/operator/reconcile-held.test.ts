/** An order's row that says otherwise than `order_holds` whether it is held: reconciliation names it, and commands put it right. */
// Runbook: The books differ
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { AWAITS } from '../../src/settlement/tables/queues.sql.ts'
import type { OperatorFixture } from './fixture.ts'
import { CHAIN, startOnOneChain } from './one-chain.ts'
import { addOrder, type Party } from './world.ts'

let api: OperatorFixture
let party: Party
before(async () => {
  ;({ api, party } = await startOnOneChain())
})
after(() => api.close())

async function place(referenceId: string): Promise<string> {
  await addOrder(api.db, party, { chainId: CHAIN, direction: 'MINT', state: 'created', amountMicro: 7n, referenceId })
  return `${party.integrationId}/${referenceId}`
}

/** As the owner of the tables could, or a restore of one table does. */
const mark = (referenceId: string, isHeld: boolean) =>
  api.db.query('update orders set is_held = $2 where reference_id = $1', [referenceId, isHeld])

const named = async () =>
  ((await api.call('GET', '/reconcile')).body.differences as { kind: string; message: string }[])
    .filter(({ kind }) => kind === 'order_hold')
    .map(({ message }) => message)

const awaits = async (referenceId: string) =>
  (await api.db.query(`select from orders where ${AWAITS} and reference_id = $1`, [referenceId])).length === 1

test('one that is marked as held and is not waits for ever, is named, and is let go', async () => {
  const name = await place('order-marked')
  assert.deepEqual([await named(), await awaits('order-marked')], [[], true])
  await mark('order-marked', true)
  assert.equal(await awaits('order-marked'), false)
  const [message, ...more] = await named()
  assert.deepEqual(more, [])
  assert.match(
    message ?? '',
    /\/order-marked over 0\.000007 is marked as held, but nothing holds it: .* "coin order hold \S+/,
  )
  await api.run('order', 'hold', name, '--reason', 'marked without a hold')
  assert.deepEqual([await named(), await awaits('order-marked')], [[], false])
  await api.run('order', 'release', name, '--held', 'marked without a hold', '--reason', 'fine')
  assert.deepEqual([await named(), await awaits('order-marked')], [[], true])
})

test('one that is held and not marked is named, stays out of batches, and is marked by whoever holds it again', async () => {
  const name = await place('order-held')
  await api.run('order', 'hold', name, '--reason', 'asked by the police')
  assert.deepEqual(await named(), [])
  await mark('order-held', false)
  assert.equal(await awaits('order-held'), false)
  const [message, ...more] = await named()
  assert.deepEqual(more, [])
  assert.match(message ?? '', /\/order-held over 0\.000007 is held, but not marked so: .*"coin order hold /)
  await api.run('order', 'hold', name, '--reason', 'marked again')
  assert.deepEqual([await named(), await awaits('order-held')], [[], false])
  const { holds } = await api.run('order', 'show', name)
  assert.deepEqual(
    holds.map(({ reason }: { reason: string }) => reason),
    ['asked by the police', 'marked again'],
  )
})

test('one that ended while it was held is none of these', async () => {
  const name = await place('order-ended')
  await api.run('order', 'hold', name, '--reason', 'x')
  await api.run('order', 'reject', name, '--reason', 'x')
  assert.deepEqual(await named(), [])
})
