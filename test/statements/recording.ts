/** A database of its own for each test, and bank files that are recorded in it. */
import type { Taken } from '../../src/bank-files/folder/incoming.ts'
import { recordFile } from '../../src/statements/record.ts'
import { TEST_SECRETS } from '../support/bank-details.ts'
import { bytesOf } from '../support/bank-files.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { SETUP } from '../support/statements.ts'

/** Late enough for every statement of these tests, but for those that set the clock. */
const NOW = '2026-12-01T00:00:00Z'

/** The code of a refusal, or what became of the file otherwise. */
export const codeOf = (taken: Taken) => (taken.result === 'refused' ? taken.refusal.code : taken.result)

export function createRecording() {
  let db: TestDatabase
  const opened: TestDatabase[] = []
  const clock = { now: new Date(NOW) }
  return {
    clock,
    /** That of the present test. */
    get db() {
      return db
    },
    async begin(): Promise<void> {
      db = await createTestDatabase()
      opened.push(db)
      clock.now = new Date(NOW)
    },
    async end(): Promise<void> {
      for (const one of opened) await one.close()
    },
    record: (xml: string, name = 'file.xml', changes = {}, isByHand = false): Promise<Taken> =>
      recordFile(
        {
          db,
          secrets: TEST_SECRETS,
          setup: { ...SETUP, ...changes },
          databaseNow: async () => clock.now,
          applyReport: async () => ({ ok: true, value: undefined }),
          findTogether: async () => [],
        },
        { name, bytes: bytesOf(xml), isByHand },
      ),
    countOf: async (table: string) =>
      Number((await db.query<{ n: bigint }>(`select count(*) as n from ${table}`))[0]?.n ?? 0n),
  }
}
