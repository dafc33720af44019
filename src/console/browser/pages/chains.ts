/** Chains: whether each is well, its signers and their gas, stopping it, and the batches that went to it. */
import { Action } from '../action.ts'
import { idColumn, instantColumn, textColumn } from '../columns.ts'
import { useLive } from '../live.ts'
import type { PageProps } from '../page.ts'
import { Facts, Id, Note, Section, Status } from '../parts.ts'
import { useRoute } from '../router.ts'
import { type Column, Loaded, Table } from '../table.ts'
import { html, type View } from '../view.ts'
import { Awaiting } from './awaiting.ts'
import { BatchPage } from './batch.ts'
import { Batches } from './batches.ts'
import { ChainResults } from './chain-results.ts'

type Operation = {
  operationId: string
  executableAt: string
  sentBy: string | null
  calls: { contract: string | null; target: string; value: string; call: string }[]
}

type Movement = { movement: string; details: string; seenBlock: string; seenAt: string }

type ChainRow = {
  chainId: number
  ok: boolean
  head: number | null
  rpcUrls: string[]
  coin: string
  settlement: string
  paused: boolean | null
  settlementPaused: boolean | null
  signers: { address: string; nonce: number; gasBalance: string; isLow: boolean }[]
  keys: { name: string; address: string; gasBalance: string; isLow: boolean }[]
  findings: { text: string; danger: boolean }[]
  timelock: { readTo: number; operations: Operation[] } | null
  /** What was seen that nobody here asked for; the newest first. */
  movements: Movement[]
  lost: string | null
  error: string | null
}
type Listed = { ok: boolean; chains: ChainRow[] }

export function ChainsPage({ rest: [chainId, batchId] }: PageProps): View {
  useRoute()
  if (chainId !== undefined && batchId !== undefined) {
    return html`<${BatchPage} key=${`${chainId}/${batchId}`} ...${{ chainId, batchId }} />`
  }
  return html`<${ChainList} />`
}

function ChainList(): View {
  const read = useLive<Listed>('/chains')
  return html`<div class="head"><h1>Chains</h1><${Stops} target="every chain" chains=${read.data?.chains ?? []} refresh=${read.refresh} /></div>
    <p class="lead">Stopping never waits for anybody. Orders are kept while a chain stands still, and go on afterwards.</p>
    <${Awaiting} noun="chain" />
    <${Loaded} from=${read} show=${({ chains }: Listed) =>
      chains.length === 0
        ? html`<p class="empty">No chain is configured.</p>`
        : chains.map((chain) => html`<${Chain} key=${chain.chainId} of=${chain} refresh=${read.refresh} />`)} />
    <${Batches} />`
}

function stateOf({ paused, settlementPaused, lost }: ChainRow): string {
  if (lost !== null) return 'lost'
  if (paused === null) return 'unreadable'
  if (paused) return 'paused'
  return settlementPaused === true ? 'settlement_paused' : 'running'
}

function Chain({ of: chain, refresh }: { of: ChainRow; refresh: () => unknown }): View {
  const { chainId, error, findings, lost } = chain
  const actions = html`<${Status} of=${stateOf(chain)} />
    ${lost === null && html`<${Stops} target=${`chain ${chainId}`} body=${{ chainId }} chains=${[chain]} refresh=${refresh} />`}
    <${Losing} of=${chain} refresh=${refresh} />`
  return html`<${Section} title=${`Chain ${chainId}`} actions=${actions}>
    ${lost !== null && html`<${Note} tone="wait">${lost}<//>`}
    ${error !== null && html`<${Note}>${error}<//>`}
    ${findings.map(({ text, danger }) => html`<${Note} key=${text} tone=${danger ? 'bad' : 'wait'}>${text}<//>`)}
    ${chain.movements.map(({ movement, details, seenBlock }) => html`<${Note} key=${movement}>Nobody here asked for this, seen up to block ${seenBlock}: ${details}. <${Id} of=${movement} /><//>`)}
    <${Facts} of=${[
      ['Newest block', chain.head === null ? undefined : String(chain.head)],
      ['Coin', html`<${Id} of=${chain.coin} />`],
      ['Settlement', html`<${Id} of=${chain.settlement} />`],
      ['Nodes', chain.rpcUrls.join(', ')],
      ['Timelock', chain.timelock === null ? undefined : `read up to block ${chain.timelock.readTo}`],
    ]} />
    <${Table} caption=${`Signers and keys of chain ${chainId}`} columns=${KEY_COLUMNS} rows=${keysOf(chain)} sortedBy=${`keys${chainId}`}
      empty="Nothing is known of its signers." idOf=${(row: KeyRow) => `${row.name} ${row.address}`} />
    ${
      (chain.timelock?.operations ?? []).length > 0 &&
      html`<${Table} caption=${`Scheduled in the timelock of chain ${chainId}`} columns=${OPERATION_COLUMNS}
        rows=${chain.timelock?.operations} sortedBy=${`timelock${chainId}`} empty="" idOf=${(row: Operation) => row.operationId} />`
    }<//>`
}

type KeyRow = { name: string; address: string; nonce: number | null; gasBalance: string; isLow: boolean }

function keysOf({ signers, keys }: ChainRow): KeyRow[] {
  return [...signers.map((signer) => ({ ...signer, name: 'signer' })), ...keys.map((key) => ({ ...key, nonce: null }))]
}

const WEI_DIGITS = 18

/** Wei as native coin, cut to six decimals. */
function nativeOf(wei: string): string {
  const digits = wei.padStart(WEI_DIGITS + 1, '0')
  return `${digits.slice(0, -WEI_DIGITS)}.${digits.slice(-WEI_DIGITS).slice(0, 6)}`
}

const KEY_COLUMNS: readonly Column<KeyRow>[] = [
  textColumn('name', 'Key', (row) => row.name),
  idColumn('address', 'Address', (row) => row.address),
  { key: 'nonce', title: 'Nonce', numeric: true, by: (row) => row.nonce, show: (row) => row.nonce ?? '' },
  {
    key: 'gas',
    title: 'Gas',
    numeric: true,
    by: (row) => Number(nativeOf(row.gasBalance)),
    show: (row) =>
      html`<span class="money">${nativeOf(row.gasBalance)}</span> ${row.isLow && html`<${Status} of="too_little" />`}`,
  },
]

const callText = ({ contract, target, value, call }: Operation['calls'][number]) =>
  `${contract ?? target}: ${call}${value === '0' ? '' : ` with ${value} wei`}`

const OPERATION_COLUMNS: readonly Column<Operation>[] = [
  { key: 'call', title: 'Call', show: (row) => row.calls.map((call) => html`<div>${callText(call)}</div>`) },
  instantColumn('executable', 'Executable from', (row) => row.executableAt),
  {
    key: 'sender',
    title: 'Sent by',
    show: (row) => (row.sentBy === null ? 'unknown' : html`<${Id} of=${row.sentBy} />`),
  },
  { key: 'operation', title: 'Operation', show: (row) => html`<${Id} of=${row.operationId} />` },
]

/** A chain that no node shows can be called lost, and one that is, found. */
function Losing({ of: { chainId, head, lost }, refresh }: { of: ChainRow; refresh: () => unknown }): View {
  const common = { target: `chain ${chainId}`, body: { chainId }, onDone: refresh }
  if (lost !== null)
    return html`<${Action} ...${common} command="chain found" label="Found …" reason path="/chains/found"
      says="It is read again from where it was lost, and fenced, before anything is settled there." />`
  return (
    head === null &&
    html`<${Action} ...${common} command="chain lost" label="Lost …" danger path="/chains/lost"
      says="It is gone for good: what was not final there fails, and what was stays owed to its holders. Nobody orders there any more." />`
  )
}

type StopsProps = { target: string; body?: Record<string, unknown>; chains: ChainRow[]; refresh: () => unknown }

/** What the page shows is called known when chains go on: from the newest movement of each to the oldest. */
function knownOf(chains: ChainRow[]): { known?: string } {
  const ends = chains.flatMap(({ movements }) => [movements.at(0), movements.at(-1)])
  const names = new Set(ends.flatMap((each) => (each === undefined ? [] : [each.movement])))
  return names.size === 0 ? {} : { known: [...names].join(',') }
}

/** Stopping and resuming: of one chain, or of all, whose buttons say so: nobody may take the ones for the others. */
function Stops({ target, body, chains, refresh }: StopsProps): View {
  const [whole, settlementOf] = body === undefined ? [` ${target}`, ` of ${target}`] : ['', '']
  const common = { target, result: ChainResults, onDone: refresh }
  const all = { ...common, body: body ?? {} }
  const settlement = { ...common, body: { ...body, settlementOnly: true } }
  const known = knownOf(chains)
  const says = known.known === undefined ? '' : ` What this page shows that nobody here asked for counts as known.`
  return html`<div class="buttons">
    <${Action} ...${all} command="chain pause" label=${`Stop${whole} …`} danger path="/chains/pause"
      says="Nothing moves there from now on: no holder's coin, and no order." />
    <${Action} ...${settlement} command="chain pause" label=${`Stop settlement${settlementOf} …`} danger path="/chains/pause"
      says="Orders wait from now on; holders can go on moving their coin." />
    <${Action} ...${{ ...all, body: { ...all.body, ...known } }} command="chain resume" label=${`Resume${whole} …`} reason path="/chains/resume"
      says=${`Coin and settlement go on.${says}`} />
    <${Action} ...${{ ...settlement, body: { ...settlement.body, ...known } }} command="chain resume" label=${`Resume settlement${settlementOf} …`} reason path="/chains/resume"
      says=${`Settlement goes on; a coin that is stopped stays so.${says}`} />
  </div>`
}
