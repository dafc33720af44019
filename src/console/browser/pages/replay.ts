/** Delivering again what happened: first how much that would be, then for certain. */
import { Action } from '../action.ts'
import { Section } from '../parts.ts'
import { may } from '../session.ts'
import { html, type View } from '../view.ts'

const FIELDS = [
  { name: 'eventId', label: 'One event', optional: true, hint: 'its id; or instead:' },
  { name: 'since', label: 'All events since', optional: true, hint: 'an instant such as 2026-01-31T08:00:00Z' },
  { name: 'until', label: 'Until', optional: true, hint: 'an instant; empty: up to now' },
  { name: 'failed', label: 'Which', options: ['only what ended undelivered', 'everything'] },
]

/** @param endpointId absent: all endpoints of the integration */
export function Replay({ integrationId, endpointId }: { integrationId: string; endpointId?: string }): View {
  if (!may('webhook replay')) return null
  const body = endpointId === undefined ? { integrationId } : { integrationId, endpointId }
  const bodyOf = ({ failed, ...chosen }: Record<string, string>) => ({ ...chosen, failed: failed !== 'everything' })
  const target = endpointId ?? integrationId
  const common = { command: 'webhook replay', path: '/webhooks/replay', fields: FIELDS, target }
  return html`<${Section} title="Deliver again"><div class="buttons">
    <${Action} ...${common} label="Count what would be delivered …" body=${{ ...body, dryRun: true }} bodyOf=${bodyOf}
      says="Only counts; nothing is delivered."
      result=${({ wouldSchedule }: { wouldSchedule: number }) => html`<p>It would be <strong>${wouldSchedule}</strong> deliveries.</p>`} />
    <${Action} ...${common} label="Deliver again …" danger body=${body} bodyOf=${bodyOf}
      says=${`Sends these events again, to ${endpointId === undefined ? "this partner's enabled endpoints" : 'this endpoint'} and nobody else. Count them first.`}
      result=${({ scheduled }: { scheduled: number }) => html`<p><strong>${scheduled}</strong> deliveries are due now.</p>`} />
  </div><//>`
}
