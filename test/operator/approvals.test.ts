// engine: postgres
/** Four eyes: asked for once, decided once by somebody else, executed once, exactly as approved. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { DatabaseUnavailableError, type Queryable } from '../../src/db/database.ts'
import { lockSubject } from '../../src/operator/subjects.sql.ts'
import { waitFor } from '../support/wait-for.ts'
import { createApproving, NEW_ACCOUNT, pathOf, under } from './approving.ts'
import { type Person, startOperator } from './fixture.ts'
import { addCustomer, someAddress } from './world.ts'

const a = createApproving()
before(() => a.begin())
after(() => a.end())
const { people, double, asked, approved, accountOf, statusOf, isSomebodyWaiting, newCustomer } = a

describe('a bank account that is changed', () => {
  it('waits, and nothing changes until the requester runs what somebody else approved', async () => {
    const [customerId, other] = [await newCustomer(), await newCustomer()]
    const approvalId = await asked(customerId)
    assert.equal(await accountOf(customerId), '1234567890')
    const early = await people.one.call('POST', pathOf(customerId), NEW_ACCOUNT, under(approvalId))
    assert.match(early.body.error.message, /still waits/)
    const { approvals } = (await people.viewer.call('GET', '/approvals?status=waiting')).body
    const [listed] = approvals
    assert.deepEqual(
      [listed.approvalId, listed.command, listed.target, listed.requestedBy, listed.status],
      [approvalId, 'customer set', customerId, 'Aminah', 'waiting'],
    )
    const approval = await people.two.call('POST', `/approvals/${approvalId}/approve`, {})
    assert.equal(approval.body.status, 'approved')
    assert.equal(await accountOf(customerId), '1234567890', 'approving executes nothing')
    const run = await people.one.call('POST', pathOf(customerId), NEW_ACCOUNT, under(approvalId))
    assert.equal(run.status, 200, JSON.stringify(run.body))
    assert.equal(await accountOf(customerId), '999988887777')
    assert.equal(await accountOf(other), '1234567890')
    const again = await people.one.call('POST', pathOf(customerId), NEW_ACCOUNT, under(approvalId))
    assert.equal(again.status, 409)
    assert.match(again.body.error.message, /was used/)
    const { approval: whole } = (await people.two.call('GET', `/approvals/${approvalId}`)).body
    assert.deepEqual([whole.status, whole.outcome, whole.decidedBy], ['used', 'done', 'Bala'])
    const [line] = (await people.viewer.call('GET', `/audit?target=${customerId}`)).body.entries
    assert.deepEqual([line.action, line.actor, line.details.approvalId], ['customer.set', 'Aminah', approvalId])
    assert.deepEqual(whole.request.body, NEW_ACCOUNT)
    const { entries } = (await people.viewer.call('GET', `/audit?target=${approvalId}`)).body
    assert.deepEqual(
      entries.map(({ action, actor }: Record<string, string>) => `${actor} ${action}`),
      ['Bala approval.show', 'Bala approval.approve', 'Aminah approval.request'],
    )
  })

  it('is void for whoever would approve it once the customer was changed, rejected as before, and asked for anew', async () => {
    const change = (customerId: string) =>
      a.db.query(`update customers set verification_level = 'TIER_9' where customer_id = $1`, [customerId])
    const customerId = await newCustomer()
    const approvalId = await asked(customerId)
    await change(customerId)
    const { status, body } = await people.two.call('POST', `/approvals/${approvalId}/approve`, {})
    assert.equal(status, 409)
    const void_ = `${approvalId} is void: what it concerns has changed since it was asked for.`
    assert.equal(body.error.message, `${void_} Aminah can ask again.`)
    const { approval } = (await people.two.call('GET', `/approvals/${approvalId}`)).body
    assert.deepEqual([approval.status, approval.decidedBy], ['void', 'Bala'])
    const { entries } = (await people.viewer.call('GET', `/audit?target=${approvalId}`)).body
    const told = entries.map(({ action, actor }: Record<string, string>) => `${actor} ${action}`)
    assert.deepEqual(told.slice(1), ['Bala approval.void', 'Aminah approval.request'])
    const run = await people.one.call('POST', pathOf(customerId), NEW_ACCOUNT, under(approvalId))
    assert.equal(run.body.error.message, `${void_} Ask again, without --approval.`)
    assert.notEqual(await approved(customerId), approvalId)
    const other = await newCustomer()
    const unwanted = await asked(other)
    await change(other)
    const rejected = await people.two.call('POST', `/approvals/${unwanted}/reject`, { reason: 'no' })
    assert.equal(rejected.body.status, 'rejected')
  })

  it('is taken back by nobody without a name', async () => {
    const approvalId = await asked(await newCustomer())
    const refused = await a.api.call('POST', `/approvals/${approvalId}/reject`, { reason: 'no' })
    assert.equal(refused.status, 409, JSON.stringify(refused.body))
    assert.match(refused.body.error.message, /belongs to nobody, so it decides nothing/)
    assert.equal(await statusOf(approvalId), 'waiting')
  })

  it('that was taken back is not said to be rejected by who approved it, or by nobody', async () => {
    for (const [isApproved, taker] of [
      [false, people.one],
      [true, people.one],
      [true, people.two],
    ] as const) {
      const customerId = await newCustomer()
      const approvalId = isApproved ? await approved(customerId) : await asked(customerId)
      const taken = await taker.call('POST', `/approvals/${approvalId}/reject`, { reason: 'the form was wrong' })
      assert.equal(taken.body.status, 'withdrawn', JSON.stringify(taken.body))
      const run = await people.one.call('POST', pathOf(customerId), NEW_ACCOUNT, under(approvalId))
      assert.equal(run.body.error.message, `${approvalId} was taken back by ${taker.name}: the form was wrong.`)
      const { approval } = (await people.three.call('GET', `/approvals/${approvalId}`)).body
      assert.deepEqual(
        [approval.status, approval.decidedBy, approval.withdrawnBy, approval.reason],
        ['withdrawn', isApproved ? 'Bala' : null, taker.name, 'the form was wrong'],
      )
      const listed = (await people.viewer.call('GET', '/approvals?status=rejected&limit=500')).body.approvals
      assert.ok(listed.every((each: { approvalId: string }) => each.approvalId !== approvalId))
    }
  })

  it('is not asked for without a name, as nobody could approve it', async () => {
    const refused = await a.api.call('POST', pathOf(await newCustomer()), NEW_ACCOUNT)
    assert.equal(refused.status, 409, JSON.stringify(refused.body))
    assert.match(refused.body.error.message, /"coin customer set" waits for a second person.*use a token of your own/)
    const [row] = await a.db.query<{ n: bigint }>(`select count(*) as n from approvals where requested_by = 'operator'`)
    assert.equal(row?.n, 0n)
  })

  it('is approved by nobody who asked, by no other role, by nobody without a name, and by nobody twice', async () => {
    const approvalId = await asked(await newCustomer())
    const approve = async (person: Pick<Person, 'call'>) =>
      await person.call('POST', `/approvals/${approvalId}/approve`, {})
    assert.match((await approve(people.one)).body.error.message, /somebody else decides/)
    assert.match((await approve(people.treasurer)).body.error.message, /Only who may run "coin customer set"/)
    assert.equal((await approve(people.viewer)).status, 403)
    const shared = await a.api.call('POST', `/approvals/${approvalId}/approve`, {})
    assert.match(shared.body.error.message, /belongs to nobody/)
    assert.equal(await statusOf(approvalId), 'waiting')
    assert.equal((await approve(people.two)).status, 200)
    assert.equal((await approve(people.three)).status, 409)
  })

  it('is run by nobody but the requester, and only as it was approved', async () => {
    const [customerId, other] = [await newCustomer(), await newCustomer()]
    const approvalId = await approved(customerId)
    const tries: [Person, string, object][] = [
      [people.two, pathOf(customerId), NEW_ACCOUNT],
      [people.one, pathOf(other), NEW_ACCOUNT],
      [people.one, pathOf(customerId), { ...NEW_ACCOUNT, bankAccount: '111122223333' }],
      [people.one, pathOf(customerId), { ...NEW_ACCOUNT, monthlyCap: '1' }],
      [people.one, pathOf(customerId).replace('/set', '/%73et'), NEW_ACCOUNT],
    ]
    for (const [person, target, body] of tries) {
      assert.equal((await person.call('POST', target, body, under(approvalId))).status, 409)
    }
    assert.equal((await people.one.call('POST', pathOf(customerId), NEW_ACCOUNT, under('apr_none'))).status, 404)
    assert.equal(await accountOf(customerId), '1234567890')
    const reordered = Object.fromEntries(Object.entries(NEW_ACCOUNT).reverse())
    assert.equal((await people.one.call('POST', pathOf(customerId), reordered, under(approvalId))).status, 200)
  })

  it('is void when the customer changed meanwhile, and says so', async () => {
    const customerId = await newCustomer()
    const [stale, first] = [await approved(customerId, { ...NEW_ACCOUNT, bankName: 'B' }), await approved(customerId)]
    assert.equal((await people.one.call('POST', pathOf(customerId), NEW_ACCOUNT, under(first))).status, 200)
    const late = await people.one.call('POST', pathOf(customerId), { ...NEW_ACCOUNT, bankName: 'B' }, under(stale))
    assert.equal(late.status, 409)
    assert.match(late.body.error.message, /is void: what it concerns has changed/)
    assert.equal(await statusOf(stale), 'void')
    const { entries } = (await people.viewer.call('GET', `/audit?target=${stale}`)).body
    assert.deepEqual([entries[0].actor, entries[0].action], ['Aminah', 'approval.void'])
    assert.equal(await accountOf(customerId), '999988887777')
  })

  it('is not run after a day, after its rejection, or when who approved it was disabled since', async () => {
    const customerId = await newCustomer()
    const run = (approvalId: string) => people.one.call('POST', pathOf(customerId), NEW_ACCOUNT, under(approvalId))
    const old = await approved(customerId)
    await a.db.query(`update approvals set expires_at = now() where approval_id = $1`, [old])
    assert.match((await run(old)).body.error.message, /has expired/)
    assert.equal(await statusOf(old), 'expired')
    const undecided = await asked(customerId)
    await a.db.query(`update approvals set expires_at = now() where approval_id = $1`, [undecided])
    assert.equal((await people.two.call('POST', `/approvals/${undecided}/approve`, {})).status, 409)
    const rejected = await asked(customerId)
    const reason = { reason: 'Who is that?' }
    assert.equal((await people.two.call('POST', `/approvals/${rejected}/reject`, reason)).body.status, 'rejected')
    assert.match((await run(rejected)).body.error.message, /rejected by Bala: Who is that/)
    const regretted = await approved(customerId)
    assert.equal((await people.two.call('POST', `/approvals/${regretted}/reject`, reason)).status, 200)
    assert.equal((await run(regretted)).status, 409)
    const byThree = await asked(customerId)
    await people.three.call('POST', `/approvals/${byThree}/approve`, { reason: 'they called' })
    await a.db.query('update operators set disabled_at = now() where operator_id = $1', [people.three.operatorId])
    assert.match(
      (await run(byThree)).body.error.message,
      /cannot be used any more: .*, who approved it, has left or may not decide about it any more\. Ask again, without --approval/,
    )
    assert.equal(await statusOf(byThree), 'void')
    const { body: seen } = await people.two.call('GET', `/approvals/${byThree}`)
    assert.match(seen.approval.reason, /, who approved it, has left/)
    await a.db.query('update operators set disabled_at = null where operator_id = $1', [people.three.operatorId])
    assert.equal(await statusOf(byThree), 'approved')
    assert.equal(await accountOf(customerId), '1234567890')
  })

  it('shows what was said with the request, and with its approval', async () => {
    const customerId = await newCustomer()
    const { approvalId } = (await people.one.call('POST', pathOf(customerId), { ...NEW_ACCOUNT, reason: 'a letter' }))
      .body
    const approve = await people.two.call('POST', `/approvals/${approvalId}/approve`, { reason: 'I rang the customer' })
    assert.equal(approve.status, 200, JSON.stringify(approve.body))
    const { approval } = (await people.one.call('GET', `/approvals/${approvalId}`)).body
    assert.deepEqual([approval.request.body.reason, approval.reason], ['a letter', 'I rang the customer'])
    const { entries } = (await people.viewer.call('GET', `/audit?target=${approvalId}`)).body
    const [entry] = entries.filter(({ action }: { action: string }) => action === 'approval.approve')
    assert.equal(entry.details.reason, 'I rang the customer')
  })

  it('is not shown as if it waited or could be run once who asked for it has left', async () => {
    const ids = [await asked(await newCustomer()), await approved(await newCustomer())]
    const waitingNow = async () => (await people.viewer.call('GET', '/overview')).body.alarms.approvalsWaiting as number
    const before = await waitingNow()
    const set = (to: 'now()' | 'null') =>
      a.db.query(`update operators set disabled_at = ${to} where operator_id = $1`, [people.one.operatorId])
    await set('now()')
    const shown = [await statusOf(ids[0] ?? ''), await statusOf(ids[1] ?? '')]
    const { body } = await people.two.call('GET', `/approvals/${ids[0]}`)
    const others = await waitingNow()
    await set('null')
    assert.deepEqual(shown, ['void', 'void'])
    assert.equal(body.approval.reason, 'Aminah, who asked for it, has left')
    assert.ok(others < before, `${others} of ${before}`)
    assert.deepEqual([await statusOf(ids[0] ?? ''), await statusOf(ids[1] ?? '')], ['waiting', 'approved'])
  })

  it('is not run while who approved it has another role than those that may decide about it', async () => {
    const customerId = await newCustomer()
    const approvalId = await asked(customerId)
    await people.three.call('POST', `/approvals/${approvalId}/approve`, {})
    const run = () => people.one.call('POST', pathOf(customerId), NEW_ACCOUNT, under(approvalId))
    const [before] = await a.db.query<{ role: string }>('select role from operators where operator_id = $1', [
      people.three.operatorId,
    ])
    const give = (role: string) =>
      a.db.query('update operators set role = $2 where operator_id = $1', [people.three.operatorId, role])
    await give('viewer')
    assert.match(
      (await run()).body.error.message,
      /cannot be used any more: .*, who approved it, has left or may not decide about it any more\. Ask again, without --approval/,
    )
    assert.equal(await accountOf(customerId), '1234567890')
    assert.equal(await statusOf(approvalId), 'void')
    await give(before?.role ?? '')
    assert.equal((await run()).status, 200)
  })

  it('stays approved when the act fails as a whole, and can then be run', async () => {
    const customerId = await newCustomer()
    const approvalId = await approved(customerId)
    await a.db.query(`alter table audit_log add constraint nothing check (action <> 'customer.set') not valid`)
    assert.equal((await people.one.call('POST', pathOf(customerId), NEW_ACCOUNT, under(approvalId))).status, 500)
    await a.db.query('alter table audit_log drop constraint nothing')
    assert.equal(await statusOf(approvalId), 'approved')
    assert.equal((await people.one.call('POST', pathOf(customerId), NEW_ACCOUNT, under(approvalId))).status, 200)
  })
})

describe('at the same time', () => {
  it('two who approve decide once, and two runs execute once', async () => {
    for (let round = 0; round < 3; round++) {
      const customerId = await newCustomer()
      const approvalId = await asked(customerId)
      const path = `/approvals/${approvalId}/approve`
      const decisions = await Promise.all([people.two.call('POST', path, {}), people.three.call('POST', path, {})])
      assert.deepEqual(decisions.map(({ status }) => status).sort(), [200, 409])
      const runs = await Promise.all(
        Array.from({ length: 4 }, () => people.one.call('POST', pathOf(customerId), NEW_ACCOUNT, under(approvalId))),
      )
      assert.deepEqual(runs.map(({ status }) => status).sort(), [200, 409, 409, 409])
      const { entries } = (await people.viewer.call('GET', `/audit?target=${customerId}`)).body
      assert.equal(entries.length, 1)
    }
  })

  it('a change and a run that it makes void do not both happen', async () => {
    for (let round = 0; round < 3; round++) {
      const customerId = await newCustomer()
      const approvalId = await approved(customerId)
      const [run, change] = await Promise.all([
        people.one.call('POST', pathOf(customerId), NEW_ACCOUNT, under(approvalId)),
        people.two.call('POST', pathOf(customerId), { status: 'SUSPENDED' }),
      ])
      assert.equal(change.status, 200, 'stopping waits for nobody')
      const { entries } = (await people.viewer.call('GET', `/audit?target=${customerId}`)).body
      const actors = entries.map(({ actor }: { actor: string }) => actor)
      // Newest first: had the change come first, the run would be void.
      assert.deepEqual(actors, run.status === 200 ? ['Bala', 'Aminah'] : ['Bala'])
    }
  })
})

describe('what needs nobody else when it is asked for, and does when it is carried out', () => {
  const changes: [string, object, string][] = [
    ['a cap that was lowered', { monthlyCap: '400000' }, 'monthly_cap_micro = 1000000'],
    ['a customer who became non-resident', { resident: true }, 'is_resident = false'],
  ]
  for (const [what, body, change] of changes) {
    it(`is not carried out: ${what}`, async () => {
      const customerId = await newCustomer()
      const read = () =>
        a.db.query('select monthly_cap_micro, is_resident from customers where customer_id = $1', [customerId])
      let late: ReturnType<Person['call']> | undefined
      await a.db.transaction(async (tx) => {
        await lockSubject(tx, `customer ${customerId}`)
        late = people.one.call('POST', pathOf(customerId), body)
        await waitFor('the command to wait for its turn', isSomebodyWaiting)
        await tx.query(`update customers set ${change} where customer_id = $1`, [customerId])
      })
      const before = await read()
      const answer = await late
      assert.equal(answer?.status, 409, JSON.stringify(answer?.body))
      assert.match(answer?.body.error.message ?? '', /waits for somebody else now/)
      assert.deepEqual(await read(), before)
      assert.equal((await people.one.call('POST', pathOf(customerId), body)).status, 202)
    })
  }
})

describe('a process that dies in between', () => {
  it('leaves the approval used up, and says that nobody knows how it ended', async () => {
    const { customerId } = await addCustomer(a.db, a.party.integrationId)
    const body = { customerId, address: someAddress() }
    const asking = await people.one.call('POST', '/wallets', body)
    const { approvalId } = asking.body
    assert.equal((await people.two.call('POST', `/approvals/${approvalId}/approve`, {})).status, 200)
    const linkWallet = double.chain.admin.linkWallet
    const { promise, resolve } = Promise.withResolvers<undefined>()
    let begun = 0
    Object.assign(double.chain.admin, {
      linkWallet() {
        begun += 1
        return promise
      },
    })
    const dying = people.one.call('POST', '/wallets', body, under(approvalId))
    await waitFor('the link to begin', () => begun > 0)
    const second = await people.one.call('POST', '/wallets', body, under(approvalId))
    assert.equal(second.status, 409)
    assert.match(
      second.body.error.message,
      /nobody knows how it ended\)\. In the audit log it has left “wallet\.add\.begun” of cus_/,
    )
    assert.equal(begun, 1)
    Object.assign(double.chain.admin, { linkWallet })
    resolve(undefined)
    await dying
  })
})

it('an execution that began and failed says so, and has used the approval up', async () => {
  const { customerId } = await addCustomer(a.db, a.party.integrationId)
  const body = { customerId, address: someAddress() }
  const { approvalId } = (await people.one.call('POST', '/wallets', body)).body
  assert.equal((await people.two.call('POST', `/approvals/${approvalId}/approve`, {})).status, 200)
  double.state.failLinks = 1
  const failed = await people.one.call('POST', '/wallets', body, under(approvalId))
  const { approval } = (await people.two.call('GET', `/approvals/${approvalId}`)).body
  assert.deepEqual([failed.body.ok, approval.status], [false, 'used'])
  assert.match(approval.outcome, /^failed/)
})

it('an execution whose commit was carried out and not answered is not called failed', async () => {
  const customerId = await newCustomer()
  const approvalId = await approved(customerId)
  let loses = true
  const db = {
    ...a.db,
    async transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T> {
      const result = await a.db.transaction(work)
      if (loses) throw new DatabaseUnavailableError('the connection was lost')
      return result
    },
  }
  const api = await startOperator({ db, chains: [double.chain], fourEyes: true })
  const run = () =>
    api.call('POST', pathOf(customerId), NEW_ACCOUNT, {
      authorization: `Bearer ${people.one.token}`,
      ...under(approvalId),
    })
  assert.equal((await run()).status, 503)
  loses = false
  const again = await run()
  await api.close()
  assert.equal(await accountOf(customerId), NEW_ACCOUNT.bankAccount)
  const { approval } = (await people.two.call('GET', `/approvals/${approvalId}`)).body
  assert.deepEqual([approval.status, approval.outcome], ['used', null])
  const said = `nobody knows how it ended). In the audit log it has left “customer.set” of ${customerId}.`
  assert.ok(again.body.error.message.includes(said), again.body.error.message)
})
