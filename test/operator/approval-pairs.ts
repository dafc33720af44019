/** The operator API with two people of each role who need one another, and for each command that waits a request of it. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { insertOne } from '../../src/bank-details/bank-details.sql.ts'
import { OPERATOR_ROLES } from '../../src/operators/roles.ts'
import { holdOrders } from '../../src/orders/life/hold.sql.ts'
import { insertFile } from '../../src/payment-files/files.sql.ts'
import { createSecretBox } from '../../src/secrets/secrets.ts'
import { writeHold } from '../../src/settlement/tables/holds.sql.ts'
import { assignLine } from '../../src/statements/assign.ts'
import { A_BANK, TEST_SECRETS } from '../support/bank-details.ts'
import { someBatchId } from '../support/batch-rows.ts'
import { createTestDatabase } from '../support/database.ts'
import { withoutGuards } from '../support/without-guards.ts'
import { chainDouble, type Person, startOperator } from './fixture.ts'
import {
  addBatch,
  addChain,
  addCustomer,
  addLineBeside,
  addLost,
  addOrder,
  addPayout,
  addSentPayout,
  addUnallocatedLine,
  addWaitingStatement,
  type Party,
  someAddress,
} from './world.ts'

export type Attempt = { target: string; body: object }
type Make = (pairs: Pairs, party: Party) => Promise<Attempt> | Attempt

export const CUSTOMER = { type: 'RETAIL', status: 'VERIFIED', level: 'TIER_2', country: 'MY' }
export const ORDER = { chainId: 31_337, direction: 'REDEEM', amountMicro: 1_000_000n } as const

export type Pairs = Awaited<ReturnType<typeof startPairs>>

/** Starts them over a database of their own. */
export async function startPairs() {
  const db = await createTestDatabase({ believesBurns: true })
  await addChain(db, ORDER.chainId, 90n)
  const double = chainDouble(ORDER.chainId)
  const open = await startOperator({ db })
  const pairs = await Promise.all(
    OPERATOR_ROLES.map(async (role) => [role, [await open.person(role), await open.person(role)]] as const),
  )
  await open.close()
  const api = await startOperator({ db, chains: [double.chain], fourEyes: true })
  const people = new Map<string, [Person, Person]>()
  for (const [role, [one, two]] of pairs) {
    for (const person of [one, two]) {
      person.call = (method, target, body, headers = {}) =>
        api.call(method, target, body, { authorization: `Bearer ${person.token}`, ...headers })
    }
    people.set(role, [one, two])
  }
  const pairOf = (role: string) => people.get(role) as [Person, Person]
  return {
    db,
    api,
    double,
    pairOf,
    async close(): Promise<void> {
      await api.close()
      await db.close()
    },
  }
}

let lastLost = 900_000

/** The chain is there, and nothing of it is unknown. */
export async function haveChain(db: Pairs['db']): Promise<void> {
  await db.query('delete from lost_chains where chain_id = $1', [ORDER.chainId])
  await db.query('update chains set fenced_on = database_timeline() where chain_id = $1', [ORDER.chainId])
}

export async function addPayoutOf(
  { db }: Pick<Pairs, 'db'>,
  party: Party,
  status: string,
  holdReason?: string,
): Promise<string> {
  await haveChain(db)
  const orderId = await addOrder(db, party, { ...ORDER, state: 'payoutPending' })
  return await addPayout(db, { orderId, customerId: party.customerId, status, ...(holdReason ? { holdReason } : {}) })
}

/** An order that is held. @returns the request that ends that */
export async function heldOrder({ db, pairOf }: Pairs, party: Party, act: string): Promise<Attempt> {
  const orderId = await addOrder(db, party, { ...ORDER, direction: 'MINT', state: 'created' })
  const [row] = await db.query<{ reference_id: string }>('select reference_id from orders where order_id = $1', [
    orderId,
  ])
  const target = `/orders/${party.integrationId}/${row?.reference_id}`
  await pairOf('compliance')[0].call('POST', `${target}/hold`, { reason: 'a look' })
  return { target: `${target}/${act}`, body: { reason: 'seen' } }
}

export async function addCorporate({ pairOf }: Pairs, integrationId: string, changes: object): Promise<string> {
  const [onboarder] = pairOf('onboarding')
  const details = { name: 'Acme', status: 'VERIFIED', stage: 'COMPLETE', country: 'MY', industry: 'Retail' }
  const { body } = await onboarder.call('POST', '/corporates', { integrationId, ...details, ...changes })
  return body.corporateId
}

/** A line that was called the issuer's own money. @returns its number */
export async function addOwnFunds({ db }: Pairs): Promise<bigint> {
  const lineNo = await addUnallocatedLine(db)
  const explanation = { kind: 'own_funds' } as const
  const done = await db.transaction((tx) =>
    assignLine({ tx, secrets: TEST_SECRETS }, lineNo, { explanation, reason: 'seen', now: new Date() }),
  )
  assert.equal(done.result, 'assigned')
  return lineNo
}

/** Command → a request of it that has to wait. */
export const WAITING: Readonly<Record<string, Make>> = {
  'operator add': () => ({ target: '/operators', body: { name: `New ${Math.random()}`, role: 'viewer' } }),
  'operator rotate': (pairs) => ({ target: `/operators/${pairs.pairOf('viewer')[1].operatorId}/rotate`, body: {} }),
  'integration add-remitter': (_, { integrationId }) => ({
    target: `/integrations/${integrationId}/remitters`,
    body: { account: String(10 ** 9 + Math.floor(Math.random() * 10 ** 9)) },
  }),
  'integration resume': async (pairs, { integrationId }) => {
    await pairs.pairOf('support')[0].call('POST', `/integrations/${integrationId}/suspend`, {})
    return { target: `/integrations/${integrationId}/resume`, body: {} }
  },
  'integration release-orders': async ({ db }, party) => {
    const orderId = await addOrder(db, party, { ...ORDER, direction: 'MINT', state: 'created' })
    await db.transaction((tx) => holdOrders(tx, [{ orderId, reason: 'integration_suspended' }]))
    return { target: `/integrations/${party.integrationId}/release-orders`, body: { reason: 'cleared' } }
  },
  'integration reject-orders': async (pairs, party) => {
    const { db } = pairs
    await haveChain(db)
    await writeHold(db, ORDER.chainId, { reason: 'gas-low', details: null, blocked: [] })
    const orderId = await addOrder(db, party, { ...ORDER, direction: 'MINT', state: 'created' })
    await db.transaction((tx) => holdOrders(tx, [{ orderId, reason: 'integration_suspended' }]))
    const body = { held: 'integration_suspended', reason: 'a stolen key' }
    return { target: `/integrations/${party.integrationId}/reject-orders`, body }
  },
  'customer release-orders': async ({ db }, party) => {
    const orderId = await addOrder(db, party, { ...ORDER, direction: 'MINT', state: 'created' })
    await db.transaction((tx) => holdOrders(tx, [{ orderId, reason: 'customer_suspended' }]))
    return { target: `/customers/${party.customerId}/release-orders`, body: { reason: 'cleared' } }
  },
  'key create': (_, { integrationId }) => ({
    target: '/keys',
    body: { integrationId, scopes: 'balance:read,mint:execute' },
  }),
  'key rotate': async (pairs, { keyId }) => {
    await pairs.db.query(`update api_keys set scopes = '{redeem:create}' where key_id = $1`, [keyId])
    return { target: `/keys/${keyId}/rotate`, body: {} }
  },
  'key set': (_, { keyId }) => ({ target: `/keys/${keyId}/set`, body: { rateRead: 900_000 } }),
  'customer link': (_, { integrationId }) => ({
    target: '/customers',
    body: { integrationId, ...CUSTOMER, monthlyCap: '500000.000001' },
  }),
  'customer set': (_, { customerId }) => ({
    target: `/customers/${customerId}/set`,
    body: { bankName: 'A Thief' },
  }),
  'customer erase': async (pairs, { integrationId }) => {
    const { customerId } = await addCustomer(pairs.db, integrationId)
    await pairs.db.query('delete from wallets where customer_id = $1', [customerId])
    return { target: `/customers/${customerId}/erase`, body: { reason: 'it has asked' } }
  },
  'corporate set': async (pairs, { integrationId }) => {
    const corporateId = await addCorporate(pairs, integrationId, { status: 'SUSPENDED' })
    return { target: `/corporates/${corporateId}/set`, body: { status: 'VERIFIED' } }
  },
  'wallet add': (_, { customerId }) => ({ target: '/wallets', body: { customerId, address: someAddress() } }),
  'wallet remove': (_, { customerId, wallet }) => ({
    target: '/wallets/remove',
    body: { customerId, address: wallet },
  }),
  'wallet unfreeze': ({ double }) => {
    const address = someAddress()
    double.state.frozen.add(address)
    return { target: '/wallets/unfreeze', body: { address } }
  },
  'order release': (pairs, party) => heldOrder(pairs, party, 'release'),
  'order reject': async (pairs, party) => {
    await haveChain(pairs.db)
    await writeHold(pairs.db, ORDER.chainId, { reason: 'gas-low', details: null, blocked: [] })
    return await heldOrder(pairs, party, 'reject')
  },
  'order make-good': async (pairs, party) => {
    await writeHold(pairs.db, ORDER.chainId, { reason: 'gas-low', details: null, blocked: [] })
    return { target: `/orders/${await addLost(pairs.db, party)}/make-good`, body: { reason: 'lost' } }
  },
  'batch explain': async (pairs) => {
    const batchId = someBatchId()
    await addBatch(pairs.db, { chainId: ORDER.chainId, batchId, status: 'final', isForeign: true })
    return { target: `/batches/${ORDER.chainId}/${batchId}/explain`, body: { reason: 'known' } }
  },
  'payout release': async (pairs, party) => ({
    target: `/payouts/${await addPayoutOf(pairs, party, 'held', 'maybe_paid_before')}/release`,
    body: { reason: 'not paid' },
  }),
  'payout retry': async (pairs, party) => ({
    target: `/payouts/${await addPayoutOf(pairs, party, 'rejected')}/retry`,
    body: {},
  }),
  'payout resettle': async (pairs, party) => ({
    target: `/payouts/${await addPayoutOf(pairs, party, 'held', 'burn_not_seen')}/resettle`,
    body: { reason: 'the chain has no such batch' },
  }),
  'payout refund': async (pairs, party) => {
    await pairs.db.query('insert into customer_residuals (customer_id, owed_micro) values ($1, 0)', [party.customerId])
    return { target: `/payouts/${await addPayoutOf(pairs, party, 'rejected')}/refund`, body: {} }
  },
  'payout settle-residual': async (pairs, { customerId }) => {
    await pairs.db.query('insert into customer_residuals (customer_id, owed_micro) values ($1, 10000)', [customerId])
    return { target: '/payouts/settle-residual', body: { customerId } }
  },
  'payout mark-unpaid': async (pairs, party) => ({
    target: `/payouts/${await addPayoutOf(pairs, party, 'sent')}/mark-unpaid`,
    body: { reason: 'the bank has lost it' },
  }),
  'payout mark-paid': async (pairs, party) => ({
    target: `/payouts/${await addPayoutOf(pairs, party, 'held', 'maybe_paid_before')}/mark-paid`,
    body: { reference: 'BANK-1' },
  }),
  'bank import': () => ({ target: '/bank/import', body: { name: 'a.xml', content: 'A'.repeat(200_000) } }),
  'bank read-back': () => ({ target: '/bank/read-back', body: { reason: 'the folder was lost' } }),
  'bank withdraw-unopened': async ({ db }) => {
    const [row] = await db.query<{ next: number }>(
      'select 1 + coalesce(max(file_number), 0) as next from payment_files',
    )
    const fileNumber = row?.next ?? 1
    const messageId = `COIN-${String(fileNumber).padStart(8, '0')}`
    const file = { prefix: 'COIN', fileNumber, messageId, content: 'x', contentHash: '0'.repeat(64) }
    await db.transaction((tx) => insertFile(tx, createSecretBox(randomBytes(32)), file))
    return { target: '/bank/withdraw-unopened', body: { reason: 'a stolen login' } }
  },
  'bank statements withdraw': async (pairs) => ({
    target: `/bank/statements/${await addWaitingStatement(pairs.db)}/withdraw`,
    body: { reason: 'the bank has replaced it' },
  }),
  'bank statements bridge': async (pairs) => ({
    target: `/bank/statements/${await addWaitingStatement(pairs.db)}/bridge`,
    body: { difference: '1.50', reason: 'seen' },
  }),
  'bank unallocated assign': async (pairs) => ({
    target: `/bank/unallocated/${await addUnallocatedLine(pairs.db)}/assign`,
    body: { ownFunds: true, reason: 'seen' },
  }),
  'bank unallocated allocate': async (pairs, party) => {
    const lineNo = await addUnallocatedLine(pairs.db, -10_000n)
    const orderId = await addOrder(pairs.db, party, { ...ORDER, state: 'payoutPending' })
    const payouts = await addSentPayout(pairs.db, { orderId, customerId: party.customerId, amountSen: 2n })
    const body = { with: String(await addLineBeside(pairs.db, lineNo)), payouts, reason: 'seen' }
    return { target: `/bank/unallocated/${lineNo}/allocate`, body }
  },
  'bank lines take-back': async (pairs) => ({
    target: `/bank/lines/${await addOwnFunds(pairs)}/take-back`,
    body: { reason: 'seen' },
  }),
  'screening allow': async (pairs) => {
    const address = someAddress()
    await pairs.pairOf('compliance')[0].call('POST', '/screening/deny', { address })
    return { target: '/screening/allow', body: { address } }
  },
  'chain resume': ({ double }) => {
    double.state.paused = true
    return { target: '/chains/resume', body: {} }
  },
  'chain lost': async ({ db }) => {
    lastLost += 1
    await addChain(db, lastLost, 90n)
    await db.query(`update chains set observed_at = now() - interval '2 days' where chain_id = $1`, [lastLost])
    return { target: '/chains/lost', body: { chainId: lastLost, reason: 'its nodes are switched off' } }
  },
  'chain found': async ({ db, double }) => {
    const { coin, settlement } = double.chain.config
    await db.query('update chains set coin_address = $2, settlement_address = $3 where chain_id = $1', [
      ORDER.chainId,
      coin.address,
      settlement,
    ])
    await db.query(
      `insert into lost_chains (chain_id, reason, lost_by) values ($1, 'gone', 'somebody') on conflict do nothing`,
      [ORDER.chainId],
    )
    return { target: '/chains/found', body: { chainId: ORDER.chainId, reason: 'a copy was found' } }
  },
  'counter recount': async ({ db }, { keyId }) => {
    const day = '2026-01-01'
    await db.query('insert into transfer_usage values ($1, $2, 7, 9)', [keyId, day])
    return { target: '/counters/recount', body: { kind: 'transfer_usage', subject: `${keyId}:${day}`, reason: 'seen' } }
  },
  'secrets lost': async (pairs) => {
    const lost = createSecretBox(randomBytes(32))
    const lineNo = await addUnallocatedLine(pairs.db)
    const bankId = await insertOne(pairs.db, lost, A_BANK)
    await withoutGuards(pairs.db, (tx) =>
      tx.query('update bank_lines set bank_id = $2 where line_no = $1', [lineNo, bankId]),
    )
    return { target: '/secrets/lost', body: { secretsKey: lost.prefix.split('.')[1], reason: 'the safe burnt' } }
  },
}
