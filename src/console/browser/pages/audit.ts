/** The audit log: who did what, to what, from where, with how it was before and is afterwards. */
import { instantColumn, textColumn } from '../columns.ts'
import { type Filter, Filters, queryOf } from '../filters.ts'
import { useLive } from '../live.ts'
import type { PageProps } from '../page.ts'
import { Id, Nothing, Words } from '../parts.ts'
import { useRoute } from '../router.ts'
import { type Column, Loaded, Pages, Table } from '../table.ts'
import { html, type View } from '../view.ts'
import { Verify } from './verify.ts'

type Facts = Record<string, unknown>
type EntryRow = {
  auditId: string
  at: string
  actor: string
  origin: string
  action: string
  target: string | null
  details: Facts
  before: Facts | null
  after: Facts | null
}
type Listed = { entries: EntryRow[]; next: string | null }

const FILTERS: readonly Filter[] = [
  { name: 'actor', label: 'Who' },
  { name: 'target', label: 'To what' },
  { name: 'since', label: 'Since', placeholder: '2026-01-31T08:00:00Z' },
]

const said = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? '–'))

/** What differs between before and after; all of it where there is no before or no after. */
function changesOf({ before, after }: Pick<EntryRow, 'before' | 'after'>): [name: string, was: string, is: string][] {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])]
  return names
    .map((name): [string, string, string] => [name, said(before?.[name]), said(after?.[name])])
    .filter(([, was, is]) => was !== is)
}

const COLUMNS: readonly Column<EntryRow>[] = [
  instantColumn('at', 'When', (row) => row.at),
  {
    key: 'actor',
    title: 'Who',
    by: (row) => `${row.actor} ${row.origin}`,
    show: (row) => html`<${Words}>${row.actor} <span class="hint">from <code>${row.origin}</code></span><//>`,
  },
  textColumn('action', 'What', (row) => row.action),
  {
    key: 'target',
    title: 'To what',
    by: (row) => row.target,
    show: (row) => html`<${Words}><${Id} of=${row.target} /><//>`,
  },
  { key: 'details', title: 'Details', by: ({ details }) => JSON.stringify(details), show: Details },
  { key: 'changes', title: 'Before → after', by: (row) => changesOf(row).flat().join(' '), show: Changes },
]

function Details({ details }: EntryRow): View {
  const told = Object.entries(details).filter(([, value]) => value !== null)
  if (told.length === 0) return html`<${Nothing} />`
  return told.map(([name, value]) => html`<${Words} key=${name}>${name}: ${said(value)}<//>`)
}

function Changes(row: EntryRow): View {
  const changes = changesOf(row)
  if (changes.length === 0) return html`<${Nothing} />`
  return changes.map(([name, was, is]) => html`<${Words} key=${name}>${name}: ${was} → ${is}<//>`)
}

export function AuditPage(_: PageProps): View {
  useRoute()
  const listed = useLive<Listed>(`/audit${queryOf(FILTERS)}`)
  return html`<div class="head"><h1>Audit</h1><${Verify} path="/audit/verify" name="the audit log" label="Prove the audit log" /></div>
    <p class="lead">Newest first. Each entry is sealed with those before it.</p>
    <${Filters} of=${FILTERS} />
    <${Loaded} from=${listed} show=${({ entries, next }: Listed) => html`
      <${Table} caption="Audit log" columns=${COLUMNS} rows=${entries} empty="No entry fits these filters."
        idOf=${(row: EntryRow) => row.auditId} />
      <${Pages} next=${next} />`} />`
}
