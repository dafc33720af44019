// engine: postgres; both in test:long
/** The operator's day by commands: what docs/RUNBOOKS.md says is done, by two people where it takes two. */
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { waitFor } from '../../support/wait-for.ts'
import { type Day, type Partner, startDay } from './world.ts'

const began = new Date()
let day: Day
/** What is done is done about Acme; the neighbour's business goes on. */
let acme: Partner
let neighbour: Partner

before(async () => {
  day = await startDay()
})
after(() => day?.close())

describe('runbook: A partner joins', () => {
  it('with its key, its endpoint and a customer whose wallet is linked by consent; and so does another', async () => {
    acme = await day.onboard('Acme')
    neighbour = await day.onboard('Neighbour')
    for (const { integrationId, endpointId, keyId } of [acme, neighbour]) {
      const { endpoints } = await day.alone('support', 'webhook', 'list', '--integration', integrationId)
      assert.deepEqual(
        endpoints.map((each: { endpointId: string }) => each.endpointId),
        [endpointId],
      )
      const { keys } = await day.alone('support', 'key', 'list', '--integration', integrationId)
      assert.deepEqual(
        keys.map((each: { keyId: string }) => each.keyId),
        [keyId],
      )
    }
    assert.equal((await day.alone('support', 'webhook', 'test', acme.endpointId)).acknowledged, true)
    await (await day.accepted(acme, 'mints', '1000')).completed()
    await day.goesOn(neighbour)
  })

  it("but neither's key does anything for the other's customer", async () => {
    const posted = await day.post(acme, 'mints', '1', { customerId: neighbour.customerId })
    assert.equal(posted.status, 404, posted.text)
  })
})

describe('runbook: Orders are stuck', () => {
  it('is listed with its reason, and goes on by itself when the cause is gone', async () => {
    await day.alone('support', 'chain', 'pause', '--settlement-only')
    const [mine, theirs] = [await day.accepted(acme, 'mints', '2'), await day.accepted(neighbour, 'mints', '2')]
    const stuck = async () =>
      (await day.alone('support', 'order', 'list', '--stuck', '--older-than', '0s')).orders as Record<string, string>[]
    await waitFor('both to be stuck for that reason', async () => {
      const orders = await stuck()
      return [mine, theirs].every(({ referenceId }) =>
        orders.some((each) => each.referenceId === referenceId && each.waiting?.startsWith('paused')),
      )
    })
    const { waiting } = await day.alone('support', 'order', 'show', mine.order)
    assert.match(waiting, /^paused: .*chain resume/)
    const one = day.nameOf('treasury')
    const asked = await day.type(one, ['chain', 'resume'])
    assert.equal(asked.code, 3)
    const own = await day.type(one, ['approval', 'approve', asked.said.approvalId])
    assert.deepEqual([own.code, own.said.ok], [1, false], 'nobody approves their own')
    await day.together('treasury', ['chain', 'resume'])
    await Promise.all([mine, theirs].map((each) => each.completed()))
    assert.deepEqual(await stuck(), [])
  })
})

describe('runbook: Known fraud', () => {
  it('is stopped, taken out, and everybody else goes on', async () => {
    const burnt = await day.accepted(neighbour, 'mints', '20')
    await burnt.completed()
    await day.alone('support', 'chain', 'pause', '--settlement-only')
    const [fraud, more, honest] = [
      await day.accepted(acme, 'redeems', '300'),
      await day.accepted(acme, 'mints', '400'),
      await day.accepted(neighbour, 'redeems', '10'),
    ]
    assert.equal(
      (await day.alone('support', 'order', 'hold', fraud.order, '--reason', 'known fraud')).held,
      'known fraud',
    )
    await day.alone('support', 'integration', 'suspend', acme.integrationId)
    await day.alone('support', 'wallet', 'freeze', acme.wallet)
    await day.alone('compliance', 'screening', 'deny', acme.wallet)
    await day.isRefused(acme)
    const waitingOnes = async () => {
      const ofAcme = ['--integration', acme.integrationId, '--status', 'pending']
      const { orders } = await day.alone('support', 'order', 'list', ...ofAcme)
      return orders as { referenceId: string; waiting: string }[]
    }
    await waitFor('its other order to be held by itself', async () =>
      (await waitingOnes()).every(({ waiting }) => waiting.startsWith('held: ')),
    )
    const found = (await waitingOnes()).map(({ referenceId }) => referenceId)
    assert.deepEqual(new Set(found), new Set([fraud.referenceId, more.referenceId]))
    for (const { order } of [fraud, more]) {
      await day.together('compliance', ['order', 'reject', order, '--reason', 'known fraud'])
    }
    await day.together('compliance', ['chain', 'resume'])
    await waitFor('the honest redeem to be paid', async () => day.bank.payments.size > 0)
    await honest.completed()
    await day.goesOn(neighbour)
    const statusOf = async (order: string) => (await day.alone('support', 'order', 'show', order)).order.status
    assert.deepEqual([await statusOf(fraud.order), await statusOf(more.order)], ['failed', 'failed'])
    await waitFor('the partner to be told', () =>
      fraud.eventsAt(acme).some(({ body }) => body.includes('redeem.failed')),
    )
    assert.equal(fraud.eventsAt(neighbour).length, 0)
    assert.equal((await day.alone('support', 'reconcile')).ok, true)
  })

  it('is over when the partner has been cleared: it works again, with what was held given back', async () => {
    await day.together('compliance', ['wallet', 'unfreeze', acme.wallet])
    await day.together('compliance', ['screening', 'allow', acme.wallet])
    await day.together('compliance', ['integration', 'resume', acme.integrationId])
    const all = await day.accepted(acme, 'redeems', '300')
    await all.completed()
    await day.goesOn(acme)
  })
})

describe('runbook: A payout was refused', () => {
  it('is tended, its account is corrected, and it is paid under another id', async () => {
    day.bank.script.push('refuse')
    const refused = await day.accepted(acme, 'redeems', '12.34')
    await refused.becomes('PAYOUT_REJECTED')
    const { payouts } = await day.alone('treasury', 'payout', 'list', '--status', 'rejected')
    assert.deepEqual(
      payouts.map((each: { referenceId: string }) => each.referenceId),
      [refused.referenceId],
    )
    const [{ payoutId, endToEndId }] = payouts
    await day.alone('treasury', 'payout', 'assign', payoutId, '--to', day.nameOf('treasury'))
    const bank = ['--bank-bic', 'CIBBMYKL', '--bank-account', '-', '--bank-name', 'The right name']
    await day.together('onboarding', ['customer', 'set', acme.customerId, ...bank], '8001234567\n')
    await day.together('treasury', ['payout', 'retry', payoutId])
    await refused.completed()
    const [paid = ''] = day.bank.paymentsOf(payoutId)
    assert.match(paid, /"account":"8001234567"/)
    assert.ok(!paid.includes(endToEndId), 'another payment has another id')
    await day.goesOn(neighbour)
    const redeem = await day.accepted(neighbour, 'redeems', '1')
    await redeem.completed()
    assert.match([...day.bank.payments.values()].at(-1) ?? '', /"account":"512345678901"/)
  })
})

describe('runbook: A payout was returned', () => {
  it('is known from the bank, and the coin comes back to the customer', async () => {
    const redeem = await day.accepted(acme, 'redeems', '7')
    await redeem.completed()
    const { payouts } = await day.alone('treasury', 'payout', 'list')
    const { payoutId, endToEndId } = payouts.find(
      (each: { referenceId: string }) => each.referenceId === redeem.referenceId,
    )
    day.bank.returned.add(endToEndId)
    // The payer asks about what it sent at first every minute.
    await day.db.query('update payouts set next_attempt_at = now() where payout_id = $1', [payoutId])
    await redeem.becomes('PAYOUT_RETURNED')
    assert.equal((await day.alone('treasury', 'payout', 'list', '--status', 'returned')).payouts.length, 1)
    await day.together('treasury', ['payout', 'refund', payoutId])
    await waitFor('the refund to settle', async () => {
      return (await day.alone('treasury', 'payout', 'show', payoutId)).payout.status === 'refunded'
    })
    assert.equal((await day.alone('treasury', 'reconcile')).ok, true)
    await day.goesOn(neighbour)
  })
})

describe('runbook: Every key is replaced in turn', () => {
  it("a partner's API key: the old one ends at once, and the neighbour's stays", async () => {
    const next = await day.together('onboarding', ['key', 'rotate', acme.keyId, '--overlap', '0'])
    await day.isRefused(acme)
    Object.assign(acme, { apiKey: next.apiKey, keyId: next.keyId })
    await day.goesOn(acme)
    await day.goesOn(neighbour)
  })

  it("a webhook's secret: both work until the partner has the next one (runbook: A webhook secret leaked)", async () => {
    const isSignedWith = (partner: Partner, secret: string) => {
      const { headers, body } = partner.receiver.received.at(-1) ?? assert.fail()
      const [, at, signature] = /^t=(\d+),v1=(\w+)$/.exec(String(headers['x-coin-signature'])) ?? []
      return createHmac('sha256', secret).update(`${at}.${body}`).digest('hex') === signature
    }
    const { secret } = await day.alone('support', 'webhook', 'rotate', acme.endpointId)
    await day.alone('support', 'webhook', 'test', acme.endpointId)
    assert.ok(isSignedWith(acme, acme.secret))
    await day.alone('support', 'webhook', 'test', acme.endpointId, '--next')
    assert.ok(isSignedWith(acme, secret))
    await day.alone('support', 'webhook', 'activate', acme.endpointId)
    await day.alone('support', 'webhook', 'test', acme.endpointId)
    assert.ok(isSignedWith(acme, secret))
    await day.alone('support', 'webhook', 'test', neighbour.endpointId)
    assert.ok(isSignedWith(neighbour, neighbour.secret))
  })

  it("an operator's token: one's own at once, another's when a second admin agrees", async () => {
    const { operators } = await day.alone('admin', 'operator', 'list')
    const idOf = (name: string) => operators.find((each: { name: string }) => each.name === name).operatorId
    const [own, other] = [day.nameOf('support'), day.nameOf('support', 1)]
    const mine = await day.type(own, ['operator', 'rotate', idOf(own)])
    assert.equal(mine.code, 0)
    assert.equal((await day.type(own, ['whoami'])).said.error.code, 'UNAUTHORIZED')
    day.giveToken(own, mine.said.token)
    assert.equal((await day.type(own, ['whoami'])).said.name, own)
    const theirs = await day.together('admin', ['operator', 'rotate', idOf(other)])
    assert.equal((await day.type(other, ['whoami'])).said.error.code, 'UNAUTHORIZED')
    day.giveToken(other, theirs.token)
    assert.equal((await day.type(other, ['whoami'])).said.name, other)
  })
})

describe('runbook: A webhook endpoint is dead', () => {
  it('gets again what it missed, and nobody else anything', async () => {
    const since = new Date().toISOString()
    acme.answers = 410
    const missed = await day.accepted(acme, 'mints', '3')
    await missed.completed()
    const endpoint = async () => {
      const { endpoints } = await day.alone('support', 'webhook', 'list', '--integration', acme.integrationId)
      return endpoints[0]
    }
    await waitFor('the endpoint to be disabled', async () => (await endpoint()).status === 'disabled')
    const later = await day.accepted(acme, 'mints', '4')
    await later.completed()
    await day.goesOn(neighbour)
    const untouched = neighbour.receiver.received.length

    const { deliveries } = await day.alone(
      'support',
      'webhook',
      'deliveries',
      '--endpoint',
      acme.endpointId,
      '--failed',
    )
    assert.ok(deliveries.length > 0)
    const failed = await day.shown('support', 'webhook', 'deliveries', '--endpoint', acme.endpointId, '--failed')
    assert.match(failed, /^deliveryId .* status .* httpStatus +error\n.* 410 +http_410/)
    acme.answers = 500
    await day.alone('support', 'webhook', 'enable', acme.endpointId)
    assert.equal((await day.type(day.nameOf('support'), ['webhook', 'test', acme.endpointId])).code, 1)
    acme.answers = 204
    await day.alone('support', 'webhook', 'test', acme.endpointId)
    const nobody = await day.type(day.nameOf('support'), ['webhook', 'replay', '--since', since])
    assert.deepEqual([nobody.code, nobody.said.error.code], [1, 'BAD_REQUEST'])
    const replay = (...more: string[]) =>
      day.alone('support', 'webhook', 'replay', '--since', since, '--endpoint', acme.endpointId, ...more)
    const dry = await replay('--dry-run')
    assert.deepEqual([dry.scheduled, (await replay('--dry-run')).wouldSchedule], [0, dry.wouldSchedule])
    assert.ok(dry.wouldSchedule >= 2)
    assert.ok(
      (await replay('--failed', '--dry-run')).wouldSchedule < dry.wouldSchedule,
      'what was never due did not fail',
    )
    assert.equal((await replay()).scheduled, dry.wouldSchedule)
    for (const order of [missed, later]) {
      await waitFor('the event', () => order.eventsAt(acme).some(({ body }) => body.includes('mint.completed')))
    }
    assert.equal(neighbour.receiver.received.length, untouched)
  })
})

describe('runbook: The day is closed', () => {
  it('with what each partner moved, and books that agree', async () => {
    assert.equal((await day.alone('treasury', 'reconcile')).ok, true)
    assert.equal((await day.alone('treasury', 'ledger', 'verify')).ok, true)
    assert.equal((await day.alone('treasury', 'audit', 'verify')).ok, true)
    const dayOf = (at: Date) => new Intl.DateTimeFormat('en-CA', { timeZone: 'Asia/Kuala_Lumpur' }).format(at)
    const flows: Record<string, string>[] = []
    for (const date of new Set([dayOf(began), dayOf(new Date())])) {
      flows.push(...(await day.alone('treasury', 'close', '--date', date)).flows)
    }
    const sumOf = ({ integrationId }: Partner, column: string) =>
      flows.filter((each) => each.integrationId === integrationId).reduce((sum, each) => sum + Number(each[column]), 0)
    for (const partner of [acme, neighbour]) {
      const { mints, redeems } = partner.moved
      const refunded = partner === acme ? 7 : 0
      assert.deepEqual(
        ['minted', 'redeemed', 'refunded'].map((column) => sumOf(partner, column)),
        [mints / 100, redeems / 100, refunded],
        partner.name,
      )
    }
  })

  it('by a person of treasury, for ever', async () => {
    const yesterday = new Date(began.getTime() - 86_400_000).toISOString().slice(0, 10)
    assert.equal((await day.alone('treasury', 'close', '--date', yesterday)).closed, false)
    await day.alone('treasury', 'ledger', 'close', '--through', yesterday)
    assert.equal((await day.alone('treasury', 'close', '--date', yesterday)).closed, true)
    await day.goesOn(neighbour)
    assert.equal((await day.alone('treasury', 'reconcile')).ok, true)
  })

  it('and the audit log has two names for all that took two', async () => {
    const { entries } = await day.alone('admin', 'audit', 'list', '--limit', '500')
    const actors = new Set(entries.map((each: { actor: string }) => each.actor))
    for (const role of ['admin', 'onboarding', 'treasury', 'compliance'] as const) {
      for (const place of [0, 1] as const) assert.ok(actors.has(day.nameOf(role, place)), day.nameOf(role, place))
    }
  })
})
