/**
 * Fails fast while the database does not answer, so that requests do not queue up waiting for one another's timeouts.
 */
import { type DatabaseLogger, DatabaseUnavailableError, StatementCancelledError } from './database.ts'

/** The breaker opens after this many failures in a row, with no statement answered since the first of them was sent. */
const FAILURES = 3
/** While it is open, one statement at a time is tried, this long after the one before. */
const PROBE_EVERY_MS = 200

export type Breaker = {
  /** Runs `work`, unless the database does not answer. @throws DatabaseUnavailableError at once while it does not */
  guard<T>(work: () => Promise<T>): Promise<T>
}

/**
 * Makes a breaker. It opens when statements fail because the database is away or silent; an error from the database
 * itself, a cancelled statement included, shows that it is there.
 * @param deps.nowMs a clock that never goes back
 */
export function createBreaker(deps: { logger?: DatabaseLogger | undefined; nowMs?: () => number } = {}): Breaker {
  const { logger, nowMs = () => performance.now() } = deps
  let failures = 0
  let answeredAtMs = Number.NEGATIVE_INFINITY
  let open = false
  let isProbing = false
  let nextProbeMs = 0

  const onAnswer = (): void => {
    answeredAtMs = nowMs()
    failures = 0
    if (open) logger?.info({}, 'the database answers again')
    open = false
  }
  const onSilence = (sentMs: number): void => {
    if (answeredAtMs >= sentMs) return
    failures += 1
    if (!open && failures >= FAILURES) {
      open = true
      logger?.warn({ failures }, 'the database does not answer: requests fail at once until it does')
    }
  }

  async function run<T>(work: () => Promise<T>): Promise<T> {
    const sentMs = nowMs()
    try {
      const result = await work()
      onAnswer()
      return result
    } catch (error) {
      if (isSilence(error)) onSilence(sentMs)
      else onAnswer()
      throw error
    }
  }

  return {
    async guard(work) {
      if (!open) return run(work)
      if (isProbing || nowMs() < nextProbeMs) throw new DatabaseUnavailableError('the database does not answer')
      isProbing = true
      try {
        return await run(work)
      } finally {
        isProbing = false
        nextProbeMs = nowMs() + PROBE_EVERY_MS
      }
    },
  }
}

function isSilence(error: unknown): boolean {
  return error instanceof DatabaseUnavailableError && !(error instanceof StatementCancelledError)
}
