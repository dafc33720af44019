/** Whether statements that stand tell what another one tells, by their balances. */

/** Names of a query's parameters: the account, the balances, the first and the last day, and the bank's number, null where any will do. */
type Ends = Record<'account' | 'opening' | 'firstDay' | 'lastDay' | 'closing' | 'sequence', `$${number}`>

/** SQL: whether statements that stand, one or several, begin and end as one does: in its balances, on its days, and by no other number of the bank. */
export function isToldBetween({ account, opening, firstDay, lastDay, closing, sequence }: Ends): string {
  return `exists (
    select from bank_statements f join bank_statements t on t.bank_account = f.bank_account and t.closed_on >= f.closed_on
    where f.withdrawn_at is null and t.withdrawn_at is null and f.bank_account = ${account} and f.opening_micro = ${opening} and f.closed_on >= ${firstDay}::date
      and t.closed_on = ${lastDay}::date and t.closing_micro = ${closing} and (${sequence}::text is null or t.sequence is null or t.sequence = ${sequence}))`
}
