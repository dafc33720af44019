/** The books as tests need them: empty. */
import type { Database } from '../../src/db/database.ts'
import { withoutGuards } from '../support/without-guards.ts'

/** Empties the books and opens all their days. */
export async function emptyBooks(db: Database): Promise<void> {
  await withoutGuards(db, async (tx) => {
    const tables = ['seals', 'entries', 'unsealed', 'totals', 'flows', 'carried', 'flows_carried', 'closings']
    for (const table of tables) await tx.query(`delete from ledger_${table}`)
    await tx.query('update ledger_book set closed_through = null')
  })
}
