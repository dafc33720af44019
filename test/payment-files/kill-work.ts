/**
 * What the kill tests interrupt, as a program: `file` asks the rail about due payouts and writes a payment file, `read`
 * takes in what lies in the folder. The process ends before the step with the given number, counted from 1: a statement
 * that changes the database, a commit, or a change in the folders.
 */
import * as nodeFs from 'node:fs/promises'
import type { FileOps } from '../../src/bank-files/folder/layout.ts'
import type { Database, Queryable } from '../../src/db/database.ts'
import { openPostgres } from '../../src/db/postgres.ts'
import { applyReport } from '../../src/payment-files/apply-report.ts'
import { fileWaiting } from '../../src/payment-files/filing.ts'
import { createBankFilesRail } from '../../src/payment-files/rail.ts'
import { findTogether } from '../../src/payment-files/together.ts'
import { readFolder } from '../../src/statements/import.ts'
import { TEST_SECRETS } from '../support/bank-details.ts'
import { ALL_OVER, NOW, PAYMENTS, SILENT } from '../support/bank-setup.ts'
import { payDue } from '../support/pay-due.ts'
import { SETUP } from '../support/statements.ts'

export type Work = 'file' | 'read'

export async function work(what: Work, db: Database, fs: FileOps, folder: string): Promise<void> {
  const now = () => NOW
  const common = { db, secrets: TEST_SECRETS, logger: SILENT, now, fs, folder }
  if (what === 'file') {
    const deps = { ...common, setup: PAYMENTS, databaseNow: async () => NOW }
    await payDue({ db, rail: createBankFilesRail(deps), secrets: TEST_SECRETS, logger: SILENT as never })
    await fileWaiting(deps)
    return
  }
  await readFolder({
    ...common,
    now: () => ALL_OVER,
    databaseNow: async () => ALL_OVER,
    setup: SETUP,
    minAgeMs: Number.NEGATIVE_INFINITY,
    applyReport: (tx, report) => applyReport({ ...common, tx, logger: SILENT }, PAYMENTS, report),
    findTogether: (tx, debit) => findTogether({ ...common, tx }, PAYMENTS, debit),
  })
}

/** What only looks leaves nothing behind: a kill before it is a kill before the next step that does. */
const LOOKS = /^\s*select(?![\s\S]*for update)/
const CHANGES = new Set(['rename', 'link', 'unlink', 'writeFile'])

/** Counts steps that change something, and ends the process before the one with the number `killAt`. */
export function countSteps(killAt: number) {
  let count = 0
  const step = () => {
    count += 1
    if (count === killAt) process.kill(process.pid, 'SIGKILL')
  }
  const counted = <T extends object>(target: T): T =>
    new Proxy(target, {
      get(object, name) {
        const value: unknown = Reflect.get(object, name)
        if (typeof value !== 'function') return value
        return async (...args: unknown[]) => {
          if (CHANGES.has(String(name)) || (name === 'open' && args[1] === 'wx')) step()
          const result: unknown = await value.apply(object, args)
          return name === 'open' ? counted(result as object) : result
        }
      },
    })
  const queryable = (inner: Queryable): Queryable => ({
    query(text, params) {
      if (!LOOKS.test(text)) step()
      return inner.query(text, params)
    },
  })
  return {
    fs: counted({ ...nodeFs }) as FileOps,
    database: (db: Database): Database => ({
      ...db,
      ...queryable(db),
      async transaction(run) {
        const result = await db.transaction(async (tx) => {
          const done = await run(queryable(tx))
          // Before the commit.
          step()
          return done
        })
        step()
        return result
      },
    }),
    count: () => count,
  }
}

const [what, url, folder, killAt] = process.argv.slice(2)
if (import.meta.main && url !== undefined && folder !== undefined) {
  const steps = countSteps(Number(killAt))
  const db = await openPostgres({ url, poolSize: 3 })
  await work(what as Work, steps.database(db), steps.fs, folder)
  await db.close()
}
