/** What the tests of replaced batches share: the chain loses final batches, and somebody else settles under their ids. */
import assert from 'node:assert/strict'
import { type Hex, zeroAddress } from 'viem'
import {
  digestOf,
  encodeSettle,
  type Instruction,
  KIND,
  packInstructions,
  runningHashAfter,
} from '../../src/chain/instructions.ts'
import { readRunningHash } from '../../src/settlement/tables/batches.sql.ts'
import { orderTag } from '../../src/values/order-tag.ts'
import { wallet } from './fixture.ts'
import { CHAIN, formOne, SECOND } from './repairing.ts'
import { firstInBlock, NEVER, type Stepped } from './stepped.ts'

export const FINAL = 3

/**
 * Settles three batches for good, one order each, and forms as many more; then the chain loses the last ones, and every node all bytes.
 * @returns the orders
 */
export async function loseFinal(
  s: Stepped,
  { lost, underWay = 0 }: { lost: number; underWay?: number },
): Promise<bigint[]> {
  const orders: bigint[] = []
  for (let seed = 1; seed <= FINAL; seed += 1) {
    orders.push(await formOne(s, seed))
    await s.mine(2)
    await s.round()
  }
  for (let seed = FINAL + 1; seed <= FINAL + underWay; seed += 1) orders.push(await formOne(s, seed))
  await s.rpc('anvil_reorg', lost * 2, [])
  await s.rpc('anvil_dropAllTransactions')
  assert.equal(await s.chain.admin.supply(), 5n * BigInt(FINAL - lost))
  return orders
}

export async function tagOf(s: Stepped, orderId = 0n): Promise<Hex> {
  const [row] = await s.db.query<{ integration: string; reference: string }>(
    'select integration_id as integration, reference_id as reference from orders where order_id = $1',
    [orderId],
  )
  return orderTag(row?.integration ?? '', row?.reference ?? '')
}

export const mintOf = (seed: number, tag: Hex): Instruction => ({
  kind: KIND.MINT,
  from: zeroAddress,
  to: wallet(seed),
  amount: 5n,
  tag,
})

/** Somebody else with a signing key goes on after the first batch. */
export async function settleOthers(s: Stepped, ...batches: Instruction[][]): Promise<void> {
  await settleAfter(s, 1n, batches)
  await s.mine(2)
}

/** Somebody else with a signing key goes on after a batch of ours. */
export async function settleAfter(s: Stepped, last: bigint, batches: Instruction[][]): Promise<void> {
  let previous = await readRunningHash(s.db, CHAIN, last)
  for (const [index, instructions] of batches.entries()) {
    const packed = packInstructions(instructions)
    const data = encodeSettle(last + BigInt(index) + 1n, previous, packed)
    const call = { from: SECOND, to: s.config.settlement, data, gas: '0x7a120' }
    await s.rpc('eth_sendTransaction', { ...call, ...firstInBlock(batches.length - index) })
    await s.mine()
    previous = runningHashAfter(previous, digestOf(packed))
  }
}

/** As long as it takes until final batches are looked at once more, and two blocks. */
export async function look(s: Stepped): Promise<void> {
  s.passMs(NEVER.recheckMs)
  await s.round()
  await s.mine(2)
  await s.round()
}
