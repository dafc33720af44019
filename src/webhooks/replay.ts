/** Delivering again what happened: one event, or a period of one partner. */
import type { Queryable } from '../db/database.ts'
import { findEndpoint } from './endpoints/endpoints.sql.ts'
import { existing, notRemoved, WebhookError } from './errors.ts'
import { countReplay, type ReplaySelection, scheduleReplay } from './history/deliveries.sql.ts'

const MAX_REPLAYED = 10_000

/**
 * Schedules deliveries afresh, as `WebhookAdmin.replay` says.
 * @throws WebhookError
 */
export async function replay(
  tx: Queryable,
  selection: ReplaySelection,
  dryRun = false,
): Promise<{ scheduled: number }> {
  const { endpointId, integrationId } = selection
  if (!('eventId' in selection) && endpointId === undefined && integrationId === undefined) {
    throw new WebhookError('BAD_REQUEST', 'Name the endpoint or the integration whose events to deliver again.')
  }
  if (endpointId !== undefined) {
    const endpoint = existing(notRemoved(await findEndpoint(tx, endpointId)), endpointId)
    if (endpoint.status === 'disabled')
      throw new WebhookError('CONFLICT', `The endpoint ${endpointId} is disabled. Enable it first.`)
  }
  const count = await countReplay(tx, selection, MAX_REPLAYED + 1)
  if (count > MAX_REPLAYED) {
    throw new WebhookError(
      'CONFLICT',
      `That would be more than 10,000 deliveries, the most at a time: choose an earlier end ("until", --until)${endpointId === undefined ? ' or one endpoint' : ''}, and go on from there.`,
    )
  }
  if (count === 0 && 'eventId' in selection) {
    throw new WebhookError('NOT_FOUND', 'There is no such event, or no enabled endpoint that is subscribed to it.')
  }
  return { scheduled: dryRun ? count : await scheduleReplay(tx, selection, MAX_REPLAYED) }
}
