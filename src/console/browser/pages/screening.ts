/** Screening: what it says about an address, and the addresses that no transfer may reach. */
import { Action } from '../action.ts'
import { instantColumn } from '../columns.ts'
import { type Filter, Filters, queryOf } from '../filters.ts'
import { useLive } from '../live.ts'
import type { PageProps } from '../page.ts'
import { Facts, Id, Instant, Section, Status } from '../parts.ts'
import { hrefOf, useRoute } from '../router.ts'
import { type Column, Loaded, Pages, Table } from '../table.ts'
import { html, type View } from '../view.ts'
import { Awaiting } from './awaiting.ts'
import { Freezing } from './wallets.ts'

type Checked = {
  address: string
  permitted: boolean
  deniedSince: string | null
  chains: { chainId: number; frozen: boolean; sanctioned: boolean }[]
}
type DenialRow = { address: string; deniedSince: string }
type Listed = { denials: DenialRow[]; next: string | null }

const FILTERS: readonly Filter[] = [{ name: 'address', label: 'Address', placeholder: '0x…' }]

export function ScreeningPage(_: PageProps): View {
  const address = useRoute().query.get('address')
  return html`<h1>Screening</h1>
    <p class="lead">A transfer reaches nobody who is on this list, frozen, or under sanctions. A frozen address moves nothing itself.</p>
    <${Filters} of=${FILTERS} />
    ${address !== null && html`<${Check} key=${address} address=${address} />`}
    <${Denials} />`
}

function Check({ address }: { address: string }): View {
  const read = useLive<Checked>(`/screening/check?${new URLSearchParams({ address })}`)
  const show = ({ permitted, deniedSince, chains }: Checked) => html`
    <${Facts} of=${[
      ['Address', html`<${Id} of=${address} />`],
      ['Transfers to it', html`<${Status} of=${permitted ? 'permitted' : 'refused'} />`],
      ['Denied since', html`<${Instant} at=${deniedSince} />`],
      ...chains.map(({ chainId, frozen, sanctioned }) => [
        `On chain ${chainId}`,
        html`<${Status} of=${frozen ? 'frozen' : 'not_frozen'} /> ${sanctioned && html`<${Status} of="sanctioned" />`}`,
      ]),
      ['Audit log', html`<a href=${hrefOf(['audit'], { target: address })}>what was done to it</a>`],
    ]} />
    <${Awaiting} of=${[address]} />
    <div class="buttons section">
      <${Denying} address=${address} isDenied=${deniedSince !== null} refresh=${read.refresh} />
      <${Freezing} address=${address} onDone=${read.refresh} /></div>`
  return html`<${Loaded} from=${read} show=${show} />`
}

type DenyingProps = { address: string; isDenied: boolean; refresh: () => unknown }

function Denying({ address, isDenied, refresh }: DenyingProps): View {
  const common = { target: address, body: { address }, onDone: refresh }
  if (isDenied) {
    return html`<${Action} ...${common} command="screening allow" label="Allow …" reason path="/screening/allow"
      says="Transfers may reach the address again, unless it is frozen or under sanctions." />`
  }
  return html`<${Action} ...${common} command="screening deny" label="Deny …" danger path="/screening/deny"
    says="No order may have it as its wallet or recipient from now on; orders that were accepted but not signed yet are held." />`
}

function columns(refresh: () => unknown): Column<DenialRow>[] {
  return [
    {
      key: 'address',
      title: 'Address',
      by: (row) => row.address,
      show: (row) => html`<${Id} of=${row.address} href=${hrefOf(['screening'], { address: row.address })} />`,
    },
    instantColumn('since', 'Denied since', (row) => row.deniedSince),
    {
      key: 'do',
      title: 'Actions',
      show: (row) => html`<${Denying} address=${row.address} isDenied refresh=${refresh} />`,
    },
  ]
}

function Denials(): View {
  const listed = useLive<Listed>(`/screening${queryOf([])}`)
  const deny = html`<${Action} command="screening deny" label="Deny an address …" danger target="the deny list" path="/screening/deny"
    says="No order may have it as its wallet or recipient from now on; orders that were accepted but not signed yet are held." fields=${[{ name: 'address', label: 'Address to deny', hint: '0x…' }]} onDone=${listed.refresh} />`
  return html`<${Section} title="Denied addresses" actions=${deny}>
    <${Loaded} from=${listed} show=${({ denials, next }: Listed) => html`
      <${Table} caption="Denied addresses" columns=${columns(listed.refresh)} rows=${denials} empty="No address is denied."
        idOf=${(row: DenialRow) => row.address} />
      <${Pages} next=${next} />`} /><//>`
}
