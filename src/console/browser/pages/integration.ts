/** One integration: whether it is suspended, its agreement, its keys and its webhook endpoints. */
import { Action } from '../action.ts'
import { pathOf } from '../api.ts'
import { useLive } from '../live.ts'
import { Facts, Id, Instant, Nothing, Status } from '../parts.ts'
import { hrefOf } from '../router.ts'
import { may } from '../session.ts'
import { Loaded } from '../table.ts'
import { html, type View } from '../view.ts'
import { Awaiting } from './awaiting.ts'
import { Corporates } from './corporates.ts'
import { Endpoints } from './endpoints.ts'
import { Keys } from './keys.ts'
import { Remitters } from './remitters.ts'
import { Replay } from './replay.ts'

export type IntegrationRow = {
  integrationId: string
  name: string
  status: 'active' | 'suspended'
  dpaSignedOn: string | null
  createdAt: string
}
type Shown = IntegrationRow & { remitters: string[] }

export function IntegrationPage({ integrationId }: { integrationId: string }): View {
  const path = `/integrations${pathOf(integrationId)}`
  const read = useLive<{ integration: Shown }>(path)
  const show = ({ integration }: { integration: Shown }) => html`
    <div class="head"><h1><bdi>${integration.name}</bdi></h1><${Status} of=${integration.status} />
      <${Standing} integration=${integration} path=${path} refresh=${read.refresh} /></div>
    <${Facts} of=${[
      ['Integration', html`<${Id} of=${integrationId} />`],
      ['Agreement signed', integration.dpaSignedOn ?? html`<${Nothing} />`],
      ['Created', html`<${Instant} at=${integration.createdAt} />`],
      ['Orders', html`<a href=${hrefOf(['orders'], { integrationId })}>its orders</a>`],
      [
        'Customers',
        may('customer list') ? html`<a href=${hrefOf(['customers'], { integrationId })}>its customers</a>` : undefined,
      ],
      ['Audit log', html`<a href=${hrefOf(['audit'], { target: integrationId })}>what was done to it</a>`],
    ]} />
    <${Awaiting} of=${[integrationId]} />
    <${Keys} integrationId=${integrationId} />
    <${Endpoints} integrationId=${integrationId} />
    <${Replay} integrationId=${integrationId} />
    <${Corporates} integrationId=${integrationId} />
    <${Remitters} integrationId=${integrationId} of=${integration.remitters} refresh=${read.refresh} />`
  return html`<p><a href=${hrefOf(['integrations'])}>All integrations</a></p>
    ${read.data === undefined && html`<h1>Integration <${Id} of=${integrationId} /></h1>`}<${Loaded} from=${read} show=${show} />`
}

type StandingProps = { integration: IntegrationRow; path: string; refresh: () => unknown }

/** What changes the integration itself. */
function Standing({ integration, path, refresh }: StandingProps): View {
  const { name, status, dpaSignedOn } = integration
  const target = `${name} (${integration.integrationId})`
  const bodyOf = ({ dpaSignedOn: day }: Record<string, string>) => ({ dpaSignedOn: day ?? null })
  return html`
    ${
      status === 'active'
        ? html`<${Action} command="integration suspend" label="Suspend …" danger path=${`${path}/suspend`} onDone=${refresh} target=${target}
            says="All its keys are refused from now on, until somebody resumes it. Orders that wait are held; what was signed goes on." />
          <${Action} command="integration release-orders" label="Release held orders …" reason path=${`${path}/release-orders`} onDone=${refresh} target=${target}
            says="Orders that were held only because it was suspended go on to be signed and settled, 2,000 at a time." />`
        : html`<${Action} command="integration resume" label="Resume …" reason path=${`${path}/resume`} onDone=${refresh} target=${target}
            says="Its keys work again from now on." />`
    }
    <${Action} command="integration reject-orders" label="Reject held orders …" danger reason path=${`${path}/reject-orders`} onDone=${refresh} target=${target}
      says="Orders that are held for one reason fail for good, 500 at a time. What was signed, or may have settled, is left as it is; so is what somebody holds for something else, too."
      fields=${[{ name: 'held', label: 'Held for', value: 'integration_suspended' }]} />
    <${Action} command="integration set" label="Agreement …" path=${`${path}/set`} onDone=${refresh} target=${target}
      says="Records the day on which the data processing agreement was signed; an empty day records that there is none."
      fields=${[{ name: 'dpaSignedOn', label: 'Signed on', type: 'date', value: dpaSignedOn ?? '', optional: true }]}
      bodyOf=${bodyOf} />`
}
