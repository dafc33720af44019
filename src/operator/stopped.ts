/**
 * What is stopped on the chains, as their nodes say: settlers say it of a chain only where orders wait, and whoever has paused it wants to see it
 * before that.
 */
import { performance } from 'node:perf_hooks'
import type { ChainAdmin, Stopped } from '../chain/admin.ts'
import { within } from './within.ts'

type Stoppable = { config: { chainId: number }; admin: Pick<ChainAdmin, 'stopped'> }

/** However many pages show it, nodes are asked so often at most. */
const ASKED_EVERY_MS = 3_000
/** Nothing else that is shown waits longer for nodes. */
const PATIENCE_MS = 500
/** What nodes said before they fell silent is told no longer than this. */
const KEPT_MS = 60_000

export type LooksWhatIsStopped = () => Promise<ReadonlyMap<number, Stopped>>

/**
 * Makes the look. A chain of which no node says in time what is stopped is left out, and does not hide the others.
 * @param isLost whether nobody asks the nodes of a chain
 */
export function createStoppedLook(
  chains: readonly Stoppable[],
  isLost: (chainId: number) => boolean,
  nowMs: () => number = () => performance.now(),
): LooksWhatIsStopped {
  const looks = chains.map((chain) => ({ chainId: chain.config.chainId, look: createLook(chain, nowMs) }))
  return async () => {
    const asked = looks.filter(({ chainId }) => !isLost(chainId))
    const said = await Promise.all(asked.map(async ({ chainId, look }) => [chainId, await look()] as const))
    return new Map(said.flatMap(([chainId, stopped]) => (stopped === undefined ? [] : [[chainId, stopped] as const])))
  }
}

function createLook({ admin }: Stoppable, nowMs: () => number): () => Promise<Stopped | undefined> {
  let said: { stopped: Stopped; atMs: number } | undefined
  let asking: Promise<void> | undefined
  const ask = async () => {
    try {
      said = { stopped: await admin.stopped(), atMs: nowMs() }
    } catch {
      // Whether nodes answer is what "chain status" says, and the settler.
    } finally {
      asking = undefined
    }
  }
  const isYounger = (ms: number) => said !== undefined && nowMs() - said.atMs < ms
  return async () => {
    if (!isYounger(ASKED_EVERY_MS)) {
      asking ??= ask()
      await within(PATIENCE_MS, asking, () => undefined)
    }
    return isYounger(KEPT_MS) ? said?.stopped : undefined
  }
}
