// engine: postgres
/** A redeem that people hold, and that a batch of a lost history has burnt all the same: its coin is gone, and its ringgit stays until they let that go. */
// Runbook: An order must not settle
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { holdOrders } from '../../src/orders/life/hold.sql.ts'
import { createCopying } from '../chain-model/copies.ts'
import { TEST_SECRETS } from '../support/bank-details.ts'
import { payDue } from '../support/pay-due.ts'
import { differences, link, requireBalances, settleFrozen } from './executing-again.ts'
import { silent } from './fixture.ts'
import { lookAsSettler, startEyes } from './giving-up.ts'
import { AMOUNT, beginChain, lookAtBurns, nameOf, payoutOf, REDEEM } from './lost-burn.ts'
import { ALONE, CHAIN, mint } from './repairing.ts'
import type { Stepped } from './stepped.ts'

const chain = beginChain()

/** A lost history has burnt the redeem; in what was restored it awaits a batch, and people hold it for these reasons. */
async function burntWhileHeld(
  s: Stepped,
  t: Parameters<typeof startEyes>[1],
  reasons: readonly string[],
  rule?: string,
) {
  const { copy, putBack } = await createCopying(s.db)
  await link(s, 1)
  await settleFrozen(s, mint(1, AMOUNT))
  const [redeem = 0n] = await s.place(REDEEM)
  const before = await copy()
  await s.round()
  await s.mine(2)
  await s.round()
  await requireBalances(s, { 1: 0n })
  await putBack(before)
  await s.db.query(`update chains set fenced_on = 'before' where chain_id = $1`, [CHAIN])
  await s.forget()
  const eyes = await startEyes(s, t)
  const name = await nameOf(s, redeem)
  for (const reason of reasons) assert.equal((await eyes.run(`/orders/${name}/hold`, { reason })).status, 200)
  if (rule !== undefined) await s.db.transaction((tx) => holdOrders(tx, [{ orderId: redeem, reason: rule }]))
  await lookAsSettler(s, 6)
  assert.match(String(await s.stateOf(redeem)), /^processing\/PAYOUT_(HELD|PENDING)$/)
  return { redeem, eyes }
}

async function payoutIdOf(s: Stepped, redeem: bigint): Promise<string> {
  const [row] = await s.db.query<{ id: string }>('select payout_id as id from payouts where order_id = $1', [redeem])
  return row?.id ?? ''
}

async function shownOf(s: Stepped, redeem: bigint): Promise<string> {
  const [row] = await s.db.query<{ said: string }>('select last_error as said from payouts where order_id = $1', [
    redeem,
  ])
  return row?.said ?? ''
}

const paid: string[] = []
const rail = {
  name: 'rail',
  async initiate({ payoutId }: { payoutId: string }) {
    paid.push(payoutId)
    return { result: 'accepted', railReference: 'R' } as const
  },
  status: async () => ({ result: 'none' }) as const,
}

async function pay(s: Stepped): Promise<string[]> {
  paid.length = 0
  await s.db.query('update payouts set next_attempt_at = now()')
  await lookAtBurns(s)
  while ((await payDue({ db: s.db, rail, secrets: TEST_SECRETS, logger: silent })) > 0);
  return [...paid]
}

test('what people held a redeem for holds its payout once others have burnt it, and is named by whoever lets that go', async (t) => {
  const s = await chain.begin({ config: ALONE })
  const said = ['the police have written', 'a court has written, too']
  const { redeem, eyes } = await burntWhileHeld(s, t, said)
  assert.deepEqual(await pay(s), [], 'nobody has let it go')
  const payout = await payoutOf(s, redeem)
  assert.deepEqual([payout?.status, payout?.reason], ['held', 'by_operator'])
  const id = await payoutIdOf(s, redeem)
  assert.deepEqual(await differences(s), [`payout_held ${id}`])
  const { status, body } = await eyes.run(`/payouts/${id}/release`, { reason: 'they agree', held: [said[0]] })
  assert.equal(status, 409, JSON.stringify(body))
  assert.match(body.error.message, /You have not named all that .*the police have written.*a court has written, too/)
  await eyes.release(`/payouts/${id}`)
  assert.deepEqual(await pay(s), [id])
  assert.equal(await shownOf(s, redeem), '', 'it is no reason for whatever it is held for next')
  assert.deepEqual(await differences(s), [])
})

test('what a rule held it for holds its payout, too; and one that nobody held is paid', async (t) => {
  const s = await chain.begin({ config: ALONE })
  const held = await burntWhileHeld(s, t, [], 'customer_suspended')
  assert.deepEqual(await pay(s), [])
  assert.match(await shownOf(s, held.redeem), /It was held for: customer_suspended$/)
  const free = await chain.begin({ config: ALONE })
  const { redeem } = await burntWhileHeld(free, t, [])
  assert.deepEqual(await pay(free), [await payoutIdOf(free, redeem)])
})
