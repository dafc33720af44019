/** Four eyes in the database alone, as two requests at once meet there: what a look before the statement would hide. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Queryable } from '../../src/db/database.ts'
import { newApprovalId } from '../../src/operators/approval.ts'
import {
  decideApproval,
  endExecution,
  findApproval,
  insertApproval,
  listApprovals,
  lockWaiting,
  useApproval,
  voidApproval,
  withdrawApproval,
} from '../../src/operators/approvals.sql.ts'
import { newOperatorId } from '../../src/operators/operator.ts'
import { insertOperator } from '../../src/operators/operators.sql.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'

let db: TestDatabase
let one: string
let two: string
before(async () => {
  db = await createTestDatabase()
  one = await addOperator('Aminah')
  two = await addOperator('Bala')
})
after(() => db.close())

async function addOperator(name: string): Promise<string> {
  const operatorId = newOperatorId()
  assert.ok(await insertOperator(db, { operatorId, name, role: 'treasury', secretSha256: '0'.repeat(64) }))
  return operatorId
}

const ABOUT = { command: 'payout retry', target: 'po_1', method: 'POST', path: '/x', body: 'sb1.sealed' }
type Over = { requestedBy?: string; command?: string; target?: string }

async function waiting(over: Over = {}): Promise<string> {
  const approvalId = newApprovalId()
  assert.ok(await insertApproval(db, { ...ABOUT, requestedBy: one, requestedByName: 'x', ...over, approvalId }, 1_000))
  return approvalId
}

async function approved(): Promise<string> {
  const approvalId = await waiting()
  assert.ok(await decideApproval(db, approvalId, { status: 'approved', decidedBy: two, reason: null }))
  return approvalId
}

const expire = (approvalId: string, when = 'now()') =>
  db.query(`update approvals set expires_at = ${when} where approval_id = $1`, [approvalId])
const use = (approvalId: string, execution: string = approvalId) =>
  useApproval(db, approvalId, { execution, roles: ['compliance', 'treasury'] })
const statusOf = async (approvalId: string) => (await findApproval(db, approvalId))?.status
/** How many hours it can still be decided, or run. */
async function hoursLeft(approvalId: string): Promise<number> {
  const { expiresAt } = (await findApproval(db, approvalId)) ?? assert.fail()
  return Math.round((expiresAt.getTime() - Date.now()) / 3_600_000)
}
/** One in each state. */
async function oneOfEach() {
  const [waits, passed, rejected, used, ended] = [
    await waiting(),
    await approved(),
    await waiting(),
    await approved(),
    await approved(),
  ]
  assert.ok(await decideApproval(db, rejected, { status: 'rejected', decidedBy: two, reason: 'no' }))
  assert.equal(await use(used), 'first')
  assert.ok(await voidApproval(db, ended, 'changed'))
  return { waiting: waits, approved: passed, rejected, used, void: ended }
}

describe('what waits of somebody about the same thing', () => {
  it('is theirs, of that command and target, undecided and not expired', async () => {
    const asked = { requestedBy: one, command: 'payout retry', target: 'po_same' }
    const { target } = asked
    const same = await waiting({ target })
    await waiting({ target, requestedBy: two })
    await waiting({ target, command: 'payout refund' })
    await waiting({ target: 'po_other' })
    await expire(await waiting({ target }))
    const rejected = await waiting({ target })
    assert.ok(await withdrawApproval(db, rejected, { by: 'Bala', reason: 'no' }))
    const found = await db.transaction((tx) => lockWaiting(tx, asked))
    assert.deepEqual(found, [{ approvalId: same, body: ABOUT.body }])
  })
})

describe('a decision', () => {
  it('is made of what waits, and of nothing else', async () => {
    for (const [status, approvalId] of Object.entries(await oneOfEach())) {
      for (const decision of ['approved', 'rejected'] as const) {
        if (status === 'waiting' && decision === 'approved') continue
        const isMade = await decideApproval(db, approvalId, { status: decision, decidedBy: two, reason: null })
        assert.equal(isMade, status === 'waiting', `${status} ${decision}`)
      }
    }
  })

  it('is not made by who asked, nor after a day; and it names one request', async () => {
    const [own, late, other] = [await waiting(), await waiting(), await waiting()]
    const decide = (approvalId: string, decidedBy: string) =>
      decideApproval(db, approvalId, { status: 'approved', decidedBy, reason: null })
    assert.equal(await decide(own, one), false)
    assert.equal(await hoursLeft(late), 24)
    await expire(late)
    assert.equal(await decide(late, two), false)
    assert.equal(await decide(own, two), true)
    assert.deepEqual(
      [await statusOf(own), await statusOf(late), await statusOf(other)],
      ['approved', 'waiting', 'waiting'],
    )
  })

  it('gives another day to run it, from then on', async () => {
    const approvalId = await waiting()
    await expire(approvalId, `now() + interval '1 hour'`)
    assert.ok(await decideApproval(db, approvalId, { status: 'approved', decidedBy: two, reason: null }))
    assert.equal(await hoursLeft(approvalId), 24)
    const { isExpired, decidedAt, reason } = (await findApproval(db, approvalId)) ?? assert.fail()
    assert.deepEqual([isExpired, typeof decidedAt?.getTime(), reason], [false, 'number', null])
    const rejected = await waiting()
    assert.ok(await decideApproval(db, rejected, { status: 'rejected', decidedBy: two, reason: 'no' }))
    assert.equal((await findApproval(db, rejected))?.reason, 'no')
  })
})

it('what ends at an instant has ended then: it is not decided, used, waited for or counted', async () => {
  const [late, passed] = [await waiting({ target: 'po_late' }), await approved()]
  await db.transaction(async (tx) => {
    // now() is when the transaction began.
    await tx.query('update approvals set expires_at = now()')
    assert.equal((await findApproval(tx, late))?.isExpired, true)
    assert.equal(await decideApproval(tx, late, { status: 'approved', decidedBy: two, reason: null }), false)
    const execution = { execution: 'late', roles: ['treasury'] } as const
    assert.equal(await useApproval(tx, passed, execution), undefined)
    assert.deepEqual(await lockWaiting(tx, { ...ABOUT, target: 'po_late', requestedBy: one }), [])
    const next = { ...ABOUT, requestedBy: one, requestedByName: 'x' }
    assert.equal(await insertApproval(tx, { ...next, approvalId: newApprovalId() }, 1), true)
    assert.equal(await insertApproval(tx, { ...next, approvalId: newApprovalId() }, 1), false)
  })
})

describe('an approval is used', () => {
  it('once, by one request, and by that request again', async () => {
    const approvalId = await approved()
    assert.equal(await use(approvalId, 'run-1'), 'first')
    assert.equal(await use(approvalId, 'run-1'), 'again')
    assert.equal(await use(approvalId, 'run-2'), undefined)
    assert.equal(await use(await approved(), 'run-3'), 'first')
    assert.equal(await use(approvalId, 'run-3'), undefined)
  })

  it('only in the state of one, and not after a day', async () => {
    for (const [status, approvalId] of Object.entries(await oneOfEach())) {
      assert.equal(await use(approvalId, `of ${approvalId}`), status === 'approved' ? 'first' : undefined, status)
    }
    const late = await approved()
    await expire(late)
    assert.equal(await use(late), undefined)
  })

  it('only while who gave it is there and may decide, whoever else may', async () => {
    const [approvalId, three] = [await waiting(), await addOperator('Chong')]
    assert.ok(await decideApproval(db, approvalId, { status: 'approved', decidedBy: three, reason: null }))
    for (const change of ['disabled_at = now()', `disabled_at = null, role = 'support'`]) {
      await db.query(`update operators set ${change} where operator_id = $1`, [three])
      assert.equal(await use(approvalId), undefined, change)
    }
    await db.query(`update operators set role = 'compliance' where operator_id = $1`, [three])
    assert.equal(await use(approvalId), 'first')
  })
})

it('what was approved can become void, and nothing else; what was not run can be taken back, and nothing else', async () => {
  const isPossible = async (end: (tx: Queryable, id: string) => Promise<boolean>) =>
    Promise.all(Object.entries(await oneOfEach()).map(async ([status, id]) => ((await end(db, id)) ? [status] : [])))
  const untouched = await waiting()
  assert.deepEqual((await isPossible((tx, id) => voidApproval(tx, id, 'x'))).flat(), ['approved'])
  assert.deepEqual((await isPossible((tx, id) => withdrawApproval(tx, id, { by: 'Aminah', reason: 'x' }))).flat(), [
    'waiting',
    'approved',
  ])
  assert.equal(await statusOf(untouched), 'waiting')
  const [ended, taken] = [await approved(), await approved()]
  await voidApproval(db, ended, 'it has changed')
  await withdrawApproval(db, taken, { by: 'Aminah', reason: 'not needed' })
  const told = await Promise.all([ended, taken].map((id) => findApproval(db, id)))
  assert.deepEqual(
    told.map((each) => [each?.status, each?.reason, each?.decidedByName, each?.withdrawnByName]),
    [
      ['void', 'it has changed', 'Bala', null],
      ['withdrawn', 'not needed', 'Bala', 'Aminah'],
    ],
  )
})

it('how an execution ended is recorded of that one, and the first word counts', async () => {
  const [mine, other] = [await approved(), await approved()]
  await use(mine, 'mine')
  await use(other, 'other')
  await endExecution(db, 'mine', 'done')
  await endExecution(db, 'mine', 'failed')
  assert.deepEqual([(await findApproval(db, mine))?.outcome, (await findApproval(db, other))?.outcome], ['done', null])
})

it('a list is of one state or of all, newest first, page by page', async () => {
  const { used } = await oneOfEach()
  const ids = async (page: Partial<Parameters<typeof listApprovals>[1]>) =>
    (await listApprovals(db, { status: undefined, after: undefined, limit: 100, ...page })).map(
      (each) => each.approvalId,
    )
  const all = await ids({})
  assert.deepEqual(await ids({ after: all[1] ?? '', limit: 2 }), all.slice(2, 4))
  const inUse = await listApprovals(db, { status: 'used', after: undefined, limit: 100 })
  assert.ok(inUse.some(({ approvalId }) => approvalId === used) && inUse.every(({ status }) => status === 'used'))
})

it('a request by OPERATOR_TOKEN is of nobody, and one names who asked and who decided', async () => {
  const shared = (await findApproval(db, await waiting({ requestedBy: 'operator' }))) ?? assert.fail()
  assert.deepEqual([shared.requesterPerson, shared.isEmergency, shared.decidedByName], [null, false, null])
  const decided = (await findApproval(db, await approved())) ?? assert.fail()
  assert.deepEqual([decided.requesterPerson, decided.decidedByName, decided.requesterIssuer], [one, 'Bala', null])
})
