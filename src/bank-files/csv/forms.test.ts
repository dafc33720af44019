/** A CSV in every form that a mapping can declare gives what was written into it, to the sen; in another form it gives no other number. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { bytesOf, DEBTOR, RULES } from '../../../test/support/bank-files.ts'
import { formatSen } from '../../money.ts'
import { addDays } from '../day.ts'
import { changeOf, givenId } from '../statement/statement.ts'
import type { CsvMapping } from './mapping.ts'
import { readCsvStatement } from './read-csv.ts'

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const WRITTEN: Record<CsvMapping['dateFormat'], (year: string, month: string, day: string) => string> = {
  'YYYY-MM-DD': (year, month, day) => `${year}-${month}-${day}`,
  YYYYMMDD: (year, month, day) => `${year}${month}${day}`,
  'DD/MM/YYYY': (year, month, day) => `${day}/${month}/${year}`,
  'DD-MM-YYYY': (year, month, day) => `${day}-${month}-${year}`,
  'DD MMM YYYY': (year, month, day) => `${day} ${MONTHS[Number(month) - 1]} ${year}`,
  'DD-MMM-YYYY': (year, month, day) => `${day}-${MONTHS[Number(month) - 1]?.toUpperCase()}-${year}`,
}

const sen = fc.oneof(fc.bigInt({ min: 1n, max: 300n }), fc.bigInt({ min: 1n, max: 10n ** 12n }))
const ids = fc.option(
  fc.stringMatching(/^[0-9A-Z-]{1,12}$/).filter((text) => givenId(text) !== null),
  { nil: null },
)
const words = fc.string({
  unit: fc.constantFrom('a', 'Ä', '"', ',', ';', '\t', '|', '\n', ' ', '-', '9', '.'),
  maxLength: 12,
})
const told = fc.record({
  sen,
  isCredit: fc.boolean(),
  later: fc.nat(40),
  words,
  reference: ids,
  endToEndId: ids,
  value: fc.nat(3),
})
type Told = typeof told extends fc.Arbitrary<infer T> ? T : never

const form = fc.record({
  delimiter: fc.constantFrom(',' as const, ';' as const, '\t' as const, '|' as const),
  order: fc.constantFrom('oldest_first' as const, 'newest_first' as const),
  dateFormat: fc.constantFrom(...(Object.keys(WRITTEN) as CsvMapping['dateFormat'][])),
  thousands: fc.constantFrom('' as const, ',' as const),
  amount: fc.constantFrom<CsvMapping['amount'][]>(
    { credit: 'In', debit: 'Out' },
    { signed: 'In' },
    { column: 'In', direction: 'Out', creditWord: 'CR', debitWord: 'DR' },
  ),
  skipLines: fc.nat(3),
  lineEnd: fc.constantFrom('\n', '\r\n'),
  mark: fc.constantFrom<string[]>('', '\ufeff'),
  zeros: fc.constantFrom('', '0.00'),
  isShort: fc.boolean(),
  isQuoted: fc.boolean(),
})
type Form = typeof form extends fc.Arbitrary<infer F> ? F : never

const HEADER = ['Date', 'Value', 'Text', 'In', 'Out', 'Balance', 'Trace', 'Id']
const BANK = 'A bank, whose own "words" come first'

const mappingOf = ({ delimiter, order, dateFormat, thousands, amount, skipLines }: Form): CsvMapping => ({
  name: 'form',
  delimiter,
  order,
  dateFormat,
  thousands,
  amount,
  skipLines,
  account: { fixed: DEBTOR.account },
  bookedOn: 'Date',
  valueOn: 'Value',
  balance: 'Balance',
  remittance: ['Text'],
  servicerReference: 'Trace',
  endToEndId: 'Id',
})

/** As a bank writes it: with its thousands apart, and without zeros at the end perhaps. */
function written(amountSen: bigint, { thousands, isShort }: Form): string {
  const exact = formatSen(amountSen)
  const short = isShort
    ? exact.replace(/\.?0+$/, (zeros) => (zeros.startsWith('.') ? '' : zeros.replace(/0+$/, '')))
    : exact
  const [whole = '', ...fraction] = (isShort && exact.includes('.') ? short : exact).split('.')
  return [thousands === ',' ? whole.replace(/\B(?=(\d{3})+$)/g, ',') : whole, ...fraction].join('.')
}

function movement({ sen: amountSen, isCredit }: Told, as: Form): [string, string] {
  const text = written(amountSen, as)
  if ('signed' in as.amount) return [isCredit ? text : `-${text}`, '']
  if ('direction' in as.amount) return [text, isCredit ? 'CR' : 'DR']
  return isCredit ? [text, as.zeros] : [as.zeros, text]
}

/** What a bank says of an account, in days that follow one another, and a CSV of it. */
function export_(openingSen: bigint, all: readonly Told[], as: Form) {
  let [day, balanceSen] = ['2026-01-28', openingSen]
  const lines = all.map((one, index) => {
    day = addDays(day, one.later)
    balanceSen += one.isCredit ? one.sen : -one.sen
    return { ...one, entry: index + 1, day, valueOn: addDays(day, one.value), balanceSen }
  })
  const date = (text: string) => WRITTEN[as.dateFormat](text.slice(0, 4), text.slice(5, 7), text.slice(8))
  const rows = lines.map((line) => [
    date(line.day),
    date(line.valueOn),
    line.words,
    ...movement(line, as),
    written(line.balanceSen, as),
    line.reference ?? 'NONREF',
    line.endToEndId ?? '',
  ])
  const ordered = as.order === 'oldest_first' ? rows : rows.toReversed()
  const quoted = (cell: string) =>
    as.isQuoted || /["\n\r]/.test(cell) || cell.includes(as.delimiter) ? `"${cell.replaceAll('"', '""')}"` : cell
  const records = [HEADER, ...ordered].map((row) => row.map(quoted).join(as.delimiter))
  const before = Array.from({ length: as.skipLines }, () => `"${BANK.replaceAll('"', '""')}"`)
  return { lines, text: as.mark + [...before, ...records, ''].join(as.lineEnd) }
}

const openings = fc.bigInt({ min: -(10n ** 12n), max: 10n ** 12n })
const statements = fc.array(told, { minLength: 1, maxLength: 12 })

test('a CSV gives what was written into it, in each form that a mapping declares', () => {
  fc.assert(
    fc.property(openings, statements, form, (openingSen, all, as) => {
      const { lines, text } = export_(openingSen, all, as)
      const read = readCsvStatement(bytesOf(text), mappingOf(as), RULES)
      assert.ok(read.ok, read.ok ? '' : read.refusal.sentence)
      const [one] = read.value.statements
      const last = lines.at(-1)
      assert.deepEqual(
        [one?.openingSen, one?.closingSen, one?.openedOn, one?.closedOn],
        [openingSen, last?.balanceSen, lines[0]?.day, last?.day],
      )
      assert.deepEqual(
        one?.lines.map((line) => ({
          entry: line.entry,
          sen: line.amountSen,
          isCredit: line.direction === 'credit',
          day: line.bookedOn,
          valueOn: line.valueOn,
          words: line.remittanceText,
          reference: line.servicerReference,
          id: line.endToEndId,
        })),
        lines.map((line) => ({
          entry: line.entry,
          sen: line.sen,
          isCredit: line.isCredit,
          day: line.day,
          valueOn: line.valueOn,
          words: line.words.trim(),
          reference: line.reference,
          id: line.endToEndId,
        })),
      )
    }),
    { numRuns: 300 },
  )
})

/** Each changes a number, or how it is written, somewhere in the row. */
const SPOILS: readonly ((cell: string) => string)[] = [
  (cell) => cell.replace('.', ','),
  (cell) => cell.replace(/(\d)(\d)/, '$1.$2'),
  (cell) => cell.replace(/(\d)(\d)/, '$1,$2'),
  (cell) => cell.replace(/(\d)(\d)/, '$1 $2'),
  (cell) => cell.replace(/(\d)(\d)/, '$2$1'),
  (cell) => `(${cell})`,
  (cell) => `${cell}-`,
  (cell) => `+${cell}`,
  (cell) => `-${cell}`,
  (cell) => `RM ${cell}`,
  (cell) => `${cell} DR`,
  (cell) => `${cell}0`,
  (cell) => `0${cell}`,
  (cell) => `${cell}e1`,
  (cell) => cell.slice(1),
  (cell) => cell.slice(0, -1),
  () => '',
]

test('of an amount or a balance that is changed, or written otherwise, no other number is read', () => {
  fc.assert(
    fc.property(
      openings,
      statements,
      form,
      fc.nat(),
      fc.constantFrom(3, 4, 5),
      fc.constantFrom(...SPOILS),
      (...given) => {
        const [openingSen, all, as, which, column, spoil] = given
        const plain = { ...as, isQuoted: true, mark: '', skipLines: 0 }
        const { lines, text } = export_(
          openingSen,
          all.map((one) => ({ ...one, words: 'w' })),
          plain,
        )
        const rows = text.split(as.lineEnd)
        const place = 1 + (which % lines.length)
        const cells = rows[place]?.slice(1, -1).split(`"${as.delimiter}"`) ?? []
        const spoiled = cells.with(column, spoil(cells[column] ?? ''))
        const changed = rows.with(place, `"${spoiled.join(`"${as.delimiter}"`)}"`).join(as.lineEnd)
        const read = readCsvStatement(bytesOf(changed), mappingOf(plain), RULES)
        // The first row has no balance before it that its amount could belie.
        const isFirst = place === (as.order === 'oldest_first' ? 1 : lines.length)
        const [one] = read.ok ? read.value.statements : []
        if (!read.ok) assert.match(read.refusal.sentence, /^(Row|The)/)
        else if (!isFirst)
          assert.deepEqual(
            one?.lines.map(changeOf),
            lines.map(({ sen: amountSen, isCredit }) => (isCredit ? amountSen : -amountSen)),
          )
      },
    ),
    { numRuns: 500 },
  )
})
