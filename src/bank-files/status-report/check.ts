/** What must hold inside a status report before anything of it counts. */
import { quoted, refuse } from '../refusal.ts'
import { child, children, countOf, optionalChild, textIn } from '../xml/element.ts'
import type { XmlElement } from '../xml/parse.ts'
import { plainSenOf } from '../xml/values.ts'
import type { ReportedPayment, ReportedStatus, StatusReport } from './report.ts'

/** @throws a refusal when an id occurs twice, or a part has a status that the whole excludes */
export function refuseContradictions(report: StatusReport): void {
  const ids = new Set<string>()
  const take = (what: string, id: string) => {
    if (ids.has(`${what} ${id}`)) refuse('duplicated_id', `The report has the ${what} id ${quoted(id)} twice.`)
    ids.add(`${what} ${id}`)
  }
  for (const section of report.sections) {
    take('section', section.sectionId)
    refuseContrary('the file', report.status, `section ${section.sectionId}`, section.status)
    for (const payment of section.payments) {
      const { endToEndId, instructionId } = payment
      take(endToEndId === null ? 'instruction' : 'end-to-end', endToEndId ?? instructionId ?? '')
      const name = `payment ${endToEndId ?? instructionId}`
      refuseContrary('the file', report.status, name, payment.status)
      refuseContrary(`section ${section.sectionId}`, section.status, name, payment.status)
    }
  }
}

/**
 * Every part of a rejected whole is rejected, and no part of a whole that was carried out is. A whole that was only
 * accepted may have parts that were rejected later: banks do not always say PART.
 */
function refuseContrary(
  wholeName: string,
  whole: ReportedStatus | null,
  partName: string,
  part: ReportedStatus | null,
): void {
  if (whole === null || part === null) return
  const isContrary =
    (whole.code === 'RJCT' && part.code !== 'RJCT') ||
    (part.code === 'RJCT' && (whole.code === 'ACSC' || whole.code === 'ACCC'))
  if (isContrary) {
    refuse(
      'contradiction',
      `The report says ${quoted(whole.code)} of ${wholeName} and ${quoted(part.code)} of ${quoted(partName)}.`,
    )
  }
}

/** @throws a refusal when the report's counts and sums are not those of its own parts */
export function refuseWrongCounts(report: StatusReport, original: XmlElement, sections: readonly XmlElement[]): void {
  const all = report.sections.flatMap(({ payments }) => payments)
  if (report.paymentCount !== null && all.length > report.paymentCount) {
    refuse('inconsistent_sums', `The report lists ${all.length} payments of ${report.paymentCount}.`)
  }
  refuseWrongTotals(original, report.paymentCount, all)
  sections.forEach((section, index) => {
    const payments = report.sections[index]?.payments ?? []
    const count = optionalChild(section, 'OrgnlNbOfTxs')
    const stated = count === undefined ? null : countOf(count)
    if (stated !== null && payments.length > stated) {
      refuse('inconsistent_sums', `Section ${index + 1} of the report lists ${payments.length} payments of ${stated}.`)
    }
    refuseWrongTotals(section, stated, payments)
  })
}

/**
 * `NbOfTxsPerSts` may count payments that are not listed, but never fewer than are listed, nor more than the whole in
 * total.
 */
function refuseWrongTotals(parent: XmlElement, count: number | null, payments: readonly ReportedPayment[]): void {
  const totals = children(parent, 'NbOfTxsPerSts').map((total) => {
    const sum = optionalChild(total, 'DtldCtrlSum')
    const code = textIn(total, 'DtldSts', 4)
    const listed = payments.filter(({ status }) => status?.code === code)
    const stated = countOf(child(total, 'DtldNbOfTxs'))
    if (listed.length > stated) {
      refuse('inconsistent_sums', `The report counts ${stated} payments as ${quoted(code)} and lists ${listed.length}.`)
    }
    if (sum !== undefined && listed.length === stated) refuseWrongSum(plainSenOf(sum), code, listed)
    return stated
  })
  const counted = totals.reduce((sum, stated) => sum + stated, 0)
  if (count !== null && counted > count) {
    refuse('inconsistent_sums', `The report counts ${counted} payments by status, of ${count}.`)
  }
}

function refuseWrongSum(statedSen: bigint, code: string, listed: readonly ReportedPayment[]): void {
  const amounts = listed.map(({ amountSen }) => amountSen)
  if (amounts.includes(null)) return
  const sumSen = amounts.reduce<bigint>((sum, amountSen) => sum + (amountSen ?? 0n), 0n)
  if (sumSen !== statedSen)
    refuse('inconsistent_sums', `The report states another sum for ${quoted(code)} than that of its payments.`)
}
