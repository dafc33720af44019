/** The end of a run: no more faults, and everything has to come to its end within a bounded time. */
import { setTimeout as sleep } from 'node:timers/promises'
import { atLeast, waitFor } from '../support/wait-for.ts'
import { countUnderWay, type UnderWay } from './judge/tables.ts'
import type { Load } from './load/load.ts'
import { releaseOrders, retryPayouts } from './world/operator.ts'
import type { World } from './world/world.ts'

const LOOK_MS = 500
const RETRY_PAYOUTS_MS = 2_000
const MENDING_MS = atLeast(30_000)
/** Several operators may have held orders, and each order is explained when it is listed. */
const RELEASING_MS = 120_000

/** Undoes whatever a fault may have left behind, even where a reorganisation reverted the undoing. */
export async function mend({ bank, receiver, nodes, chain, parties, processes, operator }: World): Promise<void> {
  bank.fault = undefined
  receiver.fault = undefined
  nodes.faults.fill(undefined)
  chain.setMining(true)
  await chain.setMintLimit(false)
  for (const signer of ['signer', 'second'] as const) {
    await untilFalse(
      `${signer} to have its role`,
      async () => !(await chain.hasSignerRole(signer)),
      () => chain.setSignerRole(signer, true),
    )
  }
  const wallets = parties.integrations.flatMap(({ customers }) => customers.map(({ wallet }) => wallet))
  await untilFalse('the coin to be unpaused', chain.isPaused, () => chain.setPaused(false))
  for (const wallet of wallets) {
    await untilFalse(
      `${wallet} to be unfrozen`,
      () => chain.isFrozen(wallet),
      () => chain.setFrozen(wallet, false),
    )
  }
  await processes.allServe()
  const isReleased = async () => (await releaseOrders(operator)) === 0
  await waitFor('nothing to be held', isReleased, { timeoutMs: RELEASING_MS, everyMs: 100 })
}

async function untilFalse(what: string, isSo: () => Promise<boolean>, undo: () => Promise<void>): Promise<void> {
  if (!(await isSo())) return
  await undo()
  await waitFor(what, async () => !(await isSo()), { timeoutMs: MENDING_MS, everyMs: 100 })
}

/**
 * Waits until nothing is under way; payouts that wait are retried, as an operator would.
 * @returns what is still open after `limitMs`; empty when everything came to its end
 */
export async function settle(world: World, load: Load, limitMs: number): Promise<string[]> {
  const { database, operator } = world
  const beganMs = performance.now()
  let retriedMs = Number.NEGATIVE_INFINITY
  let storiesEnded = false
  void load.ended().then(() => {
    storiesEnded = true
  })
  for (;;) {
    const underWay = await countUnderWay(database.query)
    const open = openOf(underWay, storiesEnded)
    if (open.length === 0) return []
    const nowMs = performance.now()
    if (nowMs - beganMs > limitMs) return open
    if (underWay.payouts > 0 && nowMs - retriedMs > RETRY_PAYOUTS_MS) {
      retriedMs = nowMs
      await retryPayouts(operator).catch(() => 0)
    }
    await sleep(LOOK_MS)
  }
}

function openOf({ orders, payouts, deliveries }: UnderWay, storiesEnded: boolean): string[] {
  return [
    ...(orders > 0 ? [`${orders} orders are not settled`] : []),
    ...(payouts > 0 ? [`${payouts} payouts are with no rail`] : []),
    ...(deliveries > 0 ? [`${deliveries} deliveries were not acknowledged`] : []),
    ...(storiesEnded ? [] : ['clients still wait for an answer that decides']),
  ]
}
