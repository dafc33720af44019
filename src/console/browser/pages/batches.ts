/** Batches by chain, newest first: ours, and those that others settled with our contract. */
import { instantColumn, numberColumn, statusColumn } from '../columns.ts'
import { type Filter, Filters, queryOf } from '../filters.ts'
import { useLive } from '../live.ts'
import { Id, Nothing, Section } from '../parts.ts'
import { hrefOf } from '../router.ts'
import { type Column, Loaded, Pages, Table } from '../table.ts'
import { html, type View } from '../view.ts'

export type BatchRow = {
  chainId: number
  batchId: string
  status: string
  isForeign: boolean
  signer: string
  nonce: string
  txHash: string | null
  blockNumber: string | null
  instructions: number
  unmatched: number
  waitingOrders: number
  explanation: { reason: string; at: string; givesUp: boolean } | null
  /** Of one of ours that the chain has executed again with another outcome. */
  otherOutcome: { seenAt: string; explanation: { reason: string; at: string } | null } | null
  createdAt: string
  finalizedAt: string | null
}
type Listed = { batches: BatchRow[]; next: string | null }

const explanationOf = ({ explanation, otherOutcome }: BatchRow) =>
  explanation?.givesUp ? `to be given up: ${explanation.reason}` : (explanation ?? otherOutcome?.explanation)?.reason

export const BATCH_COLUMNS: readonly Column<BatchRow>[] = [
  {
    key: 'batch',
    title: 'Batch',
    by: (row) => row.batchId,
    show: (row) => html`<${Id} of=${row.batchId} short href=${hrefOf(['chains', String(row.chainId), row.batchId])} />`,
  },
  numberColumn('chain', 'Chain', (row) => row.chainId),
  statusColumn('status', 'Status', (row) => row.status),
  {
    key: 'foreign',
    title: 'Made by',
    by: (row) => (row.isForeign ? 'others' : 'us'),
    show: (row) => (row.isForeign ? 'others' : 'us'),
  },
  numberColumn('count', 'Instructions', (row) => row.instructions),
  numberColumn('unmatched', 'Of no order', (row) => row.unmatched),
  numberColumn('waiting', 'Orders wait', (row) => row.waitingOrders),
  {
    key: 'explained',
    title: 'Explained',
    by: (row) => explanationOf(row),
    show: (row) => explanationOf(row) ?? html`<${Nothing} />`,
  },
  instantColumn('created', 'Created', (row) => row.createdAt),
]

const FILTERS: readonly Filter[] = [
  { name: 'chainId', label: 'Chain' },
  { name: 'foreign', label: 'Made by others only', check: 'true' },
  { name: 'unexplained', label: 'Unexplained only', check: 'true' },
]

export function Batches(): View {
  const listed = useLive<Listed>(`/batches${queryOf(FILTERS)}`)
  return html`<${Section} title="Batches">
    <${Filters} of=${FILTERS} />
    <${Loaded} from=${listed} show=${({ batches, next }: Listed) => html`
      <${Table} caption="Batches" columns=${BATCH_COLUMNS} rows=${batches} empty="No batch fits these filters."
        idOf=${(row: BatchRow) => `${row.chainId}/${row.batchId}`} />
      <${Pages} next=${next} />`} /><//>`
}
