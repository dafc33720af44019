/** The books as tests need them: empty, or changed by somebody who has power over the database. */
import type { Database, Queryable } from '../../src/db/database.ts'

/** Does to the books what only somebody with power over the database can. */
export async function tamper(db: Database, work: (tx: Queryable) => Promise<unknown>): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.query(`set local session_replication_role = 'replica'`)
    await work(tx)
  })
}

/** Empties the books and opens all their days. */
export async function emptyBooks(db: Database): Promise<void> {
  await tamper(db, async (tx) => {
    for (const table of ['ledger_seals', 'ledger_entries', 'ledger_unsealed', 'ledger_totals']) {
      await tx.query(`delete from ${table}`)
    }
    await tx.query('update ledger_book set closed_through = null')
  })
}
