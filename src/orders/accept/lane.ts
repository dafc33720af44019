/** The two round trips of an acceptance, shared by requests of one direction that arrive at the same time. */
import { isDatabaseAway, type Queryable, StatementCancelledError } from '../../db/database.ts'
import { createSharedCalls } from '../../db/shared-calls.ts'
import type { Direction } from '../order.ts'
import { type Question, readFacts } from './facts.sql.ts'
import type { CreateFacts } from './facts.ts'
import { isLostRace, type NewRecord, recordOrders, type Written } from './record.sql.ts'

export type Lane<D extends Direction> = {
  /** One snapshot of the database, taken after the call. @throws DatabaseUnavailableError */
  readFacts(question: Question): Promise<CreateFacts[D]>
  /** Records a new order with everything that belongs to its acceptance. @throws DatabaseUnavailableError */
  record(record: NewRecord): Promise<Written>
}

export type Lanes = { readonly [D in Direction]: Lane<D> }

/** A statement costs far more than each order in it, so there is one at a time unless it is slow: somebody has locked a row. */
export const TOGETHER_LIMITS = { maxCalls: 2, maxTogether: 100, slowAfterMs: 25 }
/** Few calls, so that requests that wait for a locked row leave most of the pool's connections to everybody else. */
const ASIDE_LIMITS = { maxCalls: 3, maxTogether: 1 }

/** How long a statement waits for a row that somebody else has locked. */
export const PATIENCE_MS = 500
const ASIDE_PATIENCE_MS = 2_000
/** After a request of an integration waited in vain, its next ones are told to come back later for this long. */
const PAUSE_MS = 1_000

/**
 * Makes a lane. Orders that come together are recorded in one statement. When it fails for any reason but the
 * database's absence (one of them lost a race, or somebody has locked a row), each order is recorded by itself, aside:
 * nobody's order depends on another's.
 */
export function createLane<D extends Direction>(db: Queryable, direction: D): Lane<D> {
  const recordTogether = createSharedCalls<NewRecord, Written | 'aside'>({
    call: (records) => recordOrSetAside(db, direction, records),
    ...TOGETHER_LIMITS,
  })
  const pausedUntilMs = new Map<string, number>()
  const recordAlone = createSharedCalls<NewRecord, PromiseSettledResult<Written>>({
    call: async ([record]) => [await resultOf(alone(record as NewRecord))],
    ...ASIDE_LIMITS,
  })

  async function alone(record: NewRecord): Promise<Written> {
    const { integrationId } = record.call.caller
    if ((pausedUntilMs.get(integrationId) ?? 0) > performance.now())
      throw new StatementCancelledError('its rows are locked')
    try {
      const [written] = await recordOrders(db, direction, [record], ASIDE_PATIENCE_MS)
      pausedUntilMs.delete(integrationId)
      return written ?? { lost: true }
    } catch (error) {
      if (isLostRace(error)) return { lost: true }
      if (error instanceof StatementCancelledError) pausedUntilMs.set(integrationId, performance.now() + PAUSE_MS)
      throw error
    }
  }

  return {
    readFacts: createSharedCalls<Question, CreateFacts[D]>({
      call: (questions) => readFacts(db, direction, questions),
      ...TOGETHER_LIMITS,
    }),
    async record(record) {
      const isSuspect = pausedUntilMs.has(record.call.caller.integrationId)
      const written = isSuspect ? 'aside' : await recordTogether(record)
      if (written !== 'aside') return written
      const result = await recordAlone(record)
      if (result.status === 'rejected') throw result.reason
      return result.value
    },
  }
}

async function recordOrSetAside(
  db: Queryable,
  direction: Direction,
  records: readonly NewRecord[],
): Promise<(Written | 'aside')[]> {
  try {
    return await recordOrders(db, direction, records, PATIENCE_MS)
  } catch (error) {
    if (isDatabaseAway(error)) throw error
    const isOwnRace = records.length === 1 && isLostRace(error)
    return records.map(() => (isOwnRace ? { lost: true } : 'aside'))
  }
}

/** What came of it, so that a call that fails fails nobody else's. */
async function resultOf<T>(work: Promise<T>): Promise<PromiseSettledResult<T>> {
  const [result] = await Promise.allSettled([work])
  return result
}
