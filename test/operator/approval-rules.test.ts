// engine: postgres
/** One test for each rule of what waits for a second person, and the thefts that one person's token must not be enough for. */
import assert from 'node:assert/strict'
import { request } from 'node:http'
import { after, before, describe, it } from 'node:test'
import { COMMANDS } from '../../src/operators/commands.ts'
import { OPERATOR_ROLES } from '../../src/operators/roles.ts'
import { writeHold } from '../../src/settlement/tables/holds.sql.ts'
import { assignLine } from '../../src/statements/assign.ts'
import { bankOf, TEST_SECRETS } from '../support/bank-details.ts'
import { someBatchId } from '../support/batch-rows.ts'
import { believeBurns } from '../support/believed-burns.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { type ChainDouble, chainDouble, type OperatorFixture, type Person, startOperator } from './fixture.ts'
import {
  addBatch,
  addChain,
  addCustomer,
  addOrder,
  addParty,
  addPayout,
  addUnallocatedLine,
  addWaitingStatement,
  type Party,
  someAddress,
} from './world.ts'

let db: TestDatabase
let api: OperatorFixture
const double: ChainDouble = chainDouble(31_337)
/** Two of each role. */
const people = new Map<string, [Person, Person]>()
before(async () => {
  db = await createTestDatabase()
  await believeBurns(db)
  await addChain(db, 31_337, 90n)
  const open = await startOperator({ db })
  const pairs = await Promise.all(
    OPERATOR_ROLES.map(async (role) => [role, [await open.person(role), await open.person(role)]] as const),
  )
  await open.close()
  api = await startOperator({ db, chains: [double.chain], fourEyes: true })
  for (const [role, [one, two]] of pairs) {
    for (const person of [one, two]) {
      person.call = (method, target, body, headers = {}) =>
        api.call(method, target, body, { authorization: `Bearer ${person.token}`, ...headers })
    }
    people.set(role, [one, two])
  }
})
after(async () => {
  await api.close()
  await db.close()
})

const pairOf = (role: string) => people.get(role) as [Person, Person]

type Attempt = { target: string; body: object }
type Make = (party: Party) => Promise<Attempt> | Attempt

const CUSTOMER = { type: 'RETAIL', status: 'VERIFIED', level: 'TIER_2', country: 'MY' }
const ORDER = { chainId: 31_337, direction: 'REDEEM', amountMicro: 1_000_000n } as const

async function payout(party: Party, status: string, holdReason?: string): Promise<string> {
  const orderId = await addOrder(db, party, { ...ORDER, state: 'payoutPending' })
  return await addPayout(db, { orderId, customerId: party.customerId, status, ...(holdReason ? { holdReason } : {}) })
}

async function order(party: Party, act: string): Promise<Attempt> {
  const orderId = await addOrder(db, party, { ...ORDER, direction: 'MINT', state: 'created' })
  const [row] = await db.query<{ reference_id: string }>('select reference_id from orders where order_id = $1', [
    orderId,
  ])
  const target = `/orders/${party.integrationId}/${row?.reference_id}`
  await pairOf('compliance')[0].call('POST', `${target}/hold`, { reason: 'a look' })
  return { target: `${target}/${act}`, body: { reason: 'seen' } }
}

async function addCorporate(integrationId: string, changes: object): Promise<string> {
  const [onboarder] = pairOf('onboarding')
  const details = { name: 'Acme', status: 'VERIFIED', stage: 'COMPLETE', country: 'MY', industry: 'Retail' }
  const { body } = await onboarder.call('POST', '/corporates', { integrationId, ...details, ...changes })
  return body.corporateId
}

/** A line that was called the issuer's own money. @returns its number */
async function addOwnFunds(): Promise<bigint> {
  const lineNo = await addUnallocatedLine(db)
  const explanation = { kind: 'own_funds' } as const
  const done = await db.transaction((tx) =>
    assignLine({ tx, secrets: TEST_SECRETS }, lineNo, { explanation, reason: 'seen', now: new Date() }),
  )
  assert.equal(done.result, 'assigned')
  return lineNo
}

/** Command → a request of it that has to wait. */
const WAITING: Readonly<Record<string, Make>> = {
  'operator add': () => ({ target: '/operators', body: { name: `New ${Math.random()}`, role: 'viewer' } }),
  'operator rotate': () => ({ target: `/operators/${pairOf('viewer')[1].operatorId}/rotate`, body: {} }),
  'integration add-remitter': ({ integrationId }) => ({
    target: `/integrations/${integrationId}/remitters`,
    body: { account: String(10 ** 9 + Math.floor(Math.random() * 10 ** 9)) },
  }),
  'integration resume': async ({ integrationId }) => {
    await pairOf('support')[0].call('POST', `/integrations/${integrationId}/suspend`, {})
    return { target: `/integrations/${integrationId}/resume`, body: {} }
  },
  'key create': ({ integrationId }) => ({
    target: '/keys',
    body: { integrationId, scopes: 'balance:read,mint:execute' },
  }),
  'key rotate': async ({ keyId }) => {
    await db.query(`update api_keys set scopes = '{redeem:create}' where key_id = $1`, [keyId])
    return { target: `/keys/${keyId}/rotate`, body: {} }
  },
  'key set': ({ keyId }) => ({ target: `/keys/${keyId}/set`, body: { rateRead: 900_000 } }),
  'customer link': ({ integrationId }) => ({
    target: '/customers',
    body: { integrationId, ...CUSTOMER, monthlyCap: '500000.000001' },
  }),
  'customer set': ({ customerId }) => ({ target: `/customers/${customerId}/set`, body: { bankName: 'A Thief' } }),
  'customer erase': async ({ integrationId }) => {
    const { customerId } = await addCustomer(db, integrationId)
    await db.query('delete from wallets where customer_id = $1', [customerId])
    return { target: `/customers/${customerId}/erase`, body: { reason: 'it has asked' } }
  },
  'corporate set': async ({ integrationId }) => {
    const corporateId = await addCorporate(integrationId, { status: 'SUSPENDED' })
    return { target: `/corporates/${corporateId}/set`, body: { status: 'VERIFIED' } }
  },
  'wallet add': ({ customerId }) => ({ target: '/wallets', body: { customerId, address: someAddress() } }),
  'wallet remove': ({ customerId, wallet }) => ({ target: '/wallets/remove', body: { customerId, address: wallet } }),
  'wallet unfreeze': () => ({ target: '/wallets/unfreeze', body: { address: someAddress() } }),
  'order release': (party) => order(party, 'release'),
  'order reject': async (party) => {
    await writeHold(db, ORDER.chainId, { reason: 'gas-low', details: null, blocked: [] })
    return await order(party, 'reject')
  },
  'batch explain': async () => {
    const batchId = someBatchId()
    await addBatch(db, { chainId: ORDER.chainId, batchId, status: 'final', isForeign: true })
    return { target: `/batches/${ORDER.chainId}/${batchId}/explain`, body: { reason: 'known' } }
  },
  'payout release': async (party) => ({
    target: `/payouts/${await payout(party, 'held', 'maybe_paid_before')}/release`,
    body: { reason: 'not paid' },
  }),
  'payout retry': async (party) => ({ target: `/payouts/${await payout(party, 'rejected')}/retry`, body: {} }),
  'payout resettle': async (party) => ({
    target: `/payouts/${await payout(party, 'held', 'burn_not_seen')}/resettle`,
    body: { reason: 'the chain has no such batch' },
  }),
  'payout refund': async (party) => {
    await db.query('insert into customer_residuals (customer_id, owed_micro) values ($1, 0)', [party.customerId])
    return { target: `/payouts/${await payout(party, 'rejected')}/refund`, body: {} }
  },
  'payout settle-residual': async ({ customerId }) => {
    await db.query('insert into customer_residuals (customer_id, owed_micro) values ($1, 10000)', [customerId])
    return { target: '/payouts/settle-residual', body: { customerId } }
  },
  'payout mark-unpaid': async (party) => ({
    target: `/payouts/${await payout(party, 'sent')}/mark-unpaid`,
    body: { reason: 'the bank has lost it' },
  }),
  'payout mark-paid': async (party) => ({
    target: `/payouts/${await payout(party, 'held', 'maybe_paid_before')}/mark-paid`,
    body: { reference: 'BANK-1' },
  }),
  'bank import': () => ({ target: '/bank/import', body: { name: 'a.xml', content: 'A'.repeat(200_000) } }),
  'bank read-back': () => ({ target: '/bank/read-back', body: { reason: 'the folder was lost' } }),
  'bank statements withdraw': async () => ({
    target: `/bank/statements/${await addWaitingStatement(db)}/withdraw`,
    body: { reason: 'the bank has replaced it' },
  }),
  'bank statements bridge': async () => ({
    target: `/bank/statements/${await addWaitingStatement(db)}/bridge`,
    body: { difference: '1.50', reason: 'seen' },
  }),
  'bank unallocated assign': async () => ({
    target: `/bank/unallocated/${await addUnallocatedLine(db)}/assign`,
    body: { ownFunds: true, reason: 'seen' },
  }),
  'bank lines take-back': async () => ({
    target: `/bank/lines/${await addOwnFunds()}/take-back`,
    body: { reason: 'seen' },
  }),
  'screening allow': async () => {
    const address = someAddress()
    await pairOf('compliance')[0].call('POST', '/screening/deny', { address })
    return { target: '/screening/allow', body: { address } }
  },
  'chain resume': () => ({ target: '/chains/resume', body: {} }),
}

/** What can be done only in a larger world: refused at once here, and shown to wait in approve-file, approve-read-back and approve-statement. */
const REFUSED_HERE = ['bank import', 'bank read-back', 'bank statements bridge', 'payout resettle']

/** A digest of every table but those that say what was asked for, and of the chain. */
async function contents(): Promise<string[]> {
  const tables = await db.query<{ name: string }>(
    `select c.oid::regclass::text as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = current_schema() and c.relkind = 'r' and c.relname not in ('approvals', 'audit_log', 'audit_unsealed') order by 1`,
  )
  const digests = await Promise.all(
    tables.map(async ({ name }) => {
      const [row] = await db.query<{ digest: string | null }>(
        `select md5(string_agg(t::text, ',' order by t::text)) as digest from ${name} t`,
      )
      return `${name} ${row?.digest}`
    }),
  )
  return [...digests, JSON.stringify(double.state, (_, value) => (typeof value === 'bigint' ? String(value) : value))]
}

const readRecorded = async () =>
  (await db.query<{ action: string }>('select action from audit_log order by audit_id')).map(({ action }) => action)

describe('waits for a second person:', () => {
  for (const { command, roles } of COMMANDS.filter(({ approval }) => approval !== undefined)) {
    const make = WAITING[command]
    if (make === undefined) continue
    it(command, async () => {
      const party = await addParty(db)
      await payout(party, 'queued')
      const { target, body } = await make(party)
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
      const [row] = await db.query<{ status: string; outcome: string }>(
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
      const { body } = await api.call('POST', path.replace(/:[a-zA-Z]+/g, '1'), {})
      assert.equal(body.error?.message, 'The operator API has no such path.', `${command} has no test of its rule`)
    }
  })
})

describe('whoever decides sees what it is about, as it is now:', () => {
  const SEEN: Readonly<Record<string, RegExp>> = {
    'payout retry': /"amountMyr":"1\.23","status":"rejected".*"customerAccount":"A Person, …\d{4}, MBBEMYKL"/,
    'payout settle-residual': /"owedMyr":"0.01".*"customerAccount":"A Person, …\d{4}, MBBEMYKL"/,
    'customer set': /"status":"VERIFIED".*"canRedeem":"yes".*"bankAccount":"…\d{4}"/,
    'corporate set': /"companyName":"Acme","status":"SUSPENDED"/,
    'order release': /"direction":"MINT","amount":"1",.*"held":"a look"/,
    'wallet add': /"customerStatus":"VERIFIED".*"wallets":"0x\w+ primary"/,
    'integration resume': /"name":"Acme","status":"suspended"/,
    'operator rotate': /"role":"viewer"/,
  }
  for (const [command, expected] of Object.entries(SEEN)) {
    it(command, async () => {
      const party = await addParty(db)
      const { target, body } = (await WAITING[command]?.(party)) ?? assert.fail()
      const roles = COMMANDS.find((line) => line.command === command)?.roles ?? []
      const [one, two] = pairOf(roles.includes('viewer') ? 'admin' : (roles[0] ?? ''))
      const { approvalId } = (await one.call('POST', target, body)).body
      const { approval } = (await two.call('GET', `/approvals/${approvalId}`)).body
      assert.match(JSON.stringify(approval.about), expected)
    })
  }
})

it('whoever decides sees the order that it is about, also when its reference is written with percent signs in the path', async () => {
  const party = await addParty(db)
  const referenceId = 'invoice:2026:11'
  await addOrder(db, party, {
    ...ORDER,
    amountMicro: 7_000_000n,
    state: 'created',
    referenceId,
  })
  const [one, two] = pairOf('compliance')
  const path = `/orders/${party.integrationId}/${encodeURIComponent(referenceId)}`
  assert.equal((await one.call('POST', `${path}/hold`, { reason: 'a look' })).status, 200)
  const { approvalId } = (await one.call('POST', `${path}/release`, { reason: 'fine' })).body
  const { approval } = (await two.call('GET', `/approvals/${approvalId}`)).body
  assert.deepEqual([approval.about?.amount, approval.about?.held], ['7', 'a look'])
})

describe('an address is the same however it is written:', () => {
  it('whoever decides that it is denied no more sees since when it is, and so does the audit log', async () => {
    const address = someAddress()
    const [one, two] = pairOf('compliance')
    assert.equal((await one.call('POST', '/screening/deny', { address: address.toLowerCase() })).status, 200)
    const body = { address: address.toLowerCase() }
    const { approvalId } = (await one.call('POST', '/screening/allow', body)).body
    const { approval } = (await two.call('GET', `/approvals/${approvalId}`)).body
    assert.match(approval.about.deniedSince ?? 'never', /^20\d\d-/)
    assert.equal((await two.call('POST', `/approvals/${approvalId}/approve`, {})).status, 200)
    assert.equal((await one.call('POST', '/screening/allow', body, { 'x-approval': approvalId })).status, 200)
    const { entries } = (await one.call('GET', `/audit?target=${address}`)).body
    const told = entries.map(({ action, before, after }: Record<string, Record<string, unknown>>) => [
      ...[action, before?.deniedSince === null, after?.deniedSince === null],
    ])
    assert.deepEqual(told, [
      ['screening.allow', false, true],
      ['screening.deny', true, false],
    ])
  })

  it('whoever decides that two customers share a wallet sees with whom, and another one voids that', async () => {
    const party = await addParty(db)
    const [one, two] = pairOf('onboarding')
    const others = [await addCustomer(db, party.integrationId), await addCustomer(db, party.integrationId)] as const
    for (const written of [(text: string) => text, (text: string) => text.toLowerCase()]) {
      const address = someAddress()
      const body = { customerId: party.customerId, address: written(address), shared: true }
      const { approvalId } = (await one.call('POST', '/wallets', body)).body
      const about = async () => (await two.call('GET', `/approvals/${approvalId}`)).body.approval.about
      assert.equal((await about()).alsoOf, null)
      assert.equal((await two.call('POST', `/approvals/${approvalId}/approve`, {})).status, 200)
      await db.query('insert into wallets (customer_id, address, is_primary) values ($1, $2, false)', [
        others[0].customerId,
        address,
      ])
      assert.equal((await about()).alsoOf, others[0].customerId)
      const run = await one.call('POST', '/wallets', body, { 'x-approval': approvalId })
      assert.match(run.body.error?.message ?? 'linked', /has changed since/)
    }
  })
})

it('nobody asks for one customer in a path that ends in the name of another', async () => {
  const party = await addParty(db)
  const other = await addCustomer(db, party.integrationId)
  const [one] = pairOf('onboarding')
  // fetch sends nothing of a path from its number sign on; whoever writes to the socket can.
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const path = `/operator/v1/customers/${party.customerId}/set#/customers/${other.customerId}/set`
  const headers = { authorization: `Bearer ${one.token}`, 'content-type': 'application/json' }
  const sent = request(api.url, { method: 'POST', path, headers }, (answer) => {
    answer.resume()
    resolve(answer.statusCode ?? 0)
  })
  sent.on('error', reject)
  sent.end(JSON.stringify({ bankName: 'A Thief' }))
  assert.equal(await promise, 400)
  assert.deepEqual(await db.query('select from approvals where target = $1', [party.customerId]), [])
})

it('what an admin alone may run is approved by an admin, also where the command is everybody’s', async () => {
  const [admin, other] = pairOf('admin')
  const [treasurer] = pairOf('treasury')
  const { approvalId } = (await admin.call('POST', `/operators/${treasurer.operatorId}/rotate`, {})).body
  for (const role of ['support', 'onboarding', 'treasury', 'compliance']) {
    const { status, body } = await pairOf(role)[1].call('POST', `/approvals/${approvalId}/approve`, {})
    assert.equal(status, 409, role)
    assert.match(body.error.message, /Only who may run .operator rotate. decides about it/)
  }
  assert.equal((await other.call('POST', `/approvals/${approvalId}/approve`, {})).status, 200)
  const give = (role: string) =>
    db.query('update operators set role = $2 where operator_id = $1', [other.operatorId, role])
  await give('support')
  const run = await admin.call('POST', `/operators/${treasurer.operatorId}/rotate`, {}, { 'x-approval': approvalId })
  assert.match(run.body.error?.message ?? 'done', /cannot be used any more/)
  await give('admin')
  const asking = await pairOf('support')[0].call('POST', `/operators/${treasurer.operatorId}/rotate`, {})
  assert.equal(asking.status, 403, 'nor asked for by anybody else')
})

describe('whoever decides sees the line of the bank that it is about:', () => {
  for (const [act, body, would, make] of [
    [
      'unallocated',
      { ownFunds: true, reason: 'seen' },
      /^RM 0.01 of 2026-11-20 would be the issuer's own funds/,
      () => addUnallocatedLine(db),
    ],
    [
      'lines',
      { reason: 'seen' },
      /^RM 0.01 of 2026-11-20 would no longer be own funds of \w+, but unallocated/,
      addOwnFunds,
    ],
  ] as const) {
    it(act, async () => {
      const [one, two] = pairOf('treasury')
      const verb = act === 'lines' ? 'take-back' : 'assign'
      const lineNo = await make()
      const { body: asked } = await one.call('POST', `/bank/${act}/${lineNo}/${verb}`, body)
      const { approval } = (await two.call('GET', `/approvals/${asked.approvalId}`)).body
      const { lineId, amountMyr, bookedOn, state } = approval.about
      const expected = act === 'lines' ? 'assigned' : 'unallocated'
      assert.deepEqual([lineId, amountMyr, bookedOn, state], [String(lineNo), '0.01', '2026-11-20', expected])
      assert.match(approval.about.would, would)
    })
  }

  it('and when it belongs to nothing any more', async () => {
    const [one, two] = pairOf('treasury')
    const target = `/bank/lines/${await addOwnFunds()}/take-back`
    const ask = async (reason: string) => (await one.call('POST', target, { reason })).body.approvalId
    const [first, second] = [await ask('seen'), await ask('seen by another')]
    await two.call('POST', `/approvals/${first}/approve`, {})
    assert.equal((await one.call('POST', target, { reason: 'seen' }, { 'x-approval': first })).status, 200)
    const { approval } = (await two.call('GET', `/approvals/${second}`)).body
    assert.match(approval.about.would, /nothing is taken back/)
  })

  it('and what has become of it since makes the approval void', async () => {
    const [one, two] = pairOf('treasury')
    const target = `/bank/unallocated/${await addUnallocatedLine(db)}/assign`
    const approved = async (body: object) => {
      const { approvalId } = (await one.call('POST', target, body)).body
      await two.call('POST', `/approvals/${approvalId}/approve`, {})
      return { 'x-approval': approvalId }
    }
    const [own, other] = [
      { ownFunds: true, reason: 'own' },
      { ownFunds: true, reason: 'other' },
    ]
    const [first, second] = [await approved(own), await approved(other)]
    assert.equal((await one.call('POST', target, own, first)).status, 200)
    assert.match((await one.call('POST', target, other, second)).body.error.message, /has changed since/)
  })

  it('and so does its being taken back in between, however its number was written', async () => {
    const [one, two] = pairOf('treasury')
    const lineNo = await addUnallocatedLine(db)
    const ask = async (target: string, body: object) => {
      const { approvalId } = (await one.call('POST', target, body)).body
      await two.call('POST', `/approvals/${approvalId}/approve`, {})
      return () => one.call('POST', target, body, { 'x-approval': approvalId })
    }
    const assign = [`/bank/unallocated/0${lineNo}/assign`, { ownFunds: true, reason: 'own' }] as const
    const takeBack = async () => (await ask(`/bank/lines/${lineNo}/take-back`, { reason: 'own' }))()
    await (await ask(...assign))()
    await takeBack()
    const [first, second] = [await ask(...assign), await ask(...assign)]
    assert.equal((await first()).status, 200)
    assert.equal((await takeBack()).status, 200)
    assert.match((await second()).body.error?.message ?? 'done', /has changed since/)
  })
})

describe('the end of a stop waits:', () => {
  const ends: [string, object, object][] = [
    ...(['canMint', 'canRedeem', 'canTransfer'] as const).map((name): [string, object, object] => [
      ...(['customers', { [name]: false }, { [name]: true }] as const),
    ]),
    ...(['canMint', 'canRedeem', 'canPayroll'] as const).map((name): [string, object, object] => [
      ...(['corporates', { [name]: false }, { [name]: true }] as const),
    ]),
    ...['customers', 'corporates'].flatMap((kind): [string, object, object][] => [
      [kind, { status: 'SUSPENDED' }, { status: 'PENDING' }],
      [kind, { status: 'REJECTED' }, { status: 'VERIFIED' }],
    ]),
  ]
  for (const [kind, stop, end] of ends) {
    it(`${kind}: ${JSON.stringify(stop)}`, async () => {
      const { integrationId, customerId } = await addParty(db)
      const id = kind === 'customers' ? customerId : await addCorporate(integrationId, {})
      const [one] = pairOf('onboarding')
      const target = `/${kind}/${id}/set`
      assert.equal((await one.call('POST', target, stop)).status, 200)
      assert.equal((await one.call('POST', target, end)).status, 202)
      // What is said again, and what else there is to say of somebody who is stopped, is no end of it.
      assert.equal((await one.call('POST', target, stop)).status, 200)
      assert.equal((await one.call('POST', target, { country: 'SG' })).status, 200)
    })
  }

  it('and what was approved is void after another change of the company', async () => {
    const { integrationId } = await addParty(db)
    const [one, two] = pairOf('onboarding')
    const target = `/corporates/${await addCorporate(integrationId, { canRedeem: false })}/set`
    const { approvalId } = (await one.call('POST', target, { canRedeem: true })).body
    assert.equal((await two.call('POST', `/approvals/${approvalId}/approve`, {})).status, 200)
    assert.equal((await two.call('POST', target, { status: 'SUSPENDED' })).status, 200)
    const run = await one.call('POST', target, { canRedeem: true }, { 'x-approval': approvalId })
    assert.match(run.body.error.message, /has changed since/)
  })
})

it('who approved a retry has not approved that it is paid to another account', async () => {
  const party = await addParty(db)
  const [one, two] = pairOf('treasury')
  const target = `/payouts/${await payout(party, 'rejected')}/retry`
  const { approvalId } = (await one.call('POST', target, {})).body
  assert.equal((await two.call('POST', `/approvals/${approvalId}/approve`, {})).status, 200)
  const [three, four] = pairOf('onboarding')
  const change = [`/customers/${party.customerId}/set`, { bankAccount: '111122223333' }] as const
  const { body } = await three.call('POST', ...change)
  await four.call('POST', `/approvals/${body.approvalId}/approve`, {})
  assert.equal((await three.call('POST', ...change, { 'x-approval': body.approvalId })).status, 200)
  const run = await one.call('POST', target, {}, { 'x-approval': approvalId })
  assert.match(run.body.error?.message ?? 'done', /has changed since/)
})

/** By the noun of a command: what is stopped, how, and what ends that. */
const ENDS: Readonly<Record<string, (party: Party) => Promise<{ stop: Attempt; end: Attempt; role: string }>>> = {
  customer: async ({ customerId }) => ({
    stop: { target: `/customers/${customerId}/suspend`, body: {} },
    end: { target: `/customers/${customerId}/set`, body: { status: 'VERIFIED' } },
    role: 'onboarding',
  }),
  corporate: async ({ integrationId }) => {
    const target = `/corporates/${await addCorporate(integrationId, {})}/set`
    const [stop, end] = [{ canRedeem: false }, { canRedeem: true }].map((body) => ({ target, body }))
    return { stop: stop as Attempt, end: end as Attempt, role: 'onboarding' }
  },
  order: async (party) => {
    const end = await order(party, 'release')
    const stop = { target: end.target.replace('/release', '/hold'), body: { reason: 'a look' } }
    return { stop, end, role: 'compliance' }
  },
  payout: async (party) => {
    const target = `/payouts/${await payout(party, 'queued')}`
    const stop = { target: `${target}/hold`, body: { reason: 'a look' } }
    return { stop, end: { target: `${target}/release`, body: { reason: 'seen' } }, role: 'treasury' }
  },
}

describe('who approved the end of one stop has not approved the end of the next:', () => {
  for (const [noun, make] of Object.entries(ENDS)) {
    it(noun, async () => {
      const { stop, end, role } = await make(await addParty(db))
      const [one, two] = pairOf(role)
      const approved = async () => {
        const { approvalId } = (await one.call('POST', end.target, end.body)).body
        assert.equal((await two.call('POST', `/approvals/${approvalId}/approve`, {})).status, 200)
        return { 'x-approval': approvalId as string }
      }
      if (noun !== 'order') assert.equal((await one.call('POST', stop.target, stop.body)).status, 200)
      const [first, second] = [await approved(), await approved()]
      assert.equal((await one.call('POST', end.target, end.body, first)).status, 200)
      assert.equal((await two.call('POST', stop.target, stop.body)).status, 200)
      assert.match(
        (await one.call('POST', end.target, end.body, second)).body.error?.message ?? 'done',
        /has changed since/,
      )
    })
  }
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
      const { target, body } = make(await addParty(db))
      const [one] = pairOf(role)
      const answer = await one.call('POST', target, body)
      assert.equal(answer.status, 200, JSON.stringify(answer.body))
      if (typeof answer.body.token === 'string') {
        one.call = (method, path, sent, headers = {}) =>
          api.call(method, path, sent, { authorization: `Bearer ${answer.body.token}`, ...headers })
      }
    })
  }
})

describe("thefts with one person's token", () => {
  for (const role of OPERATOR_ROLES) {
    it(`are refused to ${role}, or wait for somebody else`, async () => {
      const [thief, accomplice] = pairOf(role)
      const victim = await addParty(db)
      const other = await addCustomer(db, victim.integrationId)
      const refusedPayout = await payout(victim, 'rejected')
      const suspended = await addParty(db)
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
        ['/screening/allow', { address: someAddress() }],
      ]
      const [before] = await db.query(`select count(*) as n from api_keys where scopes <> '{}'`)
      for (const [target, body] of thefts) {
        const answer = await thief.call('POST', target, body)
        assert.ok([403, 202].includes(answer.status), `${target}: ${JSON.stringify(answer.body)}`)
        if (answer.status !== 202) continue
        const { approvalId } = answer.body
        assert.ok((await thief.call('POST', `/approvals/${approvalId}/approve`, {})).status >= 400)
        assert.equal((await thief.call('POST', target, body, { 'x-approval': approvalId })).status, 409)
        // Nor does the token of the settings help who has that too.
        assert.ok((await api.call('POST', `/approvals/${approvalId}/approve`, {})).status >= 400)
      }
      assert.deepEqual((await db.query(`select count(*) as n from api_keys where scopes <> '{}'`))[0], before)
      assert.equal((await bankOf(db, victim.customerId))?.account, '1234567890')
      assert.equal((await db.query('select 1 from wallets where address = $1', [victim.wallet])).length, 1)
    })
  }
})
