/** The bank accounts of the issuer: statements are read, and, with the rail bank_files, payment files written. */
import * as fs from 'node:fs/promises'
import type { Calendar } from '../bank-files/calendar/calendar.ts'
import { INCOMING_BOUNDS } from '../bank-files/folder/incoming.ts'
import { listOpenToAll } from '../bank-files/folder/open-to-all.ts'
import { payeeProblem } from '../bank-files/payment-file/payment.ts'
import { readNow } from '../db/now.sql.ts'
import type { BankImport, OperatorDeps, PaymentFiles, ReadsBankFile } from '../operator/deps.ts'
import { applyReport } from '../payment-files/apply-report.ts'
import { fileWaiting } from '../payment-files/filing.ts'
import { createBankFilesRail } from '../payment-files/rail.ts'
import { findUnknown, readBack } from '../payment-files/read-back.ts'
import type { FilingDeps } from '../payment-files/run.ts'
import { findTogether } from '../payment-files/together.ts'
import type { Rail } from '../payouts/rail.ts'
import { type ImportDeps, importFile, readFolder } from '../statements/import.ts'
import { readContent } from '../statements/read-content.ts'
import { createWorkLoop } from '../work-loop.ts'
import { watchFolder } from './folder-watch.ts'
import { type Bank, type Closers, type Parts, secretsOf, startWorking } from './parts.ts'

const READ_EVERY_MS = 10_000
const FILE_EVERY_MS = 60_000

const clocksOf = ({ db }: Pick<Parts, 'db'>) => ({ now: () => new Date(), databaseNow: () => readNow(db) })

function importDeps(parts: Parts, { setup }: Bank): ImportDeps {
  const { db, logger } = parts
  const secrets = secretsOf(parts)
  const place = { secrets, fs, folder: setup.folder }
  return {
    db,
    secrets,
    logger,
    setup,
    ...clocksOf(parts),
    place: { after: 0n },
    seen: new Map(),
    named: { after: 0n },
    applyReport: (tx, report) => applyReport({ ...place, tx, logger }, setup.payments, report),
    findTogether: (tx, debit) => findTogether({ ...place, tx }, setup.payments, debit),
  }
}

/** Takes in what operators bring; undefined where there is no bank account. */
export function bankImportOf(parts: Parts): BankImport | undefined {
  const { bank } = parts
  if (bank === undefined) return undefined
  const deps = importDeps(parts, bank)
  return (file) => importFile(deps, file)
}

/** Says what such a file says, and changes nothing. */
export function bankReaderOf({ bank, db }: Pick<Parts, 'bank' | 'db'>): ReadsBankFile | undefined {
  if (bank === undefined) return undefined
  return async (file) => readContent({ setup: bank.setup, now: await readNow(db) }, file)
}

/**
 * Why the rail of bank files could not pay an account, as a sentence: known when the account is registered, and not only when its first
 * redeem is burnt. Undefined where another rail pays, which knows that itself.
 */
export function payeeProblemOf({ bank, config }: Parts): OperatorDeps['payeeProblem'] {
  const banks = config.payout.type === 'bank_files' ? bank?.setup.payments?.profile.banks : undefined
  return banks && ((account) => payeeProblem(account, banks))
}

/** Says at the start which of the bank's folders everybody on this machine may write to. What keeps it from looking shows when they are read. */
async function warnOfOpenFolders(folder: string, logger: Parts['logger']): Promise<void> {
  for (const each of await listOpenToAll(fs, folder).catch(() => []))
    logger.warn(
      { folder: each },
      'every user of this machine may write to a folder of the bank, and what lies there is believed: leave it to the service and the bank transport',
    )
}

/** Reads what the bank's transport brings. */
export function startReader(parts: Parts, closers: Closers): void {
  const { bank, logger } = parts
  if (bank === undefined) return
  const { everyMs = READ_EVERY_MS, before = async () => {}, minAgeMs = INCOMING_BOUNDS.minAgeMs } = bank.reading ?? {}
  const deps = { ...importDeps(parts, bank), logger, folder: bank.setup.folder, minAgeMs }
  void warnOfOpenFolders(bank.setup.folder, logger)
  const name = 'statements'
  const round = watchFolder({ folder: deps.folder, logger, loop: name }, () => readFolder(deps))
  const loop = createWorkLoop({
    name,
    logger,
    pollMs: everyMs,
    async work() {
      await before()
      return (await round()) ?? false
    },
  })
  startWorking(loop, closers)
}

function filingDepsOf(parts: Parts): FilingDeps | undefined {
  const { bank, db, logger } = parts
  const setup = bank?.setup.payments
  return setup && { db, secrets: secretsOf(parts), fs, folder: bank.setup.folder, setup, logger, ...clocksOf(parts) }
}

/** When banks work; undefined where no payment file is written. */
export function bankCalendarOf({ bank }: Parts): Calendar | undefined {
  return bank?.setup.payments?.calendar
}

/** What operators do with payment files; undefined where none are written. */
export function paymentFilesOf(parts: Parts): PaymentFiles | undefined {
  const deps = filingDepsOf(parts)
  return (
    deps && {
      place: deps,
      write: () => fileWaiting(deps),
      findUnknown: (tx) => findUnknown(tx, deps),
      readBack: (also, first) => readBack(deps, also, first),
    }
  )
}

/** Makes the rail of bank files, and writes a payment file each minute in which a payment waits. */
export function startBankFilesRail(parts: Parts, closers: Closers): Rail {
  const deps = filingDepsOf(parts)
  if (deps === undefined) throw new Error('the bank profile has no "payments"')
  const name = 'payment files'
  const { logger } = parts
  const round = watchFolder({ folder: deps.folder, logger, loop: name }, () => fileWaiting(deps))
  const loop = createWorkLoop({
    name,
    logger,
    pollMs: FILE_EVERY_MS,
    async work() {
      await round()
      return false
    },
  })
  startWorking(loop, closers)
  return createBankFilesRail(deps)
}
