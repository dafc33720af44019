// engine: postgres
/** What cannot succeed is refused to whoever asks for it, before anybody else is bothered: the request is tried and taken back. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, it } from 'node:test'
import { addRemitter } from '../../src/integrations/remitters.sql.ts'
import { withdrawStatement } from '../../src/statements/withdraw.sql.ts'
import { giveBank, TEST_SECRETS } from '../support/bank-details.ts'
import { someBatchId } from '../support/batch-rows.ts'
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

const CHAIN_ID = 31_337
const double: ChainDouble = chainDouble(CHAIN_ID)
let db: TestDatabase
let api: OperatorFixture
let party: Party
const people: Record<string, Person> = {}
before(async () => {
  db = await createTestDatabase()
  await addChain(db, CHAIN_ID, 90n)
  const open = await startOperator({ db })
  for (const role of ['admin', 'onboarding', 'treasury', 'compliance'] as const) people[role] = await open.person(role)
  // The first use of a token is recorded.
  for (const { call } of Object.values(people)) await call('GET', '/whoami')
  await open.close()
  api = await startOperator({ db, chains: [double.chain], fourEyes: true })
})
after(async () => {
  await api.close()
  await db.close()
})
beforeEach(async () => {
  party = await addParty(db)
})

const ask = (role: string, target: string, body: object, headers: Record<string, string> = {}) =>
  api.call('POST', target, body, { authorization: `Bearer ${people[role]?.token}`, ...headers })
const countOf = async (table: string) => (await db.query<{ n: bigint }>(`select count(*) as n from ${table}`))[0]?.n

async function payoutOf(status: string): Promise<string> {
  const orderId = await addOrder(db, party, {
    chainId: CHAIN_ID,
    direction: 'REDEEM',
    amountMicro: 1_000_000n,
    state: 'payoutPending',
  })
  return await addPayout(db, { orderId, customerId: party.customerId, status })
}

type Hopeless = [
  what: string,
  role: string,
  make: () => Promise<[string, object]> | [string, object],
  status: number,
  why: RegExp,
]
const CASES: readonly Hopeless[] = [
  ['a role that does not exist', 'admin', () => ['/operators', { name: 'New', role: 'king' }], 400, /"role" must be/],
  ['nobody’s name', 'admin', () => ['/operators', { name: '', role: 'viewer' }], 400, /"name" must be/],
  [
    'a key for a scope that does not exist',
    'onboarding',
    () => ['/keys', { integrationId: party.integrationId, scopes: 'mint:create,mint:melt' }],
    ...([400, /mint:melt/] as const),
  ],
  [
    'an overlap below zero',
    'onboarding',
    async () => {
      await db.query(`update api_keys set scopes = '{redeem:create}' where key_id = $1`, [party.keyId])
      return [`/keys/${party.keyId}/rotate`, { overlap: '-1' }]
    },
    ...([400, /"overlap" must be/] as const),
  ],
  [
    'a wallet of another customer',
    'onboarding',
    async () => ['/wallets', { customerId: (await addParty(db)).customerId, address: party.wallet }],
    ...([409, /is a wallet of/] as const),
  ],
  ['a chain that is not here', 'compliance', () => ['/chains/resume', { chainId: 7 }], 404, /7/],
  ['no address', 'compliance', () => ['/screening/allow', { address: '0x12' }], 400, /address/],
  [
    'a batch of this service',
    'treasury',
    async () => {
      const batchId = someBatchId()
      await addBatch(db, { chainId: CHAIN_ID, batchId, status: 'final' })
      return [`/batches/${CHAIN_ID}/${batchId}/explain`, { reason: 'known' }]
    },
    ...([409, /nothing to explain, nor to give up/] as const),
  ],
  [
    'a payout that is not held',
    'treasury',
    async () => [`/payouts/${await payoutOf('rejected')}/release`, { reason: 'seen' }],
    ...([409, /rejected/] as const),
  ],
  [
    'a payout that is paid',
    'treasury',
    async () => [`/payouts/${await payoutOf('paid')}/mark-paid`, { reference: 'B' }],
    ...([409, /paid/] as const),
  ],
  [
    'nothing that is owed',
    'treasury',
    () => ['/payouts/settle-residual', { customerId: party.customerId }],
    ...([409, /Nothing is owed/] as const),
  ],
  [
    'no amount',
    'treasury',
    async () => [`/bank/statements/${await addWaitingStatement(db)}/bridge`, { difference: 'x', reason: 'seen' }],
    ...([400, /"difference" must be/] as const),
  ],
  [
    'a line that belongs to nothing',
    'treasury',
    async () => [`/bank/lines/${await addUnallocatedLine(db)}/take-back`, { reason: 'seen' }],
    ...([409, /belongs to anything/] as const),
  ],
  [
    'an integration that is not suspended',
    'compliance',
    () => [`/integrations/${party.integrationId}/resume`, {}],
    ...([409, /is not suspended: there is nothing to resume/] as const),
  ],
  [
    'an account from which its integration pays already',
    'onboarding',
    async () => {
      const account = String(10 ** 9 + Number(await countOf('audit_log')))
      const { integrationId } = party
      await db.transaction((tx) => addRemitter(tx, TEST_SECRETS, { integrationId, account }))
      return [`/integrations/${integrationId}/remitters`, { account }]
    },
    ...([409, /is registered for int_\S+ already: there is nothing to add/] as const),
  ],
  [
    'a setting that a key has already',
    'onboarding',
    () => [`/keys/${party.keyId}/set`, { expires: 'never' }],
    ...([409, /has these settings already/] as const),
  ],
  [
    'the bank account that a customer has already',
    'onboarding',
    async () => {
      const bank = { bic: 'MBBEMYKL', account: '5555666677', name: 'A Name' }
      await giveBank(db, bank, { customerId: party.customerId })
      const { bic: bankBic, account: bankAccount, name: bankName } = bank
      return [`/customers/${party.customerId}/set`, { bankBic, bankAccount, bankName }]
    },
    ...([409, /is so already: there is nothing to set/] as const),
  ],
  [
    'no bank account of a customer who has none',
    'onboarding',
    async () => {
      const { customerId } = await addCustomer(db, party.integrationId)
      await db.query('update customers set bank_id = null where customer_id = $1', [customerId])
      return [`/customers/${customerId}/set`, { removeBank: true }]
    },
    ...([409, /is so already: there is nothing to set/] as const),
  ],
  [
    'a wallet that is linked and recorded',
    'onboarding',
    () => {
      double.state.linked.add(party.wallet)
      return ['/wallets', { customerId: party.customerId, address: party.wallet }]
    },
    ...([409, /linked already: there is nothing to add/] as const),
  ],
  [
    'a wallet that its customer does not have',
    'onboarding',
    () => ['/wallets/remove', { customerId: party.customerId, address: someAddress() }],
    ...([409, /is no wallet of cus_\S+, and is linked to it on no chain: there is nothing to remove/] as const),
  ],
  [
    'an address that is not frozen',
    'compliance',
    () => ['/wallets/unfreeze', { address: someAddress() }],
    ...([409, /is frozen on no chain: there is nothing to unfreeze/] as const),
  ],
  [
    'an address that is not denied',
    'compliance',
    () => ['/screening/allow', { address: someAddress() }],
    ...([409, /is not on the deny list: there is nothing to allow/] as const),
  ],
  ['chains that are not stopped', 'compliance', () => ['/chains/resume', {}], 409, /there is nothing to resume/],
  [
    'a statement that was withdrawn before',
    'treasury',
    async () => {
      const statementNo = await addWaitingStatement(db)
      await db.transaction((tx) => withdrawStatement(tx, BigInt(statementNo), 'a mail'))
      return [`/bank/statements/${statementNo}/withdraw`, { reason: 'once more' }]
    },
    ...([409, /was withdrawn at 20\S+ \(a mail\): there is nothing to withdraw/] as const),
  ],
  ['an empty file', 'treasury', () => ['/bank/import', { name: 'a.xml', content: '' }], 400, /The file is empty/],
]

for (const [what, role, make, status, why] of CASES) {
  it(`${what} is refused at once`, async () => {
    const [target, body] = await make()
    const [waiting, recorded] = [await countOf('approvals'), await countOf('audit_log')]
    const answer = await ask(role, target, body)
    assert.equal(answer.status, status, JSON.stringify(answer.body))
    assert.match(answer.body.error.message, why)
    assert.equal(await countOf('approvals'), waiting, 'nobody is asked')
    assert.equal(await countOf('audit_log'), recorded)
  })
}

it('settlement alone is not resumed where the coin is stopped and it is not; whatever is stopped is resumed by both', async () => {
  for (const [state, alone, both] of [
    [{ paused: true }, 409, 202],
    [{ settlementPaused: true }, 202, 202],
  ] as const) {
    Object.assign(double.state, { paused: false, settlementPaused: false, ...state })
    assert.equal((await ask('compliance', '/chains/resume', { settlementOnly: true })).status, alone)
    assert.equal((await ask('compliance', '/chains/resume', {})).status, both)
  }
  Object.assign(double.state, { paused: false, settlementPaused: false })
})

it('a wallet that is to be the primary one, or is not linked yet, waits', async () => {
  const { customerId, wallet: address } = party
  assert.equal((await ask('onboarding', '/wallets', { customerId, address })).status, 202, 'not linked yet')
  double.state.linked.add(address)
  await db.query('update wallets set is_primary = false where address = $1', [address])
  assert.equal((await ask('onboarding', '/wallets', { customerId, address })).status, 409)
  assert.equal((await ask('onboarding', '/wallets', { customerId, address, primary: true })).status, 202)
})

it('the removal of a wallet that was about to be linked waits, although no chain has linked it', async () => {
  const { customerId } = party
  const address = someAddress()
  await db.query('insert into wallet_links (customer_id, address, chain_id) values ($1, $2, $3)', [
    customerId,
    address,
    CHAIN_ID,
  ])
  assert.equal((await ask('onboarding', '/wallets/remove', { customerId, address })).status, 202)
})

it('what was refused at once leaves nothing under its idempotency key', async () => {
  const { integrationId } = party
  const key = { 'idempotency-key': integrationId }
  assert.equal((await ask('onboarding', '/keys', { integrationId, scopes: 'mint:melt,mint:create' }, key)).status, 400)
  const right = { integrationId, scopes: 'mint:create' }
  const { status, body } = await ask('onboarding', '/keys', right, key)
  assert.equal(status, 202)
  assert.deepEqual((await ask('onboarding', '/keys', right, key)).body, body)
})

it('while no node answers it waits all the same: one may by the time it is approved', async () => {
  double.state.readable = false
  const answer = await ask('onboarding', '/wallets', { customerId: party.customerId, address: someAddress() })
  double.state.readable = true
  assert.deepEqual([answer.status, answer.body.status], [202, 'waiting'], JSON.stringify(answer.body))
  assert.ok(api.log.some((line) => line.includes('what waits for a second person could not be tried')))
})

it('neither a key nor a token is made before somebody approves it, nor a wallet linked', async () => {
  const [keys, links] = [await countOf('api_keys'), double.state.linked.size]
  const secret = { integrationId: party.integrationId, scopes: 'mint:create' }
  for (const [role, target, body] of [
    ['onboarding', '/keys', secret],
    ['admin', '/operators', { name: 'Newcomer', role: 'viewer' }],
    ['onboarding', '/wallets', { customerId: party.customerId, address: someAddress() }],
  ] as const) {
    const answer = await ask(role, target, body)
    assert.deepEqual(
      Object.keys(answer.body).sort(),
      ['approvalId', 'approvers', 'ok', 'status'],
      JSON.stringify(answer.body),
    )
  }
  assert.equal(await countOf('api_keys'), keys)
  assert.equal(await countOf(`operators where name = 'Newcomer'`), 0n)
  assert.equal(double.state.linked.size, links)
})
