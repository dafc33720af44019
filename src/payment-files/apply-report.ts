/** What the bank reports about the payments of a file, applied in the transaction that records the report. */
import { maskAccounts } from '../bank-details/mask.ts'
import { BANK_OFFSET } from '../bank-files/day.ts'
import { paymentsOf } from '../bank-files/payment-file/file.ts'
import { readSentFile } from '../bank-files/payment-file/read.ts'
import { catchRefusal, quoted, type Reading, refuse } from '../bank-files/refusal.ts'
import type { PaymentSetup } from '../bank-files/setup.ts'
import type { Meaning } from '../bank-files/status-report/codes.ts'
import { matchReport } from '../bank-files/status-report/match.ts'
import { type ReportedStatus, type StatusReport, statusLookup } from '../bank-files/status-report/report.ts'
import { findPayments, isNotTaken, isPaid } from '../payouts/attempts.sql.ts'
import { markRejected, markSent } from '../payouts/record-news.ts'
import { findFile, markPutOut } from './files.sql.ts'
import { storeReported } from './payments.sql.ts'
import { readUnlessLost } from './says.ts'
import { isUnrecorded, type PlaceDeps, UnrecordedFileError } from './unrecorded.ts'

export type ReportDeps = PlaceDeps & {
  logger: { error(fields: object, message: string): void }
}

/**
 * Keeps what the report says about each payment; what was rejected is an operator's case, until a later report says that
 * the bank has it after all. A report that is not about a file of ours, or about one that was withdrawn, or does not fit it, is refused as a whole.
 * What says that a payment may have failed, and moves nothing because it proves nothing, is logged: nobody would ask the bank otherwise.
 * So is that the bank has a file which never went out from here: it counts as put out from then on, or the bank would get it once more.
 * @param setup undefined where no payment files are written: then every report is foreign
 * @throws UnrecordedFileError of a file of which only the folder knows that it went out: ask again
 */
export async function applyReport(
  { logger, ...place }: ReportDeps,
  setup: PaymentSetup | undefined,
  report: StatusReport,
): Promise<Reading<unknown>> {
  const { tx } = place
  const stored = await findFile(tx, report.paymentFileId)
  // Set aside, it would not count before the statement that waits for the same read-back. What went out may be another file than is stored.
  if (!stored?.isPutOut && setup !== undefined && (await isUnrecorded(place, setup, report.paymentFileId, stored)))
    throw new UnrecordedFileError(report.paymentFileId)
  const isNone = stored === undefined || stored.isWithdrawn || setup === undefined
  const bytes = isNone ? undefined : await readUnlessLost(place, stored)
  const read = catchRefusal(() => {
    if (stored === undefined || setup === undefined)
      return refuse('foreign', `We sent no file ${quoted(report.paymentFileId)}.`)
    // What it says of its payments would be taken for what became of the file that they are in since.
    if (stored.isWithdrawn) return refuse('foreign', sayWithdrawn(stored.messageId))
    if (bytes === undefined) return refuse('unknown_message', sayLost(stored.messageId))
    const file = readSentFile(bytes, setup.profile)
    return file.ok ? file.value : refuse(file.refusal.code, file.refusal.sentence)
  })
  if (!read.ok) return read
  const matched = matchReport(report, read.value)
  if (!matched.ok) return matched
  if (stored?.isPutOut === false) {
    await markPutOut(tx, stored.messageId)
    logger.error({ paymentFile: stored.messageId }, BROUGHT)
  }
  const reportedAt = createdAtOf(report)
  const statusOf = statusLookup(matched.value)
  for (const { sectionId, payments } of read.value.sections) {
    for (const { endToEndId } of payments) {
      const status = statusOf({ paymentFileId: read.value.messageId, sectionId, endToEndId })
      if (status !== null) await applyStatus({ tx, logger }, endToEndId, status, reportedAt)
    }
  }
  return { ok: true, value: paymentsOf(read.value).length }
}

const sayLost = (messageId: string) =>
  `The key under which ${messageId} was sealed is lost, and so is our copy of it: which payments the report is about cannot be read. Where the bank says that it has rejected one, run "coin payout mark-unpaid ID --payment … --reason …", with the end-to-end id that it names ("coin payout list --csv" has those that count).`

const sayWithdrawn = (messageId: string) =>
  `${messageId} was withdrawn and never went out from here; what is still due of it is in another file. Ask the bank at once how it has come to it: where it carries out both, payees are paid twice.`

const BROUGHT =
  'a bank reports of a payment file that never went out from here: it is not put out any more; ask the bank who has brought it that file, and what is in it'

/** What means that the bank has a payment, and may carry it out. */
const TAKEN: readonly Meaning[] = ['accepted', 'sent', 'paid']
async function applyStatus(
  { tx, logger }: Pick<ReportDeps, 'tx' | 'logger'>,
  endToEndId: string,
  status: ReportedStatus,
  reportedAt: Date,
): Promise<void> {
  const { code, meaning } = status
  const reason = wordsOf(status)
  const stored = await storeReported(tx, { endToEndId, code, meaning, reason }, reportedAt)
  if (stored === undefined) return
  const { meaning: kept, isContrary } = stored
  // What a statement shows to have left may never have come, and never come back.
  if (kept === 'unknown' || isContrary || (kept === 'rejected' && (await isPaid(tx, endToEndId))))
    logger.error(
      { endToEndId, reported: reason },
      'a bank reports of a payment what proves nothing: ask it what became of it',
    )
  const isTaken = TAKEN.includes(kept)
  if (isTaken ? !(await isNotTaken(tx, endToEndId)) : kept !== 'rejected') return
  for (const payment of await findPayments(tx, endToEndId)) {
    // Also of one that an operator has called unpaid, whatever the bank had said before.
    if (isTaken) await markSent(tx, payment, { railReference: endToEndId, effectiveAt: reportedAt })
    else await markRejected(tx, payment, { reason, effectiveAt: reportedAt })
  }
}

function wordsOf({ code, reasons }: ReportedStatus): string {
  const words = reasons.map((reason) => [reason.code, reason.text].filter((part) => part !== null).join(' '))
  return maskAccounts([code, ...words].join(' ').replace(/\p{C}/gu, ' ').trim()).slice(0, 500)
}

/** When the report was made. Banks that name no offset mean their own clocks. */
function createdAtOf({ identity: { createdAt } }: StatusReport): Date {
  return new Date(/(Z|[+-]\d{2}:\d{2})$/.test(createdAt) ? createdAt : `${createdAt}${BANK_OFFSET}`)
}
