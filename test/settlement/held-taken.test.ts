// engine: postgres
/** A redeem is held, and a batch of others has burnt it, as one of a lost history may: what it is held for holds its payout. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { zeroAddress } from 'viem'
import { type Instruction, KIND } from '../../src/chain/instructions.ts'
import { holdOrders } from '../../src/orders/life/hold.sql.ts'
import { payoutAdmin } from '../../src/payouts/admin.ts'
import { differences, link, requireBalances, settleFrozen } from './executing-again.ts'
import { wallet } from './fixture.ts'
import { lookAsSettler } from './giving-up.ts'
import { AMOUNT, beginChain, payoutOf, REDEEM } from './lost-burn.ts'
import { ALONE, mint } from './repairing.ts'
import { settleAfter, tagOf } from './replacing.ts'

const chain = beginChain()
const REASON = 'the police have written'

for (const isHeld of [true, false])
  test(`a redeem that others have burnt ${isHeld ? 'is paid by the word of people alone, as it was held' : 'and nobody holds is paid'}`, async () => {
    const s = await chain.begin({ config: ALONE })
    await link(s, 1)
    await settleFrozen(s, mint(1, AMOUNT))
    const [redeem = 0n] = await s.place(REDEEM)
    if (isHeld) await s.db.transaction((tx) => holdOrders(tx, [{ orderId: redeem, reason: REASON }]))
    const burn: Instruction = {
      kind: KIND.REDEEM,
      from: wallet(1),
      to: zeroAddress,
      amount: AMOUNT,
      tag: await tagOf(s, redeem),
    }
    await settleAfter(s, 1n, [[burn]])
    await s.mine(2)
    await lookAsSettler(s, 1)
    await requireBalances(s, { 1: 0n })
    const payout = await payoutOf(s, redeem)
    assert.equal(payout?.status, isHeld ? 'held' : 'queued')
    const [row] = await s.db.query<{ id: string; said: string | null }>(
      'select payout_id as id, last_error as said from payouts where order_id = $1',
      [redeem],
    )
    assert.equal(row?.said?.includes(REASON) === true, isHeld)
    if (isHeld) await s.db.transaction((tx) => payoutAdmin.release(tx, row?.id ?? ''))
    const { status, said } = (
      await s.db.query<{ status: string; said: string | null }>('select status, last_error as said from payouts')
    )[0] ?? { status: '', said: '' }
    assert.deepEqual({ status, said }, { status: 'queued', said: null })
    assert.deepEqual(await differences(s), [])
  })
