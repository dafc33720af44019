/** The API keys of an integration, with their limits, addresses, expiry and last use. */
import { Action } from '../action.ts'
import { pathOf } from '../api.ts'
import { idColumn } from '../columns.ts'
import { useLive } from '../live.ts'
import { Coin, Id, Instant, Nothing, Ringgit, Section, Status } from '../parts.ts'
import { type Column, Loaded, Table } from '../table.ts'
import { html, type View } from '../view.ts'
import { Awaiting } from './awaiting.ts'
import { bodyOfKey, bodyOfNewKey, KEY_LIMITS, type KeyRow, limitsOf, SCOPES_FIELD } from './key-fields.ts'
import { SecretOnce } from './secret-once.ts'

type Listed = { keys: KeyRow[]; next: string | null }

/** As many as a partner can use; the API's page. */
const MOST = 500

function stateOf({ revokedAt, expiresAt }: KeyRow): 'revoked' | 'expired' | 'active' {
  if (revokedAt !== null) return 'revoked'
  return expiresAt !== null && Date.parse(expiresAt) <= Date.now() ? 'expired' : 'active'
}

function columns(refresh: () => unknown): Column<KeyRow>[] {
  return [
    idColumn('key', 'Key', (row) => row.keyId),
    { key: 'state', title: 'State', by: stateOf, show: (row) => html`<${Status} of=${stateOf(row)} />` },
    {
      key: 'scopes',
      title: 'Scopes',
      by: (row) => row.scopes.join(', '),
      show: (row) => row.scopes.join(', ') || html`<${Nothing} />`,
    },
    {
      key: 'addresses',
      title: 'From addresses',
      by: (row) => row.ipAllowlist.join(', ') || 'any',
      show: (row) => row.ipAllowlist.join(', ') || 'any',
    },
    {
      key: 'limits',
      title: 'Limits',
      by: (row) => row.transferDayCap ?? row.mintDayCap ?? row.transferTxCap,
      show: Limits,
    },
    {
      key: 'expires',
      title: 'Expires',
      by: (row) => row.expiresAt,
      show: (row) => (row.expiresAt === null ? 'never' : html`<${Instant} at=${row.expiresAt} />`),
    },
    {
      key: 'used',
      title: 'Last used',
      by: (row) => row.lastUsedAt,
      show: (row) =>
        row.lastUsedAt === null
          ? 'never'
          : html`<${Instant} at=${row.lastUsedAt} />${row.lastUsedFrom !== null && html` from <code>${row.lastUsedFrom}</code>`}`,
    },
    { key: 'do', title: 'Actions', show: (row) => html`<${KeyActions} of=${row} refresh=${refresh} />` },
  ]
}

function Limits(row: KeyRow): View {
  const rates = [
    ['reads', row.rateRead],
    ['writes', row.rateWrite],
    ['balances', row.rateBalances],
  ] as const
  const lines: View[] = [
    ...rates.flatMap(([name, rate]) => (rate === null ? [] : [html`<div>${rate} ${name} a minute</div>`])),
    row.transferTxCap !== null && html`<div><${Coin} of=${row.transferTxCap} /> a transfer</div>`,
    row.transferDayCap !== null && html`<div><${Coin} of=${row.transferDayCap} /> transferred a day</div>`,
    row.mintDayCap !== null && html`<div><${Ringgit} of=${row.mintDayCap} /> minted a day</div>`,
  ]
  const own = lines.filter((line) => line !== false)
  return own.length === 0 ? 'those of the policy' : own
}

function KeyActions({ of: key, refresh }: { of: KeyRow; refresh: () => unknown }): View {
  if (stateOf(key) !== 'active') return html`<${Nothing} />`
  const path = `/keys${pathOf(key.keyId)}`
  return html`<div class="buttons">
    <${Action} command="key set" label="Change …" reason target=${key.keyId} path=${`${path}/set`} onDone=${refresh}
      says="Changes only the fields that you edit. Addresses are replaced as a whole." fields=${limitsOf(key)}
      bodyOf=${(filled: Record<string, string>) => bodyOfKey(filled, key)} />
    <${Action} command="key rotate" label="Rotate …" reason target=${key.keyId} path=${`${path}/rotate`} onDone=${refresh}
      says="Makes a new key with the same settings, shown once. The old one goes on until the overlap has passed."
      fields=${[{ name: 'overlap', label: 'Overlap', value: '7d', hint: 'such as 0d, 12h or 7d; at most 90d' }]}
      result=${({ keyId, apiKey }: Record<string, string>) => html`<p>New key: <${Id} of=${keyId} /></p><${SecretOnce} name="API key" of=${apiKey} />`} />
    <${Action} command="key revoke" label="Revoke …" danger target=${key.keyId} path=${`${path}/revoke`} onDone=${refresh}
      says="Every request with this key is refused from now on. This cannot be undone." />
  </div>`
}

export function Keys({ integrationId }: { integrationId: string }): View {
  const listed = useLive<Listed>(`/keys?${new URLSearchParams({ integrationId, limit: String(MOST) })}`)
  const create = html`<${Action} command="key create" label="Create a key …" reason target=${integrationId} path="/keys"
    says="Makes an API key of this partner. It is shown once, here." fields=${[SCOPES_FIELD, ...KEY_LIMITS]}
    body=${{ integrationId }} bodyOf=${bodyOfNewKey} onDone=${listed.refresh}
    result=${({ keyId, apiKey }: Record<string, string>) => html`<p>Key: <${Id} of=${keyId} /></p><${SecretOnce} name="API key" of=${apiKey} />`} />`
  return html`<${Section} title="API keys" actions=${create}>
    <${Loaded} from=${listed} show=${({ keys, next }: Listed) => html`
      ${next !== null && html`<p class="hint">These are the oldest ${keys.length}: the newer ones are in “key list”.</p>`}
      <${Awaiting} of=${keys.map(({ keyId }) => keyId)} />
      <${Table} caption="API keys" columns=${columns(listed.refresh)} rows=${keys} sortedBy="keys"
        empty="It has no key yet, so it cannot use the API." idOf=${(row: KeyRow) => row.keyId} />`} /><//>`
}
