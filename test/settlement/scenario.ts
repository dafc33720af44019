/** A chain, a database that knows another chain too, and as many settlers as a test wants. */
import type { Logger } from 'pino'
import { type Chain, connectChain } from '../../src/chain/chain.ts'
import type { NewTimelock } from '../../src/chain/deployment/plan.ts'
import type { ChainConfig } from '../../src/config.ts'
import { BATCH_OF_ORDER } from '../../src/orders/row.sql.ts'
import { createSettler, type Settler, type SettlerDeps } from '../../src/settlement/settler.ts'
import { type AnvilOptions, startAnvil } from '../support/anvil.ts'
import { createTestDatabase, type Engine, type TestDatabase } from '../support/database.ts'
import { PATIENCE_MS, waitFor } from '../support/wait-for.ts'
import {
  deployChain,
  type Limits,
  type OrderState,
  orderState,
  placeOrders,
  rpc,
  seedParties,
  silent,
  type TestOrder,
} from './fixture.ts'
import { plantChain, requireUntouched, rowsOfChain, SHADOW_CHAIN } from './shadow.ts'

export type Scenario = {
  db: TestDatabase
  config: ChainConfig
  chain: Chain
  rpcUrl: string
  rpc(method: string, ...params: unknown[]): Promise<unknown>
  mine(blocks?: number): Promise<void>
  place(...orders: TestOrder[]): Promise<bigint[]>
  /** Starts a settler; `stop` ends it. */
  settle(overrides?: Partial<SettlerDeps> & { config?: Partial<ChainConfig> }): Promise<Settler>
  /** Waits for an order to be in this status or phase, for 20 s unless told otherwise. */
  until(orderId: bigint | undefined, state: string, timeoutMs?: number): Promise<OrderState>
  /** Checks everything that must hold when nothing is under way; throws otherwise. */
  audit(): Promise<void>
  end(): Promise<void>
}

export type ScenarioOptions = {
  anvil?: AnvilOptions
  config?: Partial<ChainConfig>
  limits?: Limits
  consentRequired?: boolean
  /** The contracts' admin; without it, a key is. */
  timelock?: NewTimelock
  engine?: Engine
  logger?: Logger
  /** After the deployment blocks come only from `mine()`. */
  manualMining?: boolean
}

export const QUICK = { leaseMs: 1_500, rebroadcastMs: 300, recheckMs: 60_000, behindGraceMs: 400, retryMs: 50 }

export async function startScenario(options: ScenarioOptions = {}): Promise<Scenario> {
  const { engine, logger = silent } = options
  const [anvil, db] = await Promise.all([
    startAnvil(options.anvil),
    createTestDatabase(engine === undefined ? {} : { engine }),
  ])
  const config = await deployChain(anvil.rpcUrl, options.config, options)
  const chain = connectChain(config, { db, logger })
  await seedParties(db)
  await plantChain(db, SHADOW_CHAIN)
  const shadow = await rowsOfChain(db, SHADOW_CHAIN)
  const settlers: Settler[] = []
  const ask = (method: string, ...params: unknown[]) => rpc(anvil.rpcUrl, method, ...params)
  if (options.manualMining) await ask('evm_setAutomine', false)
  return {
    db,
    config,
    chain,
    rpcUrl: anvil.rpcUrl,
    rpc: ask,
    mine: async (blocks = 1) => void (await ask('anvil_mine', `0x${blocks.toString(16)}`)),
    place: (...orders) => placeOrders(db, config, orders),
    async settle({ config: changes, ...overrides } = {}) {
      const own = changes === undefined ? chain : connectChain({ ...config, ...changes }, { db, logger })
      const holder = `settler-${settlers.length}`
      const settler = createSettler({ db, chains: [own], logger, holder, times: QUICK, ...overrides })
      settlers.push(settler)
      settler.start()
      return settler
    },
    until: (orderId = 0n, state, timeoutMs = PATIENCE_MS) => until(db, orderId, state, timeoutMs),
    async audit() {
      await audit(db, chain)
      await requireUntouched(db, shadow)
    },
    async end() {
      await Promise.all(settlers.map((settler) => settler.stop()))
      await db.close()
      await anvil.stop()
    },
  }
}

function until(db: TestDatabase, orderId: bigint, state: string, timeoutMs: number): Promise<OrderState> {
  const probe = async () => {
    const found = await orderState(db, orderId)
    return found.status === state || found.phase === state ? found : undefined
  }
  return waitFor(`order ${orderId} to be ${state}`, probe, { timeoutMs }).catch(async (error: Error) => {
    const found = { order: await orderState(db, orderId), ...(await standing(db)) }
    const text = JSON.stringify(found, (_, v) => (typeof v === 'bigint' ? String(v) : v))
    throw new Error(`${error.message}; found ${text}`)
  })
}

/** What settlers have said last of their chains, and the newest batches. */
async function standing(db: TestDatabase): Promise<{ holds: unknown[]; batches: unknown[] }> {
  const holds = await db.query('select *, now() as now from settlement_holds')
  const batches = await db.query(
    `select b.*, array(select tx_hash from batch_attempts a where a.chain_id = b.chain_id and a.batch_id = b.batch_id) as attempts
     from batches b order by moved_at desc nulls last, batch_id desc limit 8`,
  )
  return { holds, batches }
}

/** Checks that the supply is completed mints less burned redeems, and that nothing is earmarked or counted twice. */
async function audit(db: TestDatabase, chain: Chain): Promise<void> {
  const { chainId } = chain.config
  const [sums] = await db.query<{ supply: string }>(
    `select coalesce(sum(case when direction = 'MINT' and o.status = 'completed' then amount_micro
       when direction = 'REDEEM' and o.status in ('completed', 'processing') then -amount_micro else 0 end), 0) as supply
     from orders o ${BATCH_OF_ORDER} where o.chain_id = $1`,
    [chainId],
  )
  const supply = await chain.admin.supply()
  if (supply !== BigInt(sums?.supply ?? 0)) throw new Error(`supply is ${supply}, orders say ${sums?.supply}`)
  const open = await db.query(
    `select order_id from orders o ${BATCH_OF_ORDER}
     where o.chain_id = $1 and o.status = 'pending'`,
    [chainId],
  )
  if (open.length > 0) throw new Error(`${open.length} orders are still under way`)
  const earmarks = await db.query('select address from wallet_earmarks where chain_id = $1 and earmarked_micro <> 0', [
    chainId,
  ])
  if (earmarks.length > 0) throw new Error(`${earmarks.length} wallets still have earmarks`)
  const events = await db.query(
    `select reference_id from events where type not like '%pending' group by integration_id, reference_id having count(*) > 1`,
  )
  if (events.length > 0) throw new Error(`${events.length} orders have more than one final event`)
}
