/** Seals the books. */
import { createSealer, type SealerDeps } from '../seals/sealer.ts'
import type { WorkLoop } from '../work-loop.ts'
import { SEALED_BOOKS } from './sealed-books.ts'

/** Makes the sealer of this process; it also keeps the totals. */
export function createLedgerSealer(deps: SealerDeps): WorkLoop {
  return createSealer(SEALED_BOOKS, deps)
}
