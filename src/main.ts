/** The program: configuration → service, until a signal ends it. */
import { loadConfig } from './config.ts'
import { createLogger } from './logging.ts'
import { startService } from './service.ts'
import { describeStartFailure } from './start-failure.ts'

const FORCED_EXIT_CODE = 130
/** A shutdown that takes longer than this is cut off: what is unfinished continues at the next start. */
const SHUTDOWN_MS = 25_000

try {
  const config = loadConfig(process.env)
  const logger = createLogger(config.logLevel)
  const service = await startService(config, logger)
  let stopping = false
  const stop = (signal: string) => {
    if (stopping) process.exit(FORCED_EXIT_CODE)
    stopping = true
    logger.info({ signal }, 'stopping')
    setTimeout(() => {
      logger.error('stopping took too long')
      process.exit(1)
    }, SHUTDOWN_MS).unref()
    service.stop().then(
      () => process.exit(0),
      (error: unknown) => {
        logger.error({ err: error }, 'stopping failed')
        process.exit(1)
      },
    )
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
  process.on('SIGHUP', stop)
} catch (error) {
  console.error(describeStartFailure(error))
  process.exit(1)
}
