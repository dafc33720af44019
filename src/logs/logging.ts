/** JSON logs on standard output. Each logged field is chosen; redaction is the second line of defence. */
import { type DestinationStream, type Logger, pino } from 'pino'
import type { Config } from '../config.ts'
import { LOG_BASE, openLogOutput } from './output.ts'

const SECRET_FIELDS = [
  'authorization',
  'apiKey',
  'secret',
  'password',
  'token',
  'privateKey',
  'body',
  'raw',
  'url',
  'config',
]

/**
 * Makes the service's logger.
 * @param destination default: standard output
 */
export function createLogger(level: Config['logLevel'], destination: DestinationStream = openLogOutput()): Logger {
  const paths = SECRET_FIELDS.flatMap((field) => [field, `*.${field}`, `headers.${field}`])
  const options = {
    level,
    base: LOG_BASE,
    timestamp: createTimestamps(),
    formatters: { level: (label: string) => ({ level: label }) },
    redact: { paths, censor: '[redacted]' },
  }
  return pino(options, destination)
}

/** Times of lines in ISO 8601; many lines share a millisecond. */
function createTimestamps(): () => string {
  let writtenMs = Number.NaN
  let text = ''
  return () => {
    const nowMs = Date.now()
    if (nowMs !== writtenMs) {
      writtenMs = nowMs
      text = `,"time":"${new Date(nowMs).toISOString()}"`
    }
    return text
  }
}
