/**
 * What operators do with webhooks. Every write takes the transaction to run in, so that its entry in the audit log is
 * committed with it. A secret is shown only in the result of the call that makes it.
 */
import { type Queryable, violatedConstraint } from '../db/database.ts'
import { EVENT_TYPES, type EventType } from '../events/event.ts'
import { type SecretBox, SecretBoxError } from '../secrets/secrets.ts'
import { newId } from '../values/ids.ts'
import { checkEndpointUrl } from './endpoint-url.ts'
import type { Endpoint } from './endpoints/endpoint.ts'
import * as endpoints from './endpoints/endpoints.sql.ts'
import { existing, notRemoved, WebhookError } from './errors.ts'
import * as history from './history/deliveries.sql.ts'
import type { DeliveryRecord } from './history/delivery-record.ts'
import { replay } from './replay.ts'
import type { Send, SendOutcome } from './send.ts'
import { generateWebhookSecret } from './signature.ts'
import { testRequest } from './test-event.ts'

const MAX_ENDPOINTS_PER_INTEGRATION = 20
const MAX_LISTED = 1000
const MAX_REASON_LENGTH = 500

export type WebhookAdminDeps = { db: Queryable; secrets: SecretBox; send: Send; allowLoopback: boolean }

export type ShownSecret = { endpointId: string; secret: string }
export type TestResult = SendOutcome & { endpointId: string; eventId: string; acknowledged: boolean }

/** What is not named stays. `eventTypes` null: all events. */
export type EndpointChange = { url?: string | undefined; eventTypes?: readonly string[] | null | undefined }

export type WebhookAdmin = {
  /**
   * Registers an endpoint for all events, or for `eventTypes` only. The endpoint gets the events that happen from now
   * on.
   * @throws WebhookError BAD_REQUEST (URL or event type), NOT_FOUND (integration), CONFLICT (20 endpoints already)
   */
  add(
    tx: Queryable,
    endpoint: { integrationId: string; url: string; eventTypes?: readonly string[] },
  ): Promise<ShownSecret>
  /** One integration's endpoints, or everybody's; at most 1,000, oldest first. */
  list(filter?: { integrationId?: string }): Promise<Endpoint[]>
  /**
   * Sends a signed event of type `webhook.test` now, even to a disabled endpoint. It belongs to no order and is not
   * retried.
   * @param which `next` signs with the secret that waits to be activated
   * @throws WebhookError NOT_FOUND, CONFLICT (`next` without a rotation under way, or no key opens the secret)
   */
  test(endpointId: string, which?: 'current' | 'next'): Promise<TestResult>
  /**
   * Changes the address or the event types (null: all) of an endpoint; its secret stays.
   * @throws WebhookError BAD_REQUEST (URL or event type), NOT_FOUND
   */
  change(tx: Queryable, endpointId: string, change: EndpointChange): Promise<Endpoint>
  /** Removes an endpoint with its secrets, and drops what is due to it. @throws WebhookError NOT_FOUND */
  remove(tx: Queryable, endpointId: string): Promise<Endpoint>
  /** Disables an endpoint and drops what is due to it. @throws WebhookError BAD_REQUEST, NOT_FOUND */
  disable(tx: Queryable, endpointId: string, reason: string): Promise<Endpoint>
  /** Enables an endpoint; what was dropped meanwhile can be replayed. @throws WebhookError NOT_FOUND */
  enable(tx: Queryable, endpointId: string): Promise<Endpoint>
  /**
   * Makes the next secret; the present one signs until `activate`.
   * @param replace also where one waits to be activated, which is then gone: the partner may have installed it
   * @throws WebhookError NOT_FOUND, CONFLICT (one waits to be activated)
   */
  rotate(tx: Queryable, endpointId: string, replace?: boolean): Promise<ShownSecret>
  /** Signs with the next secret from now on. @throws WebhookError NOT_FOUND, CONFLICT (no rotation under way) */
  activate(tx: Queryable, endpointId: string): Promise<Endpoint>
  /**
   * A page of an endpoint's deliveries, newest first, with their attempts. `limit` 1 to 500, default 100; `after`: the delivery after
   * which it begins. @throws WebhookError NOT_FOUND
   */
  deliveries(filter: {
    endpointId: string
    failedOnly?: boolean
    limit?: number
    after?: bigint | undefined
  }): Promise<DeliveryRecord[]>
  /**
   * Schedules one event, or all of a period, afresh for every enabled endpoint subscribed to it, whether delivered
   * before or not (unless only failed ones are asked for). A period needs an endpoint or an integration: one partner's
   * outage must not flood all others.
   * @param dryRun counts only
   * @returns how many deliveries are due now
   * @throws WebhookError BAD_REQUEST (a period without a target), NOT_FOUND (no such event, endpoint or subscriber),
   * CONFLICT (disabled endpoint, or over 10,000)
   */
  replay(tx: Queryable, selection: history.ReplaySelection, dryRun?: boolean): Promise<{ scheduled: number }>
}

/** Makes the operators' side of webhooks. */
export function createWebhookAdmin(deps: WebhookAdminDeps): WebhookAdmin {
  const { db, secrets } = deps
  return {
    add: (tx, endpoint) => add(tx, deps, endpoint),
    list: ({ integrationId } = {}) => endpoints.listEndpoints(db, integrationId ?? null, MAX_LISTED),
    test: (endpointId, which = 'current') => test(deps, endpointId, which),
    change: (tx, endpointId, change) => changeEndpoint(tx, deps, endpointId, change),
    async remove(tx, endpointId) {
      return existing(await endpoints.removeEndpoint(tx, endpointId), endpointId)
    },
    async disable(tx, endpointId, reason) {
      const given = reason.trim()
      if (given === '' || given.length > MAX_REASON_LENGTH) {
        throw new WebhookError('BAD_REQUEST', `Say why, in 1 to ${MAX_REASON_LENGTH} characters.`)
      }
      return existing(await endpoints.disableEndpoint(tx, endpointId, given), endpointId)
    },
    async enable(tx, endpointId) {
      return existing(await endpoints.enableEndpoint(tx, endpointId), endpointId)
    },
    async rotate(tx, endpointId, replace = false) {
      const secret = generateWebhookSecret()
      const sealed = secrets.seal(secret, endpointId)
      if (await endpoints.storeNextSecret(tx, endpointId, sealed, replace)) return { endpointId, secret }
      existing(notRemoved(await endpoints.findEndpoint(tx, endpointId)), endpointId)
      throw new WebhookError(
        'CONFLICT',
        'A next secret waits to be activated, and the partner may have installed it: test it with --next and activate it, or make another one in its place with --replace.',
      )
    },
    async activate(tx, endpointId) {
      const activated = await endpoints.activateNextSecret(tx, endpointId)
      if (activated !== undefined) return activated
      existing(notRemoved(await endpoints.findEndpoint(tx, endpointId)), endpointId)
      throw noRotation()
    },
    async deliveries({ endpointId, failedOnly = false, limit = 100, after }) {
      existing(await endpoints.findEndpoint(db, endpointId), endpointId)
      return history.listDeliveries(db, { endpointId, failedOnly, limit: Math.min(Math.max(limit, 1), 500), after })
    },
    replay,
  }
}

async function add(
  tx: Queryable,
  { secrets, allowLoopback }: WebhookAdminDeps,
  endpoint: { integrationId: string; url: string; eventTypes?: readonly string[] },
): Promise<ShownSecret> {
  const url = checkUrl(endpoint.url, allowLoopback)
  const eventTypes = endpoint.eventTypes === undefined ? null : checkEventTypes(endpoint.eventTypes)
  const { integrationId } = endpoint
  const endpointId = newId('we')
  const secret = generateWebhookSecret()
  const secretEncrypted = secrets.seal(secret, endpointId)
  const inserted = await endpoints
    .insertEndpoint(tx, { endpointId, integrationId, url, eventTypes, secretEncrypted }, MAX_ENDPOINTS_PER_INTEGRATION)
    .catch((error: unknown) => {
      if (violatedConstraint(error) !== 'webhook_endpoints_integration_id_fkey') throw error
      throw new WebhookError('NOT_FOUND', `There is no integration ${integrationId.slice(0, 100)}.`)
    })
  if (inserted) return { endpointId, secret }
  throw new WebhookError(
    'CONFLICT',
    `The integration already has ${MAX_ENDPOINTS_PER_INTEGRATION} endpoints, the most there may be.`,
  )
}

async function changeEndpoint(
  tx: Queryable,
  { allowLoopback }: WebhookAdminDeps,
  endpointId: string,
  { url, eventTypes }: EndpointChange,
): Promise<Endpoint> {
  const change = {
    url: url === undefined ? undefined : checkUrl(url, allowLoopback),
    eventTypes: eventTypes === undefined || eventTypes === null ? eventTypes : checkEventTypes(eventTypes),
  }
  return existing(await endpoints.changeEndpoint(tx, endpointId, change), endpointId)
}

function checkUrl(url: string, allowLoopback: boolean): string {
  const checked = checkEndpointUrl(url, { allowLoopback })
  if (checked.ok) return checked.url
  throw new WebhookError('BAD_REQUEST', checked.problem)
}

function checkEventTypes(given: readonly string[]): EventType[] {
  const unknown = given.find((type) => !EVENT_TYPES.some((known) => known === type))
  if (unknown === undefined && given.length > 0) return [...new Set(given as readonly EventType[])]
  throw new WebhookError('BAD_REQUEST', `Event types are one or more of ${EVENT_TYPES.join(', ')}.`)
}

async function test(
  { db, secrets, send }: WebhookAdminDeps,
  endpointId: string,
  which: 'current' | 'next',
): Promise<TestResult> {
  const sealed = existing(await endpoints.findSealedSecrets(db, endpointId), endpointId)
  const chosen = which === 'next' ? sealed.nextSecretEncrypted : sealed.secretEncrypted
  if (chosen === null) throw noRotation()
  const { eventId, request } = testRequest(sealed.url, opened(secrets, chosen, endpointId), new Date())
  const outcome = await send(request)
  return { endpointId, eventId, acknowledged: outcome.error === null, ...outcome }
}

function opened(secrets: SecretBox, sealed: string, endpointId: string): string {
  try {
    return secrets.open(sealed, endpointId)
  } catch (error) {
    if (!(error instanceof SecretBoxError)) throw error
    throw new WebhookError(
      'CONFLICT',
      'SECRETS_KEY does not open this secret: set the right one, or SECRETS_KEY_PREVIOUS beside it. If that is lost, run "coin webhook rotate", and "coin webhook activate" once the partner has the new secret.',
    )
  }
}

function noRotation(): WebhookError {
  return new WebhookError('CONFLICT', 'No new secret waits to be activated. Rotate first.')
}
