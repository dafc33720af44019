// engine: postgres
/** One settler with several chains: each goes on by itself and fills its own blocks, and who stands by asks no node. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Hex, hexToBigInt } from 'viem'
import { connectChain } from '../../src/chain/chain.ts'
import type { ChainConfig } from '../../src/config.ts'
import { createSettler, type Settler } from '../../src/settlement/settler.ts'
import { type Anvil, startAnvil } from '../support/anvil.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { type FaultyRpc, startFaultyRpc } from '../support/faulty-rpc.ts'
import { waitFor } from '../support/wait-for.ts'
import { deployChain, keyOf, placeOrders, rpc, seedParties, silent, wallet } from './fixture.ts'
import { QUICK } from './scenario.ts'

const LONG = { timeoutMs: 240_000 }
const ORDERS = 300

type OwnChain = { anvil: Anvil; config: ChainConfig; node: FaultyRpc; hangs: boolean; seen(): number }

let db: TestDatabase
const chains: OwnChain[] = []
const settlers: Settler[] = []
before(async () => {
  db = await createTestDatabase()
  await seedParties(db)
  for (const [chainId, gas] of [
    [31_337, 6_500_000],
    [1_337, 6_000_000],
  ] as const)
    chains.push(await startOwn(chainId, gas))
})
after(async () => {
  for (const chain of chains) chain.hangs = false
  await Promise.all(settlers.map((settler) => settler.stop()))
  await Promise.all(chains.flatMap(({ node, anvil }) => [node.close(), anvil.stop()]))
  await db.close()
})

async function startOwn(chainId: number, blockGas: number): Promise<OwnChain> {
  const anvil = await startAnvil({ chainId, args: ['--gas-limit', String(blockGas)] })
  const signers = [keyOf('signer'), keyOf('second')]
  const config = await deployChain(anvil.rpcUrl, { chainId, key: `chain-${chainId}`, signers })
  await rpc(anvil.rpcUrl, 'evm_setAutomine', false)
  const own: OwnChain = { anvil, config, hangs: false, seen: () => own.node.seen.length, node: undefined as never }
  own.node = await startFaultyRpc(anvil.rpcUrl, () => (own.hangs ? { kind: 'hang' } : { kind: 'none' }))
  return own
}

function settle(holder: string, nodes: readonly { config: ChainConfig; url: string }[]): Settler {
  const connected = nodes.map(({ config, url }) => connectChain({ ...config, rpcUrls: [url] }, { db, logger: silent }))
  const settler = createSettler({
    db,
    chains: connected,
    logger: silent,
    holder,
    times: { ...QUICK, leaseMs: 600_000 },
  })
  settlers.push(settler)
  settler.start()
  return settler
}

const urls = () => chains.map(({ config, node }) => ({ config, url: node.url }))
const mine = ({ anvil }: OwnChain) => rpc(anvil.rpcUrl, 'anvil_mine', '0x1')
async function countOf({ config }: OwnChain, condition: string): Promise<number> {
  const text = `select count(*) as n from orders where chain_id = $1 and ${condition}`
  const [row] = await db.query<{ n: bigint }>(text, [config.chainId])
  return Number(row?.n)
}

/** All at once: of orders that come one by one the first would be signed in small batches, as many as may wait for a block. */
const place = ({ config }: OwnChain) =>
  db.transaction((tx) =>
    placeOrders(
      tx as TestDatabase,
      config,
      Array.from({ length: ORDERS }, (_, n) => mintTo(n)),
    ),
  )

const mintTo = (n: number) => ({ direction: 'MINT' as const, amountMicro: 1n, to: wallet(n) })

/** Waits until all orders are signed, and mines until they are completed. @returns the share of its gas that the fullest block used */
async function completeAll(chain: OwnChain): Promise<number> {
  let fullest = 0
  const isSigned = async () =>
    (
      await db.query('select from signed_orders join orders using (order_id) where chain_id = $1', [
        chain.config.chainId,
      ])
    ).length === ORDERS
  await waitFor(`all orders of ${chain.config.chainId} to be signed`, isSigned, LONG)
  await waitFor(
    `all orders of ${chain.config.chainId}`,
    async () => {
      await mine(chain)
      const block = (await rpc(chain.anvil.rpcUrl, 'eth_getBlockByNumber', 'latest', false)) as Record<string, Hex>
      fullest = Math.max(
        fullest,
        Number(hexToBigInt(block.gasUsed ?? '0x0')) / Number(hexToBigInt(block.gasLimit ?? '0x1')),
      )
      return (await countOf(chain, `status <> 'completed'`)) === 0
    },
    { ...LONG, everyMs: 300 },
  )
  return fullest
}

test('a chain whose node hangs holds up no other, and each fills blocks of its own size', {
  timeout: 600_000,
}, async () => {
  const [one, other] = chains as [OwnChain, OwnChain]
  const settler = settle('first', urls())
  await waitFor('both to be led', () => settler.states().every(({ leading }) => leading), LONG)
  const read = () => db.query('select from settlement_holds where history_read_on is not null')
  await waitFor('both to be read', async () => (await read()).length === 2, LONG)
  other.hangs = true
  for (const chain of [other, one]) await place(chain)
  assert.ok((await completeAll(one)) > 0.7, 'its blocks were filled')
  assert.equal(await countOf(other, `status = 'pending'`), ORDERS)
  other.hangs = false
  assert.ok((await completeAll(other)) > 0.7, 'its blocks were filled, too')
})

test('a settler that stands by asks no node, once it has found the chains to be the right ones', {
  timeout: 600_000,
}, async () => {
  const proxies = await Promise.all(chains.map(({ anvil }) => startFaultyRpc(anvil.rpcUrl, () => ({ kind: 'none' }))))
  try {
    const nodes = chains.map(({ config }, index) => ({ config, url: proxies[index]?.url ?? '' }))
    let looked = 0
    const watched = {
      ...db,
      query: (text: string, params?: readonly unknown[]) => {
        if (text.includes('from leases where name = $1 and holder <> $2')) looked += 1
        return db.query(text, params as never)
      },
    } as TestDatabase
    const connected = nodes.map(({ config, url }) =>
      connectChain({ ...config, rpcUrls: [url] }, { db, logger: silent }),
    )
    const times = { ...QUICK, leaseMs: 1_000 }
    const standby = createSettler({ db: watched, chains: connected, logger: silent, holder: 'second', times })
    settlers.push(standby)
    standby.start()
    await waitFor('it to have looked for the leases', () => looked >= 4, LONG)
    const before = proxies.map(({ seen }) => seen.length)
    await waitFor('it to have looked more often', () => looked >= 24, LONG)
    assert.deepEqual(
      proxies.map(({ seen }) => seen.length),
      before,
    )
    assert.ok(before.every((asked) => asked > 0))
    await standby.stop()
  } finally {
    await Promise.all(proxies.map((proxy) => proxy.close()))
  }
})
