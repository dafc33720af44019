// engine: postgres; both in test:long
/** Blocks that hold less gas than a whole batch may ask for, from the beginning or from some day on. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { numberToHex } from 'viem'
import { wallet } from './fixture.ts'
import { type Stepped, type SteppedChain, startStepped } from './stepped.ts'

const [LARGE, SMALL] = [30_000_000, 3_000_000]

let chain: SteppedChain
before(async () => {
  chain = await startStepped({ bumpAfterBlocks: 2 })
})
after(() => chain.end())

const mints = (count: number, walletOf: (index: number) => number) =>
  Array.from({ length: count }, (_, index) => {
    return { direction: 'MINT', amountMicro: 1n, to: wallet(walletOf(index)) } as const
  })
const freshFrom = (first: number) => (index: number) => first + index

async function setBlockGas(s: Stepped, gas: number): Promise<void> {
  await s.rpc('evm_setBlockGasLimit', numberToHex(gas))
}

/** Settles until all orders are completed; fails where it is held, or after so many blocks. */
async function settleAll(s: Stepped, ids: readonly bigint[]): Promise<void> {
  const isOpen = async () =>
    (await Promise.all(ids.map((id) => s.stateOf(id)))).some((state) => state !== 'completed/COMPLETED')
  for (let block = 0; await isOpen(); block += 1) {
    assert.ok(block < 16, `after ${block} blocks orders are left`)
    s.work.memory.blocks.intervalMs = undefined
    while ((await s.round()).isMore === true);
    assert.equal(s.held(), 'none')
    await s.mine()
    await s.round()
  }
}

const revertedOf = (s: Stepped) => s.counted.filter(([name]) => name === 'reverted').length

for (const count of [188, 400])
  test(`${count} mints to new wallets, after batches of redeems: each batch is as large as its own kind allows`, async () => {
    const s = await chain.begin()
    await setBlockGas(s, SMALL)
    await s.mine()
    // As a hundred redeems have taught it, of which a block holds 189.
    s.work.memory.form.gasPerOrder = { used: 9_000n, limit: 15_800n }
    await settleAll(s, await s.place(...mints(count, freshFrom(1_000))))
    assert.equal(revertedOf(s), 0)
  })

for (const [what, walletOf, reverts] of [
  ['needs less, settles', () => 1, 0],
  ['needs more, reverts, and its orders settle in others', freshFrom(2_000), 1],
] as const)
  test(`a batch that asked for more gas than blocks have by now is signed for as much as they have; what ${what}`, async () => {
    const s = await chain.begin()
    await setBlockGas(s, LARGE)
    await s.mine()
    const ids = await s.place(...mints(200, walletOf))
    await s.round()
    await setBlockGas(s, SMALL)
    await s.mine()
    await settleAll(s, ids)
    assert.equal(revertedOf(s), reverts)
    assert.equal((await s.batches()).length > 1, reverts > 0)
  })
