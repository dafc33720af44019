// engine: both
/** What is written about a batch of others past the service, with an operators' database login, is named: it lowers what the proof of reserves owes. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, it } from 'node:test'
import { readExpectedSupply } from '../../src/operator/reconcile/findings.sql.ts'
import { findForeign } from '../../src/operator/reconcile/foreign.ts'
import { readMissing } from '../../src/reserves/proofs.sql.ts'
import { someBatchId } from '../support/batch-rows.ts'
import { type Pairs, startPairs } from './approval-pairs.ts'
import { addBatch, someAddress } from './world.ts'

const CHAIN = 31_337
let pairs: Pairs
let batchId: bigint
before(async () => {
  pairs = await startPairs()
})
after(() => pairs.close())
beforeEach(async () => {
  batchId = someBatchId()
  await addBatch(pairs.db, { chainId: CHAIN, batchId, status: 'final', isForeign: true })
  await pairs.db.query(
    `insert into foreign_instructions (chain_id, batch_id, instruction_index, tag, direction, wallet_address, debit_address, amount_micro, succeeded)
     values ($1, $2, 0, '0x0000000000000001', 'REDEEM', $3, $3, 7000000, true)`,
    [CHAIN, batchId, someAddress()],
  )
})

const named = async () =>
  (await findForeign(pairs.db))
    .filter(({ subject }) => subject === `${CHAIN}/${batchId}`)
    .map(({ kind, message }) => `${kind}: ${message}`)
const plant = async (reason = 'a test', givesUp = false) =>
  void (await pairs.db.query(
    'insert into batch_explanations (chain_id, batch_id, reason, gives_up) values ($1, $2, $3, $4)',
    [CHAIN, batchId, reason, givesUp],
  ))
const path = () => `/batches/${CHAIN}/${batchId}/explain`

/** As two people do it. */
async function explain(reason = 'a test'): Promise<string> {
  const [one, two] = pairs.pairOf('treasury')
  const { approvalId } = (await one.call('POST', path(), { reason })).body
  assert.equal((await two.call('POST', `/approvals/${approvalId}/approve`, {})).status, 200)
  assert.equal((await one.call('POST', path(), { reason }, { 'x-approval': approvalId })).status, 200)
  return approvalId
}

it('what two people have said is not named', async () => {
  await explain()
  assert.deepEqual(await named(), [])
})

it('what nobody has said ends what the proof owes, and is named', async () => {
  const owed = await readMissing(pairs.db)
  await plant('looks right')
  assert.equal(await readMissing(pairs.db), owed - 7_000_000n)
  const [found = '', ...rest] = await named()
  assert.match(found, /^unasked_explanation: .*"looks right".*no command in the audit log/)
  assert.deepEqual(rest, [])
})

it('nor is a batch given up by what nobody has said', async () => {
  await plant('lost', true)
  const [batch = '', explanation = ''] = await named()
  assert.match(explanation, /^unasked_explanation: .*is given up \("lost"\)/)
  // Given up, it is not explained.
  assert.match(batch, /^foreign_batch: .*7 burnt from .*It is given up/)
})

it('what a batch has burnt that is only given up is not expected of the chain, which has lost it', async () => {
  const beside = async () => {
    const { expectedMicro = 0n, bookedMicro = 0n } = (await readExpectedSupply(pairs.db, CHAIN)) ?? {}
    return expectedMicro - bookedMicro
  }
  const before = await beside()
  await plant('lost', true)
  assert.equal(await beside(), before)
  await pairs.db.query('update batch_explanations set gives_up = false where batch_id = $1', [batchId])
  assert.equal(await beside(), before - 7_000_000n)
})

it('what two people have said is named once somebody has changed it', async () => {
  await explain()
  const change = (set: string) => pairs.db.query(`update batch_explanations set ${set} where batch_id = ${batchId}`)
  for (const [set, back] of [
    [`reason = 'another one'`, `reason = 'a test'`],
    ['gives_up = true', 'gives_up = false'],
    [
      `explained_at = explained_at + interval '1 microsecond'`,
      `explained_at = explained_at - interval '1 microsecond'`,
    ],
  ] as const) {
    await change(set)
    assert.match((await named()).join('\n'), /unasked_explanation/, set)
    await change(back)
    assert.deepEqual(await named(), [], back)
  }
})

it('an entry of the audit log that names no approval of that, or one of something else, stands for nothing', async () => {
  const approvalId = await explain('of another batch')
  batchId = someBatchId()
  await addBatch(pairs.db, { chainId: CHAIN, batchId, status: 'final', isForeign: true })
  await pairs.db.transaction(async (tx) => {
    await tx.query(`insert into batch_explanations (chain_id, batch_id, reason) values ($1, $2, 'x')`, [CHAIN, batchId])
    await tx.query(
      `insert into audit_log (actor, origin, action, target, details) values ('Aminah', '::1', 'batch.explain', $1, $2::text::jsonb)`,
      [`${CHAIN}/${batchId}`, JSON.stringify({ reason: 'x', notOrder: null, approvalId })],
    )
  })
  assert.match((await named()).join('\n'), /unasked_explanation: .*nobody has approved/)
})

it('one person alone may say so in a sandbox, and live only where four eyes were switched off before', async () => {
  const say = () =>
    pairs.db.transaction(async (tx) => {
      await tx.query(`insert into batch_explanations (chain_id, batch_id, reason) values ($1, $2, 'x')`, [
        CHAIN,
        batchId,
      ])
      await tx.query(
        `insert into audit_log (actor, origin, action, target, details) values ('Aminah', '::1', 'batch.explain', $1, '{"reason": "x"}')`,
        [`${CHAIN}/${batchId}`],
      )
    })
  await say()
  assert.deepEqual(await named(), [])
  await pairs.db.query(`insert into database_environment (environment) values ('live')`)
  assert.match((await named()).join('\n'), /unasked_explanation: .*nobody has approved/)
  await pairs.db.query(
    `insert into audit_log (actor, origin, action, target) values ('service', 'host', 'service.without-four-eyes', null)`,
  )
  assert.match((await named()).join('\n'), /nobody has approved/, 'not what was said before')
  await pairs.db.query('delete from batch_explanations')
  await say()
  assert.deepEqual(await named(), [])
})
