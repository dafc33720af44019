/**
 * The rail of bank files: it accepts a payment by storing it for the next payment file. Asked twice about one end-to-end
 * id it stores it once; after a restore it knows what the files in the folder say, because it answers nothing before
 * they were read back.
 */
import { executionDay } from '../bank-files/calendar/schedule.ts'
import { foldersOf } from '../bank-files/folder/layout.ts'
import { preparePayment } from '../bank-files/payment-file/payment.ts'
import { railFor } from '../bank-files/rails.ts'
import type { PayoutInstruction, Rail, RailAnswer, RailStatus } from '../payouts/rail.ts'
import { readStop, stopFiling } from './files.sql.ts'
import { sayUnknown } from './filing.ts'
import { findPayment, insertPayment, type KnownPayment, readPayeeAccount, readResidency } from './payments.sql.ts'
import type { FilingDeps } from './run.ts'
import { lockQueued } from './undue.sql.ts'

/** How long it is believed that the folder holds no unknown number. */
const LOOK_EVERY_MS = 10_000

/** Makes the rail. */
export function createBankFilesRail(deps: Omit<FilingDeps, 'logger'>): Rail {
  const { db, secrets, setup } = deps
  const whyStopped = createWatch(deps)
  return {
    name: 'bank_files',
    bankAccount: setup.from.key,
    async initiate(instruction) {
      const known = await findPayment(db, instruction.endToEndId)
      if (known !== undefined) return await answerOf(deps, known, instruction)
      const stopped = await whyStopped()
      if (stopped !== null) return { result: 'unknown', reason: `Payment files are stopped: ${stopped}` }
      const fit = await fitPayment(deps, instruction)
      if (!('endToEndId' in fit)) return fit
      await db.transaction(async (tx) => {
        if (await lockQueued(tx, fit.payoutId, fit.endToEndId)) await insertPayment(tx, secrets, fit)
      })
      const stored = await findPayment(db, instruction.endToEndId)
      return stored === undefined
        ? { result: 'unknown', reason: 'It was not stored: it is not queued any more.' }
        : await answerOf(deps, stored, instruction)
    },
    async status({ endToEndId }): Promise<RailStatus> {
      const known = await findPayment(db, endToEndId)
      if (known !== undefined) return statusOf(known)
      const stopped = await whyStopped()
      return stopped === null
        ? { result: 'none' }
        : { result: 'unknown', reason: `Payment files are stopped: ${stopped}` }
    },
  }
}

/** Looks into the folder at the start, and again every few seconds. */
function createWatch(deps: Omit<FilingDeps, 'logger'>): () => Promise<string | null> {
  let lookedAtMs = Number.NEGATIVE_INFINITY
  return async () => {
    const stop = await readStop(deps.db)
    if (stop !== undefined) return stop.reason
    if (performance.now() - lookedAtMs < LOOK_EVERY_MS) return null
    const unknown = await sayUnknown(deps, foldersOf(deps.folder))
    if (unknown === null) lookedAtMs = performance.now()
    else await stopFiling(deps.db, unknown)
    return unknown
  }
}

function statusOf({ endToEndId, meaning, reason }: KnownPayment): RailAnswer {
  if (meaning === 'rejected') return { result: 'refused', reason: reason ?? 'rejected by the bank' }
  return { result: 'accepted', railReference: endToEndId }
}

async function answerOf(
  { db, secrets }: Pick<FilingDeps, 'db' | 'secrets'>,
  known: KnownPayment,
  wanted: PayoutInstruction,
): Promise<RailAnswer> {
  const account = await readPayeeAccount(db, secrets, known)
  if (account === undefined)
    return { result: 'unknown', reason: 'It was filed, and its payee cannot be opened any more.' }
  const isSame = known.amountSen === wanted.amountSen && account === wanted.account
  if (isSame) return statusOf(known)
  return { result: 'unknown', reason: 'Another payment was filed under this end-to-end id: look at the statement.' }
}

/** The payment as a file carries it, or why no bank would. */
async function fitPayment({ db, setup, now }: Omit<FilingDeps, 'logger'>, instruction: PayoutInstruction) {
  const { payoutId, endToEndId, amountSen, bic, account, name, reference } = instruction
  const { profile, rails, calendar } = setup
  const refused = (reason: string) => ({ result: 'refused' as const, reason })
  const rail = railFor(profile.rails, rails, amountSen)
  if (rail === undefined) return refused('No rail of the bank profile carries this amount.')
  const isResident = await readResidency(db, payoutId)
  if (isResident === undefined) return refused('It is not known whether the payee is a resident.')
  const payment = { endToEndId, amountSen, payee: { bic, account, name }, isResident, remittanceText: reference }
  const prepared = preparePayment(payment, rail, profile)
  if (!prepared.ok) return refused(prepared.refusal.sentence)
  const day = executionDay(calendar, rail, now())
  if (!day.ok) return { result: 'unknown' as const, reason: day.refusal.sentence }
  const { payee, remittanceText: remittance } = prepared.value
  return { endToEndId, payoutId, amountSen, ...payee, isResident, remittance }
}
