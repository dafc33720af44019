/** Operators who give up what the chain has lost, and make it good, with four eyes. */
import assert from 'node:assert/strict'
import { ROLES } from '../../src/config.ts'
import { applyGrants } from '../../src/db/grants.ts'
import { type Person, startOperator } from '../operator/fixture.ts'
import { asRole, type TestDatabase } from '../support/database.ts'
import { CHAIN } from './repairing.ts'
import { look } from './replacing.ts'
import type { Stepped } from './stepped.ts'

/** Operators over the same nodes, with four eyes, as the database's role. */
export async function startEyes(s: Stepped, t: { after(fn: () => Promise<void>): void }) {
  await applyGrants(s.db, ROLES, false)
  const db = (await asRole(s.db, 'operator')) as TestDatabase
  const alone = await startOperator({ db, chains: [s.chain] })
  const treasury = [await alone.person('treasury'), await alone.person('treasury')] as const
  const compliance = [await alone.person('compliance'), await alone.person('compliance')] as const
  const [one] = treasury
  await alone.close()
  const coin = await startOperator({ db, chains: [s.chain], fourEyes: true })
  t.after(async () => {
    await coin.close()
    await db.close()
  })
  const as = ({ token }: Person, target: string, body: object, under = {}) =>
    coin.call('POST', target, body, { authorization: `Bearer ${token}`, ...under })
  const ask = (batchId: number, under = {}, said = {}) =>
    as(one, `/batches/${CHAIN}/${batchId}/explain`, { reason: 'the chain has lost it', ...said }, under)
  return {
    ask,
    run: (target: string, body: object) => as(one, target, body),
    /** What whoever approves that an order is made good is shown. */
    async shownOf(target: string): Promise<string> {
      const asked = await as(one, `${target}/make-good`, { reason: 'it was lost' })
      return JSON.stringify((await coin.call('GET', `/approvals/${asked.body.approvalId}`)).body)
    },
    giveUp: (batchId: number, said = {}) => byTwo((under) => ask(batchId, under, said)),
    /** Of one that the chain has executed again with another outcome, or of others', by its digest: another may have been given up under its number. */
    async explain(batchId: number) {
      const { digest } = await coin.run('batch', 'show', String(CHAIN), String(batchId))
      await byTwo((under) => ask(batchId, under, { digest }))
    },
    makeGood: (target: string) => byTwo((under) => as(one, `${target}/make-good`, { reason: 'it was lost' }, under)),
    /** Of a redeem that is not paid. */
    endUnpaid: (target: string) =>
      byTwo((under) => as(one, `${target}/make-good`, { reason: 'nobody wants it', unpaid: true }, under)),
    /** What speaks against paying it, as whoever looks at it is told. */
    bewareOf: async (payoutId: string): Promise<string> =>
      (await coin.call('GET', `/payouts/${payoutId}`)).body.payout.beware ?? '',
    retry: (payoutId: string) => byTwo((under) => as(one, `/payouts/${payoutId}/retry`, {}, under)),
    markPaid: (payoutId: string) =>
      byTwo((under) => as(one, `/payouts/${payoutId}/mark-paid`, { reference: 'by hand' }, under)),
    /** From its page. */
    async resettle(payoutId: string) {
      const { asSeen } = (await coin.call('GET', `/payouts/${payoutId}`)).body
      const seen = { 'x-seen': encodeURIComponent(asSeen) }
      const reason = 'it is not burnt'
      await byTwo((under) => as(one, `/payouts/${payoutId}/resettle`, { reason }, { ...seen, ...under }))
    },
    refund: (payoutId: string) => byTwo((under) => as(one, `/payouts/${payoutId}/refund`, {}, under)),
    async release(target: string) {
      const held = await heldFor(target)
      await byTwo((under) => as(one, `${target}/release`, { reason: 'it is agreed', held }, under))
    },
    async releaseOrder(target: string) {
      const held = await heldFor(target)
      await byTwo(
        (under) => as(compliance[0], `${target}/release`, { reason: 'it may go on', held }, under),
        compliance[1],
      )
    },
    /** Of a customer that was suspended. */
    releaseOrders: (customerId: string) =>
      byTwo(
        (under) => as(compliance[0], `/customers/${customerId}/release-orders`, { reason: 'it may go on' }, under),
        compliance[1],
      ),
    reject: (target: string) =>
      byTwo((under) => as(compliance[0], `${target}/reject`, { reason: 'the coin is there' }, under), compliance[1]),
  }

  /** All that it is held for, as whoever looks is shown it. */
  async function heldFor(target: string): Promise<string[]> {
    const { payout, holds: ofOrder } = (await coin.call('GET', target)).body
    const holds = (payout?.holds ?? ofOrder) as { reason: string }[]
    return holds.map(({ reason }) => reason)
  }

  async function byTwo(run: (under?: object) => ReturnType<typeof ask>, other: Person = treasury[1]): Promise<void> {
    const asked = await run()
    assert.equal(asked.status, 202, JSON.stringify(asked.body))
    const { approvalId } = asked.body
    assert.equal((await as(other, `/approvals/${approvalId}/approve`, {})).status, 200)
    const done = await run({ 'x-approval': approvalId })
    assert.equal(done.status, 200, JSON.stringify(done.body))
  }
}

/** Rounds of the settler with the login of its own role. */
export async function lookAsSettler(s: Stepped, looks: number): Promise<void> {
  const owners = s.work.db
  s.work.db = await asRole(s.db, 'settler')
  for (let each = 0; each < looks; each += 1) await look(s)
  await s.work.db.close()
  s.work.db = owners
}
