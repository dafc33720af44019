// engine: postgres
/** Under load blocks are full: each holds as many orders of all kinds as its gas allows. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Hex, hexToBigInt } from 'viem'
import { addFunds, addOrders, countOpen, requireSupply } from '../../bench/support/settling/orders.ts'
import { type Rules, startFaultyRpc } from '../support/faulty-rpc.ts'
import { linkOf, wallet } from './fixture.ts'
import { type Stepped, type SteppedChain, startStepped } from './stepped.ts'

const BLOCK_GAS = 30_000_000n
/** `PUSH4 balanceOf(address)`, with which each wallet of a round is asked for in one call. */
const ASKS_BALANCES = '0x6370a08231'

let chain: SteppedChain
before(async () => {
  chain = await startStepped({}, { args: ['--gas-limit', String(BLOCK_GAS)] })
})
after(() => chain.end())

type Loaded = { s: Stepped; on: Parameters<typeof addOrders>[1]; asked: () => number; end: () => Promise<void> }

/** Wallets with coin that may be debited, and a node that follows these rules. */
async function begin(lie: (answer: unknown) => unknown = (answer) => answer): Promise<Loaded> {
  let asked = 0
  const rules: Rules = ({ method, params }) => {
    const [call] = params as [{ data?: string }?]
    if (method !== 'eth_call' || call?.data?.startsWith(ASKS_BALANCES) !== true) return { kind: 'none' }
    asked += 1
    return { kind: 'lie', lie }
  }
  const node = await startFaultyRpc(chain.rpcUrl, rules)
  const s = await chain.begin({ config: { rpcUrls: [node.url] } })
  const holders = Array.from({ length: 20 }, (_, seed) => wallet(seed))
  await s.rpc('evm_setAutomine', true)
  for (const holder of holders) await s.chain.admin.linkWallet(linkOf(holder))
  await s.rpc('evm_setAutomine', false)
  const on = { chain: s.chain, chainId: s.config.chainId, holders } as unknown as Loaded['on']
  await addFunds(s.db, on)
  await nextBlock(s)
  await s.round()
  return { s, on, asked: () => asked, end: node.close }
}

/** Lets settlement form what it will, and makes a block. @returns the share of its gas that was used */
async function nextBlock(s: Stepped): Promise<number> {
  // The next block is always about to come.
  s.work.memory.blocks.intervalMs = undefined
  while ((await s.round()).isMore === true);
  await s.mine()
  const { gasUsed } = (await s.rpc('eth_getBlockByNumber', 'latest', false)) as { gasUsed: Hex }
  return Number(hexToBigInt(gasUsed)) / Number(BLOCK_GAS)
}

/** Makes blocks until nothing is left. @returns the shares of their gas that were used */
async function settleAll({ s, on }: Loaded): Promise<number[]> {
  const shares: number[] = []
  while ((await countOpen(s.db, [on])) > 0) {
    assert.ok(shares.length < 20, `after ${shares.length} blocks orders are left`)
    shares.push(await nextBlock(s))
    await s.round()
  }
  await requireSupply(s.db, on)
  assert.deepEqual(
    s.counted.filter(([name]) => name === 'reverted'),
    [],
  )
  return shares
}

test('while more waits than a block takes, blocks are at least 95 % full, and each order is settled once', async () => {
  const loaded = await begin()
  try {
    await addOrders(loaded.s.db, loaded.on, 'load', 10_600)
    const shares = await settleAll(loaded)
    assert.ok(shares.length >= 4, String(shares))
    for (const share of shares.slice(0, -2)) assert.ok(share >= 0.95, String(shares))
  } finally {
    await loaded.end()
  }
})

for (const [what, lie] of Object.entries({
  'says that every wallet has coin': (answer: unknown) => `0x${'01'.repeat(String(answer).length / 2 - 1)}`,
  'says that no wallet has coin': (answer: unknown) => `0x${'00'.repeat(String(answer).length / 2 - 1)}`,
  'answers about nobody': () => '0x',
})) {
  test(`the only node ${what}: blocks are filled worse, and every batch executes at the first try`, async () => {
    const loaded = await begin(lie)
    try {
      await addOrders(loaded.s.db, loaded.on, 'load', 3_000)
      await settleAll(loaded)
      assert.ok(loaded.asked() > 0, 'it was not asked')
    } finally {
      await loaded.end()
    }
  })
}

test('for a batch that is partly filled nobody is asked who has coin', async () => {
  const loaded = await begin()
  try {
    await addOrders(loaded.s.db, loaded.on, 'load', 200)
    await settleAll(loaded)
    assert.equal(loaded.asked(), 0)
  } finally {
    await loaded.end()
  }
})
