/** Reconciliation: the coin in existence against the orders and the books, each difference by its kind. */
import { Action } from '../action.ts'
import { coinColumn, numberColumn, statusColumn } from '../columns.ts'
import { queryOf } from '../filters.ts'
import { useLive } from '../live.ts'
import type { PageProps } from '../page.ts'
import { Busy, Coin, count, Facts, Id, Note, Nothing, Section, Words } from '../parts.ts'
import { setQuery, useRoute } from '../router.ts'
import { type Column, Loaded, Pages, Table } from '../table.ts'
import { html, useState, type View } from '../view.ts'
import { BATCH_COLUMNS, type BatchRow } from './batches.ts'

type Moved = { txHash: string; block: string | null; from: string | null; to: string | null; amount: string | null }
type DifferenceRow = { kind: string; subject: string; message: string; transactions?: Moved[] }
type ChainRow = { chainId: number; block: string; supply: string; expected: string; books: string }
type Result = {
  ok: boolean
  supply: string
  expected: string
  books: string
  chains: ChainRow[]
  differences: DifferenceRow[]
  explained: string[]
}

/** A command sets these to what their orders come to. */
const COUNTERS = ['earmark', 'mint_usage', 'transfer_usage', 'withdrawal_usage']

function Recount({ kind, subject }: DifferenceRow): View {
  return html`<${Action} command="counter recount" label="Recount …" danger target=${`${kind} ${subject}`} path="/counters/recount"
    says="Sets it to what its orders come to. Find out first why it differs: somebody may have a login of the database."
    body=${{ kind, subject }} />`
}

const DIFFERENCES: readonly Column<DifferenceRow>[] = [
  statusColumn('kind', 'Kind', (row) => row.kind),
  {
    key: 'subject',
    title: 'Subject',
    by: (row) => row.subject,
    show: (row) => html`<${Words}><${Id} of=${row.subject} /><//>`,
  },
  {
    key: 'message',
    title: 'What differs',
    by: (row) => row.message,
    show: (row) => html`${row.message} ${COUNTERS.includes(row.kind) && html`<${Recount} ...${row} />`}`,
  },
  {
    key: 'transactions',
    title: 'Transactions',
    by: ({ transactions }) => transactions?.[0]?.txHash,
    show: ({ transactions = [] }) =>
      transactions.length === 0
        ? html`<${Nothing} />`
        : transactions.map(
            ({ txHash, amount }) =>
              html`<div key=${txHash}><${Id} of=${txHash} short /> <${Coin} of=${amount} /></div>`,
          ),
  },
]

const SUPPLIES: readonly Column<ChainRow>[] = [
  numberColumn('chain', 'Chain', (row) => row.chainId),
  { key: 'block', title: 'Block', numeric: true, by: (row) => Number(row.block), show: (row) => row.block },
  coinColumn('supply', 'In existence', (row) => row.supply),
  coinColumn('expected', 'Expected', (row) => row.expected),
  coinColumn('books', 'In the books', (row) => row.books),
]

/** It reads the chains and the books, so it runs when somebody asks, and not by itself. */
export function ReconciliationPage(_: PageProps): View {
  const isAsked = useRoute().query.get('run') === 'true'
  const read = useLive<Result>(isAsked ? '/reconcile' : undefined, { live: false })
  const [again, set] = useState(false)
  const run = () => {
    if (!isAsked) return setQuery({ run: 'true' })
    set(true)
    void read.refresh().finally(() => set(false))
  }
  const running = again || (isAsked && read.data === undefined && read.error === undefined)
  return html`<div class="head"><h1>Reconciliation</h1>
      <${Busy} class="solid" is=${running} onClick=${run}>${running ? 'Running …' : isAsked ? 'Run again' : 'Run'}<//></div>
    <p class="lead">Compares the coin in existence with the orders, and the books with what is behind them. It changes nothing.</p>
    ${isAsked ? html`<${Loaded} from=${read} show=${(result: Result) => html`<${Found} of=${result} />`} />` : html`<p class="empty">Run it to see what differs.</p>`}
    <${Unexplained} />`
}

function Found({ of: { ok, supply, expected, books, chains, differences, explained } }: { of: Result }): View {
  const without = differences.filter(({ kind }) => kind === 'chain_unreadable').map(({ subject }) => subject)
  return html`
    ${ok ? html`<${Note} tone="good">${explained.length === 0 ? 'Everything agrees.' : 'Everything agrees, but for what is explained.'}<//>` : html`<${Note}>${count(differences.length)} ${differences.length === 1 ? 'thing differs' : 'things differ'}.<//>`}
    ${explained.map((sentence) => html`<p key=${sentence}>${sentence}</p>`)}
    <${Facts} of=${[
      ['In existence', html`<${Coin} of=${supply} />`],
      ['Expected', html`<${Coin} of=${expected} />`],
      ['In the books', html`<${Coin} of=${books} />`],
    ]} />
    ${without.length > 0 && html`<p class="hint">Without chain ${without.join(', ')}, of which nothing was compared.</p>`}
    <${Section} title="Differences"><${Table} caption="Differences" columns=${DIFFERENCES} rows=${differences} sortedBy="differences"
      empty="Nothing differs." idOf=${(row: DifferenceRow) => `${row.kind} ${row.subject} ${row.message}`} /><//>
    <${Section} title="Coin by chain"><${Table} caption="Coin by chain" columns=${SUPPLIES} rows=${chains} sortedBy="chains"
      empty="No chain could be read." idOf=${(row: ChainRow) => String(row.chainId)} /><//>`
}

type Batches = { batches: BatchRow[]; next: string | null }

function Unexplained(): View {
  const read = useLive<Batches>(`/batches${queryOf([], { unexplained: 'true' })}`)
  return html`<${Section} title="Batches that nobody has explained">
    <${Loaded} from=${read} show=${({ batches, next }: Batches) => html`
      <${Table} caption="Unexplained batches" columns=${BATCH_COLUMNS} rows=${batches} sortedBy="batches"
        empty="Every batch that others made is explained, and no order waits because of one."
        idOf=${(row: BatchRow) => `${row.chainId}/${row.batchId}`} />
      <${Pages} next=${next} />`} /><//>`
}
