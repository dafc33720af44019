/** A loop that works when it is woken and at every poll, survives every error, and stops in order. */
import type { Logger } from 'pino'

const MAX_BACKOFF_MS = 30_000

export type WorkLoop = { start(): void; stop(): Promise<void>; wake(): void }

/**
 * Makes a loop.
 * @param options.work does what is due; resolves to true when there may be more to do at once
 * @param options.pollMs the pause between two rounds; after errors it doubles up to 30 s
 */
export function createWorkLoop(options: {
  name: string
  logger: Logger
  pollMs: number
  work(signal: AbortSignal): Promise<boolean>
}): WorkLoop {
  const { name, logger, pollMs, work } = options
  const stopping = new AbortController()
  let woken = false
  let wakeUp: (() => void) | undefined
  let running: Promise<void> | undefined

  async function pause(timeoutMs: number): Promise<void> {
    if (woken || stopping.signal.aborted) return
    let timer: NodeJS.Timeout | undefined
    await new Promise<void>((resolve) => {
      wakeUp = resolve
      timer = setTimeout(resolve, timeoutMs)
    })
    clearTimeout(timer)
    wakeUp = undefined
  }

  async function run(): Promise<void> {
    let failures = 0
    while (!stopping.signal.aborted) {
      woken = false
      try {
        const hasMore = await work(stopping.signal)
        failures = 0
        if (hasMore) continue
      } catch (error) {
        failures += 1
        logger.error({ err: error, loop: name }, 'a round of work failed; it is tried again')
        woken = false
      }
      await pause(failures === 0 ? pollMs : Math.min(pollMs * 2 ** Math.min(failures, 20), MAX_BACKOFF_MS))
    }
  }

  const wake = () => {
    woken = true
    wakeUp?.()
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
