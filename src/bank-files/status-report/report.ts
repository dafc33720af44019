/** A bank's answer to a payment file, as data, and what it says about one payment. */
import type { FileIdentity } from '../definitions.ts'
import type { Meaning, StatusReason } from './codes.ts'

export type ReportedStatus = { code: string; meaning: Meaning; reasons: readonly StatusReason[] }

export type ReportedPayment = {
  /** Null when the bank does not repeat it, and names the payment by its instruction id alone. */
  endToEndId: string | null
  instructionId: string | null
  status: ReportedStatus | null
  /** The amount in sen, if the bank repeats it. */
  amountSen: bigint | null
}

export type ReportedSection = {
  sectionId: string
  status: ReportedStatus | null
  payments: readonly ReportedPayment[]
}

export type StatusReport = {
  identity: FileIdentity
  /** The message id of the payment file that is answered. */
  paymentFileId: string
  /** Null when the bank does not repeat it. */
  paymentCount: number | null
  paymentSumSen: bigint | null
  /** The status of the whole file. */
  status: ReportedStatus | null
  sections: readonly ReportedSection[]
}

export type FiledAt = { paymentFileId: string; sectionId: string; endToEndId: string }

/**
 * Makes the function that looks up what a report says about a payment:
 * - the status of the payment itself, else that of its section, else that of the file; `partial` says nothing about a payment;
 * - `unknown` for a rejection where the bank took the payment, its section or the file for a repetition: the first one may
 *   have been carried out;
 * - null when the report does not speak of the payment.
 */
export function statusLookup(report: StatusReport): (filedAt: FiledAt) => ReportedStatus | null {
  const sections = new Map(report.sections.map((section) => [section.sectionId, section]))
  const payments = new Map(
    report.sections.flatMap(({ sectionId, payments }) =>
      payments.map((payment) => [`${sectionId} ${payment.endToEndId}`, payment] as const),
    ),
  )
  return ({ paymentFileId, sectionId, endToEndId }) => {
    if (report.paymentFileId !== paymentFileId) return null
    const ofPayment = payments.get(`${sectionId} ${endToEndId}`)?.status
    const statuses = [ofPayment, sections.get(sectionId)?.status, report.status].filter((status) => status != null)
    const nearest = statuses.find(({ meaning }) => meaning !== 'partial')
    const repetition = statuses.find(isRepetition)
    if (nearest?.meaning !== 'rejected' || repetition === undefined) return nearest ?? null
    return { ...nearest, meaning: 'unknown', reasons: [...nearest.reasons, ...repetition.reasons] }
  }
}

/** Whether a bank rejected what it had been sent before, as it believes: the first one may have been carried out. */
function isRepetition({ code, meaning }: ReportedStatus): boolean {
  return code === 'RJCT' && meaning === 'unknown'
}
