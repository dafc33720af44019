/** Lines of statements that nothing explains, and saying what one is. */
import { Action } from '../action.ts'
import { pathOf } from '../api.ts'
import { ringgitColumn, textColumn } from '../columns.ts'
import { queryOf } from '../filters.ts'
import { useLive } from '../live.ts'
import { Nothing, Recorded, ringgit } from '../parts.ts'
import { type Column, Loaded, Pages, Table } from '../table.ts'
import { html, type View } from '../view.ts'

export type LineRow = {
  lineId: string
  bankAccount: string
  statement: string
  amountMyr: string
  bookedOn: string
  remittance: string
  counterparty: string | null
  counterpartyAccount: string | null
  endToEndId: string | null
  reason: string | null
  /** The lines that it was made of, if it was. */
  madeOf: string | null
}
type Listed = { lines: LineRow[]; next: string | null }

const PAYS_MINTS = "pays a partner's mints"
const PAYS_FEES = "pays a partner's fees"
const OF_PAYOUT = 'paid a payout, or gave it back'
const CLAIM = 'paid a payout once more than it should, or gave that back'
const REVERSES = 'takes back what came in for mints or fees'
const OWN = "is the issuer's own money"

const FIELDS = [
  { name: 'what', label: 'It', options: [PAYS_MINTS, PAYS_FEES, OF_PAYOUT, CLAIM, REVERSES, OWN] },
  {
    name: 'whose',
    label: 'Of which partner, payout or credit',
    optional: true,
    hint: 'the id of the integration or of the payout, or the line of the credit that the bank takes back; nothing for the issuer’s own money',
  },
  {
    name: 'charges',
    label: 'Charges of the bank',
    optional: true,
    hint: 'only of a payout: the ringgit that the bank took beside it, or kept of it',
  },
  {
    name: 'surplus',
    label: 'Given on top',
    optional: true,
    hint: 'only of a payout that came back: the ringgit beyond its amount, such as interest',
  },
]

const ALLOCATED = [
  {
    name: 'payouts',
    label: 'Payouts',
    optional: true,
    most: 7_000,
    hint: 'their ids, with commas between them: what the line paid together, or the one that it paid a part of',
  },
  {
    name: 'claims',
    label: 'Paid twice',
    optional: true,
    most: 7_000,
    hint: 'likewise the payouts that it paid once more than it should, or of which it gave that back',
  },
  {
    name: 'with',
    label: 'Further lines',
    optional: true,
    hint: 'the numbers of the other lines that are part of it, with commas between them',
  },
  {
    name: 'charges',
    label: 'Charges of the bank',
    optional: true,
    hint: 'the ringgit that the bank took beside the payouts, or kept of them',
  },
  {
    name: 'surplus',
    label: 'Given on top',
    optional: true,
    hint: 'only of payouts that came back: the ringgit beyond their amounts, such as interest',
  },
]

/** The request for what was filled in; what is missing the API names. */
function bodyOfAssignment({
  what,
  whose = '',
  charges = '',
  surplus = '',
}: Record<string, string>): Record<string, unknown> {
  const kept = { ...(charges !== '' && { charges }), ...(surplus !== '' && { surplus }) }
  if (what === OWN) return { ownFunds: true, ...(whose === '' ? {} : { integration: whose }), ...kept }
  if (what === OF_PAYOUT) return { payout: whose, ...kept }
  if (what === CLAIM) return { claim: whose, ...kept }
  if (what === REVERSES) return { reverses: whose, ...kept }
  return { integration: whose, ...(what === PAYS_FEES && { fees: true }), ...kept }
}

const word = <Row extends LineRow>(key: keyof LineRow, title: string): Column<Row> =>
  textColumn(key, title, (row) => row[key])

const given = (...texts: (string | null)[]) => texts.filter((text) => text !== null)
const namesOf = ({ counterparty, counterpartyAccount }: LineRow) => given(counterparty, counterpartyAccount)
/** With the account: those of two banks may have one name. */
const placesOf = ({ bankAccount, statement, endToEndId, madeOf }: LineRow) =>
  given(`${bankAccount}/${statement}`, endToEndId, madeOf === null ? null : `made of ${madeOf}`)

/** One below the other. */
function lines(texts: readonly string[]): View {
  return texts.length === 0 ? html`<${Nothing} />` : texts.map((text) => html`<div key=${text}>${text}</div>`)
}

/** What a line says. */
export function said<Row extends LineRow>(): Column<Row>[] {
  return [
    { ...word('lineId', 'Line'), numeric: true, by: (row) => Number(row.lineId) },
    word('bookedOn', 'Booked on'),
    ringgitColumn('amountMyr', 'Amount', (row) => row.amountMyr),
    {
      key: 'counterparty',
      title: 'From or to',
      by: (row) => namesOf(row).join(' '),
      show: (row) => lines(namesOf(row)),
    },
    word('remittance', 'Remittance'),
    {
      key: 'statement',
      title: 'Statement',
      by: (row) => placesOf(row).join(' '),
      show: (row) => lines(placesOf(row)),
    },
  ]
}

function columns(refresh: () => unknown): Column<LineRow>[] {
  return [
    ...said<LineRow>(),
    word('reason', 'Why not explained'),
    {
      key: 'do',
      title: 'Actions',
      show: ({
        lineId,
        amountMyr,
        remittance,
      }) => html`<${Action} command="bank unallocated assign" label="Say what it is …" danger
        target=${`line ${lineId}: ${ringgit(amountMyr)} ${remittance}`} path=${`/bank/unallocated${pathOf(lineId)}/assign`}
        says="Books the line as this. Find out from the bank or the partner first." fields=${FIELDS}
        bodyOf=${bodyOfAssignment} onDone=${refresh} onConflict=${refresh} />
        <${Action} command="bank unallocated allocate" label="Several payouts, or a part …" danger
        target=${`line ${lineId}: ${ringgit(amountMyr)} ${remittance}`} path=${`/bank/unallocated${pathOf(lineId)}/allocate`}
        says="Books the line as what paid several payouts in one sum, or this line and others as what paid one in parts. They must come to the payouts, with those paid twice, to the sen."
        fields=${ALLOCATED} onDone=${refresh} onConflict=${refresh} />`,
    },
  ]
}

export function BankLines(): View {
  const read = useLive<Listed>(`/bank/unallocated${queryOf([])}`, { live: false })
  return html`<${Recorded} why="It shows names" again=${read.refresh} />
    <${Loaded} from=${read} show=${({ lines, next }: Listed) => html`
      <${Table} caption="Lines that nothing explains" columns=${columns(read.refresh)} rows=${lines}
        empty="Everything that the bank has booked is explained." idOf=${(row: LineRow) => row.lineId} />
      <${Pages} next=${next} />`} />`
}
