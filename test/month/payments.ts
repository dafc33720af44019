/** The month's payouts: to the bank in files, what it does with them, and what operators do with those that came back. */
import assert from 'node:assert/strict'
import { REFUNDS } from '../../src/values/house.ts'
import { withoutGuards } from '../support/without-guards.ts'
import type { Ended, Settled } from './chain.ts'
import { FIRST_DAY, type MonthWorld } from './world.ts'

export type Payout = {
  payoutId: string
  integrationId: string
  customerId: string
  chainId: number
  amountSen: bigint
  /** What was burnt for it. */
  amountMicro: bigint
}
/** A payout that came back and that nobody has settled yet. */
type Case = Payout & { status: 'rejected' | 'returned'; refund: { residualMicro: bigint } | undefined }

export type Payments = ReturnType<typeof createPayments>

export function createPayments({ db, bank, expected, ask, service, pay }: MonthWorld) {
  /** By end-to-end id: payments that the bank has, and what of them is known here. */
  const atBank = new Map<string, { payout: Payout; isPaid: boolean; isReturned: boolean }>()
  const cases: Case[] = []
  const paidByHand: Payout[] = []
  /** Payments by hand that the bank will give back, from the day after. */
  const givingBack: Payout[] = []
  let held: string | undefined
  let turn = 0
  const seen = { rejected: 0, returned: 0, retried: 0, byHand: 0, refunded: 0, failedRefunds: 0, handedBack: 0 }

  async function payoutOf(endToEndId: string): Promise<Payout> {
    const [row] = await db.query<Payout>(
      `select p.payout_id as "payoutId", o.integration_id as "integrationId", o.customer_id as "customerId", o.chain_id::int as "chainId",
         p.amount_sen as "amountSen", o.amount_micro as "amountMicro"
       from payouts p join orders o using (order_id) where p.end_to_end_id = $1`,
      [endToEndId],
    )
    assert.ok(row, `the bank was asked for ${endToEndId}, which nothing explains`)
    return row
  }

  /** Whatever the operator does with a case, in turn. */
  async function tend(one: Case): Promise<boolean> {
    turn += 1
    const target = `/payouts/${one.payoutId}`
    if (turn % 4 === 0) return false
    if (turn % 4 === 1) {
      await ask('POST', `${target}/retry`, {})
      seen.retried += 1
      return true
    }
    if (turn % 4 === 2) {
      // The database's own clock says today, when the bank's days are long over.
      await withoutGuards(db, (tx) =>
        tx.query('update payouts set created_at = $2 where payout_id = $1', [one.payoutId, FIRST_DAY]),
      )
      await ask('POST', `${target}/mark-paid`, { reference: `HAND ${turn} ${one.payoutId}` })
      expected.byHand(one)
      bank.withdraw(one.amountSen, { name: 'Payee', account: '8001234567' }, `BY HAND ${one.payoutId}`)
      paidByHand.push(one)
      if (seen.byHand % 3 === 0) givingBack.push(one)
      seen.byHand += 1
      return true
    }
    await ask('POST', `${target}/refund`, {})
    one.refund = { residualMicro: expected.refundAsked(one) }
    return false
  }

  function refundEnded(order: Settled, isDone: boolean): void {
    const place = cases.findIndex(({ payoutId }) => payoutId === order.referenceId.split('/')[0])
    const one = cases[place]
    assert.ok(one?.refund, `${order.referenceId} was minted back, and nobody asked for it`)
    const { residualMicro } = one.refund
    assert.equal(order.amountMicro, one.amountSen * 10_000n + residualMicro)
    expected.refundEnded({ ...one, residualMicro }, isDone)
    one.refund = undefined
    if (isDone) cases.splice(place, 1)
    seen[isDone ? 'refunded' : 'failedRefunds'] += 1
  }

  return {
    seen,
    cases: (): readonly Case[] => cases,
    held: () => held,
    /** Payments by hand whose debit the bank has not shown. */
    paidByHand,
    givingBack,
    handedBack(payout: Payout): void {
      expected.byHandReturned(payout)
      cases.push({ ...payout, status: 'returned', refund: undefined })
      seen.handedBack += 1
    },
    atBank: (): ReadonlyMap<string, { payout: Payout }> => atBank,

    /** In the morning operators tend what came back, and release what they held. */
    async tend(): Promise<void> {
      for (const one of cases.filter(({ refund }) => refund === undefined)) {
        if (await tend(one)) cases.splice(cases.indexOf(one), 1)
      }
      if (held === undefined) return
      await ask('POST', `/payouts/${held}/release`, { reason: 'it may go on', held: ['a look at it'] })
      held = undefined
    },

    /** What a batch did, in the sequence in which it is decided. */
    settled({ done, failed }: Ended): void {
      const isRefund = ({ integrationId }: Settled) => integrationId === REFUNDS
      for (const order of done.filter(isRefund)) refundEnded(order, true)
      for (const order of failed.filter(isRefund)) refundEnded(order, false)
      for (const order of done.filter((each) => !isRefund(each))) expected.settled(order)
    },

    /** Holds the oldest queued payout. */
    async holdOne(): Promise<void> {
      const [row] = await db.query<{ payout_id: string }>(
        `select payout_id from payouts where status = 'queued' order by created_at, payout_id limit 1`,
      )
      if (row === undefined) return
      held = row.payout_id
      await ask('POST', `/payouts/${held}/hold`, { reason: 'a look at it' })
    },

    /** Files what is due; the bank takes the files and reports on each. */
    async hand(): Promise<void> {
      for (const messageId of await pay()) {
        assert.equal(bank.receive(await service.outFile(messageId)).result, 'taken')
        for (const [endToEndId, { payment, fate }] of bank.orders()) {
          if (atBank.has(endToEndId)) continue
          const payout = await payoutOf(endToEndId)
          assert.equal(payment.amountSen, payout.amountSen)
          atBank.set(endToEndId, { payout, isPaid: false, isReturned: false })
          expected.sent(payout)
          if (fate !== 'rejected') continue
          expected.rejected(payout)
          cases.push({ ...payout, status: 'rejected', refund: undefined })
          seen.rejected += 1
        }
        assert.equal((await service.importXml(bank.report(messageId))).taken.result, 'applied')
      }
    },

    /** What the bank has done with payments since the last time, to be told once its statement is applied. */
    news(): (() => void)[] {
      const told: (() => void)[] = []
      for (const [endToEndId, order] of bank.orders()) {
        const known = atBank.get(endToEndId)
        if (known === undefined) continue
        const { payout } = known
        if (order.isPaid && !known.isPaid) told.push(() => expected.paid(payout))
        if (order.isReturned && !known.isReturned) {
          told.push(() => {
            expected.returned(payout)
            cases.push({ ...payout, status: 'returned', refund: undefined })
            seen.returned += 1
          })
        }
        Object.assign(known, { isPaid: order.isPaid, isReturned: order.isReturned })
      }
      return told
    },
  }
}
