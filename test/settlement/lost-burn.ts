/** Redeems whose burn the chain loses, and what is known of them then. */
import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import type { Instruction } from '../../src/chain/instructions.ts'
import { createWitness } from '../../src/chain/witness.ts'
import { reconcile } from '../../src/operator/reconcile/reconcile.ts'
import { lockPayout } from '../../src/payouts/attempts.sql.ts'
import { lookForBurns, type WitnessedChain } from '../../src/payouts/burns.ts'
import { beginRefund } from '../../src/payouts/refund.sql.ts'
import { TEST_SECRETS } from '../support/bank-details.ts'
import { withoutGuards } from '../support/without-guards.ts'
import { keyOf, linkOf, silent, wallet } from './fixture.ts'
import { lookAsSettler, startEyes } from './giving-up.ts'
import { CHAIN, mint } from './repairing.ts'
import { look, mintOf, settleOthers } from './replacing.ts'
import { type Stepped, type SteppedChain, startStepped } from './stepped.ts'

export const AMOUNT = 20_003n
export const STRANGERS = [[mintOf(20, '0x0000000000000003')], [mintOf(21, '0x0000000000000004')]] as const

/** As in paths of the operator API. */
export async function nameOf(s: Stepped, orderId = 0n): Promise<string> {
  const [row] = await s.db.query<{ name: string }>(
    `select integration_id || '/' || reference_id as name from orders where order_id = $1`,
    [orderId],
  )
  return row?.name ?? ''
}

export async function lostNow(s: Stepped): Promise<Record<string, string>> {
  const { differences } = await reconcile(s.db, [s.chain], TEST_SECRETS)
  const lost = differences.filter(({ kind }) => kind === 'lost_order')
  return Object.fromEntries(lost.map(({ subject, message }) => [subject, message]))
}

export const balanceOf = (s: Stepped, seed: number) => s.chain.reader.latestBalance(wallet(seed))

/** As a payer does, by the nodes or by what somebody says. */
export async function lookAtBurns(
  s: Stepped,
  witness: WitnessedChain['witness'] = createWitness(s.chain.config, s.chain.nodes),
) {
  await lookForBurns({ db: s.db, chain: { chainId: CHAIN, witness }, logger: silent })
}

export async function payoutOf(s: Stepped, order: bigint) {
  const [row] = await s.db.query<{ status: string; reason: string | null; burn: string | null }>(
    'select status, hold_reason as reason, burn from payouts where order_id = $1',
    [order],
  )
  return row
}

export const REDEEM = { direction: 'REDEEM' as const, amountMicro: AMOUNT as bigint, from: wallet(1) }

export async function settle(s: Stepped, order: ReturnType<typeof mint> | typeof REDEEM): Promise<bigint> {
  const [orderId = 0n] = await s.place(order)
  await s.round()
  await s.mine(2)
  await s.round()
  return orderId
}

/**
 * Mints and redeems, and a payer sees the burn; the rail has refused the payout, unless nothing is said of it.
 * @returns the redeem, its payout, and how to lose its batch and all behind it
 */
export async function redeemed(s: Stepped, { until = 'refused' }: { until?: 'refused' | 'seen' | 'burnt' } = {}) {
  const linked = s.chain.admin.linkWallet(linkOf(wallet(1)))
  const timer = setInterval(() => void s.mine().catch(() => {}), 50)
  await linked.finally(() => clearInterval(timer))
  await settle(s, mint(1, AMOUNT))
  await settle(s, REDEEM)
  if (until !== 'burnt') await lookAtBurns(s)
  const [payout] = await s.db.query<{ id: string; order: bigint; burn: string }>(
    'select payout_id as id, order_id as order, burn from payouts order by created_at desc limit 1',
  )
  assert.equal(payout?.burn, until === 'burnt' ? null : `${CHAIN}/2/0`)
  if (until === 'refused')
    await withoutGuards(s.db, (tx) =>
      tx.query(`update payouts set status = 'rejected', times_asked = 1, rail = 'http' where payout_id = $1`, [
        payout?.id,
      ]),
    )
  return {
    redeem: payout?.order ?? 0n,
    payoutId: payout?.id ?? '',
    name: await nameOf(s, payout?.order),
    async lose(others: readonly Instruction[] = STRANGERS[0]) {
      const mined = (await s.batches())[1]?.mined_block ?? 0n
      const { number } = await s.head()
      await s.rpc('anvil_reorg', Number(number - mined) + 1, [])
      await s.rpc('anvil_dropAllTransactions')
      await settleOthers(s, [...others])
      const eyes = await startEyes(s, t())
      await look(s)
      await eyes.giveUp(2)
      await lookAsSettler(s, 3)
      return eyes
    },
  }
  function t() {
    return { after: (fn: () => Promise<void>) => void closing.push(fn) }
  }
}
const closing: (() => Promise<void>)[] = []

/** A chain for the tests of a file, with two signers. It ends with the operators of their redeems. */
export function beginChain(): Pick<SteppedChain, 'begin'> {
  let chain: SteppedChain
  before(async () => {
    chain = await startStepped({ confirmations: 2, signers: [keyOf('signer'), keyOf('second')] })
  })
  after(async () => {
    for (const close of closing) await close()
    await chain.end()
  })
  return { begin: (...given) => chain.begin(...given) }
}

/** Its coin is to be minted back, as whoever runs "payout refund" has it. */
export async function refund(s: Stepped, payoutId: string): Promise<void> {
  await s.db.transaction(async (tx) => {
    const locked = await lockPayout(tx, payoutId)
    assert.ok(locked && (await beginRefund(tx, locked)))
  })
}
