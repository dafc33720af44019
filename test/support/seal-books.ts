/** Seals the books at once, for who does not wait for their sealer. */
import type { Database } from '../../src/db/database.ts'
import { SEALED_BOOKS } from '../../src/ledger/sealed-books.ts'
import type { Seal } from '../../src/seals/chain.ts'
import { sealLog } from '../../src/seals/sealer.ts'

/** Seals at most `limit` entries. @returns the newest seal, and how many entries it took; none while another seals */
export function sealBooks(db: Database, limit: number): Promise<{ head: Seal; sealed: number }> {
  return sealLog(SEALED_BOOKS, db, limit)
}
