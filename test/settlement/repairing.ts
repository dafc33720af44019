/** What the tests of the repair share: batches that were formed and not mined, made older, and what was said of them. */
import assert from 'node:assert/strict'
import type { Hex } from 'viem'
import { encodeSettle, NO_HISTORY } from '../../src/chain/instructions.ts'
import { account, keyOf, wallet } from './fixture.ts'
import type { Stepped } from './stepped.ts'

export const [SIGNER, SECOND] = [account('signer').address, account('second').address]
export const CHAIN = 31_337
export const mint = (seed: number, amountMicro = 5n) => ({ direction: 'MINT', amountMicro, to: wallet(seed) }) as const
/** Only the first signer, so that every batch is its own. */
export const ALONE = { signers: [keyOf('signer')] }

export async function formOne(s: Stepped, seed = 1): Promise<bigint> {
  const [orderId = 0n] = await s.place(mint(seed))
  await s.round()
  assert.equal(await s.stateOf(orderId), 'processing/SUBMITTED')
  return orderId
}

export const rawOf = async (s: Stepped, txHash: string | undefined): Promise<Hex> => {
  const [row] = await s.db.query<{ raw_transaction: Hex }>(
    `select '0x' || encode(raw_transaction, 'hex') as raw_transaction from batch_attempts where chain_id = $1 and tx_hash = $2`,
    [CHAIN, txHash ?? ''],
  )
  return row?.raw_transaction ?? '0x'
}

/** Makes the attempts of a batch older than they are, by the database's clock. */
export const age = (s: Stepped, column: 'created_at' | 'last_broadcast_at', ms: number) =>
  s.db.query(`update batch_attempts set ${column} = ${column} - $2 * interval '1 millisecond' where chain_id = $1`, [
    CHAIN,
    ms,
  ])

export const said = (s: Stepped, level: number) => s.logged.filter((line) => line.level === level).length
export const counted = (s: Stepped, name: string) => s.counted.filter(([each]) => each === name).length

/** Bytes that settle a batch without orders, as nobody forms it: more than eight are never under way. */
export const bytesOfNone = (batchId: bigint): Promise<Hex> =>
  account('signer').signTransaction({
    type: 'eip1559',
    chainId: CHAIN,
    data: encodeSettle(batchId, NO_HISTORY, '0x'),
    maxFeePerGas: 1n,
    maxPriorityFeePerGas: 1n,
  })
