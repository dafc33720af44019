// engine: postgres
/** Whether a day is over is for the database's clock to say, as the roles wire it: that of one process may be days off. */
import assert from 'node:assert/strict'
import { after, afterEach, before, mock, test } from 'node:test'
import { addDays, BANK_TIME_ZONE, localTime } from '../../src/bank-files/day.ts'
import { readNow } from '../../src/db/now.sql.ts'
import { bankImportOf, bankReaderOf } from '../../src/roles/bank.ts'
import type { Parts } from '../../src/roles/parts.ts'
import { TEST_SECRETS } from '../support/bank-details.ts'
import { bytesOf, DEBTOR } from '../support/bank-files.ts'
import { SILENT } from '../support/bank-setup.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { writeStatement } from '../support/fake-bank/messages.ts'
import { SETUP } from '../support/statements.ts'
import { codeOf } from './recording.ts'

let db: TestDatabase
let today: string
before(async () => {
  db = await createTestDatabase()
  today = localTime(BANK_TIME_ZONE, await readNow(db)).day
})
after(() => db.close())
afterEach(() => mock.timers.reset())

/** The code of what becomes of a statement that closes so many days from the database's today, and of what is shown of it before. */
async function codesOf(days: number): Promise<(string | undefined)[]> {
  const day = addDays(today, days)
  const bytes = bytesOf(
    writeStatement({
      messageId: `M${days}`,
      createdAt: `${day}T23:00:00+08:00`,
      statementId: `S${days}`,
      account: DEBTOR.account,
      openedOn: day,
      openingSen: 100n,
      closedOn: day,
      closingSen: 100n,
      lines: [],
    }),
  )
  const parts = { db, logger: SILENT, secrets: TEST_SECRETS, bank: { setup: SETUP } } as unknown as Parts
  const shown = await bankReaderOf(parts)?.({ bytes, isByHand: true })
  const imported = await bankImportOf(parts)?.({ name: `${days}.xml`, bytes, isByHand: true })
  return [shown?.ok === false ? shown.refusal.code : 'read', imported && codeOf(imported.taken)]
}

for (const [off, days, codes] of [
  [-4, 1, ['read', 'applied']],
  [4, 3, ['wrong_content', 'wrong_content']],
] as const) {
  test(`a process whose clock is ${off} days off judges a statement of ${days} days from now like any other`, async () => {
    mock.timers.enable({ apis: ['Date'], now: Date.now() + off * 86_400_000 })
    assert.deepEqual(await codesOf(days), codes)
  })
}
