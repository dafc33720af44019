/** Stops settlement on chain too, while something that nobody asked for pauses it here: a stolen key knows of no pause but that. */
import type { Work } from '../work.ts'

const AGAIN_MS = 30_000
/** One try; the next goes on where it ended. */
const TRY_MS = 20_000

/** Beside everything else, with the pauser's key, where this process has it; until the stop is at full depth. */
export function stopOnChain({ chain, logger, memory, nowMs }: Work): void {
  const { stop, isPaused } = memory.watch
  const { chainId, pauser } = chain.config
  if (!isPaused) {
    memory.watch.stop = { ...stop, isDone: false, triedAtMs: Number.NEGATIVE_INFINITY }
    return
  }
  if (pauser === undefined || stop.isDone || stop.isUnderWay || nowMs() - stop.triedAtMs < AGAIN_MS) return
  const tried = { ...stop, isUnderWay: true, triedAtMs: nowMs() }
  memory.watch.stop = tried
  // What was resumed meanwhile needs another stop when it is paused again.
  const done = (isDone: boolean) => {
    const isWanted = memory.watch.stop === tried
    memory.watch.stop = { ...memory.watch.stop, isUnderWay: false, isDone: isDone && isWanted }
  }
  chain.admin.pause({ settlementOnly: true, deadlineMs: TRY_MS }).then(
    (txHash) => {
      logger.fatal({ chainId, txHash }, 'settlement was stopped on chain, because of what nobody here asked for')
      done(true)
    },
    (error: unknown) => {
      logger.error({ chainId, err: error }, 'settlement was not stopped on chain yet; it is tried again')
      done(false)
    },
  )
}
