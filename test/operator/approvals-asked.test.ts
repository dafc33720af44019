// engine: postgres
/** Four eyes: what waits for somebody else, what does not, who may decide, and a request that is sent again. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createApproving, NEW_ACCOUNT, pathOf, under } from './approving.ts'
import { type Person, startOperator } from './fixture.ts'
import { addParty, someAddress } from './world.ts'

const a = createApproving()
before(() => a.begin())
after(() => a.end())
const { people, double, asked, statusOf, newCustomer } = a

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

describe('what only stops something', () => {
  it('never waits', async () => {
    const { customerId, integrationId, keyId } = await addParty(a.db)
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
  const { integrationId } = await addParty(a.db)
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
    const open = await startOperator({ db: a.db })
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
  const body = (scopes = 'mint:create') => ({ integrationId: a.party.integrationId, scopes, expires: '2999-01-01' })
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
    const [logged] = await a.db.query<{ n: bigint }>(
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
    await a.db.query(`update customers set verification_level = 'TIER_9' where customer_id = $1`, [customerId])
    assert.notEqual(await asked(customerId), first)
  })
})

describe('the command line', () => {
  it('ends with 3 and names the approval, and runs the same command again with it', async () => {
    const customerId = await newCustomer()
    const mine = { OPERATOR_TOKEN: people.one.token }
    const command = ['customer', 'set', customerId, '--monthly-cap', '600000000000']
    const first = await a.api.cli([...command, '--json'], mine)
    assert.equal(first.code, 3, first.stderr)
    const { approvalId, ...rest } = JSON.parse(first.stdout)
    assert.deepEqual(rest, { status: 'waiting', approvers: ['Bala', 'Chong'] })
    const told = await a.api.cli(command, mine)
    assert.match(told.stdout, /waits for another operator \(Bala, Chong\): "coin approval approve apr_/)
    const theirs = { OPERATOR_TOKEN: people.two.token }
    assert.equal((await a.api.cli(['approval', 'approve', approvalId], theirs)).code, 0)
    const second = await a.api.cli([...command, '--approval', approvalId, '--json'], mine)
    assert.equal(second.code, 0, second.stderr)
    assert.match((await a.api.cli(['approval', 'list'], theirs)).stdout, new RegExp(`${approvalId} +customer set`))
    const shown = await a.api.cli(['customer', 'set', customerId, '--monthly-cap', '700000000000'], mine)
    assert.match(shown.stdout, /approval approve apr_.*--approval apr_/)
  })
})

describe('one human with two ways in', () => {
  const approve = (approvalId: string) => people.two.call('POST', `/approvals/${approvalId}/approve`, {})

  it('does not approve with the one what they asked for with the other, and may reject it', async () => {
    const approvalId = await asked(await newCustomer())
    const is = (issuer: string | null) =>
      a.db.query(
        `update operators set issuer = $2, token_seen_by = null, subject = case when $2::text is null then null else 'their account' end,
           secret_sha256 = case when $2::text is null then repeat('0', 64) end where operator_id = $1`,
        [people.three.operatorId, issuer],
      )
    await a.db.query('update approvals set requested_by = $2 where approval_id = $1', [
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
    await a.db.query(
      `update approvals set requested_by = 'operator', requested_by_name = 'operator' where approval_id = $1`,
      [approvalId],
    )
    const refused = await approve(approvalId)
    assert.equal(refused.status, 409)
    assert.match(refused.body.error.message, /belongs to nobody/)
    assert.equal((await people.two.call('POST', `/approvals/${approvalId}/reject`, { reason: 'whose?' })).status, 200)
  })
})
