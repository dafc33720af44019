/** The books as a sealed log. */
import type { SealedLog } from '../seals/sealed-log.ts'
import { LEDGER_LOCK } from './locks.ts'
import { readNewestSeal, readUnsealed, type SealedContent, storeSeals } from './seals.sql.ts'
import { countEntries, findInserted, readSeals } from './verify.sql.ts'

export const SEALED_BOOKS: SealedLog<SealedContent> = {
  name: 'books',
  sentence: 'the books were sealed',
  lock: LEDGER_LOCK.sealer,
  readNewest: readNewestSeal,
  readUnsealed,
  store: storeSeals,
  readSeals,
  count: countEntries,
  findInserted,
}
