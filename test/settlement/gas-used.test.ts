// engine: postgres; both in test:long
/** What batches are expected to use, and what they ask for, compared with what the chain makes of random ones. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { type Hex, hexToBigInt } from 'viem'
import { expectedGas } from '../../src/settlement/form/gas.ts'
import { linkOf, type TestOrder, wallet } from './fixture.ts'
import { type Stepped, type SteppedChain, startStepped } from './stepped.ts'

const PER_BATCH = 60
const LINKED = Array.from({ length: 8 }, (_, seed) => wallet(seed))
const FUNDED = [...LINKED, ...Array.from({ length: 8 }, (_, seed) => wallet(100 + seed))]

let chain: SteppedChain
before(async () => {
  chain = await startStepped()
})
after(() => chain.end())

/** A chain on which some wallets have coin, and some of these are linked. */
async function begin(): Promise<Stepped> {
  const s = await chain.begin()
  await s.rpc('evm_setAutomine', true)
  for (const each of LINKED) await s.chain.admin.linkWallet(linkOf(each))
  await s.rpc('evm_setAutomine', false)
  await s.place(...FUNDED.map((to) => ({ direction: 'MINT', amountMicro: 10n ** 9n, to }) as const))
  await settle(s)
  return s
}

/** Settles what waits in one batch. @returns what it asked for and what it used */
async function settle(s: Stepped): Promise<{ asked: bigint; used: bigint; succeeded: boolean }> {
  await s.round()
  const hash = (await s.attempts()).at(-1)?.tx_hash
  await s.mine()
  await s.round()
  const { gas } = (await s.rpc('eth_getTransactionByHash', hash)) as { gas: Hex }
  const { gasUsed, status } = (await s.rpc('eth_getTransactionReceipt', hash)) as { gasUsed: Hex; status: Hex }
  return { asked: hexToBigInt(gas), used: hexToBigInt(gasUsed), succeeded: status === '0x1' }
}

const placed = ({ direction, to = '', from }: TestOrder) => ({
  direction,
  walletAddress: direction === 'REDEEM' ? (from ?? '') : to,
  debitAddress: from ?? null,
})

async function emptyAmong(s: Stepped, orders: readonly TestOrder[]): Promise<Set<string>> {
  const wallets = [...new Set(orders.map((order) => placed(order).walletAddress))]
  const balances = await Promise.all(wallets.map((each) => s.chain.reader.latestBalance(each)))
  return new Set(wallets.filter((_, index) => balances[index] === 0n).map((each) => each.toLowerCase()))
}

/** Of wallets with coin, of those without, or of few that come again and again. */
const recipient = fc.oneof(
  fc.constantFrom(...FUNDED),
  fc.integer({ min: 1_000, max: 1_000_000 }).map(wallet),
  fc.constantFrom(wallet(200), wallet(201)),
)
const holder = fc.constantFrom(...LINKED)
const amountMicro = fc.bigInt({ min: 1n, max: 10_000n })
const executable: fc.Arbitrary<TestOrder> = fc.oneof(
  fc.record({ direction: fc.constant('MINT' as const), amountMicro, to: recipient }),
  fc.record({ direction: fc.constant('REDEEM' as const), amountMicro, from: holder }),
  fc
    .record({ direction: fc.constant('TRANSFER' as const), amountMicro, from: holder, to: recipient })
    .filter(({ from, to }) => from !== to),
)
const batchOf = (order: fc.Arbitrary<TestOrder>) => fc.array(order, { minLength: 1, maxLength: PER_BATCH, size: 'max' })
const ONE_AFTER_THE_OTHER = { numRuns: 8, endOnFailure: true }

test('a batch uses what is expected of it, and never as much as it asks for', async () => {
  const s = await begin()
  await fc.assert(
    fc.asyncProperty(batchOf(executable), async (orders) => {
      const empty = await emptyAmong(s, orders)
      await s.place(...orders)
      const { asked, used, succeeded } = await settle(s)
      const expected = expectedGas(orders.map(placed), (each) => empty.has(each))
      assert.ok(succeeded && used < asked, `${used} of ${asked}`)
      // A batch that changes no supply writes a word less.
      const [least, most] = [Number(used) * 0.995, Number(used) * 1.03 + 8_000]
      const isRight = Number(expected) > least && Number(expected) < most
      assert.ok(isRight, `${expected} expected, ${used} used: ${JSON.stringify(orders.map(placed))}`)
    }),
    ONE_AFTER_THE_OTHER,
  )
})

test('where instructions fail, a batch uses less than is expected of it', async () => {
  const s = await begin()
  const refused: fc.Arbitrary<TestOrder> = fc.oneof(
    // Not linked, or more than there is.
    fc.record({ direction: fc.constant('REDEEM' as const), amountMicro, from: fc.constantFrom(...FUNDED.slice(8)) }),
    fc.record({
      direction: fc.constant('TRANSFER' as const),
      amountMicro: fc.constant(10n ** 12n),
      from: holder,
      to: recipient,
    }),
  )
  await fc.assert(
    fc.asyncProperty(batchOf(fc.oneof(executable, refused)), async (orders) => {
      const empty = await emptyAmong(s, orders)
      await s.place(...orders)
      const { asked, used, succeeded } = await settle(s)
      assert.ok(succeeded && used < asked, `${used} of ${asked}`)
      const expected = expectedGas(orders.map(placed), (each) => empty.has(each))
      assert.ok(Number(used) < Number(expected) * 1.005, `${expected} expected, ${used} used`)
    }),
    ONE_AFTER_THE_OTHER,
  )
})
