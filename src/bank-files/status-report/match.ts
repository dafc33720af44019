/** Whether a status report is about the payment file that it names. */
import { type FiledPayment, paymentsOf, type SentFile, totalsOf } from '../payment-file/file.ts'
import { catchRefusal, quoted, type Reading, refuse } from '../refusal.ts'
import type { ReportedPayment, StatusReport } from './report.ts'

/**
 * Compares a report with the file that we sent: ids, counts, sums and amounts, as far as the bank repeats them. A
 * report that names a payment we did not put into that file is refused as a whole, because nobody knows then what it is
 * about.
 */
export function matchReport(report: StatusReport, file: SentFile): Reading<StatusReport> {
  return catchRefusal(() => {
    if (report.paymentFileId !== file.messageId)
      refuse('foreign', `The report answers ${quoted(report.paymentFileId)}.`)
    const { count, sumSen } = totalsOf(paymentsOf(file))
    if ((report.paymentCount ?? count) !== count || (report.paymentSumSen ?? sumSen) !== sumSen) {
      refuse('inconsistent_sums', `The report states another number or sum of payments than ${file.messageId} has.`)
    }
    const filed = new Map(file.sections.map(({ sectionId, payments }) => [sectionId, payments]))
    const sections = report.sections.map((section) => {
      const { sectionId } = section
      const payments =
        filed.get(sectionId) ??
        refuse('foreign', `The report names a section ${quoted(sectionId)} that the file does not have.`)
      return { ...section, payments: matchPayments(section.payments, payments) }
    })
    return { ...report, sections }
  })
}

/** Each with the end-to-end id that it has in the file. @throws a refusal of what is no payment of this section, or stands there twice */
function matchPayments(reported: readonly ReportedPayment[], filed: readonly FiledPayment[]): ReportedPayment[] {
  const byEndToEndId = new Map(filed.map((one) => [one.endToEndId, one]))
  const byInstructionId = new Map(filed.map((one) => [one.instructionId, one]))
  const matched = new Map<string, ReportedPayment>()
  for (const one of reported) {
    const { instructionId, amountSen } = one
    const name = one.endToEndId ?? instructionId ?? ''
    const payment =
      (one.endToEndId === null ? byInstructionId : byEndToEndId).get(name) ??
      refuse('foreign', `The report names a payment ${quoted(name)} that the file does not have.`)
    if ((instructionId ?? payment.instructionId) !== payment.instructionId)
      refuse('contradiction', `The report has another instruction id for ${quoted(name)}.`)
    if ((amountSen ?? payment.amountSen) !== payment.amountSen)
      refuse('contradiction', `The report has another amount for ${quoted(name)}.`)
    const { endToEndId } = payment
    if (matched.has(endToEndId))
      refuse('duplicated_id', `The report speaks of the payment ${quoted(endToEndId)} twice.`)
    matched.set(endToEndId, { ...one, endToEndId })
  }
  return [...matched.values()]
}
