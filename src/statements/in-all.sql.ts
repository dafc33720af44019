/** SQL: what an entry of a statement comes to under one reference of the bank, where its parts are lines of their own. */

/** Names of columns of a query: the account, the bank's reference and the amount that is looked for. `lines`: with the lines `l`, and which of them count. */
type Sought = { account: string; reference: string; amount: string; lines: string }

/**
 * Whether several lines of one entry come to the amount. They are looked for by the parts alone: a bank may write one reference beside everything, for years,
 * and of all that only few entries have parts. By an expression, so that no plan walks through all lines of the reference all the same.
 */
export function isSumOfParts({ account, reference, amount, lines }: Sought): string {
  return `exists (select from ${lines} and l.servicer_reference || '' = ${reference} and l.bank_account = ${account} and l.made_by is null and l.detail > 1
    group by l.statement_no, l.entry having ${amount} = (select sum(p.amount_micro) from bank_lines p
      where p.statement_no = l.statement_no and p.entry = l.entry and p.servicer_reference || '' = ${reference} and p.made_by is null))`
}

/** Whether all lines of one entry come to the amount, be it one or several. */
export function isSumOfEntry(sought: Sought): string {
  const { account, reference, amount, lines } = sought
  return `(exists (select from ${lines} and l.servicer_reference = ${reference} and l.amount_micro = ${amount} and l.bank_account = ${account} and l.made_by is null
      and not exists (select from bank_lines p where p.statement_no = l.statement_no and p.entry = l.entry and p.detail <> l.detail
        and p.servicer_reference || '' = ${reference} and p.made_by is null))
    or ${isSumOfParts(sought)})`
}
