// engine: postgres
/** Every command that changes something leaves a line that says how it was before and is afterwards. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sealRequest } from '../../src/operator/approvals/sealed-request.ts'
import { digestOf } from '../../src/operators/approval.ts'
import { CHANGES } from '../../src/operators/changes.ts'
import { COMMANDS } from '../../src/operators/commands.ts'
import { createSecretBox } from '../../src/secrets/secrets.ts'
import { believeBurns } from '../support/believed-burns.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { type OperatorFixture, startOperator } from './fixture.ts'
import {
  addBatch,
  addChain,
  addCustomer,
  addLineBeside,
  addLost,
  addOrder,
  addParty,
  addPayout,
  addSentPayout,
  addUnallocatedLine,
  addWaitingStatement,
  type Party,
  someAddress,
} from './world.ts'

let db: TestDatabase
let api: OperatorFixture
before(async () => {
  db = await createTestDatabase({ believesBurns: true })
  await believeBurns(db)
  await addChain(db, 31_337, 90n)
  api = await startOperator({ db })
  for (const name of ['First', 'Second', 'Third']) await api.person('admin', name)
})
after(async () => {
  await api.close()
  await db.close()
})

type Request = { target: string; body?: object; as?: (target: string, body: object) => Promise<unknown> }
type Make = (party: Party) => Promise<Request> | Request
type Line = Record<'action' | 'target', string> & { details: { reason?: string } } & Record<
    'before' | 'after',
    Record<string, unknown> | null
  >

const SECRET = /secret|token|coin_operator|whsec_|1234567890|99887766|A Person|Another Person/i
const CUSTOMER = { type: 'RETAIL', status: 'VERIFIED', level: 'TIER_2', country: 'MY' }
const BANK = { bankBic: 'CIBBMYKL', bankAccount: '99887766', bankName: 'Another Person' }

async function post(target: string, body: object = {}) {
  const { status, body: answer } = await api.call('POST', target, body)
  assert.ok(status < 300, `${target}: ${JSON.stringify(answer)}`)
  return answer
}

async function payout(party: Party, status: string, holdReason?: string): Promise<string> {
  const order = { chainId: 31_337, direction: 'REDEEM', amountMicro: 1_000_000n, state: 'payoutPending' } as const
  const orderId = await addOrder(db, party, order)
  const row = { orderId, customerId: party.customerId, status, ...(holdReason ? { holdReason } : {}) }
  return `/payouts/${await addPayout(db, row)}`
}

async function order(party: Party): Promise<string> {
  const orderId = await addOrder(db, party, {
    chainId: 31_337,
    direction: 'MINT',
    amountMicro: 1_000_000n,
    state: 'created',
  })
  const [row] = await db.query<{ name: string }>('select reference_id as name from orders where order_id = $1', [
    orderId,
  ])
  return `/orders/${party.integrationId}/${row?.name}`
}

async function endpoint({ integrationId }: Party): Promise<string> {
  const { endpointId } = await post('/webhooks', { integrationId, url: 'https://partner.test/hook?key=tokensecret' })
  return `/webhooks/${endpointId}`
}

async function person(): Promise<string> {
  return `/operators/${(await api.person('viewer')).operatorId}`
}

async function approval(): Promise<string> {
  const approvalId = `apr_${Math.random().toString(16).slice(2, 18).padEnd(16, '0')}`
  const kept = { body: { name: approvalId }, digest: '', seen: digestOf(null), key: null }
  await db.query(
    `insert into approvals (approval_id, command, target, method, path, body, requested_by, requested_by_name, expires_at)
     values ($1, 'operator add', 'x', 'POST', '/x', $2, 'opr_1', 'Else', now() + interval '1 hour')`,
    [approvalId, sealRequest(createSecretBox(new Uint8Array(32).fill(7)), approvalId, kept)],
  )
  return `/approvals/${approvalId}`
}

async function statement(): Promise<string> {
  return `/bank/statements/${await addWaitingStatement(db)}/withdraw`
}

async function line(): Promise<string> {
  return `/bank/unallocated/${await addUnallocatedLine(db)}/assign`
}

const MAKE: Readonly<Record<string, Make>> = {
  'operator add': () => ({ target: '/operators', body: { name: `New ${Math.random()}`, role: 'viewer' } }),
  'operator disable': async () => ({ target: `${await person()}/disable` }),
  'operator rotate': async () => ({ target: `${await person()}/rotate` }),
  'approval approve': async () => {
    const admin = await api.person('admin')
    return { target: `${await approval()}/approve`, as: (target, body) => admin.call('POST', target, body) }
  },
  'approval reject': async () => {
    const admin = await api.person('admin')
    const body = { reason: 'no' }
    return { target: `${await approval()}/reject`, body, as: (target, sent) => admin.call('POST', target, sent) }
  },
  'integration create': () => ({ target: '/integrations', body: { name: 'Acme' } }),
  'integration suspend': ({ integrationId: id }) => ({ target: `/integrations/${id}/suspend` }),
  'integration resume': async ({ integrationId: id }) => {
    await post(`/integrations/${id}/suspend`)
    return { target: `/integrations/${id}/resume` }
  },
  'integration set': ({ integrationId: id }) => ({
    target: `/integrations/${id}/set`,
    body: { dpaSignedOn: '2026-01-31' },
  }),
  'integration add-remitter': ({ integrationId: id }) => ({
    target: `/integrations/${id}/remitters`,
    body: { account: '99887766' },
  }),
  'integration remove-remitter': async ({ integrationId: id }) => {
    await post(`/integrations/${id}/remitters`, { account: '998877661' })
    return { target: `/integrations/${id}/remitters/remove`, body: { account: '998877661' } }
  },
  'key create': ({ integrationId }) => ({ target: '/keys', body: { integrationId, scopes: 'mint:read' } }),
  'key revoke': ({ keyId }) => ({ target: `/keys/${keyId}/revoke` }),
  'key rotate': ({ keyId }) => ({ target: `/keys/${keyId}/rotate` }),
  'key set': ({ keyId }) => ({ target: `/keys/${keyId}/set`, body: { rateRead: 7 } }),
  'customer link': ({ integrationId }) => ({ target: '/customers', body: { integrationId, ...CUSTOMER, ...BANK } }),
  'customer set': ({ customerId }) => ({ target: `/customers/${customerId}/set`, body: BANK }),
  'customer erase': async ({ integrationId }) => {
    const { customerId } = await post('/customers', { integrationId, ...CUSTOMER, ...BANK })
    return { target: `/customers/${customerId}/erase`, body: { reason: 'it has asked' } }
  },
  'wallet add': ({ customerId }) => ({ target: '/wallets', body: { customerId, address: someAddress() } }),
  'wallet remove': async ({ integrationId }) => {
    const { customerId, wallet } = await addCustomer(db, integrationId)
    return { target: '/wallets/remove', body: { customerId, address: wallet } }
  },
  'corporate link': ({ integrationId }) => ({ target: '/corporates', body: corporate(integrationId) }),
  'corporate set': async ({ integrationId }) => {
    const { corporateId } = await post('/corporates', corporate(integrationId))
    return { target: `/corporates/${corporateId}/set`, body: { industry: 'Retail' } }
  },
  'webhook add': ({ integrationId }) => ({
    target: '/webhooks',
    body: { integrationId, url: 'https://partner.test/hook?key=tokensecret' },
  }),
  'webhook set': async (party) => ({ target: `${await endpoint(party)}/set`, body: { url: 'https://b.test/' } }),
  'webhook remove': async (party) => ({ target: `${await endpoint(party)}/remove` }),
  'webhook disable': async (party) => ({ target: `${await endpoint(party)}/disable` }),
  'webhook enable': async (party) => {
    const target = await endpoint(party)
    await post(`${target}/disable`)
    return { target: `${target}/enable` }
  },
  'webhook rotate': async (party) => ({ target: `${await endpoint(party)}/rotate` }),
  'webhook activate': async (party) => {
    const target = await endpoint(party)
    await post(`${target}/rotate`)
    return { target: `${target}/activate` }
  },
  'order hold': async (party) => ({ target: `${await order(party)}/hold`, body: { reason: 'a look' } }),
  'order release': async (party) => {
    const target = await order(party)
    await post(`${target}/hold`, { reason: 'a look' })
    return { target: `${target}/release`, body: { reason: 'seen' } }
  },
  'order reject': async (party) => {
    const target = await order(party)
    await post(`${target}/hold`, { reason: 'a look' })
    // A settler has looked, and nothing of the chain is unknown.
    await db.query(
      `insert into settlement_holds (chain_id, reason) values (31337, 'none') on conflict (chain_id) do update set seen_at = now()`,
    )
    return { target: `${target}/reject`, body: { reason: 'not theirs' } }
  },
  'order make-good': async (party) => {
    await db.query(
      `insert into settlement_holds (chain_id, reason) values (31337, 'none') on conflict (chain_id) do update set seen_at = now()`,
    )
    return { target: `/orders/${await addLost(db, party)}/make-good`, body: { reason: 'lost' } }
  },
  'batch explain': async () => {
    const batchId = BigInt(Math.floor(Math.random() * 1e6))
    await addBatch(db, { chainId: 31_337, batchId, status: 'final', isForeign: true })
    await db.query(
      `insert into foreign_instructions (chain_id, batch_id, instruction_index, tag, direction, wallet_address, amount_micro, succeeded)
       values (31337, $1, 0, '0x0000000000000009', 'MINT', '0x1', 5, true)`,
      [batchId],
    )
    return { target: `/batches/31337/${batchId}/explain`, body: { reason: 'known' } }
  },
  'payout assign': async (party) => ({ target: `${await payout(party, 'rejected')}/assign`, body: { to: 'Chong' } }),
  'payout hold': async (party) => ({ target: `${await payout(party, 'queued')}/hold`, body: { reason: 'a look' } }),
  'payout release': async (party) => ({
    target: `${await payout(party, 'held', 'maybe_paid_before')}/release`,
    body: { reason: 'not paid' },
  }),
  'payout retry': async (party) => ({ target: `${await payout(party, 'rejected')}/retry` }),
  'payout mark-unpaid': async (party) => {
    const sent = await payout(party, 'held', 'maybe_paid_before')
    await api.call('POST', `${sent}/mark-paid`, { reference: 'BANK-1' })
    return { target: `${sent}/mark-unpaid`, body: { reason: 'the bank has lost it' } }
  },
  'payout mark-paid': async (party) => ({
    target: `${await payout(party, 'held', 'maybe_paid_before')}/mark-paid`,
    body: { reference: 'BANK-1' },
  }),
  'payout refund': async (party) => {
    await db.query('insert into customer_residuals (customer_id, owed_micro) values ($1, 0)', [party.customerId])
    return { target: `${await payout(party, 'rejected')}/refund` }
  },
  'payout settle-residual': async ({ customerId }) => {
    await db.query('insert into customer_residuals (customer_id, owed_micro) values ($1, 10000)', [customerId])
    return { target: '/payouts/settle-residual', body: { customerId } }
  },
  'bank statements withdraw': async () => ({ target: await statement(), body: { reason: 'the bank has replaced it' } }),
  'bank statements bridge': async () => {
    const statementNo = await addWaitingStatement(db)
    await db.query(
      `insert into bank_statements (bank_account, statement_id, opened_on, opening_micro, closed_on, closing_micro, line_count, digest,
         content_hash, position, applied_at)
       select bank_account, 'BEFORE', '2026-11-19', 0, '2026-11-19', -10000, 0, reverse(digest), content_hash, 1, now()
       from bank_statements where statement_no = $1`,
      [statementNo],
    )
    return { target: `/bank/statements/${statementNo}/bridge`, body: { difference: '0.01', reason: 'corrected' } }
  },
  'bank unallocated assign': async () => ({ target: await line(), body: { ownFunds: true, reason: 'our own' } }),
  'bank unallocated allocate': async (party) => {
    const lineNo = await addUnallocatedLine(db, -10_000n)
    const order = { chainId: 31_337, direction: 'REDEEM', amountMicro: 1_000_000n, state: 'payoutPending' } as const
    const orderId = await addOrder(db, party, order)
    const payouts = await addSentPayout(db, { orderId, customerId: party.customerId, amountSen: 2n })
    const body = { with: String(await addLineBeside(db, lineNo)), payouts, reason: 'in two parts' }
    return { target: `/bank/unallocated/${lineNo}/allocate`, body }
  },
  'customer suspend': ({ customerId }) => ({ target: `/customers/${customerId}/suspend` }),
  'bank lines take-back': async () => {
    const assign = await line()
    await post(assign, { ownFunds: true, reason: 'our own' })
    const target = assign.replace('unallocated', 'lines').replace('assign', 'take-back')
    return { target, body: { reason: 'it was not' } }
  },
  'screening deny': () => ({ target: '/screening/deny', body: { address: someAddress() } }),
  'screening allow': async () => {
    const address = someAddress()
    await post('/screening/deny', { address })
    return { target: '/screening/allow', body: { address } }
  },
  'ledger close': () => ({ target: '/ledger/close', body: { through: '2026-01-31' } }),
}

/** What makes its subject: it was nothing before. */
const MAKES = ['operator add', 'integration create', 'key create', 'customer link', 'corporate link', 'webhook add']
/** A new secret looks like the old one. */
const LOOKS_THE_SAME = ['operator rotate']

function corporate(integrationId: string) {
  const company = { name: 'Acme Sdn Bhd', status: 'VERIFIED', stage: 'COMPLETED' }
  return { integrationId, ...company, country: 'MY', industry: 'Finance' }
}

describe('a line with before, after and the reason is left by:', () => {
  for (const { command, route } of COMMANDS.filter((each) => each.route.startsWith('POST '))) {
    const subject = CHANGES[command]
    if (typeof subject !== 'string') continue
    it(command, async () => {
      const make = MAKE[command]
      if (make === undefined) {
        const [, path = ''] = route.split(' ')
        const { body } = await api.call('POST', path.replace(/:[a-zA-Z]+/g, '1'), {})
        assert.equal(body.error?.message, 'The operator API has no such path.', `${command} is not tried here`)
        return
      }
      const { target, body = {}, as = post } = await make(await addParty(db))
      const [last] = await db.query<{ id: bigint }>('select max(audit_id) as id from audit_log')
      await as(target, { reason: 'as ticket 17 says', ...body })
      const lines = await db.query<Line>(
        `select action, target, details, before, after from audit_log where audit_id > $1 and action <> 'operator.sign-in'
         order by audit_id desc`,
        [last?.id ?? 0n],
      )
      const [entry] = lines
      assert.ok(entry?.after, `${command} left no "after"`)
      assert.equal(entry.before === null, MAKES.includes(command), `before: ${JSON.stringify(entry.before)}`)
      if (!LOOKS_THE_SAME.includes(command)) {
        const first = lines.at(-1) ?? entry
        assert.notDeepEqual(first.before, entry.after, `${command} changed nothing`)
      }
      assert.doesNotMatch(JSON.stringify(lines), SECRET)
      const given = (body as { reason?: string }).reason ?? 'as ticket 17 says'
      for (const { action, details } of lines) assert.equal(details.reason, given, action)
    })
  }
})

it('every command that is no look says what it changes, or why nothing can be compared', () => {
  const changing = COMMANDS.filter(({ route }) => route.startsWith('POST ')).map(({ command }) => command)
  assert.deepEqual(Object.keys(CHANGES).sort(), [...changing].sort())
  for (const change of Object.values(CHANGES)) {
    if (typeof change !== 'string') assert.ok(change.nothing.length > 20)
  }
})

/** Kept from viewers, although they show neither names nor accounts. */
const NAMELESS = [
  'GET /bank/awaited',
  'GET /bank/files',
  'GET /bank/statements',
  'GET /bank/statements/applied',
  'GET /webhooks/events',
]

it('looking at bank details and names is recorded, and none is in the log', async () => {
  const party = await addParty(db)
  const one = await payout(party, 'rejected')
  await line()
  const looks = {
    'GET /customers/:customerId': `/customers/${party.customerId}`,
    'GET /customers/:customerId/export': `/customers/${party.customerId}/export`,
    'GET /customers': `/customers?integrationId=${party.integrationId}`,
    'GET /payouts/:payoutId': one,
    'GET /approvals/:approvalId': await approval(),
    'GET /bank/unallocated': '/bank/unallocated',
    'GET /bank/lines': `/bank/lines?of=${party.integrationId}`,
  }
  const kept = COMMANDS.filter(({ route, roles }) => route.startsWith('GET ') && !roles.includes('viewer'))
  assert.deepEqual(kept.map(({ route }) => route as string).toSorted(), [...Object.keys(looks), ...NAMELESS].toSorted())
  for (const target of Object.values(looks)) {
    const [last] = await db.query<{ id: bigint }>('select max(audit_id) as id from audit_log')
    const { status, body } = await api.call('GET', target)
    assert.equal(status, 200, target)
    // An export is for the customer, and has whole numbers.
    if (!target.endsWith('/export')) assert.doesNotMatch(JSON.stringify(body), /1234567890/)
    const lines = await db.query<Line>('select * from audit_log where audit_id > $1', [last?.id ?? 0n])
    assert.match(lines.map(({ action }) => action).join(), /\.(show|list|export)$/, target)
    assert.doesNotMatch(JSON.stringify(lines.map((each) => ({ ...each, audit_id: '' }))), SECRET)
  }
})

it('two at the same time: what the second found before is what the first left', async () => {
  const { keyId } = await addParty(db)
  const rates = [11, 12, 13, 14]
  await Promise.all(rates.map((rateRead) => post(`/keys/${keyId}/set`, { rateRead })))
  const lines = await db.query<Line>('select before, after from audit_log where target = $1 order by audit_id', [keyId])
  assert.equal(lines.length, rates.length)
  lines.forEach(({ before: was }, index) => {
    if (index > 0) assert.deepEqual(was, lines[index - 1]?.after)
  })
})
