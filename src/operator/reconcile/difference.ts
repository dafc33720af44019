/** What `reconcile` finds: plain data. */
import type { StatementTrouble } from '../../statements/compare.ts'
import type { PayoutTrouble } from './findings.sql.ts'

/** One thing that does not agree. Amounts are decimal strings. */
export type Difference = {
  kind:
    | 'supply'
    | 'chain_unreadable'
    | 'earmark'
    | 'mint_usage'
    | 'transfer_usage'
    | 'withdrawal_usage'
    | 'ended_changed'
    | PayoutTrouble['kind']
    | 'books'
    | 'foreign_batch'
    | 'unasked_explanation'
    | 'foreign_movement'
    | 'ended_order'
    | 'lost_order'
    | 'executed_order'
    | 'other_outcome'
    | 'order_hold'
    | 'guard_off'
    | StatementTrouble['kind']
  /** What it is about: a chain, a wallet, a key and day, a customer, a payout, an order or a statement. */
  subject: string
  message: string
  /** The transactions behind it, as far as they are known. */
  transactions?: readonly MovedBy[]
}

/** What a transaction moved. `from` is null for a mint, `to` for a burn; all are null where it moved no coin. */
export type MovedBy = {
  txHash: string
  block: string | null
  from: string | null
  to: string | null
  amount: string | null
}
