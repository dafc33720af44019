/** Mints whose ringgit the bank has not seen, by integration. */
import { instantColumn, numberColumn, ringgitColumn } from '../columns.ts'
import { useLive } from '../live.ts'
import { Id, Section, Words } from '../parts.ts'
import { hrefOf } from '../router.ts'
import { type Column, Loaded, Table } from '../table.ts'
import { html, type View } from '../view.ts'

type MintRow = {
  integrationId: string
  referenceId: string
  amountMyr: string
  openMyr: string
  completedAt: string
  ageDays: number
}
type AwaitedRow = {
  integrationId: string
  receivable: string
  oldestDays: number | null
  notListed: string
  mints: Omit<MintRow, 'integrationId'>[]
}

const integration = <T extends { integrationId: string }>(): Column<T> => ({
  key: 'integration',
  title: 'Integration',
  by: (row) => row.integrationId,
  show: (row) => html`<${Id} of=${row.integrationId} href=${hrefOf(['integrations', row.integrationId])} />`,
})

const SUMS: readonly Column<AwaitedRow>[] = [
  integration(),
  ringgitColumn('receivable', 'Awaited', (row) => row.receivable),
  numberColumn('oldest', 'Oldest of these mints, days', (row) => row.oldestDays),
  ringgitColumn('notListed', 'Not in these mints', (row) => row.notListed),
]

const MINTS: readonly Column<MintRow>[] = [
  integration(),
  {
    key: 'reference',
    title: 'Order',
    by: (row) => row.referenceId,
    show: (row) =>
      html`<${Words}><a href=${hrefOf(['orders', row.integrationId, row.referenceId])}>${row.referenceId}</a><//>`,
  },
  ringgitColumn('amount', 'Amount', (row) => row.amountMyr),
  ringgitColumn('open', 'Awaited of it', (row) => row.openMyr),
  instantColumn('completed', 'Completed', (row) => row.completedAt),
  numberColumn('age', 'Days old', (row) => row.ageDays),
]

export function Awaited(): View {
  const read = useLive<{ integrations: AwaitedRow[] }>('/bank/awaited')
  return html`<${Loaded} from=${read} show=${({ integrations }: { integrations: AwaitedRow[] }) => {
    const mints = integrations.flatMap((each) =>
      each.mints.map((mint) => ({ integrationId: each.integrationId, ...mint })),
    )
    return html`
      <${Table} caption="Awaited by integration" columns=${SUMS} rows=${integrations}
        empty="The bank has seen the ringgit of every mint." idOf=${(row: AwaitedRow) => row.integrationId} />
      <${Section} title="The newest of these mints"><${Table} caption="Mints whose ringgit is awaited" columns=${MINTS} rows=${mints} sortedBy="mints"
        empty="None." idOf=${(row: MintRow) => `${row.integrationId}/${row.referenceId}`} /><//>`
  }} />`
}
