// engine: postgres
/** A final batch that a chain has executed again with another outcome, of which nobody had said anything when the chain was gone for good. */
// Runbook: A chain is gone for good
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { violatedConstraint } from '../../src/db/database.ts'
import { acquireLease } from '../../src/leases/leases.sql.ts'
import { asRole } from '../support/database.ts'
import {
  booked,
  differences,
  loseAfter,
  requireBalances,
  seeAgain,
  sendFreeze,
  settleFrozen,
} from './executing-again.ts'
import { lookAsSettler } from './giving-up.ts'
import { endAll, lose, startLosers } from './losing.ts'
import { beginChain, nameOf } from './lost-burn.ts'
import { ALONE, CHAIN, mint } from './repairing.ts'
import { NEVER, type Stepped } from './stepped.ts'

const chain = beginChain()
const SAID = { reason: 'it was seen before' }

/** A mint is refused the second time, as a settler has seen. */
async function mintRefused(s: Stepped): Promise<string> {
  await s.round()
  const { number } = await s.head()
  const order = await settleFrozen(s, mint(1))
  await loseAfter(s, number)
  await sendFreeze(s, 1)
  await s.mine()
  await seeAgain(s)
  await requireBalances(s, { 1: 0n })
  return await nameOf(s, order)
}

const ofOrders = async (s: Stepped) => (await differences(s)).filter((each) => /outcome|_order/.test(each))

test('two people say what a settler had seen last; nothing is minted by that, and its nodes are asked once the chain is found', async (t) => {
  const s = await chain.begin({ config: ALONE })
  const name = await mintRefused(s)
  const { alone } = await lose(s, t)
  await endAll(s)
  assert.deepEqual(await ofOrders(s), [`other_outcome ${CHAIN}/1`])
  const explained = await alone(`/batches/${CHAIN}/1/explain`, SAID)
  assert.equal(explained.otherOutcome.explanation.reason, SAID.reason)
  assert.deepEqual(await ofOrders(s), [`lost_order ${name}`])
  assert.equal((await alone(`/orders/${name}/make-good`, SAID)).result, 'noted')
  assert.deepEqual(await ofOrders(s), [])
  assert.equal(await booked(s, 'coins'), -5n, 'its coin stays owed')
  const found = await startLosers(s, t, true)
  await found.byTwo('found')
  assert.deepEqual(await ofOrders(s), [`other_outcome ${CHAIN}/1`, `lost_order ${name}`])
  s.work.lease = (await acquireLease(s.db, `settlement:${CHAIN}`, 'stepped', NEVER.leaseMs)) ?? assert.fail()
  await s.forget()
  await sendFreeze(s, 1, 'unfreeze')
  await lookAsSettler(s, 3)
  const early = await found.one(`/orders/${name}/make-good`, SAID)
  assert.deepEqual(
    [early.status, /"coin batch explain \d+ ID --reason …" for that batch first/.test(early.body.error.message)],
    [409, true],
  )
  await found.alone(`/batches/${CHAIN}/1/explain`, SAID)
  await found.alone(`/orders/${name}/make-good`, SAID)
  await lookAsSettler(s, 2)
  await requireBalances(s, { 1: 5n })
  assert.deepEqual(await ofOrders(s), [])
})

test('what was approved while nodes were to say it is not said by what a settler had seen alone', async (t) => {
  const s = await chain.begin({ config: ALONE })
  await mintRefused(s)
  const before = await startLosers(s, t, true)
  const asked = await before.one(`/batches/${CHAIN}/1/explain`, SAID)
  const { approvalId } = asked.body
  assert.equal((await before.approve(approvalId)).status, 200)
  await lose(s, t)
  const done = await before.one(`/batches/${CHAIN}/1/explain`, SAID, { 'x-approval': approvalId })
  assert.equal(done.status, 409, JSON.stringify(done.body))
  assert.match(done.body.error.message, /changed/)
})

test('of a lost chain no settler’s login says that it has done anything else than was seen before', async (t) => {
  const s = await chain.begin({ config: ALONE })
  await mintRefused(s)
  await lose(s, t)
  const db = await asRole(s.db, 'settler')
  const refused = (text: string, constraint = 'batch_outcomes_seen') =>
    assert.rejects(db.query(text), (error) => violatedConstraint(error) === constraint)
  await refused(`update batch_outcomes set executed = '{0}' where chain_id = ${CHAIN}`, 'batch_outcomes_of_lost')
  await refused(`delete from batch_outcomes where chain_id = ${CHAIN}`, 'batch_outcomes_of_lost')
  await s.db.query(`delete from batch_outcomes where chain_id = ${CHAIN}`)
  await refused(`insert into batch_outcomes (chain_id, batch_id, executed) values (${CHAIN}, 1, '{}')`)
  await db.close()
})
