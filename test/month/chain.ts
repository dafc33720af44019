/** The scripted chains of the month: wallets, supply and blocks, and what becomes of each instruction. Batches reach the database through settlement's own tables. */
import type { Database } from '../../src/db/database.ts'
import type { Direction } from '../../src/orders/order.ts'
import { moveObservedBlock } from '../../src/settlement/tables/chains.sql.ts'
import { REFUNDS } from '../../src/values/house.ts'
import { createBatchSteps, txHash } from '../life/batch-steps.ts'
import type { Random } from '../support/random.ts'

/** What a batch takes at most. */
const MOST_IN_BATCH = 255

export type Settled = {
  orderId: bigint
  integrationId: string
  referenceId: string
  direction: Direction
  customerId: string
  chainId: number
  amountMicro: bigint
  feeMicro: bigint
}

/** A batch that is final. */
export type Ended = { done: readonly Settled[]; failed: readonly Settled[] }

type Waiting = Settled & { wallet: string; debit: string | null }

export type ScriptedChain = ReturnType<typeof createScriptedChain>

/** One chain. `fail`: how likely an instruction fails although it could be carried out. */
export function createScriptedChain(db: Database, chainId: number, { random, fail }: { random: Random; fail: number }) {
  const steps = createBatchSteps(db)
  const balances = new Map<string, bigint>()
  const state = { supplyMicro: 0n, block: 100n, batchId: 1n, refunds: 0 }
  const add = (wallet: string, micro: bigint) => void balances.set(wallet, (balances.get(wallet) ?? 0n) + micro)

  /** Moves coin as the coin itself would. */
  function move(
    direction: Direction,
    { wallet, debit, amountMicro }: Pick<Waiting, 'wallet' | 'debit' | 'amountMicro'>,
  ) {
    const from = direction === 'MINT' ? null : (debit ?? wallet)
    if (from !== null && (balances.get(from) ?? 0n) < amountMicro) return false
    if (from === null) state.supplyMicro += amountMicro
    else add(from, -amountMicro)
    if (direction === 'REDEEM') state.supplyMicro -= amountMicro
    else add(wallet, amountMicro)
    return true
  }

  /** The first attempt to mint coin back fails, so that every month has one. */
  const isFirstRefund = () => {
    state.refunds += 1
    return state.refunds === 1
  }

  async function waiting(): Promise<Waiting[]> {
    return await db.query<Waiting>(
      `select order_id as "orderId", integration_id as "integrationId", reference_id as "referenceId", direction,
         customer_id as "customerId", chain_id::int as "chainId", amount_micro as "amountMicro", fee_micro as "feeMicro",
         wallet_address as wallet, debit_address as debit
       from orders where chain_id = $1 and status = 'pending' and order_id not in (select order_id from order_holds) order by order_id limit ${MOST_IN_BATCH}`,
      [chainId],
    )
  }

  /** Signs, mines and finalises a batch of what waits. Now and then its block is lost and mined again. */
  async function settleBatch(orders: readonly Waiting[]): Promise<Ended> {
    const name = { chainId, batchId: state.batchId }
    state.batchId += 1n
    const ids = orders.map(({ orderId }) => orderId)
    await steps.submit(name, ids, txHash('a'))
    if (random.chance(0.1)) {
      await steps.mine(name, { block: state.block + 1n })
      await steps.unmine(name)
    }
    state.block += 2n
    await steps.mine(name, { block: state.block })
    const done = orders.map((order) => {
      const failing = order.integrationId === REFUNDS ? isFirstRefund() : random.chance(fail)
      return !failing && move(order.direction, order)
    })
    await steps.finalise(name, { succeeded: done.flatMap((ok, index) => (ok ? [index] : [])) })
    return { done: orders.filter((_, index) => done[index]), failed: orders.filter((_, index) => !done[index]) }
  }

  return {
    chainId,
    balances,
    state,
    move,
    /** Settles everything that waits, batch by batch. */
    async settle(ended: (batch: Ended) => void): Promise<void> {
      for (let orders = await waiting(); orders.length > 0; orders = await waiting()) ended(await settleBatch(orders))
      state.block += 1n
      await moveObservedBlock(db, chainId, state.block, `0xb${state.block}`)
    },
  }
}
