/** A database that counts its queries, to show that two requests cost the same by construction. */
import type { TestDatabase } from '../support/database.ts'

/** @returns the database and the texts of the queries since the last `take` */
export function countingDatabase(db: TestDatabase): { db: TestDatabase; take(): string[] } {
  let texts: string[] = []
  const query: typeof db.query = (text, ...rest) => {
    texts.push(text)
    return db.query(text, ...rest)
  }
  return {
    db: { ...db, query },
    take() {
      const taken = texts
      texts = []
      return taken
    },
  }
}
