/** Final batches that the chain loses and executes again with another outcome, because a wallet is frozen the one time and not the other. */
import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { encodeFunctionData } from 'viem'
import { coinAbi } from '../../src/chain/generated/coin.ts'
import { readBalances } from '../../src/ledger/balances.sql.ts'
import { reconcile } from '../../src/operator/reconcile/reconcile.ts'
import { TEST_SECRETS } from '../support/bank-details.ts'
import { sealBooks } from '../support/seal-books.ts'
import { account, linkOf, type TestOrder, wallet } from './fixture.ts'
import { lookAsSettler, startEyes } from './giving-up.ts'
import { AMOUNT, lookAtBurns, nameOf, REDEEM } from './lost-burn.ts'
import { CHAIN, mint } from './repairing.ts'
import { SHADOW_CHAIN } from './shadow.ts'
import { firstInBlock, type Stepped } from './stepped.ts'

/** Freezes or unfreezes a wallet before everything else in the next block. */
export async function sendFreeze(s: Stepped, seed: number, does: 'freeze' | 'unfreeze' = 'freeze'): Promise<void> {
  await s.rpc('eth_sendTransaction', freezing(s, seed, does))
}

/** The transaction that does so. */
export function freezing(s: Stepped, seed: number, does: 'freeze' | 'unfreeze' = 'freeze') {
  const data = encodeFunctionData({ abi: coinAbi, functionName: does, args: [wallet(seed)] })
  return { from: account('freezer').address, to: s.config.coin.address, data, gas: '0x186a0', ...firstInBlock() }
}

/** The chain forgets everything after a block, and every node all bytes. */
export async function loseAfter(s: Stepped, block: bigint): Promise<void> {
  await s.rpc('anvil_reorg', Number((await s.head()).number - block), [])
  await s.rpc('anvil_dropAllTransactions')
}

/** Has an order settled for good, in a batch of its own. @param frozen the wallet that is frozen before it in the same block, if any */
export async function settleFrozen(s: Stepped, order: TestOrder, frozen?: number): Promise<bigint> {
  const [orderId = 0n] = await s.place(order)
  await settleNext(s, frozen)
  return orderId
}

/** The same of what waits. */
export async function settleNext(s: Stepped, frozen?: number): Promise<void> {
  await s.round()
  if (frozen !== undefined) await sendFreeze(s, frozen)
  await s.mine(2)
  await s.round()
}

/** As long as it takes until the settler has sent its bytes again, and has seen what they did for good. */
export async function seeAgain(s: Stepped): Promise<void> {
  await lookAsSettler(s, 3)
}

/** What reconciliation says of the chain that is settled here. */
export async function differences(s: Stepped): Promise<string[]> {
  await sealBooks(s.db, 1_000)
  const { differences: found } = await reconcile(s.db, [s.chain], TEST_SECRETS)
  // A wallet that a freezer froze is what nobody asked for.
  const own = found.filter(
    ({ kind, subject }) => kind !== 'foreign_movement' && !subject.includes(String(SHADOW_CHAIN)),
  )
  return own.map(({ kind, subject }) => `${kind} ${subject}`)
}

/** What each order of a batch was said to have done. */
export function toldOtherwise(s: Stepped): unknown[] {
  return s.logged.filter(({ msg }) => /with another outcome/.test(msg)).map(({ orders }) => orders)
}

export async function requireBalances(s: Stepped, expected: Record<number, bigint>): Promise<void> {
  for (const [seed, micro] of Object.entries(expected))
    assert.equal(await s.chain.reader.latestBalance(wallet(Number(seed))), micro, `wallet ${seed}`)
}

/** What the books have on an account, of whomever. */
export async function booked(s: Stepped, kind: string): Promise<bigint> {
  return (await readBalances(s.db))
    .filter((each) => each.kind === kind)
    .reduce((sum, { balanceMicro }) => sum + balanceMicro, 0n)
}

/** The holder of a wallet agrees that it is debited. */
export async function link(s: Stepped, seed: number): Promise<void> {
  const linked = s.chain.admin.linkWallet(linkOf(wallet(seed)))
  const timer = setInterval(() => void s.mine().catch(() => {}), 50)
  await linked.finally(() => clearInterval(timer))
}

/**
 * Mints to wallet 1, and redeems; then the chain loses the redeem's batch and executes it again, with the wallet frozen if it was not before.
 * Where it was burnt first, a payer has seen that, unless nothing is said of it, and no rail was asked.
 */
export async function redeemFrozen(s: Stepped, frozen?: number, { isSeen = true } = {}) {
  await link(s, 1)
  await settleFrozen(s, mint(1, AMOUNT))
  const { number } = await s.head()
  const redeem = await settleFrozen(s, REDEEM, frozen)
  if (isSeen) await lookAtBurns(s)
  const [payout] = await s.db.query<{ id: string; burn: string | null }>('select payout_id as id, burn from payouts')
  assert.equal(payout?.burn, frozen !== undefined ? undefined : isSeen ? `${CHAIN}/2/0` : null)
  await loseAfter(s, number)
  if (frozen === undefined) await sendFreeze(s, 1)
  await s.mine()
  await seeAgain(s)
  return { redeem, name: await nameOf(s, redeem), payoutId: payout?.id ?? '' }
}

/** A mint is refused the second time, as two people have said. @returns the number of the block before it, its name, and who speaks */
export async function mintRefused(s: Stepped, t: Parameters<typeof startEyes>[1]) {
  await s.round()
  const { number } = await s.head()
  const name = await nameOf(s, await settleFrozen(s, mint(1)))
  await loseAfter(s, number)
  await sendFreeze(s, 1)
  await s.mine()
  await seeAgain(s)
  const eyes = await startEyes(s, t)
  await eyes.explain(1)
  return { number, name, eyes }
}

/** The one is held up by a lock, and the other begins meanwhile. */
export async function race<A, B>(
  s: Stepped,
  heldUp: string,
  one: () => Promise<A>,
  other: () => Promise<B>,
): Promise<[A, B]> {
  const [begun, over] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const holding = s.db.transaction(async (tx) => {
    await tx.query(heldUp)
    begun.resolve()
    await over.promise
  })
  await begun.promise
  const first = one()
  await pause(700)
  const second = other()
  await Promise.race([second, pause(1_500)])
  over.resolve()
  const [said, also] = await Promise.all([first, second, holding])
  return [said, also]
}
