/** A bank's answer to a payment file, as data, and what it says about one payment. */
import type { FileIdentity } from '../definitions.ts'
import type { Meaning, StatusReason } from './codes.ts'

export type ReportedStatus = { code: string; meaning: Meaning; reasons: readonly StatusReason[] }

export type ReportedPayment = {
  endToEndId: string
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
 * Makes the function that looks up what a report says about a payment: the status of the payment itself, else that of
 * its section, else that of the file. `partial` says nothing about a payment. Null when the report does not speak of
 * it.
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
    const statuses = [ofPayment, sections.get(sectionId)?.status, report.status]
    return statuses.find((status) => status != null && status.meaning !== 'partial') ?? null
  }
}
