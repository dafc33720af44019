/** What the status codes of a bank mean for a payment. */

/**
 * accepted: checked, not yet carried out. sent: under way, or debited; no proof that it arrived. paid: credited to the payee.
 * rejected: certainly not carried out. partial: look at the parts. unknown: nothing follows; ask.
 */
export const MEANINGS = ['accepted', 'sent', 'paid', 'rejected', 'partial', 'unknown'] as const
export type Meaning = (typeof MEANINGS)[number]

const MEANING_OF: Readonly<Record<string, Meaning>> = {
  RCVD: 'accepted',
  ACTC: 'accepted',
  ACCP: 'accepted',
  ACFC: 'accepted',
  ACWC: 'accepted',
  PATC: 'accepted',
  PDNG: 'sent',
  ACSP: 'sent',
  ACWP: 'sent',
  ACSC: 'sent',
  ACCC: 'paid',
  RJCT: 'rejected',
  PART: 'partial',
}

/**
 * Reasons that a bank gives when it takes a payment or a file for a repetition: the first one may have been carried out,
 * so such a rejection proves nothing.
 */
const REPETITION = new Set(['AM05', 'DU01', 'DU02', 'DU03', 'DU04', 'DU05'])

export type StatusReason = { code: string | null; text: string | null }

/** What a code with its reasons means. A code that is not known means nothing. */
export function meaningOf(code: string, reasons: readonly StatusReason[]): Meaning {
  const meaning = MEANING_OF[code] ?? 'unknown'
  if (meaning === 'rejected' && reasons.some((reason) => REPETITION.has(reason.code ?? ''))) return 'unknown'
  return meaning
}
