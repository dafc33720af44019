/** A stolen signing key: a batch that nobody here asked for, found, named and explained. */
import assert from 'node:assert/strict'
import { insertForeignBatch } from '../../src/settlement/tables/foreign.sql.ts'
import { insertMovement } from '../../src/settlement/tables/movements.sql.ts'
import { newAddress } from '../support/orders.ts'
import type { ScriptedChain } from './chain.ts'
import { findDifferences, nameOf } from './month.ts'
import type { MonthWorld } from './world.ts'

const MICRO = 1_000_000n
const hex = (text: string) => `0x${text}` as const
type Kind = 'MINT' | 'REDEEM' | 'TRANSFER'

/**
 * The thief mints, burns of a customer and moves a customer's coin in one batch, of which settlement reads what it did.
 * @param kinds what the batch does
 * @returns its subject in reconcile
 */
export async function steal(world: MonthWorld, chain: ScriptedChain, kinds: readonly Kind[]): Promise<string> {
  const victim = world.parties
    .map(({ walletAddress }) => walletAddress)
    .find((each) => (chain.balances.get(each) ?? 0n) > 20n * MICRO)
  assert.ok(victim, 'somebody has coin')
  const thief = newAddress()
  const instructions = kinds.map((direction, index) => {
    const wallet = direction === 'REDEEM' ? victim : thief
    const debit = direction === 'MINT' ? null : victim
    const amountMicro = direction === 'MINT' ? 999_999_999n * MICRO : BigInt(index + 7) * MICRO
    assert.ok(chain.move(direction, { wallet, debit, amountMicro }))
    return {
      tag: hex(`000000000000000${index + 1}`),
      direction,
      walletAddress: hex(wallet.slice(2)),
      debitAddress: debit === null ? null : hex(debit.slice(2)),
      amountMicro,
    }
  })
  const batchId = chain.state.batchId
  chain.state.batchId += 1n
  const batch = {
    batchId,
    signer: newAddress(),
    nonce: batchId,
    digest: hex('d1'),
    runningHash: hex('d2'),
    txHash: hex('e'.repeat(64)),
    blockNumber: chain.state.block,
    blockHash: hex('b1'),
    settledAt: world.service.clock.now,
    instructions,
    successBitmap: (1n << BigInt(kinds.length)) - 1n,
  }
  const { chainId } = chain
  const seen = {
    details: `batch ${batchId} was not made here`,
    afterBlock: batch.blockNumber,
    seenBlock: batch.blockNumber,
  }
  await world.db.transaction(async (tx) => {
    await insertForeignBatch(tx, chainId, batch, 1n)
    await insertMovement(tx, chainId, {
      kind: 'batch',
      ...seen,
      batchId,
      digest: batch.digest,
      transactions: [],
      pauses: true,
    })
  })
  return `${chainId}/${batchId}`
}

/** What was stolen is named with its transaction, and once it is explained the books agree again. */
export async function stealAndExplain(world: MonthWorld): Promise<void> {
  const chain = world.chains[0]
  assert.ok(chain)
  const before = (await findDifferences(world)).map(nameOf)
  const batch = await steal(world, chain, ['MINT', 'REDEEM', 'TRANSFER'])
  const after = await findDifferences(world)
  const found = after.filter((each) => !before.includes(nameOf(each)))
  assert.deepEqual(found.map(nameOf).sort(), [`foreign_batch ${batch}`, `supply ${chain.chainId}`])
  const [supply] = found.filter(({ kind }) => kind === 'supply')
  assert.match(supply?.message ?? '', /999999991 coin more at block/)
  await world.ask('POST', `/batches/${batch}/explain`, { reason: 'a stolen key, since revoked' })
  assert.deepEqual((await findDifferences(world)).map(nameOf), before)
}
