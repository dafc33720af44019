/** Operators: the people who may use this console and the commands. */
import { Action } from '../action.ts'
import { pathOf } from '../api.ts'
import { idColumn, instantColumn, textColumn } from '../columns.ts'
import type { Field } from '../field.ts'
import { useLive } from '../live.ts'
import type { PageProps } from '../page.ts'
import { Note, Nothing, Section, Status } from '../parts.ts'
import { hrefOf, useRoute } from '../router.ts'
import { may, session } from '../session.ts'
import { type Column, Loaded, Table } from '../table.ts'
import { html, type View } from '../view.ts'
import { Awaiting } from './awaiting.ts'
import { SecretOnce } from './secret-once.ts'

type OperatorRow = {
  operatorId: string
  name: string
  role: string
  createdAt: string
  signedInAt: string | null
  disabledAt: string | null
}

const ROLES = ['viewer', 'support', 'onboarding', 'treasury', 'compliance', 'admin']

/** A browser in which somebody is signed in must not be enough to become them for longer. */
const PRESENT_TOKEN: Field = { name: 'token', label: 'Your present token', type: 'password' }

const stateOf = ({ disabledAt }: OperatorRow) => (disabledAt === null ? 'active' : 'disabled')

function columns(refresh: () => unknown): Column<OperatorRow>[] {
  return [
    { key: 'name', title: 'Name', by: (row) => row.name, show: (row) => html`<bdi>${row.name}</bdi>` },
    textColumn('role', 'Role', (row) => row.role),
    { key: 'state', title: 'State', by: stateOf, show: (row) => html`<${Status} of=${stateOf(row)} />` },
    idColumn('id', 'Id', (row) => row.operatorId),
    instantColumn('added', 'Added', (row) => row.createdAt),
    instantColumn('signedIn', 'First signed in', (row) => row.signedInAt),
    {
      key: 'log',
      title: 'Audit log',
      show: (row) => html`<a href=${hrefOf(['audit'], { actor: row.name })}>what they did</a>`,
    },
    { key: 'do', title: 'Actions', show: (row) => html`<${OperatorActions} of=${row} refresh=${refresh} />` },
  ]
}

function OperatorActions({ of: operator, refresh }: { of: OperatorRow; refresh: () => unknown }): View {
  const { operatorId, name, disabledAt } = operator
  if (disabledAt !== null) return html`<${Nothing} />`
  const path = `/operators${pathOf(operatorId)}`
  const common = { target: `${name} (${operatorId})`, onDone: refresh }
  const { role, operatorId: own, commandToken } = session()
  return html`<div class="buttons">
    ${
      (role === 'admin' || own === operatorId) &&
      html`<${Action} ...${common} command="operator rotate" label="New token …" reason path=${`${path}/rotate`} result=${Token} fields=${own === operatorId && !commandToken ? [PRESENT_TOKEN] : []}
        says="Makes a new token, shown once. The old one, and every browser that it signed in, is refused from now on." />`
    }
    ${
      (role === 'admin' || own === operatorId) &&
      html`<${Action} ...${common} command="operator sign-out" label="Sign out everywhere …" reason path=${`${path}/sign-out`}
        says="Signs this person out of every browser, and ends every token for commands that was made there. Whoever still has access can sign in again; a token of their own stays." />`
    }
    <${Action} ...${common} command="operator disable" label="Disable …" danger path=${`${path}/disable`}
      says="The person is refused everywhere from now on. This cannot be undone: add the person again instead." />
  </div>`
}

function Token({ token }: { token?: string }): View {
  return html`<${SecretOnce} name="Token" of=${token} />`
}

export function OperatorsPage(_: PageProps): View {
  useRoute()
  const listed = useLive<{ operators: OperatorRow[] }>('/operators')
  return html`<div class="head"><h1>Operators</h1>
      <${Action} command="operator add" label="Add an operator …" reason target="a new person" path="/operators" onDone=${listed.refresh}
        says="Lets a person use the console and the commands, with a token of their own that is shown once, here."
        fields=${[{ name: 'name', label: 'Name' }, { name: 'role', label: 'Role', options: ROLES }]}
        result=${Token} /></div>
    <p class="lead">People, each with a token of their own. The role says what they see and may do.</p>
    <${Loaded} from=${listed} show=${({ operators }: { operators: OperatorRow[] }) => html`
      <${Awaiting} noun="operator" />
      <${Table} caption="Operators" columns=${columns(listed.refresh)} rows=${operators} idOf=${(row: OperatorRow) => row.operatorId}
        empty="Nobody was added yet: whoever works here uses the shared token." />`} />
    ${
      may('secrets reseal') &&
      html`<${Section} title="The key that seals secrets"><div class="buttons"><${Action} command="secrets reseal" label="Seal anew …" reason target="everything sealed under SECRETS_KEY_PREVIOUS" path="/secrets/reseal"
        says="Seals it under SECRETS_KEY, step by step. Remove SECRETS_KEY_PREVIOUS afterwards, not before."
        next=${({ next }: Resealed) => (next === null ? undefined : { after: next })} sum=${sumOf} result=${Resealing} />
        <${Action} command="secrets lost" label="A key is lost …" danger target="a key that nobody has any more" path="/secrets/lost"
        says="Of a key that sealed who paid and was paid in statements, and that nobody has any more: reconciling no longer names its statements, and their lines that wait are booked without what is sealed. Nothing opens by that."
        fields=${[{ name: 'secretsKey', label: 'The key, as reconciling names it' }]} /></div><//>`
    }`
}

type Resealed = { resealed: number; unreadable: string[]; next: unknown }

function sumOf(steps: readonly Resealed[]): Record<string, unknown> {
  const unreadable = steps.flatMap((step) => step.unreadable)
  return { ok: unreadable.length === 0, resealed: steps.reduce((sum, step) => sum + step.resealed, 0), unreadable }
}

function Resealing({ resealed, unreadable }: Resealed): View {
  return html`<p>Sealed anew: <strong>${resealed}</strong>.</p>
    ${unreadable.length > 0 && html`<${Note}>Neither key opens: ${unreadable.join(', ')}.<//>`}`
}
