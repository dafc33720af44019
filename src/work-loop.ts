/** The loop of all background work: it works, waits, continues after every error, and stops cleanly. */
import type { Logger } from 'pino'

export type WorkLoop = {
  start(): void
  /** Resolves when the round under way has ended; no other round begins. */
  stop(): Promise<void>
  /**
   * Says that there is something to do. A wake during a round, or during a pause that cannot be cut short, applies to
   * the next pause.
   */
  wake(): void
}

/** How long to wait before the next round, and whether a wake cuts that short. */
export type Pause = { ms: number; wakeable: boolean }

/** No pause: there may be more to do. */
export const AT_ONCE: Pause = { ms: 0, wakeable: true }

const FIRST_BACKOFF_MS = 50
const LONGEST_BACKOFF_MS = 5_000

/** The pause after this many failed rounds in a row. Wakes do not shorten it, or they would hammer what is down. */
export function backoffMs(failures: number): number {
  return Math.min(FIRST_BACKOFF_MS * 2 ** (failures - 1), LONGEST_BACKOFF_MS)
}

/**
 * Makes a loop.
 * @param options.work one round; resolves to the pause after it, rejects when it failed and is to be tried again
 * @param options.failed what the log says about a round that failed
 */
export function createLoop(options: {
  name: string
  logger: Logger
  failed?: string
  work(signal: AbortSignal): Promise<Pause>
}): WorkLoop {
  const { name, logger, failed = 'a round of work failed; it will be tried again', work } = options
  const stopping = new AbortController()
  let woken = false
  let cutShort: (() => void) | undefined
  let running: Promise<void> | undefined

  async function wait({ ms, wakeable }: Pause): Promise<void> {
    if (ms === 0 || stopping.signal.aborted || (wakeable && woken)) return
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms)
      cutShort = () => {
        if (!wakeable && !stopping.signal.aborted) return
        clearTimeout(timer)
        resolve()
      }
    })
    cutShort = undefined
  }

  async function run(): Promise<void> {
    let failures = 0
    while (!stopping.signal.aborted) {
      // The round that begins serves every wake so far.
      woken = false
      try {
        const pause = await work(stopping.signal)
        failures = 0
        await wait(pause)
      } catch (error) {
        failures += 1
        logger.error({ err: error, loop: name, failures }, failed)
        await wait({ ms: backoffMs(failures), wakeable: false })
      }
    }
  }

  const wake = () => {
    woken = true
    cutShort?.()
  }
  return {
    wake,
    start() {
      running ??= run()
    },
    async stop() {
      stopping.abort()
      wake()
      await running
    },
  }
}

/**
 * Makes a loop that works when it is woken and at every poll.
 * @param options.work does what is due; resolves to true when there may be more to do at once
 * @param options.pollMs the pause between two rounds
 */
export function createWorkLoop(options: {
  name: string
  logger: Logger
  pollMs: number
  work(signal: AbortSignal): Promise<boolean>
}): WorkLoop {
  const { pollMs, work, ...others } = options
  return createLoop({
    ...others,
    work: async (signal) => ((await work(signal)) ? AT_ONCE : { ms: pollMs, wakeable: true }),
  })
}
