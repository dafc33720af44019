/**
 * Gives the database up when it is silent, so that requests do not wait for one another's timeouts. Slow statements
 * alone do not mean silence: when none was answered for a while, the database is asked whether it is there.
 */
import { type DatabaseLogger, DatabaseUnavailableError, isDatabaseAway } from './database.ts'

/** When nothing was answered for this long although something was asked, the database is asked whether it is there. */
const SUSPICIOUS_AFTER_MS = 2_000

export type Breaker = {
  /** Runs `work`. @throws DatabaseUnavailableError at once while the database is given up */
  guard<T>(work: () => Promise<T>): Promise<T>
  /**
   * Settles as `pending` does, or rejects when the database is given up first.
   * @param late gets the value of `pending` if it still comes after that
   * @throws DatabaseUnavailableError when the database is given up
   */
  unlessGivenUp<T>(pending: Promise<T>, late?: (value: T) => void): Promise<T>
  /** Asks the database when that is due; to be called a few times a second. */
  tick(): void
}

type Deps = {
  /** Whether the database answers a new connection. It may take a while, but must settle, and must not reject. */
  isThere: () => Promise<boolean>
  logger?: DatabaseLogger | undefined
  /** A clock that never goes back. */
  nowMs?: () => number
}

/** Makes a breaker that believes the database to be there. */
export function createBreaker({ isThere, logger, nowMs = () => performance.now() }: Deps): Breaker {
  let underWay = 0
  let progressMs = 0
  let isGivenUp = false
  let isAsking = false
  const { unlessGivenUp, failAll } = createWaiting()

  const giveUp = (): void => {
    if (isGivenUp) return
    isGivenUp = true
    const waiting = failAll()
    logger?.warn({ waiting }, 'the database does not answer: requests fail at once until it does')
  }
  const onAnswer = (): void => {
    progressMs = nowMs()
    if (isGivenUp) logger?.info({}, 'the database answers again')
    isGivenUp = false
  }
  const ask = async (): Promise<void> => {
    isAsking = true
    const answers = await isThere()
    isAsking = false
    if (answers) onAnswer()
    // Another statement may have been answered meanwhile, which shows that the database is there.
    else if (nowMs() - progressMs > SUSPICIOUS_AFTER_MS) giveUp()
  }

  return {
    async guard(work) {
      if (isGivenUp) throw silence()
      if (underWay === 0) progressMs = nowMs()
      underWay += 1
      try {
        const result = await work()
        onAnswer()
        return result
      } catch (error) {
        // A statement that the database cancelled or refused was answered.
        if (!isDatabaseAway(error)) onAnswer()
        throw error
      } finally {
        underWay -= 1
      }
    },
    unlessGivenUp,
    tick() {
      if (isAsking) return
      if (isGivenUp || (underWay > 0 && nowMs() - progressMs > SUSPICIOUS_AFTER_MS)) void ask()
    },
  }
}

/** What waits for an answer of the database. */
function createWaiting(): Pick<Breaker, 'unlessGivenUp'> & { failAll(): number } {
  const waiting = new Set<(error: DatabaseUnavailableError) => void>()
  return {
    unlessGivenUp: (pending, late) =>
      new Promise((resolve, reject) => {
        waiting.add(reject)
        pending.then(
          (value) => (waiting.delete(reject) ? resolve(value) : late?.(value)),
          (error) => {
            waiting.delete(reject)
            reject(error)
          },
        )
      }),
    /** Nothing of it waits any longer. @returns how much did */
    failAll() {
      const all = [...waiting]
      waiting.clear()
      for (const reject of all) reject(silence())
      return all.length
    },
  }
}

function silence(): DatabaseUnavailableError {
  return new DatabaseUnavailableError('the database does not answer')
}
