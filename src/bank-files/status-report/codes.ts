/** What the status codes of a bank mean for a payment. */

/**
 * accepted: checked, not yet carried out. sent: under way or debited, but not known to have arrived. paid: credited to
 * the payee. rejected: certainly not carried out. partial: see the parts. unknown: nothing follows from it; ask the
 * bank.
 */
const MEANINGS = ['accepted', 'sent', 'paid', 'rejected', 'partial', 'unknown'] as const
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
 * Reasons that a bank gives when it takes a payment or a file for a duplicate: the first one may have been carried out,
 * so such a rejection proves nothing.
 */
const REPETITION = new Set(['AM05', 'DU01', 'DU02', 'DU03', 'DU04', 'DU05', 'DUPL'])

export type StatusReason = { code: string | null; text: string | null }

/** What a code with its reasons means; `unknown` for a code that is not listed. */
export function meaningOf(code: string, reasons: readonly StatusReason[]): Meaning {
  const meaning = MEANING_OF[code] ?? 'unknown'
  if (meaning === 'rejected' && reasons.some((reason) => REPETITION.has(reason.code ?? ''))) return 'unknown'
  return meaning
}
