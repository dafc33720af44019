// engine: postgres
/** What waits for a second person, what does not, and the thefts that one person's token must not be enough for. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { COMMANDS } from '../../src/operators/commands.ts'
import { OPERATOR_ROLES } from '../../src/operators/roles.ts'
import { bankOf } from '../support/bank-details.ts'
import { type Attempt, addPayoutOf, CUSTOMER, type Pairs, startPairs, WAITING } from './approval-pairs.ts'
import { addCustomer, addParty, type Party, someAddress } from './world.ts'

let pairs: Pairs
before(async () => {
  pairs = await startPairs()
})
after(() => pairs.close())

const pairOf: Pairs['pairOf'] = (role) => pairs.pairOf(role)

/** What can be done only in a larger world: refused at once here, and shown to wait in approve-file, approve-read-back, approve-statement and settlement/resettle. */
const REFUSED_HERE = ['bank import', 'bank read-back', 'bank statements bridge', 'payout resettle']

/** A digest of every table but those that say what was asked for, and of the chain. */
async function contents(): Promise<string[]> {
  const tables = await pairs.db.query<{ name: string }>(
    `select c.oid::regclass::text as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = current_schema() and c.relkind = 'r' and c.relname not in ('approvals', 'audit_log', 'audit_unsealed') order by 1`,
  )
  const digests = await Promise.all(
    tables.map(async ({ name }) => {
      const [row] = await pairs.db.query<{ digest: string | null }>(
        `select md5(string_agg(t::text, ',' order by t::text)) as digest from ${name} t`,
      )
      return `${name} ${row?.digest}`
    }),
  )
  return [
    ...digests,
    JSON.stringify(pairs.double.state, (_, value) => (typeof value === 'bigint' ? String(value) : value)),
  ]
}

const readRecorded = async () =>
  (await pairs.db.query<{ action: string }>('select action from audit_log order by audit_id')).map(
    ({ action }) => action,
  )

describe('waits for a second person:', () => {
  for (const { command, roles } of COMMANDS.filter(({ approval }) => approval !== undefined)) {
    const make = WAITING[command]
    if (make === undefined) continue
    it(command, async () => {
      const party = await addParty(pairs.db)
      await addPayoutOf(pairs, party, 'queued')
      const { target, body } = await make(pairs, party)
      const [one, two] = pairOf(roles.includes('viewer') ? 'admin' : (roles[0] ?? ''))
      // When they were here first is kept of them.
      await one.call('GET', '/whoami')
      const [before, recorded] = [await contents(), await readRecorded()]
      const asking = await one.call('POST', target, body)
      assert.deepEqual(await contents(), before, 'nothing is changed by asking')
      if (REFUSED_HERE.includes(command)) {
        assert.equal(asking.status, 409, JSON.stringify(asking.body))
        assert.deepEqual(await readRecorded(), recorded)
        return
      }
      assert.deepEqual([asking.status, asking.body.status], [202, 'waiting'], JSON.stringify(asking.body))
      assert.deepEqual(await readRecorded(), [...recorded, 'approval.request'])
      const { approvalId } = asking.body
      const under = { 'x-approval': approvalId }
      assert.equal((await one.call('POST', target, body, under)).status, 409)
      assert.equal((await one.call('POST', `/approvals/${approvalId}/approve`, {})).status, 409)
      assert.equal((await two.call('POST', `/approvals/${approvalId}/approve`, {})).status, 200)
      const run = await one.call('POST', target, body, under)
      assert.equal(run.status, 200, JSON.stringify(run.body))
      const [row] = await pairs.db.query<{ status: string; outcome: string }>(
        'select status, outcome from approvals where approval_id = $1',
        [approvalId],
      )
      assert.deepEqual(row, { status: 'used', outcome: 'done' })
      assert.match((await one.call('POST', target, body, under)).body.error.message, /was used/)
    })
  }

  it('every command of the table that has a route', async () => {
    const missing = COMMANDS.filter(({ command, approval }) => approval !== undefined && WAITING[command] === undefined)
    for (const { command, route } of missing) {
      const [, path = ''] = route.split(' ')
      const { body } = await pairs.api.call('POST', path.replace(/:[a-zA-Z]+/g, '1'), {})
      assert.equal(body.error?.message, 'The operator API has no such path.', `${command} has no test of its rule`)
    }
  })
})

describe('does not wait:', () => {
  const CASES: [string, string, (party: Party) => Attempt][] = [
    [
      'a key that only reads',
      'onboarding',
      ({ integrationId }) => ({ target: '/keys', body: { integrationId, scopes: 'mint:read' } }),
    ],
    [
      'a customer with the usual cap',
      'onboarding',
      ({ integrationId }) => ({ target: '/customers', body: { integrationId, ...CUSTOMER } }),
    ],
    [
      'a customer who is suspended',
      'onboarding',
      ({ customerId }) => ({ target: `/customers/${customerId}/set`, body: { status: 'SUSPENDED' } }),
    ],
    [
      'a customer who is suspended by whoever sees that something is wrong',
      'support',
      ({ customerId }) => ({ target: `/customers/${customerId}/suspend`, body: {} }),
    ],
    [
      'a customer who is allowed what they were allowed already',
      'onboarding',
      ({ customerId }) => ({ target: `/customers/${customerId}/set`, body: { canRedeem: true } }),
    ],
    ['an address that is denied', 'treasury', () => ({ target: '/screening/deny', body: { address: someAddress() } })],
    [
      'a lower cap',
      'onboarding',
      ({ customerId }) => ({ target: `/customers/${customerId}/set`, body: { monthlyCap: '5' } }),
    ],
    [
      "a token of one's own",
      'support',
      () => ({ target: `/operators/${pairOf('support')[0].operatorId}/rotate`, body: {} }),
    ],
  ]
  for (const [what, role, make] of CASES) {
    it(what, async () => {
      const { target, body } = make(await addParty(pairs.db))
      const [one] = pairOf(role)
      const answer = await one.call('POST', target, body)
      assert.equal(answer.status, 200, JSON.stringify(answer.body))
      if (typeof answer.body.token === 'string') {
        one.call = (method, path, sent, headers = {}) =>
          pairs.api.call(method, path, sent, { authorization: `Bearer ${answer.body.token}`, ...headers })
      }
    })
  }
})

describe("thefts with one person's token", () => {
  for (const role of OPERATOR_ROLES) {
    it(`are refused to ${role}, or wait for somebody else`, async () => {
      const [thief, accomplice] = pairOf(role)
      const victim = await addParty(pairs.db)
      const other = await addCustomer(pairs.db, victim.integrationId)
      const refusedPayout = await addPayoutOf(pairs, victim, 'rejected')
      const suspended = await addParty(pairs.db)
      pairs.double.state.paused = true
      const address = someAddress()
      assert.equal((await pairOf('support')[0].call('POST', '/screening/deny', { address })).status, 200)
      await pairOf('support')[0].call('POST', `/integrations/${suspended.integrationId}/suspend`, {})
      const stop = await pairOf('support')[0].call('POST', `/customers/${suspended.customerId}/suspend`, {})
      assert.equal(stop.status, 200)
      const made = await thief.call('POST', '/integrations', { name: 'A Thief Ltd' })
      const integrationId: string = made.status === 200 ? made.body.integrationId : victim.integrationId
      assert.equal(made.status, role === 'onboarding' ? 200 : 403)
      const thefts: [string, object][] = [
        ['/keys', { integrationId, scopes: 'all' }],
        ['/wallets', { customerId: other.customerId, address: victim.wallet, shared: true }],
        [
          `/customers/${victim.customerId}/set`,
          { bankBic: 'CIBBMYKL', bankAccount: '999988887777', bankName: 'Thief' },
        ],
        [`/customers/${victim.customerId}/set`, { monthlyCap: '600000000000' }],
        [`/payouts/${refusedPayout}/retry`, {}],
        [`/payouts/${refusedPayout}/mark-paid`, { reference: 'none' }],
        ['/operators', { name: `Second face of ${role}`, role: 'onboarding' }],
        [`/operators/${accomplice.operatorId}/rotate`, {}],
        ['/chains/resume', {}],
        [`/integrations/${suspended.integrationId}/resume`, {}],
        [`/customers/${suspended.customerId}/set`, { status: 'VERIFIED' }],
        [`/customers/${suspended.customerId}/set`, { status: 'PENDING' }],
        ['/screening/allow', { address }],
      ]
      const [before] = await pairs.db.query(`select count(*) as n from api_keys where scopes <> '{}'`)
      for (const [target, body] of thefts) {
        const answer = await thief.call('POST', target, body)
        assert.ok([403, 202].includes(answer.status), `${target}: ${JSON.stringify(answer.body)}`)
        if (answer.status !== 202) continue
        const { approvalId } = answer.body
        assert.ok((await thief.call('POST', `/approvals/${approvalId}/approve`, {})).status >= 400)
        assert.equal((await thief.call('POST', target, body, { 'x-approval': approvalId })).status, 409)
        // Nor does the token of the settings help who has that too.
        assert.ok((await pairs.api.call('POST', `/approvals/${approvalId}/approve`, {})).status >= 400)
      }
      assert.deepEqual((await pairs.db.query(`select count(*) as n from api_keys where scopes <> '{}'`))[0], before)
      assert.equal((await bankOf(pairs.db, victim.customerId))?.account, '1234567890')
      assert.equal((await pairs.db.query('select 1 from wallets where address = $1', [victim.wallet])).length, 1)
    })
  }
})
