/** Compares statements: the newest, and every one that differed before, until it differs no more, however many have come since. */
import type { Database } from '../../db/database.ts'
import type { SecretBox } from '../../secrets/secrets.ts'
import { findStatementTroubles, type StatementTrouble } from '../../statements/compare.ts'
import { forget, readSuspects, remember, type Suspect } from './turns.sql.ts'

/** So many that differed are compared again in each run. */
const MOST_AGAIN = 100

/** Everything that is wrong about statements now; what of it is about one of them is remembered. */
export async function checkStatements(db: Database, secrets: SecretBox): Promise<StatementTrouble[]> {
  const known = (await readSuspects(db, 'statement')).slice(0, MOST_AGAIN)
  const troubles = await findStatementTroubles(
    db,
    secrets,
    known.map(({ subject }) => subject),
  )
  const wrong = new Set(troubles.flatMap(statementOf))
  await db.transaction(async (tx) => {
    await forget(
      tx,
      known.filter(({ subject }) => !wrong.has(subject)),
    )
    await remember(
      tx,
      [...wrong].map((subject): Suspect => ({ what: 'statement', subject })),
    )
  })
  return troubles
}

/** The statement that was changed, or that has the line. */
function statementOf({ kind, subject }: StatementTrouble): string[] {
  if (kind === 'statement_changed') return [subject]
  return kind === 'statement_line' ? [subject.slice(0, subject.lastIndexOf('/'))] : []
}
