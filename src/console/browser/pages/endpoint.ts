/** One webhook endpoint: what it is, what can be done to it, and what was delivered to it. */
import { Action } from '../action.ts'
import { pathOf } from '../api.ts'
import { useLive } from '../live.ts'
import { Facts, Id, Instant, Note, Status } from '../parts.ts'
import { hrefOf } from '../router.ts'
import { Loaded } from '../table.ts'
import { html, type View } from '../view.ts'
import { Deliveries } from './deliveries.ts'
import { type EndpointRow, TYPES_HINT, typesOf } from './endpoints.ts'
import { Replay } from './replay.ts'
import { SecretOnce } from './secret-once.ts'

type Props = { integrationId: string; endpointId: string }

export function EndpointPage({ integrationId, endpointId }: Props): View {
  const listed = useLive<{ endpoints: EndpointRow[] }>(`/webhooks?${new URLSearchParams({ integrationId })}`)
  const show = ({ endpoints }: { endpoints: EndpointRow[] }) => {
    const endpoint = endpoints.find((each) => each.endpointId === endpointId)
    if (endpoint === undefined)
      return html`<p class="empty">It is not, or no longer, an endpoint of this integration.</p>`
    return html`
      <${Facts} of=${[
        ['Address', html`<code>${endpoint.url}</code>`],
        ['Status', html`<${Status} of=${endpoint.status} /> ${endpoint.disabledReason}`],
        ['Events', endpoint.eventTypes?.join(', ') ?? 'all'],
        ['Secret', endpoint.rotating ? 'a next one waits to be activated' : 'one'],
        ['Created', html`<${Instant} at=${endpoint.createdAt} />`],
        ['Audit log', html`<a href=${hrefOf(['audit'], { target: endpointId })}>what was done to it</a>`],
      ]} />
      <div class="buttons section"><${Changes} of=${endpoint} refresh=${listed.refresh} /></div>
      <${Deliveries} endpointId=${endpointId} />
      <${Replay} ...${{ integrationId, endpointId }} />`
  }
  return html`<p><a href=${hrefOf(['integrations', integrationId])}>Its integration</a></p>
    <h1>Endpoint <${Id} of=${endpointId} /></h1><${Loaded} from=${listed} show=${show} />`
}

type Tested = { acknowledged: boolean; httpStatus: number | null; error: string | null; durationMs: number }

/** What came of a test event. */
function TestResult({ acknowledged, httpStatus, error, durationMs }: Tested): View {
  const tone = acknowledged ? 'good' : 'bad'
  return html`<${Note} tone=${tone}>${acknowledged ? 'Acknowledged' : 'Not acknowledged'}
    (${httpStatus ?? 'no answer'}${error === null ? '' : `, ${error}`}) after ${durationMs} ms.<//>`
}

function Changes({ of: endpoint, refresh }: { of: EndpointRow; refresh: () => unknown }): View {
  const path = `/webhooks${pathOf(endpoint.endpointId)}`
  const events = endpoint.eventTypes?.join(', ') ?? ''
  const common = (verb: string) => ({
    command: `webhook ${verb}`,
    path: `${path}/${verb}`,
    target: endpoint.url,
    onDone: refresh,
  })
  const secret = (answer: Record<string, string>) => html`<${SecretOnce} name="Next secret" of=${answer.secret} />`
  return html`
    <${Action} ...${common('test')} label="Send a test event …" says="Sends a signed test event to it now." result=${TestResult} />
    <${Action} ...${common('set')} label="Change …" reason says="Changes its address and its events, only the fields that you edit; the secret stays."
      fields=${[
        { name: 'url', label: 'Address', value: endpoint.url },
        {
          name: 'eventTypes',
          label: 'Event types',
          optional: true,
          value: events,
          hint: TYPES_HINT,
        },
      ]}
      bodyOf=${({ url, eventTypes = '' }: Record<string, string>) => ({
        ...(url === endpoint.url ? {} : { url }),
        ...(eventTypes === events ? {} : eventTypes === '' ? { allEvents: true } : { eventTypes: typesOf(eventTypes) }),
      })} />
    ${
      !endpoint.rotating &&
      html`<${Action} ...${common('rotate')} label="Make the next secret …" reason result=${secret}
        says="Makes the secret that will sign once it is activated, and shows it once. The present one goes on signing." />`
    }
    ${
      endpoint.rotating &&
      html`<${Action} ...${common('test')} label="Test the next secret …" body=${{ next: true }} result=${TestResult}
          says="Sends a test event that is signed with the next secret." />
        <${Action} ...${common('rotate')} label="Replace the next secret …" danger body=${{ replace: true }} result=${secret}
          says="Makes another next secret and shows it once. The one that waits is gone: whoever has installed that must install the new one." />
        <${Action} ...${common('activate')} label="Activate the next secret …" danger says="The next secret signs from now on, the present one never again." />`
    }
    ${
      endpoint.status === 'disabled'
        ? html`<${Action} ...${common('enable')} label="Enable …" reason says="Delivers again from now on; what was dropped meanwhile can be delivered again." />`
        : html`<${Action} ...${common('disable')} label="Disable …" danger says="Delivers nothing more, and drops what is due." />`
    }
    <${Action} ...${common('remove')} label="Remove …" danger says="Removes it with its secrets, and drops what is due. This cannot be undone." />`
}
