/** Whether a status report is about the payment file that it names. */
import { paymentsOf, type SentFile, totalsOf } from '../payment-file/file.ts'
import { catchRefusal, quoted, type Reading, refuse } from '../refusal.ts'
import type { StatusReport } from './report.ts'

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
    const filed = new Map(
      file.sections.map(({ sectionId, payments }) => [
        sectionId,
        new Map(payments.map((one) => [one.endToEndId, one])),
      ]),
    )
    for (const { sectionId, payments } of report.sections) {
      const section =
        filed.get(sectionId) ??
        refuse('foreign', `The report names a section ${quoted(sectionId)} that the file does not have.`)
      for (const { endToEndId, instructionId, amountSen } of payments) {
        const payment =
          section.get(endToEndId) ??
          refuse('foreign', `The report names a payment ${quoted(endToEndId)} that the file does not have.`)
        if ((instructionId ?? payment.instructionId) !== payment.instructionId) {
          refuse('contradiction', `The report has another instruction id for ${quoted(endToEndId)}.`)
        }
        if ((amountSen ?? payment.amountSen) !== payment.amountSen) {
          refuse('contradiction', `The report has another amount for ${quoted(endToEndId)}.`)
        }
      }
    }
    return report
  })
}
