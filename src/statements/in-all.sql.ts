/** SQL: what an entry of a statement comes to under one reference of the bank, where its parts are lines of their own. */

/** `references`: a query of those that are looked for; `lines`: with the lines `l`, and which of them count. */
type Within = { references: string; lines: string }

/**
 * The CTE with what each entry in parts comes to under a reference. Once for a statement, and not beside each amount that is looked for: a bank may write one
 * reference beside everything, for years, and book hundreds of payments in one entry each day. By the parts alone, and by an expression, so that no plan
 * walks through all lines of the reference all the same.
 */
export function sumsOfParts({ references, lines }: Within): string {
  return `sums_of_parts as materialized (select l.bank_account, r.reference,
      (select sum(p.amount_micro) from bank_lines p
        where p.statement_no = l.statement_no and p.entry = l.entry and p.servicer_reference || '' = r.reference and p.made_by is null) as whole
    from (select distinct servicer_reference as reference from (${references}) w where servicer_reference is not null) r cross join ${lines}
      and l.servicer_reference || '' = r.reference and l.made_by is null and l.detail > 1
    group by l.bank_account, r.reference, l.statement_no, l.entry)`
}

/** Names of columns of a query: the account, the bank's reference and the amount that is looked for. */
type Sought = { account: string; reference: string; amount: string }

/** Whether several lines of one entry come to the amount, in a statement with `sumsOfParts`. */
export function isSumOfParts({ account, reference, amount }: Sought): string {
  return `coalesce((${account}, ${reference}, ${amount}::numeric) in (select bank_account, reference, whole from sums_of_parts), false)`
}

/** Whether all lines of one entry come to the amount, be it one or several, in such a statement. */
export function isSumOfEntry(sought: Sought, lines: string): string {
  const { account, reference, amount } = sought
  return `(exists (select from ${lines} and l.servicer_reference = ${reference} and l.amount_micro = ${amount} and l.bank_account = ${account} and l.made_by is null
      and not exists (select from bank_lines p where p.statement_no = l.statement_no and p.entry = l.entry and p.detail <> l.detail
        and p.servicer_reference || '' = ${reference} and p.made_by is null))
    or ${isSumOfParts(sought)})`
}
