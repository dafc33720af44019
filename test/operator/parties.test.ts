// engine: postgres; both in test:long
/** Customers, corporates and payouts of several partners: a command changes the one it names and no other. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { createSecretBox } from '../../src/secrets/secrets.ts'
import { type OperatorFixture, startOperator } from './fixture.ts'
import { addChain, addCustomer, addOrder, addParty, addPayout, type Party } from './world.ts'

let api: OperatorFixture
let one: Party
let other: Party
before(async () => {
  api = await startOperator()
  ;[one, other] = [await addParty(api.db), await addParty(api.db)]
  await addChain(api.db, 1, 100n)
})
after(() => api.close())

const get = async (target: string) => (await api.call('GET', target)).body
/** The newest line that is not of a look at a customer. */
const newest = async () =>
  (await get('/audit?limit=20')).entries.find(({ action }: { action: string }) => !/[.](show|list)$/.test(action))

const CORPORATE = { name: 'Kilang', status: 'VERIFIED', stage: 'DONE', country: 'MY', industry: 'Manufacturing' }
const CUSTOMER = { type: 'RETAIL', status: 'VERIFIED', level: 'TIER_2', country: 'MY' }
const NOBODY = 'int_000000000000000000000000'

it("an account from which a partner no longer pays is forgotten at once, and nobody else's", async () => {
  const account = '70001112223'
  const post = (integrationId: string, what: string, number: string) =>
    api.call('POST', `/integrations/${integrationId}/remitters${what}`, { account: number })
  const known = async () =>
    (
      await api.db.query<{ ending: string }>(
        `select account_ending as ending from bank_details where account_ending in ('2223', '4445')`,
      )
    )
      .map(({ ending }) => ending)
      .toSorted()
  await post(one.integrationId, '', account)
  await post(other.integrationId, '', '70001114445')
  assert.deepEqual(await known(), ['2223', '4445'])
  const refused = await post(one.integrationId, '/remove', '70001114445')
  assert.deepEqual([refused.status, /integration show int_/.test(refused.body.error.message)], [404, true])
  assert.deepEqual((await post(one.integrationId, '/remove', account)).body.remitters, [])
  assert.deepEqual(await known(), ['4445'])
  assert.equal((await post(one.integrationId, '/remove', account)).status, 404)
  // It may be another partner's from then on.
  assert.equal((await post(other.integrationId, '', account)).status, 200)
})

describe('a customer', () => {
  it('whose bank account no key opens any more gets another one, with all its parts', async () => {
    const lost = createSecretBox(randomBytes(32))
    const { customerId } = await addCustomer(api.db, one.integrationId, lost)
    const set = (body: object) => api.call('POST', `/customers/${customerId}/set`, body)
    assert.notEqual((await set({ bankAccount: '5550001234' })).status, 200)
    const whole = { bankBic: 'MBBEMYKL', bankAccount: '5550001234', bankName: 'Aminah' }
    assert.equal((await set(whole)).status, 200)
    const { customer } = await get(`/customers/${customerId}`)
    assert.match(customer.bank.account, /1234$/)
  })

  it('is changed alone, and the log shows the change without a name or a whole account number', async () => {
    const { customerId: sibling } = await addCustomer(api.db, one.integrationId)
    const untouched = async () => [await get(`/customers/${sibling}`), await get(`/customers/${other.customerId}`)]
    const before = await untouched()
    const changes = {
      type: 'ENTERPRISE',
      status: 'SUSPENDED',
      level: 'TIER_9',
      country: 'SG',
      resident: false,
      monthlyCap: '12.5',
      canMint: false,
      canRedeem: false,
      canTransfer: false,
      bankBic: 'CIBBMYKL',
      bankAccount: '99887766',
      bankName: 'Another Person',
    }
    const { status, body } = await api.call('POST', `/customers/${one.customerId}/set`, changes)
    assert.equal(status, 200, JSON.stringify(body))
    const { customer } = await get(`/customers/${one.customerId}`)
    assert.deepEqual(customer.bank, { bic: 'CIBBMYKL', account: '…7766', name: 'Another Person' })
    assert.deepEqual(customer.switches, { canMint: false, canRedeem: false, canTransfer: false })
    assert.deepEqual([customer.integrationId, customer.limits.monthlyWithdrawalCap], [one.integrationId, '12.5'])
    assert.deepEqual(await untouched(), before)
    const { action, target, details } = await newest()
    assert.deepEqual([action, target], ['customer.set', one.customerId])
    assert.deepEqual(details, {
      changed: Object.keys(changes).sort(),
      accountType: 'ENTERPRISE',
      status: 'SUSPENDED',
      level: 'TIER_9',
      countryCode: 'SG',
      externalId: null,
      isResident: false,
      monthlyCap: '12.5',
      canMint: false,
      canRedeem: false,
      canTransfer: false,
      bankBic: 'CIBBMYKL',
      bankAccount: '…7766',
    })
  })

  it('is suspended by itself alone, once and again, and neither when it was rejected nor when nobody knows it', async () => {
    const { customerId } = await addCustomer(api.db, one.integrationId)
    const before = await get(`/customers/${customerId}`)
    const suspend = (id: string, body: object = {}) => api.call('POST', `/customers/${id}/suspend`, body)
    for (const _ of ['once', 'again']) {
      assert.deepEqual((await suspend(customerId)).body, { ok: true, customerId, status: 'SUSPENDED' })
    }
    const { verification, capabilities, ...others } = (await get(`/customers/${customerId}`)).customer
    assert.deepEqual([verification.status, verification.level], ['SUSPENDED', before.customer.verification.level])
    assert.deepEqual(capabilities, { canMint: false, canRedeem: false, canTransfer: false })
    const { verification: _, capabilities: __, ...as } = before.customer
    assert.deepEqual(others, as)
    assert.deepEqual([(await newest()).action, (await newest()).target], ['customer.suspend', customerId])
    assert.equal((await suspend(customerId, { status: 'VERIFIED' })).status, 400)
    assert.equal((await suspend('cus_none')).status, 404)
    await api.call('POST', `/customers/${customerId}/set`, { status: 'REJECTED' })
    const refused = await suspend(customerId)
    assert.deepEqual(
      [refused.status, refused.body.error.message],
      [409, `${customerId} is REJECTED: its orders are stopped already.`],
    )
    assert.equal((await get(`/customers/${customerId}`)).customer.verification.status, 'REJECTED')
  })

  it('without a bank account is shown without one', async () => {
    const { body } = await api.call('POST', '/customers', { integrationId: one.integrationId, ...CUSTOMER })
    const { target, details } = await newest()
    assert.deepEqual([target, details.integrationId], [body.customerId, one.integrationId])
    assert.deepEqual([details.bankBic, details.bankAccount], [null, null])
    const { customer } = await get(`/customers/${body.customerId}`)
    assert.deepEqual([customer.residency.isResident, customer.switches.canRedeem], [true, true])
  })

  it('is refused where a detail is wrong, when linked and when changed', async () => {
    const before = await get(`/customers/${other.customerId}`)
    for (const [changes, says] of [
      [{ country: 'ZZ' }, /country/],
      [{ bankBic: 'nonsense' }, /ISO 9362/],
      [{ removeBank: true, bankBic: 'CIBBMYKL' }, /not both/],
      [{ removeBank: true, bankAccount: '99887766' }, /not both/],
      [{}, /at least one/],
    ] as const) {
      const { status, body } = await api.call('POST', `/customers/${other.customerId}/set`, changes)
      assert.equal(status, 400)
      assert.match(body.error.message, says)
    }
    assert.deepEqual(await get(`/customers/${other.customerId}`), before)
    for (const half of [
      { bankBic: 'MBBEMYKL', bankName: 'A' },
      { bankAccount: '1', bankName: 'A' },
    ]) {
      const { status } = await api.call('POST', '/customers', {
        integrationId: one.integrationId,
        ...CUSTOMER,
        ...half,
      })
      assert.equal(status, 400)
    }
  })

  it('is refused with a bank account that the rail could not pay, before anything is burnt', async () => {
    const files = await startOperator({
      payeeProblem: ({ bic }) => (bic === 'DBSSSGSG' ? 'No file can name it.' : undefined),
    })
    try {
      const { integrationId, customerId } = await addParty(files.db)
      const bank = { bankAccount: '99887766', bankName: 'A' }
      const link = (bankBic: string) =>
        files.call('POST', '/customers', { integrationId, ...CUSTOMER, ...bank, bankBic })
      const set = (bankBic: string) => files.call('POST', `/customers/${customerId}/set`, { ...bank, bankBic })
      for (const ask of [link, set]) {
        const { status, body } = await ask('DBSSSGSG')
        assert.deepEqual([status, body.error.message], [400, 'No file can name it.'])
        assert.equal((await ask('CIBBMYKL')).status, 200)
      }
    } finally {
      await files.close()
    }
  })

  it('is listed with its own integration only', async () => {
    const { customers } = await get(`/customers?integrationId=${other.integrationId}`)
    assert.deepEqual(
      customers.map(({ customerId }: { customerId: string }) => customerId),
      [other.customerId],
    )
    assert.equal((await api.call('GET', `/customers?integrationId=${NOBODY}`)).status, 404)
  })
})

describe('a corporate', () => {
  it('is linked, listed and changed alone', async () => {
    const link = async ({ integrationId }: Party): Promise<string> =>
      (await api.call('POST', '/corporates', { integrationId, ...CORPORATE })).body.corporateId
    const [mine, sibling, theirs] = [await link(one), await link(one), await link(other)]
    const page = await get(`/corporates?integrationId=${one.integrationId}&limit=1`)
    assert.deepEqual([page.corporates[0].corporateId, page.next], [mine, mine])
    const rest = await get(`/corporates?integrationId=${one.integrationId}&after=${mine}`)
    assert.deepEqual(
      rest.corporates.map(({ corporateId }: { corporateId: string }) => corporateId),
      [sibling],
    )
    const before = [await get(`/corporates/${sibling}`), await get(`/corporates/${theirs}`)]
    const changes = {
      name: 'Gudang',
      status: 'PENDING',
      stage: 'REVIEW',
      country: 'SG',
      industry: 'Storage',
      canMint: false,
      canRedeem: false,
      canPayroll: false,
    }
    const { corporate } = (await api.call('POST', `/corporates/${mine}/set`, changes)).body
    assert.deepEqual(corporate.switches, { canMint: false, canRedeem: false, canPayroll: false })
    assert.equal(corporate.integrationId, one.integrationId)
    assert.deepEqual([await get(`/corporates/${sibling}`), await get(`/corporates/${theirs}`)], before)
    const { action, target, details } = await newest()
    assert.deepEqual([action, target], ['corporate.set', mine])
    assert.deepEqual(details, {
      changed: Object.keys(changes).sort(),
      companyName: 'Gudang',
      status: 'PENDING',
      stage: 'REVIEW',
      countryCode: 'SG',
      industry: 'Storage',
      canMint: false,
      canRedeem: false,
      canPayroll: false,
    })
    assert.equal((await api.call('POST', `/corporates/${mine}/set`, {})).status, 400)
    const wrong = await api.call('POST', `/corporates/${mine}/set`, { country: 'ZZ' })
    assert.match(wrong.body.error.message, /country/)
  })

  it('belongs to an existing integration and has an existing country', async () => {
    assert.equal((await api.call('POST', '/corporates', { integrationId: NOBODY, ...CORPORATE })).status, 404)
    assert.equal((await api.call('GET', `/corporates?integrationId=${NOBODY}`)).status, 404)
    const wrong = { integrationId: one.integrationId, ...CORPORATE, country: 'ZZ' }
    assert.equal((await api.call('POST', '/corporates', wrong)).status, 400)
    const { status, body } = await api.call('POST', '/corporates', {
      integrationId: one.integrationId,
      ...CORPORATE,
      canPayroll: false,
    })
    assert.equal(status, 200)
    const { switches } = (await get(`/corporates/${body.corporateId}`)).corporate
    assert.deepEqual(switches, { canMint: true, canRedeem: true, canPayroll: false })
  })
})

describe('a payout', () => {
  const queue = async (party: Party, status: string, error?: string) => {
    const paying = { direction: 'REDEEM', state: 'payoutPending' } as const
    const orderId = await addOrder(api.db, party, { chainId: 1, amountMicro: 1_230_000n, ...paying })
    const told = error === undefined ? {} : { error }
    const hold = status === 'held' ? { holdReason: 'rail_not_configured' } : {}
    return addPayout(api.db, { orderId, customerId: party.customerId, status, timesAsked: 4, ...told, ...hold })
  }

  it('is listed by status, and retried alone', async () => {
    const [mine, theirs] = [
      await queue(one, 'rejected', 'account closed'),
      await queue(other, 'rejected', 'name differs'),
    ]
    const accepted = await queue(one, 'sent')
    const held = await queue(other, 'held')
    const ids = async (query: string) =>
      (await get(`/payouts?${query}`)).payouts.map(({ payoutId }: { payoutId: string }) => payoutId)
    assert.deepEqual(await ids('status=rejected'), [mine, theirs])
    assert.deepEqual(await ids('status=sent'), [accepted])
    assert.deepEqual(await ids(''), [mine, theirs, accepted, held])
    assert.deepEqual(await ids(`after=${mine}&limit=1`), [theirs])
    assert.equal((await api.call('GET', '/payouts?status=lost')).status, 400)

    const { payout } = (await api.call('POST', `/payouts/${mine}/retry`, {})).body
    assert.deepEqual([payout.status, payout.amountMyr, payout.nextAttemptAt !== null], ['queued', '1.23', true])
    const { action, target, details } = await newest()
    assert.deepEqual(
      [action, target, details],
      ['payout.retry', mine, { timesAsked: 4, earlierError: 'account closed' }],
    )
    const [untouched] = (await get('/payouts?status=rejected')).payouts
    assert.deepEqual([untouched.payoutId, untouched.nextAttemptAt], [theirs, null])
    const refusal = async (payoutId: string) => {
      const { status, body } = await api.call('POST', `/payouts/${payoutId}/retry`, {})
      return `${status} ${body.error.message}`
    }
    assert.match(await refusal(accepted), /^409 The rail has accepted .* already/)
    assert.match(
      await refusal(held),
      /^409 .* is held \(simulated was asked\): the rail that was asked .*: set PAYOUT_RAIL and PAYOUT_URL to that one again, and the payout goes on by itself; .*\.$/,
    )
    const [waiting] = (await get('/payouts?status=held')).payouts
    assert.match(
      waiting.holdReason,
      /^the rail that was asked to pay it is not configured now.*: set PAYOUT_RAIL and PAYOUT_URL to that one again/,
    )
    assert.equal(untouched.holdReason, null)
    assert.equal((await api.call('POST', `/payouts/${mine}/retry`, { now: true })).status, 400)
  })
})
