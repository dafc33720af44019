/** Whether a status report is about the payment file that it names. */
import { type PaymentFile, paymentsOf, totalsOf } from '../payment-file/file.ts'
import { quoted, type Reading, reading, refuse } from '../refusal.ts'
import type { StatusReport } from './report.ts'

/**
 * Compares a report with the file that we sent: ids, counts, sums and amounts, as far as the bank repeats them. A report
 * about payments that we did not file there is refused as a whole, for then nobody knows what it is about.
 */
export function matchReport(
  report: StatusReport,
  file: Pick<PaymentFile, 'messageId' | 'sections'>,
): Reading<StatusReport> {
  return reading(() => {
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
      const section = filed.get(sectionId) ?? refuse('foreign', `The report speaks of a section ${quoted(sectionId)}.`)
      for (const { endToEndId, instructionId, amountSen } of payments) {
        const payment =
          section.get(endToEndId) ?? refuse('foreign', `The report speaks of a payment ${quoted(endToEndId)}.`)
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
