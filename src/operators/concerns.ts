/** What the approval of a command depends on. */

/** What a command concerns: the part of the state that must still be as it was when the approval was asked for. */
export type Concern =
  | 'bank-line'
  | 'batch'
  | 'chains'
  | 'corporate'
  | 'counter'
  | 'customer'
  | 'held-orders'
  | 'integration'
  | 'key'
  | 'lost-chain'
  | 'nothing'
  | 'operator'
  | 'order'
  | 'orders-held-for'
  | 'payment-files'
  | 'payout'
  | 'residual'
  | 'screened-address'
  | 'secrets-key'
  | 'statement'
  | 'unopened-files'
  | 'wallet'

/** When an approval is needed: always, or only for the bodies that `src/operator/approvals` tells apart by this name. */
export type Occasion =
  | 'always'
  | 'bank account, limit or stop'
  | 'raised cap'
  | 'end of a stop'
  | 'executes or creates'
  | "another's token"
