/** The overview: what waits for a person first, then queues, chains and the flows of a day. */
import { coinColumn, numberColumn, statusColumn, textColumn } from '../columns.ts'
import { useLive } from '../live.ts'
import { seenPages } from '../page.ts'
import { count, Instant, Note, Nothing, ringgit, Section, Status } from '../parts.ts'
import { hrefOf } from '../router.ts'
import { type Column, Loaded, Table } from '../table.ts'
import { html, type View } from '../view.ts'
import { ToRun } from './awaiting.ts'

type Flow = { direction: string; status: string; orders: number; coin: string }
type Chain = {
  chainId: number
  lost: { since: string; reason: string } | null
  observedBlock: string | null
  settlerAlive: boolean
  paused: { what: 'coin' | 'settlement'; advice: string } | null
  hold: { reason: string; details: string | null; since: string; advice: string } | null
  blocked: string[]
  batchesInFlight: number
}
type Overview = {
  orders: Record<string, number>
  payouts: Record<string, number>
  lastDay: { isWhole: boolean; flows: Flow[] }
  chains: Chain[]
  alarms: Record<
    | 'ordersHeld'
    | 'tagConflicts'
    | 'paymentsNotOpened'
    | 'paymentsNotPutOut'
    | 'auditUnsealed'
    | 'bankLinesUnallocated'
    | 'statementsWaiting'
    | 'bankFilesWaiting'
    | 'paymentFilesStopped'
    | 'approvalsWaiting'
    | 'endpointsDisabled',
    number
  >
  reserve: { available: string; committed: string; short: string; unknown: string | null }
  reconciliation?: { finishedAt: string; differences: Record<string, number> }
}

export function OverviewPage(): View {
  const overview = useLive<Overview>('/overview')
  return html`<h1>Overview</h1><${Loaded} from=${overview} show=${(data: Overview) => html`<${Everything} of=${data} />`} />`
}

function Everything({ of }: { of: Overview }): View {
  const { orders, payouts, alarms, chains, lastDay, reserve, reconciliation } = of
  const differences = Object.values(reconciliation?.differences ?? {}).reduce((sum, many) => sum + many, 0)
  return html`
    <${Section} title="Waits for a person">
      <div class="tiles">
        ${alarm('Approvals waiting', alarms.approvalsWaiting, ['approvals'], { status: 'waiting' }, 'wait')}
        ${alarm('Orders held', alarms.ordersHeld, ['orders'], { stuck: 'true' }, 'bad')}
        ${tile('Payouts held', payouts.held, ['payouts'], { status: 'held' }, 'bad')}
        ${tile('Payouts refused', payouts.rejected, ['payouts'], { status: 'rejected' }, 'bad')}
        ${tile('Payouts returned', payouts.returned, ['payouts'], { status: 'returned' }, 'bad')}
        ${alarm('Bank lines that nothing explains', alarms.bankLinesUnallocated, ['bank', 'unallocated'], {}, 'bad')}
        ${alarm('Statements that wait for an earlier one', alarms.statementsWaiting, ['bank'], {}, 'bad')}
        ${alarm('Files of the bank not taken in yet', alarms.bankFilesWaiting, ['bank'], {}, 'wait')}
        ${tile('Differences of the newest reconciliation', differences, ['reconciliation'], {}, 'bad')}
        ${alarm('Payments that no key opens', alarms.paymentsNotOpened, ['bank'], {}, 'bad')}
        ${alarm('Payments in no file that was put out', alarms.paymentsNotPutOut, ['payouts'], { status: 'sent' }, 'bad')}
        ${alarm('Audit lines without a seal', alarms.auditUnsealed, ['audit'], {}, 'bad')}
        ${alarm('Tag conflicts', alarms.tagConflicts, ['orders'], { stuck: 'true' }, 'bad')}
        ${alarm('Webhook endpoints disabled', alarms.endpointsDisabled, ['integrations'], {}, 'wait')}
      </div>
      <${ToRun} />
      ${
        reserve.short !== '0' &&
        html`<${Note} tone="wait">The ringgit at the bank does not cover all coin and what is owed: ${ringgit(reserve.available)} stand behind ${ringgit(reserve.committed)}, so ${ringgit(reserve.short)} are missing, or have not been shown by the bank yet.<//>`
      }
      ${alarms.paymentFilesStopped > 0 && html`<${Note}>Payment files are stopped: nothing is paid by them before the folder is read back. The page of the bank says why.<//>`}
      ${
        reserve.unknown !== null &&
        html`<${Note} tone="wait">What the bank holds is not known well enough: ${reserve.unknown.replaceAll('_', ' ')}.<//>`
      }
      <p class="hint">${
        reconciliation === undefined
          ? 'No reconciliation has come to its end yet.'
          : html`The newest reconciliation ended <${Instant} at=${reconciliation.finishedAt} />.`
      }</p>
    <//>
    <${Section} title="Queues">
      <div class="tiles">
        ${tile('Orders pending', orders.pending, ['orders'], { status: 'pending' })}
        ${tile('Orders processing', orders.processing, ['orders'], { status: 'processing' })}
        ${tile('Payouts queued', payouts.queued, ['payouts'], { status: 'queued' })}
      </div>
    <//>
    <${Section} title="Chains">
      ${chains.filter(({ hold }) => hold !== null).map(({ chainId, hold }) => html`<${Note} tone="wait">Chain ${chainId} is held: ${hold?.reason}: ${hold?.advice} ${hold?.details}<//>`)}
      ${chains.filter(({ hold, paused }) => hold?.reason !== 'paused' && paused !== null).map(({ chainId, paused }) => html`<${Note} tone="wait">Chain ${chainId} is paused: ${paused?.advice}<//>`)}
      <${Table} caption="Chains" columns=${CHAINS} rows=${chains} idOf=${(row: Chain) => String(row.chainId)} empty="No settler has looked at a chain yet."
        sortedBy="chains" />
    <//>
    <${Section} title="Orders of the last 24 hours">
      ${!lastDay.isWhole && html`<p class="hint">There were more than 20,000: these are the newest.</p>`}
      <${Table} caption="Orders of the last 24 hours" columns=${FLOWS} rows=${lastDay.flows} sortedBy="flows"
        idOf=${(row: Flow) => `${row.direction} ${row.status}`} empty="None." />
    <//>`
}

/** The service counts no further what waits for a person. */
const MOST_COUNTED = 1_000

/** What waits for a person, which may be more than was counted. */
function alarm(
  title: string,
  many: number,
  parts: readonly [string, ...string[]],
  query: Record<string, string>,
  tone: 'bad' | 'wait',
): View {
  return tile(title, many, parts, query, tone, many < MOST_COUNTED)
}

function tile(
  title: string,
  many: number | undefined,
  parts: readonly [string, ...string[]],
  query: Record<string, string>,
  tone?: 'bad' | 'wait',
  isCounted = true,
): View {
  const shown = many ?? 0
  const classes = `tile ${shown > 0 ? (tone ?? '') : ''}`
  const inside = html`<strong>${count(shown)}${isCounted ? '' : '+'}</strong>${title}`
  return !seenPages.has(parts[0])
    ? html`<div class=${classes}>${inside}</div>`
    : html`<a class=${classes} href=${hrefOf(parts, query)}>${inside}</a>`
}

/** A stop of the chain is there before an order waits for its end. */
const heldBy = ({ hold, paused, blocked }: Chain) =>
  [...new Set([paused && 'paused', hold?.reason, ...blocked])].filter(Boolean).join(', ')

const settlerOf = ({ lost, settlerAlive }: Chain) => (lost !== null ? 'lost' : settlerAlive ? 'active' : 'none works')

const CHAINS: readonly Column<Chain>[] = [
  textColumn('chain', 'Chain', (row) => row.chainId),
  {
    key: 'settler',
    title: 'Settler',
    by: settlerOf,
    show: (row) => html`<${Status} of=${settlerOf(row)} />`,
  },
  {
    key: 'hold',
    title: 'Held by',
    by: heldBy,
    show: (row) => heldBy(row) || html`<${Nothing} />`,
  },
  {
    key: 'since',
    title: 'Since',
    by: (row) => row.hold?.since,
    show: (row) => html`<${Instant} at=${row.hold?.since} />`,
  },
  numberColumn('batches', 'Batches in flight', (row) => row.batchesInFlight),
  {
    key: 'block',
    title: 'Newest block seen',
    numeric: true,
    by: (row) => Number(row.observedBlock),
    show: (row) => row.observedBlock ?? html`<${Nothing} />`,
  },
]

const FLOWS: readonly Column<Flow>[] = [
  { key: 'direction', title: 'Direction', by: (row) => row.direction, show: (row) => row.direction.toLowerCase() },
  statusColumn('status', 'Status', (row) => row.status),
  { key: 'orders', title: 'Orders', numeric: true, by: (row) => row.orders, show: (row) => count(row.orders) },
  coinColumn('coin', 'Coin', (row) => row.coin),
]
