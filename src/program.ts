/** The program: configuration → service, until a signal ends it. */
import { setTimeout as delay } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import type { Logger } from 'pino'
import { loadConfig } from './config.ts'
import { createLogger } from './logs/logging.ts'
import { createService, type Service } from './service.ts'
import { whenNpmEnds } from './start/npm-parent.ts'
import { describeStartFailure } from './start/start-failure.ts'

const FORCED_EXIT_CODE = 130
/** How long whoever reads the log has for the last lines. */
const LOG_WRITTEN_MS = 2_000
/** Under npm one Ctrl-C arrives twice, from the terminal and from npm. Only a later one means "stop at once". */
const SAME_SIGNAL_MS = 1_000
/**
 * How much the heap may grow, in percent of what is in use, before the next full collection. V8 would let it double: under load that
 * is most of the memory of a process whose requests leave nothing behind (bench/results/memory.md).
 */
const HEAP_GROWING_PERCENT = 20

// Not earlier: while modules are loaded it only costs collections, and what Node keeps of compiled code is refused under other flags.
setFlagsFromString(`--heap-growing-percent=${HEAP_GROWING_PERCENT}`)

try {
  const config = loadConfig(process.env)
  const logger = createLogger(config.logLevel)
  const service = createService(config, logger)
  stopOnSignals(service, logger, config.stopMs)
  await service.start()
} catch (error) {
  console.error(describeStartFailure(error))
  process.exit(1)
}

/**
 * Works even while the service is starting: whatever it has started by then, above all the local chain, must end with
 * it. What takes longer than `stopMs` is cut off; unfinished work continues at the next start.
 */
function stopOnSignals(service: Service, logger: Logger, stopMs: number): void {
  let stoppingSinceMs: number | undefined
  const stop = (signal: string) => {
    if (stoppingSinceMs !== undefined) {
      if (performance.now() - stoppingSinceMs > SAME_SIGNAL_MS) process.exit(FORCED_EXIT_CODE)
      return
    }
    stoppingSinceMs = performance.now()
    logger.info({ signal }, 'stopping')
    setTimeout(() => {
      logger.error('stopping took too long')
      process.exit(1)
    }, stopMs).unref()
    void service
      .stop()
      .then(() => writtenLog(logger))
      .then(() => process.exit(0))
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop)
  whenNpmEnds(() => stoppingSinceMs === undefined && stop('npm ended'), process.env.npm_lifecycle_event !== undefined)
}

/** Lines are cut off in their midst where another thread still writes them when the process ends. A reader that does not read is not waited for. */
async function writtenLog(logger: Logger): Promise<void> {
  await Promise.race([new Promise<void>((resolve) => logger.flush(() => resolve())), delay(LOG_WRITTEN_MS)])
}
