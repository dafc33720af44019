// engine: postgres
/** What whoever decides is shown, and who that may be. */
import assert from 'node:assert/strict'
import { request } from 'node:http'
import { after, before, describe, it } from 'node:test'
import { describeBatch } from '../../src/operator/approvals/about-batch.ts'
import { describeOrder } from '../../src/operator/approvals/about-order.ts'
import { describePayout } from '../../src/operator/approvals/about-payout.ts'
import { COMMANDS } from '../../src/operators/commands.ts'
import { findPayout } from '../../src/payouts/payouts.sql.ts'
import { giveBank, TEST_SECRETS } from '../support/bank-details.ts'
import { someBatchId } from '../support/batch-rows.ts'
import { withoutGuards } from '../support/without-guards.ts'
import { addOwnFunds, addPayoutOf, ORDER, type Pairs, startPairs, WAITING } from './approval-pairs.ts'
import {
  addBatch,
  addChain,
  addCustomer,
  addKey,
  addOrder,
  addParty,
  addUnallocatedLine,
  type Party,
  someAddress,
} from './world.ts'

let pairs: Pairs
before(async () => {
  pairs = await startPairs()
})
after(() => pairs.close())

const pairOf: Pairs['pairOf'] = (role) => pairs.pairOf(role)

describe('whoever decides sees what it is about, as it is now:', () => {
  const SEEN: Readonly<Record<string, RegExp>> = {
    'payout retry':
      /"amountMyr":"1\.23","status":"rejected".*"customerAccount":"…\d{4}, MBBEMYKL, A Person".*"would":"RM 1\.23 would be sent once more, as payment 2, to …\d{4}, MBBEMYKL, A Person\."/,
    'payout release':
      /"would":"It would go on: RM 1\.23 would be paid to …\d{4}, MBBEMYKL, A Person, once its burn is seen\."/,
    'payout mark-paid': /"would":"RM 1\.23 would count as paid by hand: no rail would pay it\."/,
    'payout refund':
      /"would":"The coin of its redeem would be minted back to 0x\w{40}, once, and RM 1\.23 not be paid\."/,
    'payout settle-residual': /"owedMyr":"0.01".*"customerAccount":"…\d{4}, MBBEMYKL, A Person"/,
    'customer set': /"status":"VERIFIED".*"canRedeem":"yes".*"bankAccount":"…\d{4}"/,
    'corporate set': /"companyName":"Acme","status":"SUSPENDED"/,
    'order release':
      /"direction":"MINT","amount":"1",.*"held":"a look".*"would":"It would go on, and settle: 1 coin would be minted to 0x\w{40}\."/,
    'order reject': /"would":"It would fail for good, and its partner would be told: no coin is moved for it,/,
    'order make-good':
      /"lost":"lost: .*"would":"\S+ coin would be minted again to 0x\w{40}, by an order of the house\. The order stays as its partner was told\."/,
    'wallet add': /"customerStatus":"VERIFIED".*"wallets":"0x\w+ primary"/,
    'integration resume': /"name":"Acme","status":"suspended"/,
    'integration release-orders': /"integrationName":"Acme","integrationStatus":"active".*"orders":"1","amount":"1"/,
    'integration reject-orders':
      /"integrationName":"Acme".*"heldFor":"integration_suspended","orders":"1","amount":"1","which":"int_\S+ \(1\)","would":"Each: It would fail for good,/,
    'customer release-orders': /"customerStatus":"VERIFIED".*"orders":"1","amount":"1"/,
    'key create': /"integrationName":"Acme","integrationStatus":"active"/,
    'key set': /"integrationName":"Acme","integrationStatus":"active",.*"rate/,
    'customer link': /"integrationName":"Acme","integrationStatus":"active"/,
    'operator rotate': /"role":"viewer"/,
    'counter recount': /"found":"of 2026-01-01: 0\.000007 is recorded, and 0 is what its orders come to"/,
  }
  for (const [command, expected] of Object.entries(SEEN)) {
    it(command, async () => {
      const party = await addParty(pairs.db)
      const { target, body } = (await WAITING[command]?.(pairs, party)) ?? assert.fail()
      const roles = COMMANDS.find((line) => line.command === command)?.roles ?? []
      const [one, two] = pairOf(roles.includes('viewer') ? 'admin' : (roles[0] ?? ''))
      const { approvalId } = (await one.call('POST', target, body)).body
      const { approval } = (await two.call('GET', `/approvals/${approvalId}`)).body
      assert.match(JSON.stringify(approval.about), expected)
    })
  }
})

it('whoever decides sees the order that it is about, also when its reference is written with percent signs in the path', async () => {
  const party = await addParty(pairs.db)
  const referenceId = 'invoice:2026:11'
  await addOrder(pairs.db, party, {
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

it('whoever decides that a held payout is paid sees that the chain has lost its burn, though it was held for another reason before', async () => {
  const party = await addParty(pairs.db)
  const payoutId = await addPayoutOf(pairs, party, 'held', 'by_operator')
  await withoutGuards(pairs.db, (tx) =>
    tx.query(
      `insert into lost_orders (order_id, chain_id, batch_id)
       select order_id, o.chain_id, 1 from payouts join orders o using (order_id) where payout_id = $1`,
      [payoutId],
    ),
  )
  const [one, two] = pairOf('treasury')
  const { approvalId } = (await one.call('POST', `/payouts/${payoutId}/release`, { reason: 'it was nothing' })).body
  const { approval } = (await two.call('GET', `/approvals/${approvalId}`)).body
  assert.match(approval.about.beware, /^The chain has lost the burn that it pays: the holder has the coin again/)
})

it('whoever decides that a customer goes on sees who has stopped them, also when something else of them was set since', async () => {
  const { customerId } = await addParty(pairs.db)
  const [one, two] = pairOf('onboarding')
  const [stopper] = pairOf('support')
  const set = (body: object) => one.call('POST', `/customers/${customerId}/set`, body)
  const stoppedOf = async (body: object) => {
    const { approvalId } = (await set(body)).body
    return (await two.call('GET', `/approvals/${approvalId}`)).body.approval.about.stopped
  }
  const verified = { status: 'VERIFIED', level: 'TIER_2' }
  assert.equal((await set({ status: 'SUSPENDED', reason: 'a list of names' })).status, 200)
  assert.match(await stoppedOf(verified), /^By \S.*, because: a list of names\.$/)
  const stop = await stopper.call('POST', `/customers/${customerId}/suspend`, { reason: 'a call from the police' })
  assert.equal(stop.status, 200)
  assert.equal((await set({ country: 'SG' })).status, 200)
  assert.match(
    await stoppedOf({ ...verified, reason: 'it was nothing' }),
    /^By \S.* at 20\S+Z, because: a call from the police\.$/,
  )
})

it('whoever decides that a partner goes on sees which keys would work again: one that was stolen is not ended by a suspension', async () => {
  const { integrationId, keyId } = await addParty(pairs.db)
  const stolen = await addKey(pairs.db, integrationId)
  const [one, two] = pairOf('onboarding')
  await one.call('POST', `/integrations/${integrationId}/suspend`, {})
  const { approvalId } = (await one.call('POST', `/integrations/${integrationId}/resume`, {})).body
  const wouldWork = async () =>
    (await two.call('GET', `/approvals/${approvalId}`)).body.approval.about.wouldWorkAgain as string
  const both = await wouldWork()
  assert.ok(both.includes(keyId) && both.includes(stolen), both)
  await one.call('POST', `/keys/${stolen}/revoke`, {})
  const left = await wouldWork()
  assert.ok(left.includes(keyId) && !left.includes(stolen), left)
  await one.call('POST', `/keys/${keyId}/revoke`, {})
  assert.match(await wouldWork(), /^None/)
})

it('whoever decides that a corporate goes on sees who has stopped it', async () => {
  const { integrationId } = await addParty(pairs.db)
  const [one, two] = pairOf('onboarding')
  const { target, body } = (await WAITING['corporate set']?.(pairs, { integrationId } as Party)) ?? assert.fail()
  assert.equal((await one.call('POST', target, { status: 'REJECTED', reason: 'a false name' })).status, 200)
  const { approvalId } = (await one.call('POST', target, body)).body
  const { approval } = (await two.call('GET', `/approvals/${approvalId}`)).body
  assert.match(approval.about.stopped, /^By \S+ .*, because: a false name\.$/)
})

it('whoever decides that chains go on sees each pause that nobody has ended', async () => {
  await addChain(pairs.db, 7, 90n)
  pairs.double.state.paused = true
  const record = (action: string, target: string, settlementOnly: boolean, reason: string) =>
    pairs.db.query(
      `insert into audit_log (actor, origin, action, target, details)
       values ('operator:opr_1', '::1', $1, $2, $3::text::jsonb)`,
      [action, target, JSON.stringify({ settlementOnly, reason })],
    )
  await record('chain.pause', '7', true, 'over')
  await record('chain.resume', '7', true, 'over')
  await record('chain.pause', '31337', false, 'stolen coin')
  await record('chain.pause', '7', false, 'a fork')
  await record('chain.pause', '31337', true, 'a key')
  await record('chain.resume', '31337', true, 'another key')
  const [one, two] = pairOf('compliance')
  const stoppedOf = async (body: object) => {
    const { approvalId, error } = (await one.call('POST', '/chains/resume', body)).body
    assert.equal(error, undefined, error?.message)
    return (await two.call('GET', `/approvals/${approvalId}`)).body.approval.about.stopped
  }
  const fork = /^Chain 7: By \S+ at 20\S+Z, because: a fork\./
  assert.match(await stoppedOf({ reason: 'all is well' }), fork)
  const stolen = /Chain 31337: By \S+ at 20\S+Z, because: stolen coin\.$/
  assert.match(await stoppedOf({ reason: 'all is well' }), stolen)
  assert.match(
    await stoppedOf({ chainId: 31_337, reason: 'it is back' }),
    /^Chain 31337: By \S+ at 20\S+Z, because: stolen coin\.$/,
  )
  await record('chain.resume', '7', false, 'ended')
  await record('chain.resume', '31337', false, 'ended')
  assert.equal(await stoppedOf({ reason: 'once more' }), undefined)
})

it('whoever decides that a wallet moves again sees who has frozen it, also where it is unfrozen on another chain already', async () => {
  const address = someAddress()
  const [one, two] = pairOf('compliance')
  const [stopper] = pairOf('support')
  const frozen = await stopper.call('POST', '/wallets/freeze', { address, reason: 'a theft' })
  assert.equal(frozen.status, 200, JSON.stringify(frozen.body))
  await pairs.db.query(
    `insert into audit_log (actor, origin, action, target, details)
     select actor, origin, 'wallet.unfreeze', '7', details from audit_log where action = 'wallet.freeze' and target = '31337'
     order by audit_id desc limit 1`,
  )
  const { approvalId, error } = (await one.call('POST', '/wallets/unfreeze', { address, reason: 'it is back' })).body
  assert.equal(error, undefined, error?.message)
  const { approval } = (await two.call('GET', `/approvals/${approvalId}`)).body
  assert.match(approval.about.stopped, /^Chain 31337: By \S.* at 20\S+Z, because: a theft\.$/)
})

describe('whoever decides that something goes on sees who has stopped it, and why:', () => {
  const STOPPED: Readonly<Record<string, (party: Party) => Promise<string> | string>> = {
    integration: ({ integrationId }) => `/integrations/${integrationId}/suspend`,
    payout: async (party) => `/payouts/${await addPayoutOf(pairs, party, 'queued')}/hold`,
    async order(party) {
      await addOrder(pairs.db, party, { ...ORDER, state: 'created', referenceId: 'a-stopped-one' })
      return `/orders/${party.integrationId}/a-stopped-one/hold`
    },
  }
  for (const [kind, pathOf] of Object.entries(STOPPED)) {
    it(kind, async () => {
      const stop = await pathOf(await addParty(pairs.db))
      const goOn = stop.replace('/suspend', '/resume').replace('/hold', '/release')
      const [one, two] = pairOf(kind === 'payout' ? 'treasury' : 'compliance')
      const [stopper] = pairOf('support')
      assert.equal((await stopper.call('POST', stop, { reason: 'a call from the police' })).status, 200)
      const { approvalId } = (await one.call('POST', goOn, { reason: 'it was nothing' })).body
      const { approval } = (await two.call('GET', `/approvals/${approvalId}`)).body
      assert.match(approval.about.stopped, /^By \S.* at 20\S+Z, because: a call from the police\.$/)
    })
  }
})

it('whoever decides that an address is taken from the deny list sees who has put it there, and why', async () => {
  const address = someAddress()
  const [one, two] = pairOf('compliance')
  const [stopper, other] = pairOf('support')
  for (const [each, reason] of [
    [stopper, 'a tip'],
    [other, 'a call from the police'],
  ] as const) {
    assert.equal((await each.call('POST', '/screening/deny', { address, reason })).status, 200)
  }
  const { approvalId } = (await one.call('POST', '/screening/allow', { address, reason: 'it was nothing' })).body
  const { approval } = (await two.call('GET', `/approvals/${approvalId}`)).body
  assert.match(approval.about.stopped, /^By \S.* at 20\S+Z, because: a call from the police\.$/)
})

it('whoever decides that a batch of ours is given up sees what is given up with it', async () => {
  const [first, second] = [someBatchId(), someBatchId()]
  const { chainId } = ORDER
  const party = await addParty(pairs.db)
  const orderId = await addOrder(pairs.db, party, {
    ...ORDER,
    direction: 'MINT',
    state: 'completed',
    batchId: first,
    amountMicro: 7_250_000n,
  })
  await addBatch(pairs.db, { chainId, batchId: first, status: 'final', orderIds: [orderId] })
  await addBatch(pairs.db, { chainId, batchId: second, status: 'final', isForeign: false })
  // Asked for over HTTP it is refused unless the chain proves it: what is shown is read here as the API reads it.
  const params = { chainId: String(chainId), batchId: String(first) }
  const about =
    (await describeBatch(pairs.db, { method: 'POST', path: '', params, body: {}, operatorId: null })) ?? assert.fail()
  assert.equal(about.givesUp, '1 of 1 instructions: 7.25 coin minted, 0 coin burnt, 0 coin moved')
  assert.equal(about.alsoGivenUp, 'final batches behind it: 1')
  assert.match(String(about.would), /this word stays, .*nothing takes it back/)
  assert.match(String(about['instruction 0']), /^7\.25 coin minted to 0x\w+; .+\/.+$/)
})

it('whoever decides that a batch of somebody else is explained sees what it moved', async () => {
  const batchId = someBatchId()
  await addBatch(pairs.db, { chainId: ORDER.chainId, batchId, status: 'final', isForeign: true })
  const [thief, victim] = [someAddress(), someAddress()]
  await pairs.db.query(
    `insert into foreign_instructions (chain_id, batch_id, instruction_index, tag, direction, wallet_address, debit_address, amount_micro, succeeded)
     values (31337, $1, 0, '0x0000000000000001', 'TRANSFER', $2, $3, 7000000, true), (31337, $1, 1, '0x0000000000000002', 'MINT', $2, null, 900000000000, true),
       (31337, $1, 2, '0x0000000000000003', 'MINT', $2, null, 5000000, false)`,
    [batchId, thief, victim],
  )
  const params = { chainId: '31337', batchId: String(batchId) }
  const givenUp = { method: 'POST', path: '', params, body: { giveUp: true }, operatorId: null }
  const lost = (await describeBatch(pairs.db, givenUp)) ?? assert.fail()
  assert.match(String(lost.givesUp), /^2 of 3 instructions: 900000 coin minted, 0 coin burnt, 7 coin moved$/)
  assert.equal(lost['instruction 1'], `900000 coin minted to ${thief}; of no order`)
  const [one, two] = pairOf('treasury')
  const { approvalId } = (await one.call('POST', `/batches/31337/${batchId}/explain`, { reason: 'a test of ours' }))
    .body
  const { about } = (await two.call('GET', `/approvals/${approvalId}`)).body.approval
  assert.match(about.ofNoOrder, /^3 of \d+ instructions: 900000 coin minted, 0 coin burnt, 7 coin moved$/)
  const largest = [`900000 coin minted to ${thief}`, `7 coin moved from ${victim} to ${thief}`]
  assert.deepEqual([about['instruction 1'], about['instruction 0'], about['instruction 2']], [...largest, undefined])
})

it('whoever decides that a wallet moves coin again, or is on no list any more, sees whose it is', async () => {
  const party = await addParty(pairs.db)
  const [one, two] = pairOf('compliance')
  const linkedTo = async (path: string, address: string) => {
    const { approvalId } = (await one.call('POST', path, { address, reason: 'cleared' })).body
    return (await two.call('GET', `/approvals/${approvalId}`)).body.approval.about.linkedTo
  }
  const holder = `${party.customerId} of ${party.integrationId}, VERIFIED`
  pairs.double.state.frozen.add(party.wallet)
  assert.equal(await linkedTo('/wallets/unfreeze', party.wallet), holder)
  const denied = someAddress()
  for (const address of [party.wallet, denied])
    assert.equal((await one.call('POST', '/screening/deny', { address, reason: 'a look' })).status, 200)
  assert.equal(await linkedTo('/screening/allow', party.wallet), holder)
  assert.equal(await linkedTo('/screening/allow', denied), 'no customer')
})

it('whoever asks, or decides, that a payout is paid sees the account to which it goes: that of a payment that a rail was asked for, else the present one', async () => {
  const party = await addParty(pairs.db)
  const held = await addPayoutOf(pairs, party, 'held', 'maybe_paid_before')
  await pairs.db.query(
    'update payouts set bank_id = (select bank_id from customers c where c.customer_id = payouts.customer_id) where payout_id = $1',
    [held],
  )
  const back = await addPayoutOf(pairs, party, 'rejected')
  const asked = await addPayoutOf(pairs, party, 'sent')
  const present = { bic: 'MBBEMYKL', account: '5555554321', name: 'Mine, …1111, CIBBMYKL\u202e' }
  await giveBank(pairs.db, present, { customerId: party.customerId })
  const [one, two] = pairOf('treasury')
  const shown = async (payoutId: string) => (await one.call('GET', `/payouts/${payoutId}`)).body.payout.paysTo
  const wouldOf = async (payoutId: string, verb: string, body: object) => {
    const { approvalId } = (await one.call('POST', `/payouts/${payoutId}/${verb}`, body)).body
    return (await two.call('GET', `/approvals/${approvalId}`)).body.approval.about.would
  }
  assert.equal(await shown(held), '…7890, MBBEMYKL, A Person')
  assert.match(
    await wouldOf(held, 'release', { reason: 'not paid' }),
    /would be paid to …7890, MBBEMYKL, A Person, once/,
  )
  assert.equal(await shown(back), '…4321, MBBEMYKL, Mine, …1111, CIBBMYKL ')
  assert.match(await wouldOf(back, 'retry', {}), /as payment 2, to …4321, MBBEMYKL, Mine, …1111, CIBBMYKL \.$/)
  assert.equal(await shown(asked), null)
})

it('whoever decides that an instruction is not that of an order sees which order, and what would be settled for it', async () => {
  const batchId = someBatchId()
  await addBatch(pairs.db, { chainId: ORDER.chainId, batchId, status: 'final', isForeign: true })
  const party = await addParty(pairs.db)
  const aboutOf = async (state: 'created' | 'cancelled', index?: number) => {
    const referenceId = `not-of-${state}`
    await addOrder(pairs.db, party, { ...ORDER, direction: 'MINT', amountMicro: 7_000_000n, state, referenceId })
    const body = { notOrder: `${party.integrationId}/${referenceId}`, index }
    const params = { chainId: String(ORDER.chainId), batchId: String(batchId) }
    return await describeBatch(pairs.db, { method: 'POST', path: '', params, body, operatorId: null })
  }
  const waits = (await aboutOf('created')) ?? assert.fail()
  assert.match(String(waits.notOrder), /\/not-of-created: MINT of 7 coin, pending, wallet 0x\w{40}$/)
  assert.equal(waits.notInstruction, 'all in this batch with its tag')
  assert.match(String(waits.would), /^It would go on, and settle: 7 coin would be minted to 0x\w{40}\./)
  const ended = (await aboutOf('cancelled', 3)) ?? assert.fail()
  assert.equal(ended.notInstruction, '3')
  assert.match(String(ended.would), /^It stays cancelled, as its partner was told/)
})

it('whoever decides that a redeem was never burnt, or that nobody is paid for it, sees what that ends', async () => {
  const party = await addParty(pairs.db)
  const payoutId = await addPayoutOf(pairs, party, 'held', 'burn_not_seen')
  const payout = (await findPayout(pairs.db, payoutId)) ?? assert.fail()
  assert.match(
    String((await describePayout(pairs.db, TEST_SECRETS, 'payout resettle', payout, undefined)).would),
    /^It would be gone until its coin is burnt: .*RM 1\.23 be paid then/,
  )
  const params = { integrationId: payout.integrationId, referenceId: payout.referenceId }
  const asked = { method: 'POST', path: '', params, body: { unpaid: true }, operatorId: null }
  assert.match(
    String((await describeOrder(pairs.db, 'order make-good', asked))?.would),
    /^It would fail, .*its holder keeps 1 coin, and nobody would ever be paid for it\.$/,
  )
})

it('whoever decides that chains go on sees what would be called known there', async () => {
  const [one, two] = pairOf('compliance')
  pairs.double.state.settlementPaused = true
  const aboutOf = async (body: object) => {
    const { approvalId } = (await one.call('POST', '/chains/resume', body)).body
    return (await two.call('GET', `/approvals/${approvalId}`)).body.approval.about
  }
  assert.deepEqual(await aboutOf({ settlementOnly: true }), { seen: 'Nothing that nobody here asked for.' })
  await pairs.db.query(
    `insert into foreign_movements (chain_id, kind, details, after_block, seen_block, pauses)
     values (31337, 'supply', '5 coin more exist than batches have made', 0, 7, true)`,
  )
  for (const body of [{ known: '31337/1' }, { known: '31337/1', chainId: 31_337 }]) {
    const { seen, would } = await aboutOf(body)
    assert.match(seen, /^31337\/1, up to block 7, at 20\S+: 5 coin more exist than batches have made\.$/)
    assert.match(would, /called known/)
  }
})

it('whoever decides sees that another integration goes by the name of this one, which one person alone may have made', async () => {
  const [one, two] = pairOf('onboarding')
  const [payer, second] = pairOf('treasury')
  const make = async (name: string) => (await one.call('POST', '/integrations', { name })).body.integrationId
  const known = await make('Pasar Digital')
  const aboutOf = async (asker: typeof one, decider: typeof two, target: string, body: object) => {
    const { approvalId, error } = (await asker.call('POST', target, body)).body
    assert.equal(error, undefined, error?.message)
    return (await decider.call('GET', `/approvals/${approvalId}`)).body.approval.about
  }
  const keyOf = (integrationId: string) => aboutOf(one, two, '/keys', { integrationId, scopes: 'all' })
  assert.equal((await keyOf(known)).sameName, undefined)
  const twin = await make('PASAR  \uff24igital')
  const said = new RegExp(`^Another integration goes by this name: ${known}, made on 20\\S+. This one was made on 20`)
  assert.match((await keyOf(twin)).sameName, said)
  const remitter = { account: '70001234567' }
  assert.match((await aboutOf(one, two, `/integrations/${twin}/remitters`, remitter)).sameName, said)
  const lineId = await addUnallocatedLine(pairs.db)
  const assigned = await aboutOf(payer, second, `/bank/unallocated/${lineId}/assign`, {
    integration: twin,
    reason: 'a',
  })
  assert.equal(assigned.integrationName, 'PASAR  \uff24igital')
  assert.match(assigned.sameName, said)
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
    // As lists have it, by which they compare.
    assert.deepEqual([approval.target, approval.request.body], [address, { address }])
    assert.equal((await one.call('POST', '/screening/allow', { address })).body.approvalId, approvalId)
    assert.equal((await two.call('POST', `/approvals/${approvalId}/approve`, {})).status, 200)
    assert.equal((await one.call('POST', '/screening/allow', body, { 'x-approval': approvalId })).status, 200)
    const { entries } = (await one.call('GET', `/audit?target=${address}`)).body
    const told = entries.map(({ action, before, after }: Record<string, Record<string, unknown>>) => [
      action,
      before?.deniedSince === null,
      after?.deniedSince === null,
    ])
    assert.deepEqual(told, [
      ['screening.allow', false, true],
      ['screening.deny', true, false],
    ])
  })

  it('whoever decides that two customers share a wallet sees with whom, and another one voids that', async () => {
    const party = await addParty(pairs.db)
    const [one, two] = pairOf('onboarding')
    const others = [
      await addCustomer(pairs.db, party.integrationId),
      await addCustomer(pairs.db, party.integrationId),
    ] as const
    for (const written of [(text: string) => text, (text: string) => text.toLowerCase()]) {
      const address = someAddress()
      const body = { customerId: party.customerId, address: written(address), shared: true }
      const { approvalId } = (await one.call('POST', '/wallets', body)).body
      const about = async () => (await two.call('GET', `/approvals/${approvalId}`)).body.approval.about
      assert.equal((await about()).alsoOf, null)
      assert.equal((await two.call('POST', `/approvals/${approvalId}/approve`, {})).status, 200)
      await pairs.db.query('insert into wallets (customer_id, address, is_primary) values ($1, $2, false)', [
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
  const party = await addParty(pairs.db)
  const other = await addCustomer(pairs.db, party.integrationId)
  const [one] = pairOf('onboarding')
  // fetch sends nothing of a path from its number sign on; whoever writes to the socket can.
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const path = `/operator/v1/customers/${party.customerId}/set#/customers/${other.customerId}/set`
  const headers = { authorization: `Bearer ${one.token}`, 'content-type': 'application/json' }
  const sent = request(pairs.api.url, { method: 'POST', path, headers }, (answer) => {
    answer.resume()
    resolve(answer.statusCode ?? 0)
  })
  sent.on('error', reject)
  sent.end(JSON.stringify({ bankName: 'A Thief' }))
  assert.equal(await promise, 400)
  assert.deepEqual(await pairs.db.query('select from approvals where target = $1', [party.customerId]), [])
})

it('what an admin alone may run is approved by an admin, also where the command is everybody’s', async () => {
  const [admin, other] = pairOf('admin')
  const [treasurer] = pairOf('treasury')
  const { approvalId } = (await admin.call('POST', `/operators/${treasurer.operatorId}/rotate`, {})).body
  for (const role of ['support', 'onboarding', 'treasury', 'compliance']) {
    const { status, body } = await pairOf(role)[1].call('POST', `/approvals/${approvalId}/approve`, {})
    assert.equal(status, 409, role)
    assert.match(body.error.message, /Only who may run .coin operator rotate. decides about it/)
  }
  assert.equal((await other.call('POST', `/approvals/${approvalId}/approve`, {})).status, 200)
  const give = (role: string) =>
    pairs.db.query('update operators set role = $2 where operator_id = $1', [other.operatorId, role])
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
      () => addUnallocatedLine(pairs.db),
    ],
    [
      'lines',
      { reason: 'seen' },
      /^RM 0.01 of 2026-11-20 would no longer be own funds of \w+, but unallocated/,
      () => addOwnFunds(pairs),
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
    const target = `/bank/lines/${await addOwnFunds(pairs)}/take-back`
    const ask = async (reason: string) => (await one.call('POST', target, { reason })).body.approvalId
    const [first, second] = [await ask('seen'), await ask('seen by another')]
    await two.call('POST', `/approvals/${first}/approve`, {})
    assert.equal((await one.call('POST', target, { reason: 'seen' }, { 'x-approval': first })).status, 200)
    const { approval } = (await two.call('GET', `/approvals/${second}`)).body
    assert.match(approval.about.would, /nothing is taken back/)
  })

  it('and what has become of it since makes the approval void', async () => {
    const [one, two] = pairOf('treasury')
    const target = `/bank/unallocated/${await addUnallocatedLine(pairs.db)}/assign`
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
    const lineNo = await addUnallocatedLine(pairs.db)
    const ask = async (target: string, body: object) => {
      const { approvalId } = (await one.call('POST', target, body)).body
      await two.call('POST', `/approvals/${approvalId}/approve`, {})
      return () => one.call('POST', target, body, { 'x-approval': approvalId })
    }
    const assign = [`/bank/unallocated/0${lineNo}/assign`, { ownFunds: true, reason: 'own' }] as const
    const [row] = await pairs.db.query<{ from: string }>(
      'select bank_account as "from" from bank_lines where line_no = $1',
      [lineNo],
    )
    const takeBack = async () => (await ask(`/bank/lines/${lineNo}/take-back`, { ...row, reason: 'own' }))()
    await (await ask(...assign))()
    await takeBack()
    const [first, second] = [await ask(...assign), await ask(...assign)]
    assert.equal((await first()).status, 200)
    assert.equal((await takeBack()).status, 200)
    assert.match((await second()).body.error?.message ?? 'done', /has changed since/)
  })
})
