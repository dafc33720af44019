/** camt.053 and camt.054, written from the definitions in the forms that banks choose, give what was written, to the sen; a changed number gives none. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { bytesOf, DEBTOR, RULES } from '../../../test/support/bank-files.ts'
import { formatSen } from '../../money.ts'
import { addDays } from '../day.ts'
import { namespaceOf } from '../definitions.ts'
import { readBankFile } from '../read-bank-file.ts'
import { writeXml, type XmlNode } from '../xml/write.ts'
import { givenId } from './statement.ts'

const VERSIONS = ['02', '03', '04', '05', '06', '07', '08', '09', '10', '11', '12', '13'] as const
/** How an amount may be written: ISO 20022 allows any zeros in front, and five decimals. */
const AMOUNTS: readonly ((sen: bigint) => string)[] = [
  formatSen,
  (sen) => formatSen(sen).replace(/\.00$/, ''),
  (sen) => `${formatSen(sen)}000`,
  (sen) => `0${formatSen(sen).replace(/0$/, '')}`,
]

const sen = fc.oneof(fc.bigInt({ min: 1n, max: 300n }), fc.bigInt({ min: 1n, max: 10n ** 12n }))
const id = fc.option(
  fc.stringMatching(/^[0-9A-Z]{1,20}$/).filter((text) => givenId(text) !== null),
  { nil: null },
)
const words = fc.option(fc.stringMatching(/^[a-z&<>'"]([a-z&<>'" ]{0,20}[a-z&<>'"])?$/), { nil: null })
const part = fc.record({ sen, isCredit: fc.boolean(), servicerReference: id, endToEndId: id, words, name: words })
type Part = typeof part extends fc.Arbitrary<infer P> ? P : never
const entry = fc
  .record({
    parts: fc.array(part, { minLength: 1, maxLength: 4 }),
    // No change of one digit comes to it: a transaction that is larger by just the stated charges has them in its amount.
    chargesSen: fc.constantFrom(0n, 0n, 13n),
    reference: id,
    later: fc.nat(2),
    /** An hour of that day, with the offset in which the bank writes it; or the day alone. */
    time: fc.constantFrom(null, 'T07:59:59+08:00', 'T23:30:00.000+08:00', 'T12:00:00', 'T17:00:00Z'),
    isReversal: fc.boolean(),
    isBooked: fc.constantFrom(true, true, true, false),
    isPlain: fc.boolean(),
  })
  .filter((one) => netOf(one) !== 0n)
type Entry = typeof entry extends fc.Arbitrary<infer E> ? E : never
const form = fc.record({
  version: fc.constantFrom(...VERSIONS),
  amount: fc.constantFrom(...AMOUNTS),
  opening: fc.constantFrom(['OPBD'], ['PRCD'], ['PRCD', 'OPBD']),
  isSummed: fc.boolean(),
})
type Form = typeof form extends fc.Arbitrary<infer F> ? F : never

const changeOf = (one: Pick<Part, 'sen' | 'isCredit'>): bigint => (one.isCredit ? one.sen : -one.sen)
const netOf = ({ parts, chargesSen }: { parts: readonly Part[]; chargesSen: bigint }): bigint =>
  parts.reduce((sum, one) => sum + changeOf(one), -chargesSen)

function amountOf(changeSen: bigint, as: Form): XmlNode[] {
  const [absolute, code] = changeSen < 0n ? [-changeSen, 'DBIT'] : [changeSen, 'CRDT']
  return [
    ['Amt', as.amount(absolute), { Ccy: 'MYR' }],
    ['CdtDbtInd', code],
  ]
}

const some = (name: string, text: string | null): XmlNode | null => (text === null ? null : [name, text])

function transactionOf(one: Part, as: Form, isAlone: boolean): XmlNode {
  const role = one.isCredit ? 'Dbtr' : 'Cdtr'
  const named: XmlNode[] = one.name === null ? [] : [['Nm', one.name]]
  const refs = [some('AcctSvcrRef', one.servicerReference), ['EndToEndId', one.endToEndId ?? 'NOTPROVIDED'] as XmlNode]
  return [
    'TxDtls',
    [
      ['Refs', refs],
      ...(isAlone ? [] : amountOf(changeOf(one), as)),
      ['RltdPties', [[role, as.version <= '06' ? named : [['Pty', named]]]]],
      one.words === null ? null : ['RmtInf', [['Ustrd', one.words]]],
    ],
  ]
}

function entryOf(one: Entry, day: string, as: Form): XmlNode {
  const status = one.isBooked ? 'BOOK' : 'PDNG'
  const [first] = one.parts
  // A single transaction need not repeat the amount of its entry.
  const isAlone =
    one.isPlain && one.parts.length === 1 && one.chargesSen === 0n && changeOf(first ?? assert.fail()) === netOf(one)
  return [
    'Ntry',
    [
      ...amountOf(netOf(one), as),
      ['RvslInd', String(one.isReversal)],
      ['Sts', as.version <= '06' ? status : [['Cd', status]]],
      ['BookgDt', [one.time === null ? ['Dt', day] : ['DtTm', `${day}${one.time}`]]],
      ['ValDt', [['Dt', addDays(day, one.later)]]],
      some('AcctSvcrRef', one.reference),
      one.chargesSen === 0n
        ? null
        : ['Chrgs', as.version === '02' ? amountOf(-one.chargesSen, as) : [['Rcrd', amountOf(-one.chargesSen, as)]]],
      ['NtryDtls', one.parts.map((each) => transactionOf(each, as, isAlone))],
    ],
  ]
}

/** The lines that these entries are, in the order and the places of the file. */
function linesOf(entries: readonly Entry[], days: readonly string[]) {
  return entries.flatMap((one, index) => {
    const bookedOn = addDays(days[index] ?? '', one.time === 'T17:00:00Z' ? 1 : 0)
    const shared = {
      entry: index + 1,
      bookedOn,
      valueOn: addDays(days[index] ?? '', one.later),
      isReversal: one.isReversal,
    }
    const lines = one.parts.map((each, place) => ({
      ...shared,
      detail: place + 1,
      changeSen: changeOf(each),
      booked: one.isBooked,
      servicerReference: each.servicerReference ?? one.reference,
      endToEndId: each.endToEndId,
      words: each.words ?? '',
      name: each.name,
    }))
    const none = { servicerReference: one.reference, endToEndId: null, words: '', name: null, booked: one.isBooked }
    return one.chargesSen === 0n
      ? lines
      : [...lines, { ...shared, ...none, detail: lines.length + 1, changeSen: -one.chargesSen }]
  })
}

function summary(entries: readonly Entry[], as: Form): XmlNode {
  const total = (name: string, of: readonly Entry[]): XmlNode => {
    const sum = of.map(netOf).reduce((all, net) => all + (net < 0n ? -net : net), 0n)
    return [
      name,
      [
        ['NbOfNtries', String(of.length)],
        ['Sum', as.amount(sum)],
      ],
    ]
  }
  const credits = entries.filter((one) => netOf(one) > 0n)
  return ['TxsSummry', [total('TtlNtries', entries), total('TtlCdtNtries', credits)]]
}

/** A message of these entries, one day or two apart. */
function written(kind: 'camt.053' | 'camt.054', openingSen: bigint, entries: readonly Entry[], as: Form) {
  const days = entries.map((_, index) => addDays('2026-02-27', index >> 1))
  const closedOn = days.at(-1) ?? '2026-02-27'
  const closingSen = entries.filter(({ isBooked }) => isBooked).reduce((sum, one) => sum + netOf(one), openingSen)
  const balance = (code: string, balanceSen: bigint, day: string): XmlNode => [
    'Bal',
    [['Tp', [['CdOrPrtry', [['Cd', code]]]]], ...amountOf(balanceSen, as), ['Dt', [['Dt', day]]]],
  ]
  const balances = [
    ...as.opening.map((code) => balance(code, openingSen, '2026-02-27')),
    balance('CLBD', closingSen, closedOn),
  ]
  const isStatement = kind === 'camt.053'
  const definition = `${kind}.001.${as.version}` as const
  const head: XmlNode[] = [['CreDtTm', '2026-03-31T18:00:00+08:00']]
  const body: XmlNode = [
    isStatement ? 'Stmt' : 'Ntfctn',
    [
      ['Id', 'S1'],
      ...head,
      ['Acct', [['Id', [['Othr', [['Id', DEBTOR.account]]]]]]],
      ...(isStatement ? balances : []),
      as.isSummed ? summary(entries, as) : null,
      ...entries.map((one, index) => entryOf(one, days[index] ?? '', as)),
    ],
  ]
  const root = isStatement ? 'BkToCstmrStmt' : 'BkToCstmrDbtCdtNtfctn'
  const document: XmlNode = [
    'Document',
    [[root, [['GrpHdr', [['MsgId', 'M1'], ...head]], body]]],
    { xmlns: namespaceOf(definition) },
  ]
  return { xml: writeXml(document), lines: linesOf(entries, days), closedOn, closingSen }
}

/** What is read of one statement or notification: its balances, where it has some, and its lines. */
function readOf(xml: string) {
  const read = readBankFile(bytesOf(xml), RULES)
  if (!read.ok) return { refusal: read.refusal }
  const { value } = read
  if (value.kind === 'status_report') return assert.fail(value.kind)
  const [one] = value.kind === 'statement' ? value.file.statements : value.file.notifications
  const lines = (one?.lines ?? []).map((line) => ({
    entry: line.entry,
    detail: line.detail,
    bookedOn: line.bookedOn,
    valueOn: line.valueOn,
    isReversal: line.isReversal,
    changeSen: line.direction === 'credit' ? line.amountSen : -line.amountSen,
    booked: 'booked' in line ? line.booked : true,
    servicerReference: line.servicerReference,
    endToEndId: line.endToEndId,
    words: line.remittanceText,
    name: line.counterparty.name,
  }))
  const [statement] = value.kind === 'statement' ? value.file.statements : []
  return { lines, statement }
}

const openings = fc.bigInt({ min: -(10n ** 12n), max: 10n ** 12n })
const messages = fc.array(entry, { minLength: 1, maxLength: 5 })
const kinds = fc.constantFrom('camt.053' as const, 'camt.054' as const)

test('a message gives what was written into it, in each form and version', () => {
  fc.assert(
    fc.property(kinds, openings, messages, form, (kind, openingSen, entries, as) => {
      const { xml, lines, closedOn, closingSen } = written(kind, openingSen, entries, as)
      const read = readOf(xml)
      assert.equal(read.refusal?.sentence, undefined)
      const isStatement = kind === 'camt.053'
      assert.deepEqual(read.lines, isStatement ? lines.filter(({ booked }) => booked) : lines)
      if (!isStatement) return
      const { openingSen: opened, closingSen: closed, closedOn: on } = read.statement ?? assert.fail()
      assert.deepEqual([opened, closed, on], [openingSen, closingSen, closedOn])
    }),
    { numRuns: 300 },
  )
})

test('with any one of its numbers or directions changed, a statement gives what it gave, or nothing', () => {
  const spoils = fc.constantFrom(
    (text: string) => text.replace(/\d/, (digit) => String((Number(digit) + 1) % 10)),
    (text: string) => text.replace(/\d(?=\D*$)/, (digit) => String((Number(digit) + 1) % 10)),
    (text: string) => text.replace('.', ','),
    (text: string) => text.replace('.', ''),
    (text: string) => `-${text}`,
    (text: string) => `${text}e2`,
    (text: string) => `1${text}`,
    (text: string) => text.slice(0, -1),
    (text: string) => (text === 'CRDT' ? 'DBIT' : 'CRDT'),
    (text: string) => text.replace(/\d{3}/, '$&,'),
  )
  fc.assert(
    fc.property(openings, messages, form, fc.nat(), spoils, (openingSen, entries, as, which, spoil) => {
      const { xml, lines } = written('camt.053', openingSen, entries, as)
      const places = [...xml.matchAll(/(?<=<(?:Amt Ccy="MYR"|CdtDbtInd)>)[^<]+/g)]
      const place = places[which % places.length] ?? assert.fail()
      const changed = xml.slice(0, place.index) + spoil(place[0]) + xml.slice(place.index + place[0].length)
      const read = readOf(changed)
      // Of what is reversed the transaction may say the direction of the payment, and names whom it was with.
      const isTurned = place[0] === 'CRDT' || place[0] === 'DBIT'
      const shown = (all: readonly { isReversal: boolean; name: string | null }[]) =>
        all.map((line) => (isTurned && line.isReversal ? { ...line, name: null } : line))
      if (read.refusal === undefined) assert.deepEqual(shown(read.lines), shown(lines.filter(({ booked }) => booked)))
      else assert.ok(read.refusal.sentence.length > 10)
    }),
    { numRuns: 500 },
  )
})
