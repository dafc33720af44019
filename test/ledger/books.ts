/** The books as tests need them: empty. */
import type { Database } from '../../src/db/database.ts'
import { withoutGuards } from '../support/without-guards.ts'

/** Empties the books and opens all their days. */
export async function emptyBooks(db: Database): Promise<void> {
  await withoutGuards(db, async (tx) => {
    for (const table of ['ledger_seals', 'ledger_entries', 'ledger_unsealed', 'ledger_totals']) {
      await tx.query(`delete from ${table}`)
    }
    await tx.query('update ledger_book set closed_through = null')
  })
}
