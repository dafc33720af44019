/** The two round trips of a mint's acceptance, shared with the mints that are posted at the same time. */
import { DatabaseUnavailableError, type Queryable } from '../../db/database.ts'
import { createTogether } from '../together.ts'
import type { PostCall } from './call.ts'
import { type MintQuestion, readMintFacts, readMintFactsTogether } from './facts.sql.ts'
import type { MintFacts } from './facts.ts'
import { recordAcceptance, type Written } from './record.sql.ts'
import { type NewMint, recordMints } from './record-mints.sql.ts'
import type { OrderRequest } from './request.ts'

export type MintsTogether = {
  /** One snapshot of the database, taken after the call. */
  readFacts(call: PostCall, request: OrderRequest): Promise<MintFacts>
  /** Records a new mint with everything that belongs to its acceptance. */
  record(mint: NewMint): Promise<Written>
}

const LIMITS = { maxCalls: 2, maxTogether: 100 }

/**
 * Mints are recorded in one statement when several come together: all of them or none. When none were, because one lost a
 * race or for any other reason of its own, each is recorded by itself, so that nobody's mint depends on another's.
 * Both functions throw DatabaseUnavailableError.
 */
export function createMintsTogether(db: Queryable): MintsTogether {
  const readFacts = createTogether<MintQuestion, MintFacts>({ call: (questions) => readAll(db, questions), ...LIMITS })
  const record = createTogether<NewMint, PromiseSettledResult<Written>>({
    call: (mints) => recordAll(db, mints),
    ...LIMITS,
  })
  return {
    readFacts: (call, request) => readFacts({ call, request }),
    async record(mint) {
      const result = await record(mint)
      if (result.status === 'rejected') throw result.reason
      return result.value
    },
  }
}

async function readAll(db: Queryable, questions: readonly MintQuestion[]): Promise<MintFacts[]> {
  const [only] = questions
  if (only === undefined || questions.length > 1) return await readMintFactsTogether(db, questions)
  return [await readMintFacts(db, only.call, only.request)]
}

async function recordAll(db: Queryable, mints: readonly NewMint[]): Promise<PromiseSettledResult<Written>[]> {
  if (mints.length > 1) {
    try {
      const written = await recordMints(db, mints)
      return mints.map(() => ({ status: 'fulfilled', value: written }))
    } catch (error) {
      if (error instanceof DatabaseUnavailableError) throw error
    }
  }
  return await Promise.allSettled(
    mints.map(({ call, order, answer, event }) =>
      recordAcceptance(db, call, { order, usage: undefined, earmark: undefined }, answer, event),
    ),
  )
}
