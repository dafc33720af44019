/** Commands in what is said of an order or a payout, as they can be pasted (pure). */
import type { Order } from '../../orders/order.ts'

/** Those that name no order are about the one of which it is said; each that changes something takes the reason. Another one is `ORDER` there. */
const BARE = /"coin order (show|release|reject|make-good)( --unpaid)?"/g

/** What each of them takes besides. */
const ORDER_TAKES = {
  show: '',
  release: ' --held … --reason …',
  reject: ' --reason …',
  'make-good': ' --reason …',
} as const

/** @param order named integrationId/referenceId */
export function withOrder(sentence: string, order: string): string {
  return sentence
    .replaceAll(
      BARE,
      (_, verb: keyof typeof ORDER_TAKES, how = '') => `"coin order ${verb} ${order}${how}${ORDER_TAKES[verb]}"`,
    )
    .replaceAll('--not-order ORDER ', `--not-order ${order} `)
}

const BATCH = /"coin batch (show|explain) CHAIN ID/g

/** Commands about a batch that name none are about this one. */
export function withBatch(sentence: string, { chainId, batchId }: { chainId: number; batchId: bigint }): string {
  return sentence.replaceAll(BATCH, `"coin batch $1 ${chainId} ${batchId}`)
}

/** What each command on a payout takes besides its id. */
export const PAYOUT_TAKES = {
  show: '',
  retry: '',
  refund: '',
  hold: ' --reason …',
  release: ' --held … --reason …',
  resettle: ' --reason …',
  'mark-unpaid': ' --payment … --reason …',
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

/** Whose stop an order waits for, and where. */
type Parties = Pick<Order, 'chainId' | 'integrationId' | 'customerId' | 'walletAddress' | 'debitAddress'>

/** Commands about a chain, a partner, a customer or a wallet that name none are about those of the order of which it is said. */
export function withParties(sentence: string, order: Parties): string {
  const { chainId, integrationId, customerId, walletAddress, debitAddress } = order
  const wallets = [...new Set([walletAddress, debitAddress ?? walletAddress])]
  const ofPartner = sentence
    .replaceAll(/"coin batch (show|explain) CHAIN /g, `"coin batch $1 ${chainId} `)
    .replaceAll(/"coin integration (resume|suspend)"/g, `"coin integration $1 ${integrationId}"`)
    .replaceAll('"coin screening allow"', wallets.map((wallet) => `"coin screening allow ${wallet}"`).join(' or '))
  return ofPartner
    .replaceAll('"coin customer set ID ', `"coin customer set ${customerId} `)
    .replaceAll('"coin customer suspend"', `"coin customer suspend ${customerId}"`)
    .replaceAll(
      '"coin wallet add"',
      `"coin wallet add --customer ${customerId} --address ${debitAddress ?? walletAddress}"`,
    )
}
