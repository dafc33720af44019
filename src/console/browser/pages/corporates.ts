/** Companies that a partner has onboarded. */
import { Action } from '../action.ts'
import { pathOf } from '../api.ts'
import { instantColumn, shortIdColumn, textColumn } from '../columns.ts'
import { queryOf } from '../filters.ts'
import type { Field } from '../form.ts'
import { useLive } from '../live.ts'
import { Section, Status } from '../parts.ts'
import { type Column, Loaded, Pages, Table } from '../table.ts'
import { html, type View } from '../view.ts'
import { Awaiting } from './awaiting.ts'

type CorporateRow = {
  corporateId: string
  companyName: string
  verification: { status: string; stage: string; verifiedAt: string | null }
  jurisdiction: { countryCode: string }
  industry: string
  switches: { canMint: boolean; canRedeem: boolean; canPayroll: boolean }
  createdAt: string
}
type Listed = { corporates: CorporateRow[]; next: string | null }

const FLAGS = ['canMint', 'canRedeem', 'canPayroll'] as const
const YES_NO = ['yes', 'no']
const MAY = { canMint: 'May mint', canRedeem: 'May redeem', canPayroll: 'May pay wages' } as const

/** The fields with what is there now, or of a new company. */
function fieldsOf(now?: CorporateRow): Field[] {
  return [
    { name: 'name', label: 'Name of the company', value: now?.companyName ?? '' },
    {
      name: 'status',
      label: 'Verification',
      value: now?.verification.status ?? 'UNVERIFIED',
      options: ['UNVERIFIED', 'PENDING', 'VERIFIED', 'REJECTED', 'SUSPENDED'],
    },
    { name: 'stage', label: 'Stage of verification', value: now?.verification.stage ?? 'STARTED' },
    { name: 'country', label: 'Country', value: now?.jurisdiction.countryCode ?? 'MY', hint: 'two letters' },
    { name: 'industry', label: 'Industry', value: now?.industry ?? '' },
    ...FLAGS.map((name) => ({
      name,
      label: MAY[name],
      options: YES_NO,
      value: (now?.switches[name] ?? true) ? 'yes' : 'no',
    })),
  ]
}

/** The request for what was filled in: of a company that is there already, only what differs. */
function bodyOfCorporate(filled: Record<string, string>, now?: CorporateRow): Record<string, unknown> {
  const was = new Map(now === undefined ? [] : fieldsOf(now).map(({ name, value = '' }) => [name, value]))
  const changed = Object.entries(filled).filter(([name, value]) => value !== was.get(name))
  const isFlag = (name: string) => FLAGS.some((flag) => flag === name)
  return Object.fromEntries(changed.map(([name, value]) => [name, isFlag(name) ? value === 'yes' : value]))
}

const may = ({ switches }: CorporateRow) =>
  FLAGS.filter((flag) => switches[flag])
    .map((flag) => MAY[flag].slice('May '.length))
    .join(', ') || 'nothing'

function columns(refresh: () => unknown): Column<CorporateRow>[] {
  return [
    { key: 'name', title: 'Company', by: (row) => row.companyName, show: (row) => html`<bdi>${row.companyName}</bdi>` },
    shortIdColumn('id', 'Id', (row) => row.corporateId),
    {
      key: 'status',
      title: 'Verification',
      by: (row) => row.verification.status,
      show: ({ verification: { status, stage } }) => html`<${Status} of=${status.toLowerCase()} /> ${stage}`,
    },
    textColumn('country', 'Country', (row) => row.jurisdiction.countryCode),
    { key: 'industry', title: 'Industry', by: (row) => row.industry, show: (row) => html`<bdi>${row.industry}</bdi>` },
    { key: 'may', title: 'Where verified, may', by: may, show: may },
    instantColumn('created', 'Created', (row) => row.createdAt),
    {
      key: 'do',
      title: 'Actions',
      show: (
        row,
      ) => html`<${Action} command="corporate set" label="Change …" reason target=${`${row.companyName} (${row.corporateId})`}
        path=${`/corporates${pathOf(row.corporateId)}/set`} says="Changes only the fields that you edit."
        fields=${fieldsOf(row)} bodyOf=${(filled: Record<string, string>) => bodyOfCorporate(filled, row)} onDone=${refresh} />`,
    },
  ]
}

export function Corporates({ integrationId }: { integrationId: string }): View {
  const listed = useLive<Listed>(`/corporates${queryOf([], { integrationId })}`)
  const link = html`<${Action} command="corporate link" label="Link a company …" target=${integrationId} path="/corporates"
    says="Records a company that this partner has identified." fields=${fieldsOf()} body=${{ integrationId }}
    bodyOf=${(filled: Record<string, string>) => bodyOfCorporate(filled)} onDone=${listed.refresh} />`
  return html`<${Section} title="Companies" actions=${link}>
    <${Loaded} from=${listed} show=${({ corporates, next }: Listed) => html`
      <${Awaiting} of=${corporates.map(({ corporateId }) => corporateId)} />
      <${Table} caption="Companies" columns=${columns(listed.refresh)} rows=${corporates} sortedBy="companies"
        empty="It has onboarded no company." idOf=${(row: CorporateRow) => row.corporateId} />
      <${Pages} next=${next} />`} /><//>`
}
