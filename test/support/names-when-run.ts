/** Files that put a table's name into a statement at run time, and which tables it may be. */
export const NAMES_WHEN_RUN: Readonly<Record<string, readonly string[]>> = {
  'orders/life/give-back.sql.ts': ['mint_usage', 'transfer_usage', 'withdrawal_usage'],
  'orders/life/recount.sql.ts': ['mint_usage', 'transfer_usage', 'withdrawal_usage'],
  'orders/life/take.sql.ts': ['mint_usage', 'transfer_usage', 'withdrawal_usage'],
}
