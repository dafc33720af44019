/** One batch: its transaction, and its instructions with whose they are and what came of each. */
import { Action } from '../action.ts'
import { pathOf } from '../api.ts'
import { coinColumn, numberColumn, shortIdColumn, statusColumn } from '../columns.ts'
import type { Field } from '../field.ts'
import { useLive } from '../live.ts'
import { Facts, Id, Instant, Nothing, Section, Status } from '../parts.ts'
import { hrefOf } from '../router.ts'
import { type Column, Loaded, Table } from '../table.ts'
import { html, type View } from '../view.ts'
import { Awaiting } from './awaiting.ts'
import type { BatchRow } from './batches.ts'

type Instruction = {
  index: number
  kind: string
  from: string | null
  to: string | null
  amount: string
  order: string | null
  waitingOrder: string | null
  notOfOrder: string | null
  endedOrder: string | null
  outcome: 'executed' | 'failed' | null
  /** Where the chain has done the contrary since. */
  outcomeNow: 'executed' | 'failed' | null
}
/** `asSeen`: what says that it is as this page shows it. */
type Shown = BatchRow & { asSeen: string; instructions: Instruction[] }

/** A link to an order that is named integrationId/referenceId. */
function OrderLink({ of }: { of: string | null }): View {
  if (of === null) return html`<${Nothing} />`
  const slash = of.indexOf('/')
  return html`<${Id} of=${of} href=${hrefOf(['orders', of.slice(0, slash), of.slice(slash + 1)])} />`
}

const COLUMNS: readonly Column<Instruction>[] = [
  numberColumn('index', '#', (row) => row.index),
  { key: 'kind', title: 'Kind', by: (row) => row.kind, show: (row) => row.kind.toLowerCase() },
  shortIdColumn('from', 'From', (row) => row.from),
  shortIdColumn('to', 'To', (row) => row.to),
  coinColumn('amount', 'Coin', (row) => row.amount),
  { key: 'order', title: 'Order', by: (row) => row.order, show: (row) => html`<${OrderLink} of=${row.order} />` },
  statusColumn('outcome', 'Outcome', (row) => row.outcome),
  statusColumn('now', 'Now', (row) => row.outcomeNow),
  { key: 'notes', title: 'Notes', by: (row) => row.waitingOrder ?? row.notOfOrder ?? row.endedOrder, show: Notes },
]

function Notes({ waitingOrder, notOfOrder, endedOrder }: Instruction): View {
  const notes = [
    [waitingOrder === endedOrder ? null : waitingOrder, 'waits because of it'],
    [notOfOrder, 'is not what it settled'],
    [endedOrder, 'had ended, and coin moved'],
  ] as const
  const given = notes.filter(([order]) => order !== null)
  if (given.length === 0) return html`<${Nothing} />`
  return given.map(([order, what]) => html`<div key=${what}><${OrderLink} of=${order} /> ${what}</div>`)
}

export function BatchPage({ chainId, batchId }: { chainId: string; batchId: string }): View {
  const path = `/batches${pathOf(chainId, batchId)}`
  const read = useLive<Shown>(path)
  return html`<p><a href=${hrefOf(['chains'])}>Chains</a></p>
    <h1>Batch of chain ${chainId}</h1>
    <${Loaded} from=${read} show=${(batch: Shown) => html`
      <${BatchFacts} of=${batch} />
      <${Awaiting} of=${[`${batch.chainId}/${batch.batchId}`]} />
      ${batch.isForeign && html`<div class="buttons section"><${Explaining} of=${batch} path=${path} refresh=${read.refresh} /></div>`}
      ${batch.otherOutcome?.explanation === null && html`<div class="buttons section"><${ExplainingOutcome} of=${batch} path=${path} refresh=${read.refresh} /></div>`}
      ${batch.status === 'final' && (batch.isForeign || batch.explanation === null) && html`<${GivingUp} of=${batch} path=${path} refresh=${read.refresh} />`}
      <${Section} title="Instructions"><${Table} caption="Instructions" columns=${COLUMNS} rows=${batch.instructions}
        empty="Its instructions are not known yet." idOf=${(row: Instruction) => String(row.index)} /><//>`} />`
}

function BatchFacts({ of: batch }: { of: Shown }): View {
  return html`<${Facts} of=${[
    ['Batch', html`<${Id} of=${batch.batchId} />`],
    ['Status', html`<${Status} of=${batch.status} />`],
    ['Made by', batch.isForeign ? 'others' : 'us'],
    ['Signer', html`<${Id} of=${batch.signer} />`],
    ['Nonce', batch.nonce],
    ['Transaction', html`<${Id} of=${batch.txHash} />`],
    ['Block', batch.blockNumber ?? html`<${Nothing} />`],
    ['Executed again', batch.otherOutcome === null ? undefined : html`<${SeenAgain} of=${batch.otherOutcome} />`],
    ['Created', html`<${Instant} at=${batch.createdAt} />`],
    ['Final', html`<${Instant} at=${batch.finalizedAt} />`],
    [
      batch.explanation?.givesUp ? 'To be given up' : 'Explained',
      batch.explanation === null
        ? undefined
        : html`${batch.explanation.reason} (<${Instant} at=${batch.explanation.at} />)${batch.explanation.givesUp && ': a settler does so once it sees itself that the chain has lost it for good. Until then this word stays.'}`,
    ],
  ]} />`
}

function SeenAgain({ of: { seenAt, explanation } }: { of: NonNullable<Shown['otherOutcome']> }): View {
  const said = explanation === null ? 'which nobody has explained' : `explained: ${explanation.reason}`
  return html`with another outcome (<${Instant} at=${seenAt} />), ${said}`
}

const SAYS_OUTCOME =
  'The chain had lost it, and has executed it again: beside some orders “Now” says the contrary of what they were told. They stay so, and each is named until it is made good on its own page.'

/** Of one of ours that the chain has executed again with another outcome, while nobody has said so. */
function ExplainingOutcome({ of: batch, path, refresh }: ExplainingProps): View {
  return html`<${Action} command="batch explain" path=${`${path}/explain`} label="Explain its outcome …" reason
    target=${`${batch.chainId}/${batch.batchId}`} seen=${batch.asSeen} onDone=${refresh} onConflict=${refresh} says=${SAYS_OUTCOME} />`
}

type ExplainingProps = { of: Shown; path: string; refresh: () => unknown }

function Explaining({ of: batch, path, refresh }: ExplainingProps): View {
  const common = {
    command: 'batch explain',
    path: `${path}/explain`,
    target: `${batch.chainId}/${batch.batchId}`,
    // The chain may have another batch under its number while a dialog stays open.
    seen: batch.asSeen,
    onDone: refresh,
    onConflict: refresh,
  }
  const bodyOf = ({ index, ...rest }: Record<string, string>) => ({
    ...rest,
    ...(index === undefined ? {} : { index: Number(index) }),
  })
  return html`
    <${Action} ...${common} label="Explain …" reason
      says="Records why others settled what no order here had asked for. Decide first about the orders that wait because of it." />
    ${
      batch.waitingOrders > 0 &&
      html`<${Action} ...${common} label="Not an order's …" danger bodyOf=${bodyOf}
        says="Says that this is not what that order asked for. One that waits goes on, and will settle; one that had ended stays as its partner was told."
        fields=${[
          ordersOf(batch),
          {
            name: 'index',
            label: 'Instruction',
            optional: true,
            hint: 'its number; empty: all with the tag of that order',
          },
        ]} />`
    }`
}

/** The orders of which it can be said: nobody has to write one down, and so to take another. */
function ordersOf({ instructions }: Shown): Field {
  const names = instructions.flatMap(({ waitingOrder, endedOrder }) => [waitingOrder, endedOrder])
  const options = [...new Set(names)].filter((name) => name !== null)
  return {
    name: 'notOrder',
    label: 'Order',
    ...(options.length === 0 ? { hint: 'integrationId/referenceId' } : { options }),
  }
}

type Held = { chains: { chainId: number; hold: { details: string | null } | null }[] }

/**
 * Whether the chain waits for people to give up just this batch, as its settler says in what holds it (pure). It is compared, not parsed:
 * of details that are long the database keeps only the beginning, which is no JSON.
 */
function isLost({ chainId, batchId }: BatchRow, { chains }: Held): boolean {
  const details = chains.find((chain) => chain.chainId === chainId)?.hold?.details
  return [{ otherUnderFinalBatch: batchId }, { lostForeignBatch: batchId }, { lostBatch: batchId }].some(
    (held) => details === JSON.stringify(held),
  )
}

/** Offered only where the chain has lost it: of any other batch the API refuses it. */
function GivingUp({ of: batch, path, refresh }: ExplainingProps): View {
  const held = useLive<Held>('/overview')
  if (held.data === undefined || !isLost(batch, held.data)) return null
  return html`<div class="buttons section"><${Action} command="batch explain" path=${`${path}/explain`} label="Give up …" danger
    target=${`${batch.chainId}/${batch.batchId}`} seen=${batch.asSeen} onDone=${refresh} onConflict=${refresh}
    bodyOf=${(body: Record<string, string>) => (batch.isForeign || batch.otherOutcome?.explanation === null ? { ...body, giveUp: true } : body)}
    says="The chain has lost it, or has other instructions under its id. It and every final batch behind it are given up: their orders stay as their partners were told, and what they moved is not there. This cannot be undone." /></div>`
}
