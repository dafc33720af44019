// engine: postgres
/** Four eyes: asked for once, decided once by somebody else, executed once, exactly as approved. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { lockSubject } from '../../src/operator/subjects.sql.ts'
import { bankOf } from '../support/bank-details.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { waitFor } from '../support/wait-for.ts'
import { chainDouble, type OperatorFixture, type Person, startOperator } from './fixture.ts'
import { addCustomer, addParty, type Party, someAddress } from './world.ts'

let db: TestDatabase
let api: OperatorFixture
let party: Party
const double = chainDouble(31_337)
const people = {} as Record<'one' | 'two' | 'three' | 'treasurer' | 'viewer' | 'officer' | 'admin', Person>
before(async () => {
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
})
after(async () => {
  await api.close()
  await db.close()
})

const NEW_ACCOUNT = { bankBic: 'CIBBMYKL', bankAccount: '999988887777', bankName: 'A Thief' }
const pathOf = (customerId: string) => `/customers/${customerId}/set`
const under = (approvalId: string) => ({ 'x-approval': approvalId })

async function asked(customerId: string, body: object = NEW_ACCOUNT, person = people.one): Promise<string> {
  const answer = await person.call('POST', pathOf(customerId), body)
  assert.equal(answer.status, 202, JSON.stringify(answer.body))
  assert.deepEqual(Object.keys(answer.body).sort(), ['approvalId', 'ok', 'status'])
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

describe('a person who is let in', () => {
  it('is asked for once: nobody is asked to approve a name that somebody has', async () => {
    const add = (name: string) => people.admin.call('POST', '/operators', { name, role: 'viewer' })
    assert.equal((await add('Farid')).status, 202)
    for (const name of ['Bala', 'bala', 'Ｂala']) {
      const { status, body } = await add(name)
      assert.equal(status, 409, name)
      assert.match(body.error.message, /^Somebody is or was called Bala: choose another name\.$/)
    }
  })
})

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
      db.query(`update customers set verification_level = 'TIER_9' where customer_id = $1`, [customerId])
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
    const refused = await api.call('POST', `/approvals/${approvalId}/reject`, { reason: 'no' })
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
    const refused = await api.call('POST', pathOf(await newCustomer()), NEW_ACCOUNT)
    assert.equal(refused.status, 409, JSON.stringify(refused.body))
    assert.match(refused.body.error.message, /"customer set" waits for a second person.*use a token of your own/)
    const [row] = await db.query<{ n: bigint }>(`select count(*) as n from approvals where requested_by = 'operator'`)
    assert.equal(row?.n, 0n)
  })

  it('is approved by nobody who asked, by no other role, by nobody without a name, and by nobody twice', async () => {
    const approvalId = await asked(await newCustomer())
    const approve = async (person: Pick<Person, 'call'>) =>
      await person.call('POST', `/approvals/${approvalId}/approve`, {})
    assert.match((await approve(people.one)).body.error.message, /somebody else decides/)
    assert.match((await approve(people.treasurer)).body.error.message, /Only who may run "customer set"/)
    assert.equal((await approve(people.viewer)).status, 403)
    const shared = await api.call('POST', `/approvals/${approvalId}/approve`, {})
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
      [people.one, `${pathOf(customerId)}?x=1`, NEW_ACCOUNT],
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
    await db.query(`update approvals set expires_at = now() where approval_id = $1`, [old])
    assert.match((await run(old)).body.error.message, /has expired/)
    assert.equal(await statusOf(old), 'expired')
    const undecided = await asked(customerId)
    await db.query(`update approvals set expires_at = now() where approval_id = $1`, [undecided])
    assert.equal((await people.two.call('POST', `/approvals/${undecided}/approve`, {})).status, 409)
    const rejected = await asked(customerId)
    const reason = { reason: 'Who is that?' }
    assert.equal((await people.two.call('POST', `/approvals/${rejected}/reject`, reason)).body.status, 'rejected')
    assert.match((await run(rejected)).body.error.message, /rejected by Bala: Who is that/)
    const regretted = await approved(customerId)
    assert.equal((await people.two.call('POST', `/approvals/${regretted}/reject`, reason)).status, 200)
    assert.equal((await run(regretted)).status, 409)
    const byThree = await asked(customerId)
    await people.three.call('POST', `/approvals/${byThree}/approve`, {})
    await db.query('update operators set disabled_at = now() where operator_id = $1', [people.three.operatorId])
    assert.match((await run(byThree)).body.error.message, /cannot be used any more/)
    await db.query('update operators set disabled_at = null where operator_id = $1', [people.three.operatorId])
    assert.equal(await accountOf(customerId), '1234567890')
  })

  it('is not run while who approved it has another role than those that may decide about it', async () => {
    const customerId = await newCustomer()
    const approvalId = await asked(customerId)
    await people.three.call('POST', `/approvals/${approvalId}/approve`, {})
    const run = () => people.one.call('POST', pathOf(customerId), NEW_ACCOUNT, under(approvalId))
    const [before] = await db.query<{ role: string }>('select role from operators where operator_id = $1', [
      people.three.operatorId,
    ])
    const give = (role: string) =>
      db.query('update operators set role = $2 where operator_id = $1', [people.three.operatorId, role])
    await give('viewer')
    assert.match((await run()).body.error.message, /cannot be used any more/)
    assert.equal(await accountOf(customerId), '1234567890')
    await give(before?.role ?? '')
    assert.equal((await run()).status, 200)
  })

  it('stays approved when the act fails as a whole, and can then be run', async () => {
    const customerId = await newCustomer()
    const approvalId = await approved(customerId)
    await db.query(`alter table audit_log add constraint nothing check (action <> 'customer.set') not valid`)
    assert.equal((await people.one.call('POST', pathOf(customerId), NEW_ACCOUNT, under(approvalId))).status, 500)
    await db.query('alter table audit_log drop constraint nothing')
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
        db.query('select monthly_cap_micro, is_resident from customers where customer_id = $1', [customerId])
      let late: ReturnType<Person['call']> | undefined
      await db.transaction(async (tx) => {
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
    const { customerId } = await addCustomer(db, party.integrationId)
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
    assert.match(second.body.error.message, /nobody knows how it ended/)
    assert.equal(begun, 1)
    Object.assign(double.chain.admin, { linkWallet })
    resolve(undefined)
    await dying
  })
})

it('an execution that began and failed says so, and has used the approval up', async () => {
  const { customerId } = await addCustomer(db, party.integrationId)
  const body = { customerId, address: someAddress() }
  const { approvalId } = (await people.one.call('POST', '/wallets', body)).body
  assert.equal((await people.two.call('POST', `/approvals/${approvalId}/approve`, {})).status, 200)
  double.state.failLinks = 1
  const failed = await people.one.call('POST', '/wallets', body, under(approvalId))
  const { approval } = (await people.two.call('GET', `/approvals/${approvalId}`)).body
  assert.deepEqual([failed.body.ok, approval.status], [false, 'used'])
  assert.match(approval.outcome, /^failed/)
})

describe('what only stops something', () => {
  it('never waits', async () => {
    const { customerId, integrationId, keyId } = await addParty(db)
    const stops: [Person, string, object][] = [
      [people.one, `/customers/${customerId}/set`, { status: 'SUSPENDED' }],
      [people.one, `/customers/${customerId}/set`, { monthlyCap: '1' }],
      [people.one, `/keys/${keyId}/revoke`, {}],
      [people.officer, `/integrations/${integrationId}/suspend`, {}],
      [people.officer, '/screening/deny', { address: someAddress() }],
      [people.officer, '/wallets/freeze', { address: someAddress() }],
      [people.treasurer, '/chains/pause', {}],
    ]
    for (const [person, target, body] of stops) {
      const answer = await person.call('POST', target, body)
      assert.equal(answer.status, 200, `${target}: ${JSON.stringify(answer.body)}`)
    }
  })

  it('ends an approval to resume: who approved the end of one stop has not approved the end of the next', async () => {
    await people.treasurer.call('POST', '/chains/pause', {})
    const { approvalId } = (await people.treasurer.call('POST', '/chains/resume', {})).body
    assert.equal((await people.officer.call('POST', `/approvals/${approvalId}/approve`, {})).status, 200)
    await people.officer.call('POST', '/chains/pause', {})
    const late = await people.treasurer.call('POST', '/chains/resume', {}, under(approvalId))
    assert.equal(late.status, 409, JSON.stringify(late.body))
    assert.equal(double.state.paused, true)
    const next = (await people.treasurer.call('POST', '/chains/resume', {})).body.approvalId
    assert.equal((await people.officer.call('POST', `/approvals/${next}/approve`, {})).status, 200)
    const resumed = await people.treasurer.call('POST', '/chains/resume', {}, under(next))
    assert.equal(resumed.body.ok, true, JSON.stringify(resumed.body))
    assert.equal(double.state.paused, false)
  })
})

it('a suspension that ended and began again needs another approval', async () => {
  const { integrationId } = await addParty(db)
  const turn = (verb: string, headers = {}) =>
    people.one.call('POST', `/integrations/${integrationId}/${verb}`, {}, headers)
  const approvedResume = async () => {
    const { approvalId } = (await turn('resume')).body
    assert.equal((await people.two.call('POST', `/approvals/${approvalId}/approve`, {})).status, 200)
    return approvalId as string
  }
  assert.equal((await turn('suspend')).status, 200)
  const [first, second] = [await approvedResume(), await approvedResume()]
  assert.equal((await turn('resume', under(first))).status, 200)
  assert.equal((await turn('suspend')).status, 200)
  const late = await turn('resume', under(second))
  assert.equal(late.status, 409)
  assert.match(late.body.error.message, /is void/)
})

describe('without four eyes', () => {
  it('nothing waits, and an approval is not taken', async () => {
    const open = await startOperator({ db })
    try {
      const customerId = await newCustomer()
      const headers = { authorization: `Bearer ${people.one.token}` }
      const needless = await open.call('POST', pathOf(customerId), NEW_ACCOUNT, { ...headers, ...under('apr_1') })
      assert.equal(needless.status, 400)
      assert.equal((await open.call('POST', pathOf(customerId), NEW_ACCOUNT, headers)).status, 200)
    } finally {
      await open.close()
    }
  })
})

describe('a request that is sent again, as after a lost answer', () => {
  const body = (scopes = 'mint:create') => ({ integrationId: party.integrationId, scopes, expires: '2999-01-01' })
  const waiting = async () =>
    (await people.viewer.call('GET', '/approvals?status=waiting&limit=500')).body.approvals.map(
      ({ approvalId }: { approvalId: string }) => approvalId,
    )
  const ask = async (headers: Record<string, string> = {}, given: object = body(), person = people.one) => {
    const answer = await person.call('POST', '/keys', given, headers)
    assert.equal(answer.status, 202, JSON.stringify(answer.body))
    return answer.body.approvalId as string
  }

  it('is the one that waits already, also when it is sent eight times at once', async () => {
    const before = (await waiting()).length
    const asked = await Promise.all(Array.from({ length: 8 }, () => ask()))
    assert.equal(new Set([...asked, await ask()]).size, 1)
    assert.equal((await waiting()).length, before + 1)
    const [logged] = await db.query<{ n: bigint }>(
      `select count(*) as n from audit_log where action = 'approval.request' and target = $1`,
      [asked[0] ?? null],
    )
    assert.equal(logged?.n, 1n)
  })

  it('is another one under another idempotency key, of another person, or with anything else in it', async () => {
    const own = await ask()
    const keyed = await ask({ 'idempotency-key': 'first' })
    assert.equal(await ask({ 'idempotency-key': 'first' }), keyed)
    const others = [
      await ask({ 'idempotency-key': 'second' }),
      await ask({}, body('redeem:create')),
      await ask({}, body(), people.two),
    ]
    assert.equal(new Set([own, keyed, ...others]).size, 5)
  })

  it('is asked anew once the one before was decided, or what it concerns has changed', async () => {
    const own = await ask()
    assert.equal((await people.three.call('POST', `/approvals/${own}/approve`, {})).status, 200)
    assert.notEqual(await ask(), own)
    const customerId = await newCustomer()
    const first = await asked(customerId)
    assert.equal(await asked(customerId), first)
    await db.query(`update customers set verification_level = 'TIER_9' where customer_id = $1`, [customerId])
    assert.notEqual(await asked(customerId), first)
  })
})

describe('the command line', () => {
  it('ends with 3 and names the approval, and runs the same command again with it', async () => {
    const customerId = await newCustomer()
    const mine = { OPERATOR_TOKEN: people.one.token }
    const command = ['customer', 'set', customerId, '--monthly-cap', '600000000000']
    const first = await api.cli([...command, '--json'], mine)
    assert.equal(first.code, 3, first.stderr)
    const { approvalId, ...rest } = JSON.parse(first.stdout)
    assert.deepEqual(rest, { status: 'waiting' })
    const theirs = { OPERATOR_TOKEN: people.two.token }
    assert.equal((await api.cli(['approval', 'approve', approvalId], theirs)).code, 0)
    const second = await api.cli([...command, '--approval', approvalId, '--json'], mine)
    assert.equal(second.code, 0, second.stderr)
    assert.match((await api.cli(['approval', 'list'], theirs)).stdout, new RegExp(`${approvalId} +customer set`))
    const shown = await api.cli(['customer', 'set', customerId, '--monthly-cap', '700000000000'], mine)
    assert.match(shown.stdout, /approval approve apr_.*--approval apr_/)
  })
})

describe('one human with two ways in', () => {
  const approve = (approvalId: string) => people.two.call('POST', `/approvals/${approvalId}/approve`, {})

  it('does not approve with the one what they asked for with the other, and may reject it', async () => {
    const approvalId = await asked(await newCustomer())
    const is = (issuer: string | null) =>
      db.query(
        `update operators set issuer = $2, token_seen_by = null, subject = case when $2::text is null then null else 'their account' end,
           secret_sha256 = case when $2::text is null then repeat('0', 64) end where operator_id = $1`,
        [people.three.operatorId, issuer],
      )
    await db.query('update approvals set requested_by = $2 where approval_id = $1', [
      approvalId,
      people.three.operatorId,
    ])
    await is('https://provider.test')
    const refused = await approve(approvalId)
    assert.deepEqual([refused.status, await statusOf(approvalId)], [409, 'waiting'])
    assert.match(
      refused.body.error.message,
      /an account at https:\/\/provider\.test: only somebody else who comes that way/,
    )
    await is(null)
    assert.equal((await approve(approvalId)).status, 200)
  })

  it('approves nothing that was asked for with OPERATOR_TOKEN', async () => {
    const approvalId = await asked(await newCustomer())
    await db.query(
      `update approvals set requested_by = 'operator', requested_by_name = 'operator' where approval_id = $1`,
      [approvalId],
    )
    const refused = await approve(approvalId)
    assert.equal(refused.status, 409)
    assert.match(refused.body.error.message, /belongs to nobody/)
    assert.equal((await people.two.call('POST', `/approvals/${approvalId}/reject`, { reason: 'whose?' })).status, 200)
  })
})
