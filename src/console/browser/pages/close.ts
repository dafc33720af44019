/** The daily close: the report of a day, and closing days so that their reports never change again. */
import { Action } from '../action.ts'
import { getText, whyOf } from '../api.ts'
import { instantColumn, shortIdColumn } from '../columns.ts'
import { download } from '../download.ts'
import { type Filter, Filters } from '../filters.ts'
import { useLive } from '../live.ts'
import { Busy, Costly, Instant, Note, Ringgit, Section, Status } from '../parts.ts'
import { useRoute } from '../router.ts'
import { type Column, Loaded, Table } from '../table.ts'
import { html, useState, type View } from '../view.ts'

type Row = Record<string, string>
type Report = {
  day: string
  timezone: string
  closed: boolean
  /** What is to be known before it is closed. */
  note: string | null
  flows: Row[]
  open: Row[]
  unpaidPayouts: (Row & { payouts: number | string })[]
  unpaidAsOf: string
}

const FILTERS: readonly Filter[] = [{ name: 'date', label: 'Day', placeholder: '2026-01-31' }]

const words = (key: string, title: string): Column<Row> => ({
  key,
  title,
  by: (row) => row[key],
  show: (row) => row[key],
})
const ringgit = (key: string, title: string): Column<Row> => ({
  key,
  title,
  numeric: true,
  by: (row) => Number(row[key]),
  show: (row) => html`<${Ringgit} of=${row[key]} />`,
})
const integration: Column<Row> = shortIdColumn('integrationId', 'Integration', (row) => row.integrationId)

const FLOWS = [
  integration,
  words('chainId', 'Chain'),
  ringgit('opening', 'Opening'),
  ringgit('minted', 'Minted'),
  ringgit('refunded', 'Refunded'),
  ringgit('redeemed', 'Redeemed'),
  ringgit('transferred', 'Transferred'),
  ringgit('fees', 'Fees'),
  ringgit('closing', 'Closing'),
]
/** What an age of the report is called in the console. */
const AGES: Readonly<Record<string, string>> = {
  upTo1Day: 'To 1 day',
  upTo7Days: 'To 7 days',
  upTo30Days: 'To 30 days',
  upTo90Days: 'To 90 days',
  older: 'Older',
}
const OPEN = [
  words('account', 'Account'),
  words('owner', 'Whose'),
  ringgit('total', 'Total'),
  ...Object.entries(AGES).map(([name, title]) => ringgit(name, title)),
]
const age: Column<Row> = {
  key: 'age',
  title: 'Age',
  by: (row) => Object.keys(AGES).indexOf(row.age ?? ''),
  show: (row) => AGES[row.age ?? ''] ?? row.age,
}
const UNPAID: readonly Column<Row>[] = [
  integration,
  words('status', 'Status'),
  age,
  words('payouts', 'Payouts'),
  ringgit('amount', 'Amount'),
  instantColumn('oldest', 'Oldest', (row) => row.oldest),
]

export function Close(): View {
  const date = useRoute().query.get('date')
  const read = useLive<Report>(date === null ? undefined : `/close?${new URLSearchParams({ date })}`, { live: false })
  return html`<div class="head"><${Filters} of=${FILTERS} />
      <${Action} command="ledger close" label="Close days …" danger target="the books" path="/ledger/close" onDone=${read.refresh}
        says="Closes every day up to and including this one. What comes later for a closed day is booked on the first open one."
        fields=${[{ name: 'through', label: 'Through', type: 'date', value: date ?? '' }]}
        result=${({ closedThrough }: { closedThrough: string }) => html`<p>Closed through ${closedThrough}.</p>`} /></div>
    ${date !== null && html`<${SaveDay} key=${date} date=${date} />`}
    ${date === null ? html`<p class="empty">Name a day to see its report.</p>` : html`<${Loaded} from=${read} show=${(report: Report) => html`<${Costly} why="It adds up every payout that is not paid" again=${read.refresh} /><${DayReport} of=${report} />`} />`}`
}

/** What the service makes of a day, as the command does. */
function SaveDay({ date }: { date: string }): View {
  const [state, set] = useState<{ isReading: boolean; why?: string }>({ isReading: false })
  const save = async () => {
    set({ isReading: true })
    try {
      const text = await getText(`/close?${new URLSearchParams({ date, format: 'csv' })}`)
      download(`close-${date}.csv`, 'text/csv;charset=utf-8', text)
      set({ isReading: false })
    } catch (error) {
      set({ isReading: false, why: whyOf(error) })
    }
  }
  return html`<p><${Busy} is=${state.isReading} onClick=${save}>${state.isReading ? 'Reading …' : 'Save this day as CSV'}<//></p>
    ${state.why !== undefined && html`<${Note}>${state.why}<//>`}`
}

function DayReport({
  of: { day, timezone, closed, note, flows, open, unpaidPayouts, unpaidAsOf },
}: {
  of: Report
}): View {
  const tables = [
    ['Flows', FLOWS, flows, 'Nothing moved on this day.'],
    ['Open at the end of the day', OPEN, open, 'Nothing is open.'],
    ['Payouts not paid', UNPAID, unpaidPayouts, 'Every payout is paid.'],
  ] as const
  return html`<p>${day} in ${timezone} <${Status} of=${closed ? 'closed' : 'open'} />; payouts not paid as of <${Instant} at=${unpaidAsOf} /></p>
    ${note !== null && html`<${Note} tone="wait">Before it is closed: ${note}<//>`}
    ${tables.map(
      ([title, columns, rows, empty], index) => html`<${Section} key=${title} title=${title}>
        <${Table} caption=${title} columns=${columns} rows=${rows} empty=${empty} sortedBy=${`sort${index}`}
          idOf=${(row: Row) => JSON.stringify(row)} /><//>`,
    )}`
}
