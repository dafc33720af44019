/** A bank's CSV → the same statement that camt.053 gives. */
import { saySen } from '../../money.ts'
import { contentHashOf } from '../definitions.ts'
import { catchRefusal, type Reading, refuse } from '../refusal.ts'
import { type AccountRules, plainNumber, refuseForeign } from '../statement/header.ts'
import { changeOf, givenId, type Statement, type StatementFile, type StatementLine } from '../statement/statement.ts'
import { withoutLayout } from '../xml/values.ts'
import { type CsvMapping, columnsOf } from './mapping.ts'
import { CSV_BOUNDS, type CsvBounds, type Row, readTable } from './table.ts'
import { dayIn, movementIn, signedSenIn } from './values.ts'

type BalancedRow = { row: Row; balanceSen: bigint; line: StatementLine }

/**
 * Reads a CSV statement by its mapping. Every row carries the balance after it, and each balance must follow from the
 * one before: a file with a row changed, lost or doubled is refused. So is a file without rows, which has no balance.
 */
export function readCsvStatement(
  bytes: Uint8Array,
  mapping: CsvMapping,
  rules: AccountRules,
  bounds: CsvBounds = CSV_BOUNDS,
): Reading<StatementFile> {
  return catchRefusal(() => {
    const { delimiter, skipLines, order } = mapping
    const rows = readTable(bytes, { delimiter, skipLines, columns: columnsOf(mapping) }, bounds)
    const account = accountOf(rows, mapping, rules)
    const inOrder = order === 'oldest_first' ? rows : rows.toReversed()
    const balanced = inOrder.map((row, index) => readRow(row, index + 1, mapping))
    const contentHash = contentHashOf(bytes)
    const statement = statementOf(balanced, account, contentHash)
    const identity = { definition: 'csv' as const, messageId: statement.statementId, createdAt: null, contentHash }
    return { identity, statements: [statement] }
  })
}

function statementOf(rows: readonly BalancedRow[], account: string, contentHash: string): Statement {
  const [first, last] = [rows[0], rows.at(-1)]
  if (first === undefined || last === undefined) {
    return refuse('does_not_balance', 'The file has no row, and so no balance.')
  }
  const openingSen = first.balanceSen - changeOf(first.line)
  let balanceSen = openingSen
  for (const { row, line, balanceSen: stated } of rows) {
    balanceSen += changeOf(line)
    if (balanceSen !== stated) {
      const [made, says] = [saySen(balanceSen), saySen(stated)]
      refuse('does_not_balance', `Row ${row.line}: the balance before it and its amount make ${made}, not ${says}.`)
    }
  }
  const days = rows.map(({ line }) => line.bookedOn)
  if (days.some((day, index) => index > 0 && day < (days[index - 1] ?? ''))) {
    refuse('wrong_content', 'The rows are not in the order that the mapping declares.')
  }
  return {
    statementId: `csv-${contentHash.slice(0, 31)}`,
    sequence: null,
    account,
    openedOn: first.line.bookedOn,
    openingSen,
    closedOn: last.line.bookedOn,
    closingSen: last.balanceSen,
    lines: rows.flatMap(({ line }) => (line.amountSen === 0n ? [] : [line])),
  }
}

function accountOf(rows: readonly Row[], { account: where }: CsvMapping, rules: AccountRules): string {
  const named = 'fixed' in where ? [where.fixed] : rows.map((row) => row.get(where.column).replace(/[ -]/g, ''))
  const [said, ...others] = new Set(named)
  if (said === undefined) return refuse('does_not_balance', 'The file has no row, and so no balance.')
  if (others.length > 0) refuse('wrong_content', 'The file is about more than one account.')
  const account = asInProfile(said, rules)
  refuseForeign(account, rules)
  return account
}

/** The books know an account by one number: what a CSV calls with more or fewer leading zeros than the profile is that, unless it may be either of two banks'. */
function asInProfile(said: string, { ownAccounts }: AccountRules): string {
  if (ownAccounts.has(said)) return said
  const [own, ...more] = [...ownAccounts].filter((one) => plainNumber(one) === plainNumber(said))
  return own === undefined || more.length > 0 ? said : own
}

function readRow(row: Row, entry: number, mapping: CsvMapping): BalancedRow {
  const { bookedOn, valueOn, dateFormat, remittance } = mapping
  const cell = (column: string | undefined) => (column === undefined ? null : row.get(column) || null)
  const account = cell(mapping.counterpartyAccount)
  const line: StatementLine = {
    entry,
    detail: 1,
    ...movementIn(row, mapping),
    bookedOn: dayIn(row, bookedOn, dateFormat),
    valueOn: dayIn(row, valueOn ?? bookedOn, dateFormat),
    isReversal: false,
    servicerReference: givenId(cell(mapping.servicerReference)),
    endToEndId: givenId(cell(mapping.endToEndId)),
    instructionId: null,
    paymentFileId: null,
    sectionId: null,
    remittanceText: remittance.flatMap((column) => row.get(column) || []).join(' '),
    creditorReference: null,
    additionalText: null,
    counterparty: { name: cell(mapping.counterpartyName), account: account === null ? null : withoutLayout(account) },
    returned: null,
    bookedTogether: null,
    transactionCode: null,
  }
  return { row, balanceSen: signedSenIn(row, mapping.balance, mapping.thousands), line }
}
