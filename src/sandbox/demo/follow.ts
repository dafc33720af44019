/** Follows an order to its end and prints every change, with what the chain shows of it. */
import { setTimeout as sleep } from 'node:timers/promises'
import { formatAmount } from '../../money.ts'
import type { ApiClient, DemoOrder } from './api-client.ts'
import { type ChainView, describeMovement } from './chain-view.ts'
import type { Printer } from './printer.ts'

const POLL_MS = 400
const DEADLINE_MS = 60_000
const TERMINAL: ReadonlySet<string> = new Set(['completed', 'failed', 'cancelled'])

/**
 * Resolves with the order in its last state.
 * @param path where the order is read, e.g. `/mints/ref`
 * @throws Error when it has not ended after a minute
 */
export async function followOrder(
  deps: { api: ApiClient; chain: ChainView; printer: Printer; confirmations: number },
  path: string,
): Promise<DemoOrder> {
  const { api, printer } = deps
  const startedAt = performance.now()
  let shown = ''
  let hasShownTransaction = false
  while (performance.now() - startedAt < DEADLINE_MS) {
    const order = await api.get<DemoOrder>(path)
    const state = `${order.status} / ${order.phase}${await depthOf(deps, order)}`
    if (state !== shown) printer.change(performance.now() - startedAt, state)
    shown = state
    if (!hasShownTransaction) hasShownTransaction = await showTransaction(deps, order)
    if (TERMINAL.has(order.status)) return order
    await sleep(POLL_MS)
  }
  throw new Error(`${path} has not ended within ${DEADLINE_MS / 1_000} seconds; the service's log may tell why`)
}

async function depthOf({ chain, confirmations }: { chain: ChainView; confirmations: number }, order: DemoOrder) {
  if (order.phase !== 'CONFIRMING' || order.blockchain.blockNumber === null) return ''
  const depth = (await chain.head()) - BigInt(order.blockchain.blockNumber) + 1n
  return `  block ${order.blockchain.blockNumber}, ${depth < 0n ? 0n : depth} of ${confirmations} confirmations`
}

async function showTransaction(
  { chain, printer }: { chain: ChainView; printer: Printer },
  { blockchain: { txHash } }: DemoOrder,
): Promise<boolean> {
  const mined = txHash === null ? undefined : await chain.movementsOf(txHash)
  if (txHash === null || mined === undefined) return false
  printer.onChain(`transaction ${txHash}, ${mined.gasUsed} gas`)
  for (const movement of mined.movements) {
    printer.onChain(`${formatAmount(movement.amountMicro)} ${describeMovement(movement)}`)
  }
  return true
}
