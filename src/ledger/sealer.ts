/** Seals the books. */
import type { Database } from '../db/database.ts'
import type { Seal } from '../seals/chain.ts'
import { createSealer, type SealerDeps, sealLog } from '../seals/sealer.ts'
import type { WorkLoop } from '../work-loop.ts'
import { SEALED_BOOKS } from './sealed-books.ts'

/** Makes the sealer of this process; it also keeps the totals. */
export function createLedgerSealer(deps: SealerDeps): WorkLoop {
  return createSealer(SEALED_BOOKS, deps)
}

/** Seals at most `limit` entries. @returns the newest seal, and how many entries it took; none while another seals */
export function sealOnce(db: Database, limit: number): Promise<{ head: Seal; sealed: number }> {
  return sealLog(SEALED_BOOKS, db, limit)
}
