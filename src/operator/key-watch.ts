/** Watches the gas money of every key, so that an empty one is seen long before it is needed. */
import type { Logger } from 'pino'
import { formatEther } from 'viem'
import type { KeyGas, KeyMetrics } from '../chain/key-gas.ts'
import { createWorkLoop, type WorkLoop } from '../work-loop.ts'

type WatchedChain = { config: { chainId: number }; admin: { keyGas(): Promise<KeyGas[]> } }

export type KeyWatch = Pick<WorkLoop, 'start' | 'stop'> & {
  /** The names of a chain's keys that had too little when they were last looked at. */
  lowKeys(chainId: number): string[]
}

const POLL_MS = 60_000

/** Whoever is woken by it is to know how much to send. */
function sayShort({ name, address, balanceWei, neededWei }: KeyGas): string {
  if (neededWei === undefined) return `${name} ${address}`
  const [has, needs, lacks] = [balanceWei, neededWei, neededWei - balanceWei].map((wei) => formatEther(wei))
  return `${name} ${address}: it has ${has}, needs ${needs} of the chain's own coin: send ${lacks} or more`
}

/** Makes the watch. A chain that cannot be read keeps what was last seen. */
export function createKeyWatch(deps: {
  chains: readonly WatchedChain[]
  /** Whether a chain is gone for good: of its keys nothing is said. */
  isLost?: (chainId: number) => boolean
  logger: Logger
  metrics: KeyMetrics
  pollMs?: number
}): KeyWatch {
  const { chains, isLost = () => false, logger, metrics, pollMs = POLL_MS } = deps
  const low = new Map<number, string[]>()

  async function look({ config: { chainId }, admin }: WatchedChain): Promise<void> {
    if (isLost(chainId)) {
      low.delete(chainId)
      return metrics.forget(chainId)
    }
    const keys = await admin.keyGas()
    for (const { name, address, balanceWei, isLow } of keys) {
      metrics.gas(chainId, { name, address }, balanceWei)
      metrics.isLow(chainId, { name, address }, isLow)
    }
    const names = keys.filter(({ isLow }) => isLow).map(({ name }) => name)
    const before = low.get(chainId) ?? []
    low.set(chainId, names)
    if (names.join() !== before.join() && names.length > 0) {
      const short = keys.filter(({ isLow }) => isLow).map(sayShort)
      logger.error({ chainId, keys: short }, 'keys have too little gas money for what they are for')
    }
  }

  const loop = createWorkLoop({
    name: 'key-watch',
    logger,
    pollMs,
    async work() {
      await Promise.allSettled(chains.map(look))
      return false
    },
  })
  return { start: loop.start, stop: loop.stop, lowKeys: (chainId) => (isLost(chainId) ? [] : (low.get(chainId) ?? [])) }
}
