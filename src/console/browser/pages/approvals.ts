/** Approvals: what waits for a second person, their decisions, and running what was approved. */
import { Action } from '../action.ts'
import type { ActionProps } from '../action-props.ts'
import { pathOf } from '../api.ts'
import { instantColumn, statusColumn, textColumn } from '../columns.ts'
import { type Filter, Filters, queryOf } from '../filters.ts'
import { useLive } from '../live.ts'
import type { PageProps } from '../page.ts'
import { Facts, Id, Instant, Note, Recorded, Section, Status } from '../parts.ts'
import { hrefOf, useRoute } from '../router.ts'
import { decides, may, session } from '../session.ts'
import { type Column, Loaded, Pages, Table } from '../table.ts'
import { html, type View } from '../view.ts'
import type { Approval } from './awaiting.ts'
import { bodyOfImport, IMPORTED, Imported, whySetAside } from './bank.ts'
import { pageOf } from './page-of.ts'

type Whole = Approval & {
  /** A sentence in place of the body: no key opens it here. */
  request: { method: string; path: string; body: Record<string, unknown> | string }
  /** What it is about, as it is now, and what would become of it; null where the target says it. */
  about: Record<string, string | null> | null
  createdAt: string
  decidedBy: string | null
  decidedAt: string | null
  withdrawnBy: string | null
  reason: string | null
  usedAt: string | null
  outcome: string | null
}
type Page = { approvals: Approval[]; next: string | null }

const FILTERS: readonly Filter[] = [
  { name: 'status', label: 'Status', options: ['waiting', 'approved', 'rejected', 'withdrawn', 'used', 'void'] },
]

const COLUMNS: readonly Column<Approval>[] = [
  {
    key: 'id',
    title: 'Approval',
    by: (row) => row.approvalId,
    show: (row) =>
      html`<${Id} of=${row.approvalId} href=${may('approval show') ? hrefOf(['approvals', row.approvalId]) : undefined} />`,
  },
  textColumn('command', 'Command', (row) => row.command),
  { key: 'target', title: 'Of', by: (row) => row.target, show: (row) => html`<code>${row.target}</code>` },
  { key: 'by', title: 'Asked by', by: (row) => row.requestedBy, show: (row) => html`<bdi>${row.requestedBy}</bdi>` },
  statusColumn('status', 'Status', (row) => row.status),
  instantColumn('expires', 'Expires', (row) => row.expiresAt),
]

export function ApprovalsPage({ rest: [approvalId] }: PageProps): View {
  useRoute()
  return approvalId === undefined ? html`<${List} />` : html`<${One} approvalId=${approvalId} />`
}

function List(): View {
  const approvals = useLive<Page>(`/approvals${queryOf(FILTERS)}`)
  return html`<h1>Approvals</h1>
    <p class="lead">${
      session().fourEyes
        ? 'What one person asks for and another approves; who asked then runs it, once, within a day.'
        : 'Four eyes are off here (FOUR_EYES): nothing waits for a second person.'
    }</p>
    <${Filters} of=${FILTERS} />
    <${Loaded} from=${approvals} show=${({ approvals: rows, next }: Page) => html`
      <${Table} caption="Approvals" columns=${COLUMNS} rows=${rows} idOf=${(row: Approval) => row.approvalId} empty="Nothing fits these filters." />
      <${Pages} next=${next} />`} />`
}

function One({ approvalId }: { approvalId: string }): View {
  const approval = useLive<{ approval: Whole }>(`/approvals${pathOf(approvalId)}`, { live: false })
  return html`<p><a href=${hrefOf(['approvals'])}>← Approvals</a></p><h1>${approvalId}</h1>
    <${Recorded} why="It may show bank details" again=${approval.refresh} />
    <${Loaded} from=${approval} show=${({ approval: of }: { approval: Whole }) => html`<${Shown} of=${of} refresh=${approval.refresh} />`} />`
}

function Shown({ of, refresh }: { of: Whole; refresh: () => Promise<void> }): View {
  const { body } = of.request
  const fields = typeof body === 'string' ? [] : Object.entries(body)
  return html`
    <${Actions} of=${of} refresh=${refresh} />
    <${Facts} of=${[
      ['Status', html`<${Status} of=${of.status} />`],
      ['Command', of.command],
      ['Of', html`<${Id} of=${of.target} href=${pageOf(of)} />`],
      ['Asked by', of.requestedBy],
      ['Asked', html`<${Instant} at=${of.createdAt} />`],
      ['Expires', html`<${Instant} at=${of.expiresAt} />`],
      ['Decided by', of.decidedBy],
      ['Decided', html`<${Instant} at=${of.decidedAt} />`],
      ['Taken back by', of.withdrawnBy ?? undefined],
      ['Reason', of.reason],
      ['Run', html`<${Instant} at=${of.usedAt} />`],
      ['Outcome', of.outcome],
    ]} />
    ${
      of.about !== null &&
      html`<${Section} title="What it is about, as it is now"><${Facts} of=${Object.entries(of.about)} /><//>`
    }
    <${Section} title="What exactly is asked for">
      ${
        typeof body === 'string'
          ? html`<${Note}>${body}<//>`
          : fields.length === 0
            ? html`<p class="empty">The command takes nothing but its target.</p>`
            : html`<${Facts} of=${fields.map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)])} />`
      }
    <//>`
}

function Actions({ of, refresh }: { of: Whole; refresh: () => Promise<void> }): View {
  const { approvalId, command, target, status, requestedBy, decidedBy } = of
  const { name } = session()
  const isMine = requestedBy === name
  const isToDecide = status === 'waiting' && !isMine && decides(command)
  // Nobody approves what they do not see, and it can be run no more.
  const isSeen = typeof of.request.body !== 'string'
  // This page asks only when told to, as each look is recorded: of what another tab or person decided it learns by a refusal.
  const common = { target: `${command} · ${target}`, onDone: refresh, onConflict: refresh }
  const path = (verb: string) => `/approvals${pathOf(approvalId, verb)}`
  // Where it is decided, and not only further down: also for who hears the dialog.
  const would = of.about?.would == null ? '' : ` What becomes of it: ${of.about.would}`
  const isTakenBack = status === 'approved' ? isMine || decidedBy === name : status === 'waiting' && isMine
  return html`
    ${status === 'waiting' && isMine && html`<${Note} tone="wait">Another operator who may run “${command}” has to approve it.<//>`}
    ${status === 'approved' && !isMine && html`<${Note} tone="wait"><bdi>${requestedBy}</bdi> may run it now.<//>`}
    <div class="buttons section">
      ${
        isToDecide &&
        isSeen &&
        html`<${Action} ...${common} command="approval approve" label="Approve …" path=${path('approve')} danger
          says=${html`<bdi>${requestedBy}</bdi> may then run it, once, exactly as it stands here. Read all of it first.${would}`} />`
      }
      ${
        (isToDecide || isTakenBack) &&
        html`<${Action} ...${common} command="approval reject" label=${isTakenBack ? 'Take back …' : 'Reject …'} path=${path('reject')} reason
          says="It can then not be run. Who asked for it may ask again." />`
      }
      ${
        status === 'approved' &&
        isMine &&
        isSeen &&
        html`<${Action} ...${common} command=${command} label="Run it now …" path=${of.request.path.replace(/^\/operator\/v1/, '')}
          approval=${approvalId} danger says=${`It is executed once, exactly as it was approved.${would}`} ...${sentAgain(of)} />`
      }
    </div>`
}

/** What was asked for. Of a file the approval keeps only what names it exactly: it is chosen again. */
function sentAgain({ command, request: { body } }: Whole): Partial<ActionProps> {
  if (typeof body === 'string') return {}
  if (command !== 'bank import') return { body, result: Result }
  const { reason, asBooked } = body
  return {
    body: { reason, ...(asBooked === undefined ? {} : { asBooked }) },
    fields: [IMPORTED],
    bodyOf: bodyOfImport,
    result: Imported as typeof Result,
    refused: whySetAside,
  }
}

/** What the command answered: only here a secret is shown that it made. */
function Result(answer: Record<string, unknown>): View {
  const shown = Object.entries(answer).filter(([name]) => name !== 'ok')
  return html`<${Facts} of=${shown.map(([name, value]) => [
    name,
    typeof value === 'string' ? html`<${Id} of=${value} />` : html`<code>${JSON.stringify(value)}</code>`,
  ])} />`
}
