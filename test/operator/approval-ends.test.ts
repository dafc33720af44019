// engine: postgres
/** What ends a stop waits, and what was approved is void once something has changed. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { holdLostBurns } from '../../src/payouts/lost-burn.sql.ts'
import { withoutGuards } from '../support/without-guards.ts'
import {
  type Attempt,
  addCorporate,
  addPayoutOf,
  haveChain,
  heldOrder,
  type Pairs,
  startPairs,
  WAITING,
} from './approval-pairs.ts'
import type { Person } from './fixture.ts'
import { addParty, type Party, someAddress } from './world.ts'

let pairs: Pairs
before(async () => {
  pairs = await startPairs()
})
after(() => pairs.close())

const pairOf: Pairs['pairOf'] = (role) => pairs.pairOf(role)
const CHANGED = /is void: what it concerns has changed/

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
      const { integrationId, customerId } = await addParty(pairs.db)
      const id = kind === 'customers' ? customerId : await addCorporate(pairs, integrationId, {})
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
    const { integrationId } = await addParty(pairs.db)
    const [one, two] = pairOf('onboarding')
    const target = `/corporates/${await addCorporate(pairs, integrationId, { canRedeem: false })}/set`
    const { approvalId } = (await one.call('POST', target, { canRedeem: true })).body
    assert.equal((await two.call('POST', `/approvals/${approvalId}/approve`, {})).status, 200)
    assert.equal((await two.call('POST', target, { status: 'SUSPENDED' })).status, 200)
    const run = await one.call('POST', target, { canRedeem: true }, { 'x-approval': approvalId })
    assert.match(run.body.error.message, /has changed since/)
  })
})

it('who approved a retry has not approved that it is paid to another account', async () => {
  const party = await addParty(pairs.db)
  const [one, two] = pairOf('treasury')
  const target = `/payouts/${await addPayoutOf(pairs, party, 'rejected')}/retry`
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

it('who approved that a payout which people hold goes on has not approved it for one whose burn is refused since', async () => {
  const [one, two] = pairOf('treasury')
  const payoutId = await addPayoutOf(pairs, await addParty(pairs.db), 'queued')
  const target = `/payouts/${payoutId}`
  assert.equal((await one.call('POST', `${target}/hold`, { reason: 'a look' })).status, 200)
  const { approvalId } = (await one.call('POST', `${target}/release`, { reason: 'seen' })).body
  assert.equal((await two.call('POST', `/approvals/${approvalId}/approve`, {})).status, 200)
  const [row] = await pairs.db.query<{ order_id: bigint }>('select order_id from payouts where payout_id = $1', [
    payoutId,
  ])
  assert.ok(row)
  await pairs.db.transaction((tx) => holdLostBurns(tx, [row.order_id], { isTaken: true }))
  const run = await one.call('POST', `${target}/release`, { reason: 'seen' }, { 'x-approval': approvalId })
  assert.match(run.body.error?.message ?? 'paid', CHANGED)
})

/** By the noun of a command: what is stopped, how, and what ends that. */
const ENDS: Readonly<Record<string, (party: Party) => Promise<{ stop: Attempt; end: Attempt; role: string }>>> = {
  customer: async ({ customerId }) => ({
    stop: { target: `/customers/${customerId}/suspend`, body: {} },
    end: { target: `/customers/${customerId}/set`, body: { status: 'VERIFIED' } },
    role: 'onboarding',
  }),
  corporate: async ({ integrationId }) => {
    const target = `/corporates/${await addCorporate(pairs, integrationId, {})}/set`
    const [stop, end] = [{ canRedeem: false }, { canRedeem: true }].map((body) => ({ target, body }))
    return { stop: stop as Attempt, end: end as Attempt, role: 'onboarding' }
  },
  order: async (party) => {
    const end = await heldOrder(pairs, party, 'release')
    const stop = { target: end.target.replace('/release', '/hold'), body: { reason: 'a look' } }
    return { stop, end, role: 'compliance' }
  },
  payout: async (party) => {
    const target = `/payouts/${await addPayoutOf(pairs, party, 'queued')}`
    const stop = { target: `${target}/hold`, body: { reason: 'a look' } }
    return { stop, end: { target: `${target}/release`, body: { reason: 'seen' } }, role: 'treasury' }
  },
}

describe('who approved the end of one stop has not approved the end of the next:', () => {
  for (const [noun, make] of Object.entries(ENDS)) {
    it(noun, async () => {
      const { stop, end, role } = await make(await addParty(pairs.db))
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

describe('who approved the end of a stop has not approved it for what somebody else has stopped once more since:', () => {
  for (const [noun, make] of Object.entries(ENDS)) {
    if (noun === 'corporate') continue
    it(noun, async () => {
      const { stop, end, role } = await make(await addParty(pairs.db))
      const [one, two] = pairOf(role)
      const [, stopper] = pairOf('support')
      if (noun !== 'order') assert.equal((await one.call('POST', stop.target, stop.body)).status, 200)
      const { approvalId } = (await one.call('POST', end.target, end.body)).body
      assert.equal((await two.call('POST', `/approvals/${approvalId}/approve`, {})).status, 200)
      const again = await stopper.call('POST', stop.target, { ...stop.body, reason: 'a call from the police' })
      assert.equal(again.status, 200, JSON.stringify(again.body))
      const run = await one.call('POST', end.target, end.body, { 'x-approval': approvalId })
      assert.match(run.body.error?.message ?? 'done', /has changed since/)
      // Held for two things, it is let go by who names both.
      const isHeld = noun === 'order' || noun === 'payout'
      const body = isHeld ? { ...end.body, held: ['a look', 'the police'] } : end.body
      if (isHeld)
        assert.match(
          (await one.call('POST', end.target, end.body)).body.error.message,
          /for another reason than you mean/,
        )
      const asked = (await one.call('POST', end.target, body)).body
      const { stopped } = (await two.call('GET', `/approvals/${asked.approvalId}`)).body.approval.about
      assert.match(stopped, /because: a call from the police\.$/)
      assert.equal((await two.call('POST', `/approvals/${asked.approvalId}/approve`, {})).status, 200)
      const done = await one.call('POST', end.target, body, { 'x-approval': asked.approvalId })
      assert.equal(done.status, 200, JSON.stringify(done.body))
    })
  }
})

it('who approved that an address leaves the deny list has not approved it for one that was denied once more since', async () => {
  const [one, two] = pairOf('compliance')
  const [stopper] = pairOf('support')
  const subject = { address: `0x${'5c'.repeat(20)}` }
  const deny = async (reason: string) =>
    assert.equal((await stopper.call('POST', '/screening/deny', { ...subject, reason })).status, 200)
  await deny('a tip')
  const { approvalId } = (await one.call('POST', '/screening/allow', subject)).body
  assert.equal((await two.call('POST', `/approvals/${approvalId}/approve`, {})).status, 200)
  await deny('a call from the police')
  const run = await one.call('POST', '/screening/allow', subject, { 'x-approval': approvalId })
  assert.match(run.body.error?.message ?? 'done', /has changed since/)
  const asked = (await one.call('POST', '/screening/allow', subject)).body
  assert.equal((await two.call('POST', `/approvals/${asked.approvalId}/approve`, {})).status, 200)
  const done = await one.call('POST', '/screening/allow', subject, { 'x-approval': asked.approvalId })
  assert.deepEqual([done.status, done.body.denied], [200, false])
})

describe('who approved the same for two people has approved it once, as things are:', () => {
  const approved = async (asks: Person, approves: Person, { target, body }: Attempt) => {
    const { approvalId } = (await asks.call('POST', target, body)).body
    assert.equal((await approves.call('POST', `/approvals/${approvalId}/approve`, {})).status, 200)
    return () => asks.call('POST', target, body, { 'x-approval': approvalId })
  }
  const done = async (run: () => ReturnType<Person['call']>) => {
    const answer = await run()
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return answer.body
  }

  it('an order is not minted again once more after that was rejected', async () => {
    const lost = await WAITING['order make-good']?.(pairs, await addParty(pairs.db))
    assert.ok(lost)
    const [one, two] = pairOf('treasury')
    const first = await approved(one, two, lost)
    const second = await approved(two, one, lost)
    const { order } = await done(first)
    const [three, four] = pairOf('compliance')
    await haveChain(pairs.db)
    const body = { reason: 'its partner was paid' }
    await done(await approved(three, four, { target: `/orders/${order}/reject`, body }))
    const late = await second()
    assert.match(late.body.error?.message ?? `minted by ${late.body.order}`, CHANGED)
  })

  it('a cap of a key is not raised once more after it was set back', async () => {
    const { keyId } = await addParty(pairs.db)
    const set = (transferDayCap: string) => ({ target: `/keys/${keyId}/set`, body: { transferDayCap } })
    const [one, two] = pairOf('onboarding')
    await done(await approved(one, two, set('10')))
    const first = await approved(one, two, set('5000'))
    const second = await approved(two, one, set('5000'))
    await done(first)
    await done(await approved(one, two, set('10')))
    assert.match((await second()).body.error?.message ?? 'raised', CHANGED)
  })

  it('an account is not registered once more after it was removed', async () => {
    const added = await WAITING['integration add-remitter']?.(pairs, await addParty(pairs.db))
    assert.ok(added)
    const [one, two] = pairOf('onboarding')
    const first = await approved(one, two, added)
    const second = await approved(two, one, added)
    await done(first)
    await done(() => one.call('POST', `${added.target}/remove`, added.body))
    assert.match((await second()).body.error?.message ?? 'registered', CHANGED)
  })

  it('a wallet does not become the primary one once more after another has', async () => {
    const { customerId, wallet } = await addParty(pairs.db)
    const primary = (address: string) => ({ target: '/wallets', body: { customerId, address, primary: true } })
    const [one, two] = pairOf('onboarding')
    const other = someAddress()
    await done(await approved(one, two, primary(other)))
    await done(await approved(one, two, primary(wallet)))
    const [third, fourth] = [await approved(one, two, primary(other)), await approved(two, one, primary(other))]
    await done(third)
    await done(await approved(one, two, primary(wallet)))
    assert.match((await fourth()).body.error?.message ?? 'primary', CHANGED)
  })

  it("another's token is not replaced once more, by somebody else", async () => {
    const [one, two] = pairOf('admin')
    const [of] = pairOf('viewer')
    const rotation = { target: `/operators/${of.operatorId}/rotate`, body: {} }
    const [first, second] = [await approved(one, two, rotation), await approved(two, one, rotation)]
    await done(first)
    assert.match((await second()).body.error?.message ?? 'replaced', CHANGED)
  })

  for (const whose of ['integration', 'customer'] as const)
    it(`what the suspension of the ${whose} has held is not let go by who approved that before it was suspended once more`, async () => {
      const party = await addParty(pairs.db)
      const held = await WAITING[`${whose} release-orders`]?.(pairs, party)
      assert.ok(held)
      const [one, two] = pairOf('compliance')
      const late = await approved(one, two, held)
      const [asks, approves] = pairOf('onboarding')
      if (whose === 'integration') {
        const target = `/integrations/${party.integrationId}`
        await done(() => pairOf('support')[0].call('POST', `${target}/suspend`, {}))
        await done(await approved(asks, approves, { target: `${target}/resume`, body: {} }))
      } else {
        const target = `/customers/${party.customerId}/set`
        await done(() => asks.call('POST', target, { status: 'SUSPENDED' }))
        await done(await approved(asks, approves, { target, body: { status: 'VERIFIED' } }))
      }
      assert.match((await late()).body.error?.message ?? 'let go', CHANGED)
    })

  it('what is said of a batch of others is not said of another one that has its id since', async () => {
    const said = await WAITING['batch explain']?.(pairs, await addParty(pairs.db))
    assert.ok(said)
    const [one, two] = pairOf('treasury')
    const late = await approved(one, two, said)
    // The chain has lost it, deeper than final, and has as many instructions of somebody else there.
    await withoutGuards(pairs.db, (tx) =>
      tx.query(`update batches set digest = '0xe1' where batch_id = $1`, [said.target.split('/')[3] ?? '']),
    )
    assert.match((await late()).body.error?.message ?? 'explained', CHANGED)
  })
})
