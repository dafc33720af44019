/** Commands in what is said of an order or a payout, as they can be pasted (pure). */

/** Those that name no order are about the one of which it is said; each takes the reason. */
const BARE = /"coin order (release|reject|make-good)( --unpaid)?"/g

/** @param order named integrationId/referenceId */
export function withOrder(sentence: string, order: string): string {
  return sentence.replaceAll(BARE, (_, verb: string, how = '') => `"coin order ${verb} ${order}${how} --reason …"`)
}

/** What each command on a payout takes besides its id. */
export const PAYOUT_TAKES = {
  show: '',
  retry: '',
  refund: '',
  hold: ' --reason …',
  release: ' --reason …',
  resettle: ' --reason …',
  'mark-unpaid': ' --reason …',
  'mark-paid': ' --reference …',
} as const

const BARE_PAYOUT = new RegExp(`"coin payout (${Object.keys(PAYOUT_TAKES).join('|')})"`, 'g')

/** Those that name no payout are about the one of which it is said. */
export function withPayout(sentence: string, payoutId: string): string {
  return sentence.replaceAll(
    BARE_PAYOUT,
    (_, verb: keyof typeof PAYOUT_TAKES) => `"coin payout ${verb} ${payoutId}${PAYOUT_TAKES[verb]}"`,
  )
}

/** Whose stop an order waits for. */
type Parties = { integrationId: string; customerId: string | null }

/** Commands about a partner or a customer that name none are about those of the order of which it is said. */
export function withParties(sentence: string, { integrationId, customerId }: Parties): string {
  const ofPartner = sentence.replaceAll(
    /"coin integration (resume|suspend)"/g,
    `"coin integration $1 ${integrationId}"`,
  )
  if (customerId === null) return ofPartner
  return ofPartner
    .replaceAll('"coin customer set ID ', `"coin customer set ${customerId} `)
    .replaceAll('"coin customer suspend"', `"coin customer suspend ${customerId}"`)
}
