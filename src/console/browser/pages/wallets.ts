/** The wallets of a customer: linked with the holder's consent, frozen, taken away. */
import { Action } from '../action.ts'
import { instantColumn } from '../columns.ts'
import { Copy, Id, Section } from '../parts.ts'
import { hrefOf } from '../router.ts'
import { type Column, Table } from '../table.ts'
import { html, type View } from '../view.ts'
import { ChainResults } from './chain-results.ts'

export type WalletRow = { address: string; isPrimary: boolean; createdAt: string }

const ADDRESS = { name: 'address', label: 'Address of the wallet', hint: '0x…' }
const YES_NO = ['no', 'yes']

export function Wallets({
  customerId,
  of,
  refresh,
}: {
  customerId: string
  of: WalletRow[]
  refresh: () => unknown
}): View {
  const actions = html`<div class="buttons">
    <${Action} command="wallet consent" label="What the holder signs …" target=${customerId} path="/wallets/consent" body=${{ customerId }}
      says="Makes the text (EIP-712) that the holder of the wallet signs, so that it may be linked to this customer."
      fields=${[ADDRESS, { name: 'chainId', label: 'Chain', optional: true, hint: 'needed where there are several' }]}
      bodyOf=${withChain} result=${TypedData} />
    <${Action} command="wallet add" label="Add a wallet …" reason target=${customerId} path="/wallets" body=${{ customerId }}
      says="Links the wallet on the chains, so that redeems and transfers may debit it, and records it. It may be repeated."
      fields=${[
        ADDRESS,
        {
          name: 'consent',
          label: 'Consent',
          optional: true,
          hint: "the holder's signature, 0x…; needed where the coin demands it",
        },
        { name: 'deadline', label: 'Deadline in what was signed', optional: true },
        { name: 'chainId', label: 'Chain', optional: true, hint: 'empty: all' },
        { name: 'primary', label: 'Transfers are paid from it', options: YES_NO },
        { name: 'shared', label: 'Another customer may have it too', options: YES_NO },
      ]}
      bodyOf=${bodyOfAddition} result=${ChainResults} onDone=${refresh} /></div>`
  return html`<${Section} title="Wallets" actions=${actions}>
    <${Table} caption="Wallets" columns=${columns(customerId, refresh)} rows=${of} sortedBy="wallets"
      empty="It has no wallet yet: it can mint, but neither redeem nor transfer." idOf=${(row: WalletRow) => row.address} /><//>`
}

type Filled = Record<string, string>

const withChain = ({ chainId, ...rest }: Filled) => ({
  ...rest,
  ...(chainId === undefined ? {} : { chainId: Number(chainId) }),
})

function bodyOfAddition({ primary, shared, ...rest }: Filled): Record<string, unknown> {
  return { ...withChain(rest), primary: primary === 'yes', shared: shared === 'yes' }
}

function columns(customerId: string, refresh: () => unknown): Column<WalletRow>[] {
  return [
    {
      key: 'address',
      title: 'Address',
      by: (row) => row.address,
      show: (row) => html`<${Id} of=${row.address} href=${hrefOf(['screening'], { address: row.address })} />`,
    },
    {
      key: 'primary',
      title: 'Primary',
      by: (row) => Number(row.isPrimary),
      show: (row) => (row.isPrimary ? 'yes' : 'no'),
    },
    instantColumn('since', 'Linked', (row) => row.createdAt),
    {
      key: 'do',
      title: 'Actions',
      show: ({ address }) => html`<div class="buttons"><${Freezing} address=${address} />
        <${Action} command="wallet remove" label="Remove …" danger target=${address} path="/wallets/remove" body=${{ customerId, address }}
          says="Takes the wallet from the customer and unlinks it on every chain: nothing can be debited from it any more."
          result=${ChainResults} onDone=${refresh} /></div>`,
    },
  ]
}

/** The buttons that stop an address and let it go on, on every chain. */
export function Freezing({ address, onDone }: { address: string; onDone?: () => unknown }): View {
  const common = { target: address, body: { address }, result: ChainResults, ...(onDone && { onDone }) }
  return html`
    <${Action} ...${common} command="wallet freeze" label="Freeze …" danger path="/wallets/freeze"
      says="From now on the address can move nothing, on any chain." />
    <${Action} ...${common} command="wallet unfreeze" label="Unfreeze …" reason path="/wallets/unfreeze"
      says="The address can move coin again, on every chain." />`
}

function TypedData({ typedData }: { typedData: unknown }): View {
  const text = JSON.stringify(typedData, null, 2)
  return html`<p>The holder signs this. Give its deadline along with the signature. <${Copy} text=${text} /></p>
    <pre class="raw" tabindex="0" aria-label="What the holder signs">${text}</pre>`
}
