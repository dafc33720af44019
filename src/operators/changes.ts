/** What each command that changes something changes, so that the audit log says how that was before and is afterwards. */

/** Something whose state the audit log keeps with each change. */
export type Subject =
  | 'address'
  | 'approval'
  | 'bank line'
  | 'batch'
  | 'books'
  | 'corporate'
  | 'customer'
  | 'endpoint'
  | 'integration'
  | 'key'
  | 'operator'
  | 'order'
  | 'payout'
  | 'residual'
  | 'statement'
  | 'wallets'

/** A subject, or why there is nothing to compare. */
export type Change = Subject | { nothing: string }

const ON_CHAIN = { nothing: 'it happens on the chains: an entry before it and one after, with the transaction' }

/** Command → what it changes. A test sees to it that every command that is no mere look is here. */
export const CHANGES: Readonly<Record<string, Change>> = {
  'operator add': 'operator',
  'operator disable': 'operator',
  'operator rotate': 'operator',
  'operator sign-out': { nothing: 'it ends sessions; the entry counts them' },
  'approval approve': 'approval',
  'approval reject': 'approval',
  'integration create': 'integration',
  'integration suspend': 'integration',
  'integration resume': 'integration',
  'integration release-orders': { nothing: 'it counts the orders, each of which has an entry of its own' },
  'integration reject-orders': { nothing: 'it counts the orders, each of which has an entry of its own' },
  'integration set': 'integration',
  'integration add-remitter': 'integration',
  'integration remove-remitter': 'integration',
  'key create': 'key',
  'key revoke': 'key',
  'key rotate': 'key',
  'key set': 'key',
  'customer link': 'customer',
  'customer find': {
    nothing: 'it is a look: what is looked for may be an account number, which no address is to show',
  },
  'customer set': 'customer',
  'customer suspend': 'customer',
  'customer release-orders': { nothing: 'it counts the orders, each of which has an entry of its own' },
  'customer erase': 'customer',
  'wallet consent': { nothing: 'it writes down what a holder may sign, and stores nothing' },
  'wallet add': 'wallets',
  'wallet remove': 'wallets',
  'wallet freeze': ON_CHAIN,
  'wallet unfreeze': ON_CHAIN,
  'corporate link': 'corporate',
  'corporate set': 'corporate',
  'webhook add': 'endpoint',
  'webhook set': 'endpoint',
  'webhook remove': 'endpoint',
  'webhook test': { nothing: 'it sends one message; the entry says what came back' },
  'webhook disable': 'endpoint',
  'webhook enable': 'endpoint',
  'webhook activate': 'endpoint',
  'webhook rotate': 'endpoint',
  'webhook replay': { nothing: 'it schedules deliveries; the entry says which and how many' },
  'order hold': 'order',
  'order release': 'order',
  'order reject': 'order',
  'order make-good': 'order',
  'batch explain': 'batch',
  'payout assign': 'payout',
  'payout hold': 'payout',
  'payout release': 'payout',
  'payout retry': 'payout',
  'payout mark-paid': 'payout',
  'payout mark-unpaid': 'payout',
  'payout refund': 'payout',
  'payout resettle': { nothing: 'its payout goes; the entry says what it was, of which order, and in which batch' },
  'payout settle-residual': 'residual',
  'bank export': { nothing: 'it writes files; the entry names them, and they stay' },
  'bank read-back': { nothing: 'it takes files in; the entry names them, and they stay' },
  'bank withdraw-unopened': { nothing: 'it sets files aside; the entry names them, and they stay' },
  'bank import': { nothing: 'it takes a file in; the entry has its digest, and it stays' },
  'bank statements withdraw': 'statement',
  'bank statements bridge': 'statement',
  'bank unallocated assign': 'bank line',
  'bank unallocated allocate': 'bank line',
  'bank lines take-back': 'bank line',
  'screening deny': 'address',
  'screening allow': 'address',
  'chain pause': ON_CHAIN,
  'chain resume': ON_CHAIN,
  'chain lost': { nothing: 'it says that something is gone; the entry says what was there' },
  'chain found': { nothing: 'it says that something is there again; settlers read what became of it' },
  'counter recount': { nothing: 'it goes on moving with each order; the entry says what it was and what it is' },
  'ledger close': 'books',
  'secrets reseal': { nothing: 'it changes how values are kept, not what they say; the entry counts them' },
  'secrets lost': { nothing: 'it says that something is gone; the entry says what ends by that' },
}
