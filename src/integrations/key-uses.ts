/** Notes which keys are used, and writes it down once in a while: no request waits for it or costs a statement. */
import type { Logger } from 'pino'
import { createLoop, type WorkLoop } from '../work-loop.ts'
import type { KeyUse } from './key-uses.sql.ts'

/** As many keys as the cache of keys knows; others of that minute are not noted. */
const MAX_NOTED = 10_000
const FLUSH_MS = 60_000
/** A busy key is noted once in this time, not for each of its requests. */
const EXACT_TO_MS = 1_000

export type KeyUses = {
  note(keyId: string, address: string, atMs: number): void
  start(): void
  /** Writes down what is noted. */
  stop(): Promise<void>
}

/**
 * @param deps.record writes uses down; when it fails, they are written with the next ones
 */
export function createKeyUses(deps: { logger: Logger; record(uses: readonly KeyUse[]): Promise<void> }): KeyUses {
  const { logger, record } = deps
  const noted = new Map<string, KeyUse>()

  const flush = async () => {
    const uses = [...noted.values()]
    if (uses.length === 0) return
    await record(uses)
    for (const use of uses) if (noted.get(use.keyId) === use) noted.delete(use.keyId)
  }
  const loop: WorkLoop = createLoop({
    name: 'key uses',
    logger,
    async work() {
      await flush()
      return { ms: FLUSH_MS, wakeable: false }
    },
  })
  return {
    note(keyId, address, atMs) {
      const last = noted.get(keyId)
      if (last === undefined && noted.size >= MAX_NOTED) return
      if (last?.address === address && Math.abs(atMs - last.usedAt.getTime()) < EXACT_TO_MS) return
      noted.set(keyId, { keyId, address, usedAt: new Date(atMs) })
    },
    start: () => loop.start(),
    async stop() {
      await loop.stop()
      await flush().catch((error: unknown) =>
        logger.warn({ err: error }, 'the last uses of keys were not written down'),
      )
    },
  }
}
