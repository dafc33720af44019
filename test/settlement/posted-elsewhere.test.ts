// engine: postgres
/**
 * A backup is restored that lacks an order of one chain, signed and in no block; its partner posts the reference again for another chain, and
 * somebody has heard the lost bytes.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { connectChain } from '../../src/chain/chain.ts'
import type { ChainConfig } from '../../src/config.ts'
import { createSettler, type Settler } from '../../src/settlement/settler.ts'
import { beginTimeline } from '../chain-model/copies.ts'
import { type Anvil, startAnvil } from '../support/anvil.ts'
import { restoreBackup, takeBackup } from '../support/backup.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { waitFor } from '../support/wait-for.ts'
import { deployChain, keyOf, placeOrders, rpc, seedParties, sendAlone, silent, wallet } from './fixture.ts'
import { QUICK } from './scenario.ts'

type OwnChain = { anvil: Anvil; config: ChainConfig }

const AMOUNT = 5n
const LONG = { timeoutMs: 120_000 }
const chains: OwnChain[] = []
const settlers: Settler[] = []
const databases: TestDatabase[] = []
before(async () => {
  for (const chainId of [31_337, 1_337]) {
    const anvil = await startAnvil({ chainId })
    const config = await deployChain(anvil.rpcUrl, { chainId, key: `chain-${chainId}`, signers: [keyOf('signer')] })
    await rpc(anvil.rpcUrl, 'evm_setAutomine', false)
    chains.push({ anvil, config })
  }
})
after(async () => {
  await Promise.all(settlers.map((settler) => settler.stop()))
  await Promise.all(chains.map(({ anvil }) => anvil.stop()))
  await Promise.all(databases.map((db) => db.close()))
})

function settle(db: TestDatabase, holder: string): Settler {
  const connected = chains.map(({ config }) => connectChain(config, { db, logger: silent }))
  const settler = createSettler({ db, chains: connected, logger: silent, holder, times: QUICK })
  settlers.push(settler)
  settler.start()
  return settler
}

async function openDatabase(): Promise<TestDatabase> {
  const db = await createTestDatabase()
  databases.push(db)
  return db
}

const mine = ({ anvil }: OwnChain) => rpc(anvil.rpcUrl, 'anvil_mine', '0x1')
const order = (seed: number, referenceId: string) => ({
  direction: 'MINT' as const,
  amountMicro: AMOUNT,
  to: wallet(seed),
  referenceId,
})
const heldOn = async (db: TestDatabase, { config }: OwnChain) =>
  (await db.query<{ reason: string }>('select reason from settlement_holds where chain_id = $1', [config.chainId]))[0]
    ?.reason
const isSigned = async (db: TestDatabase, orderId = 0n) =>
  (await db.query('select from signed_orders where order_id = $1', [orderId])).length > 0
async function mintedTo(seed: number): Promise<bigint[]> {
  const data = `0x70a08231${wallet(seed).slice(2).toLowerCase().padStart(64, '0')}`
  const ask = ({ anvil, config }: OwnChain) =>
    rpc(anvil.rpcUrl, 'eth_call', { to: config.coin.address, data }, 'latest')
  return (await Promise.all(chains.map(ask))).map((answer) => BigInt(answer as string))
}

test('it settles once, on the chain that executes the lost bytes; what was accepted before the disaster goes on meanwhile', {
  timeout: 400_000,
}, async () => {
  const [one, other] = chains as [OwnChain, OwnChain]
  const first = await openDatabase()
  await seedParties(first)
  const before = settle(first, 'before')
  await waitFor('both chains to be led', () => before.states().every(({ leading }) => leading), LONG)
  await waitFor(
    'both to be read',
    async () => (await heldOn(first, one)) === 'none' && (await heldOn(first, other)) === 'none',
  )
  await before.stop()
  const [known = 0n] = await placeOrders(first, other.config, [order(2, 'known-before')])
  const backup = await takeBackup(first)

  const [lost = 0n] = await placeOrders(first, one.config, [order(1, 'posted-twice')])
  const only = createSettler({
    db: first,
    chains: [connectChain(one.config, { db: first, logger: silent })],
    logger: silent,
    times: QUICK,
    holder: 'before',
  })
  only.start()
  await waitFor('the lost order to be signed', () => isSigned(first, lost), LONG)
  await only.stop()
  const [bytes] = await first.query<{ raw: string }>(
    `select '0x' || encode(raw_transaction, 'hex') as raw from batch_attempts`,
  )
  assert.ok(bytes)
  await rpc(one.anvil.rpcUrl, 'anvil_dropAllTransactions')

  const db = await openDatabase()
  await restoreBackup(db, backup)
  await beginTimeline(db)
  const [again = 0n] = await placeOrders(db, other.config, [order(1, 'posted-twice')])
  settle(db, 'after')
  await waitFor('what is known to be signed', () => isSigned(db, known), LONG)
  await waitFor(
    'the other chain to be fenced, and to wait for the first',
    async () => {
      await mine(other)
      return (await heldOn(db, other)) === 'other-chain-unfenced'
    },
    { ...LONG, everyMs: 100 },
  )
  assert.deepEqual([await isSigned(db, again), await mintedTo(2)], [false, [0n, AMOUNT]])

  await sendAlone((method, ...params) => rpc(one.anvil.rpcUrl, method, ...params), bytes.raw)
  await waitFor(
    'the order to be known as settled elsewhere',
    async () => {
      await Promise.all(chains.map(mine))
      return (await db.query('select from tag_conflicts where order_id = $1', [again])).length > 0
    },
    { ...LONG, everyMs: 100 },
  )
  assert.deepEqual([await isSigned(db, again), await mintedTo(1)], [false, [AMOUNT, 0n]])
})
