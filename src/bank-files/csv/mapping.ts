/** What each column of a bank's CSV means, declared by an operator once per bank. */
import { type Static, Type } from 'typebox'
import { jsonFileReader } from '../json-file.ts'
import { catchRefusal, type Reading, refuse } from '../refusal.ts'
import { isAccountNumber } from '../xml/values.ts'

const Column = Type.String({ minLength: 1, maxLength: 100 })
const Word = Type.String({ minLength: 1, maxLength: 20 })
const Strict = { additionalProperties: false }

const DATE_FORMAT = Type.Union([
  Type.Literal('YYYY-MM-DD'),
  Type.Literal('YYYYMMDD'),
  Type.Literal('DD/MM/YYYY'),
  Type.Literal('DD-MM-YYYY'),
  Type.Literal('DD MMM YYYY'),
  Type.Literal('DD-MMM-YYYY'),
])

const MAPPING = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 100 }),
    delimiter: Type.Union([Type.Literal(','), Type.Literal(';'), Type.Literal('\t'), Type.Literal('|')]),
    /** Lines before the header. */
    skipLines: Type.Integer({ minimum: 0, maximum: 50 }),
    order: Type.Union([Type.Literal('oldest_first'), Type.Literal('newest_first')]),
    dateFormat: DATE_FORMAT,
    /** What groups thousands in amounts: nothing, or a comma. */
    thousands: Type.Union([Type.Literal(''), Type.Literal(',')]),
    /** The column that names the account, or the account that every file of this mapping is about. */
    account: Type.Union([Type.Object({ column: Column }, Strict), Type.Object({ fixed: Word }, Strict)]),
    /** Two columns, one column with a sign (before the digits or behind them, or `DR` and `CR`), or one column with the direction as a word in another. */
    amount: Type.Union([
      Type.Object({ credit: Column, debit: Column }, Strict),
      Type.Object({ signed: Column }, Strict),
      Type.Object({ column: Column, direction: Column, creditWord: Word, debitWord: Word }, Strict),
    ]),
    bookedOn: Column,
    valueOn: Type.Optional(Column),
    /** The account's balance after the row, with a sign likewise; without it a truncated file would look complete. */
    balance: Column,
    /** The columns that together make up the remittance text. */
    remittance: Type.Array(Column, { maxItems: 10 }),
    endToEndId: Type.Optional(Column),
    servicerReference: Type.Optional(Column),
    counterpartyName: Type.Optional(Column),
    counterpartyAccount: Type.Optional(Column),
  },
  Strict,
)

export type CsvMapping = Static<typeof MAPPING>

const readFile = jsonFileReader('The CSV mapping', MAPPING)

/** Reads a mapping in the form of docs/samples/statement-csv.json. */
export function parseCsvMapping(text: string): Reading<CsvMapping> {
  const file = readFile(text)
  if (!file.ok) return file
  return catchRefusal(() => {
    const { account } = file.value
    if ('fixed' in account && !isAccountNumber(account.fixed)) {
      refuse('wrong_content', 'The CSV mapping: the fixed account must have 5 to 17 digits.')
    }
    return file.value
  })
}

/** Every column that a mapping names. */
export function columnsOf(mapping: CsvMapping): string[] {
  const { account, amount, bookedOn, valueOn, balance, remittance, ...rest } = mapping
  const { endToEndId, servicerReference, counterpartyName, counterpartyAccount } = rest
  return [
    ...('column' in account ? [account.column] : []),
    ...('credit' in amount ? [amount.credit, amount.debit] : []),
    ...('signed' in amount ? [amount.signed] : []),
    ...('direction' in amount ? [amount.column, amount.direction] : []),
    bookedOn,
    valueOn,
    balance,
    ...remittance,
    endToEndId,
    servicerReference,
    counterpartyName,
    counterpartyAccount,
  ].filter((column) => column !== undefined)
}
