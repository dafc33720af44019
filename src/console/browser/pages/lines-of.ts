/** Lines of statements by what they belong to, and taking back what one belongs to. */
import { Action } from '../action.ts'
import { pathOf } from '../api.ts'
import { Filters, queryOf } from '../filters.ts'
import { useLive } from '../live.ts'
import { Recorded, ringgit } from '../parts.ts'
import { route } from '../router.ts'
import { type Column, Loaded, Pages, Table } from '../table.ts'
import { html, type View } from '../view.ts'
import { type LineRow, said } from './bank-lines.ts'

type BelongingRow = LineRow & { state: string; as: string; belongsTo: string }
type Listed = { lines: BelongingRow[]; next: string | null }

const OF = [{ name: 'of', label: 'Lines of', placeholder: 'id of a partner, a payout or a bank account' }]

const REPLACED = [
  {
    name: 'replacedBy',
    label: 'Replaced by line',
    optional: true,
    hint: 'only for the line of a payment: the number of the unexplained line that really is that payment; the payment stays as it is',
  },
  {
    name: 'charges',
    label: 'Charges of the bank',
    optional: true,
    hint: 'only of a line that replaces this one: the ringgit that the bank took beside the payment, or kept of it',
  },
  {
    name: 'surplus',
    label: 'Given on top',
    optional: true,
    hint: 'only of a line that replaces this one: the ringgit beyond the payment that came back, such as interest',
  },
]

function columns(refresh: () => unknown): Column<BelongingRow>[] {
  return [
    ...said<BelongingRow>(),
    {
      key: 'belongsTo',
      title: 'Belongs to',
      by: ({ belongsTo }) => belongsTo,
      show: ({ belongsTo, as }) => html`<code>${belongsTo}</code> (${as.replaceAll('_', ' ')})`,
    },
    { key: 'state', title: 'How', by: ({ state }) => state, show: ({ state }) => state },
    {
      key: 'do',
      title: 'Actions',
      show: ({
        lineId,
        amountMyr,
        belongsTo,
      }) => html`<${Action} command="bank lines take-back" label="Take back …" danger
        target=${`line ${lineId}: ${ringgit(amountMyr)}, of ${belongsTo}`} path=${`/bank/lines${pathOf(lineId)}/take-back`}
        says="Nothing explains the line any more, and it waits until somebody does. What it had paid counts as not paid, unless it was a payment and you name another line that paid it."
        fields=${REPLACED} seen=${belongsTo} onDone=${refresh} onConflict=${refresh} />`,
    },
  ]
}

export function LinesOf(): View {
  const { query } = route()
  const read = useLive<Listed>(query.has('of') ? `/bank/lines${queryOf(OF)}` : undefined, { live: false })
  return html`<${Filters} of=${OF} />
    ${
      query.has('of') &&
      html`<${Recorded} why="It shows names" again=${read.refresh} />
      <${Loaded} from=${read} show=${({ lines, next }: Listed) => html`
        <${Table} caption="Lines that belong to it" columns=${columns(read.refresh)} rows=${lines}
          empty="No line belongs to it." idOf=${(row: BelongingRow) => row.lineId} />
        <${Pages} next=${next} />`} />`
    }`
}
