/** The OpenAPI 3.1 document, made from the table of operations. */
import { SCOPES } from '../../integrations/api-key.ts'
import type { Route } from '../route.ts'
import { ROUTES } from '../routes/index.ts'
import { EXAMPLE_EVENT, EXAMPLE_TEST_EVENT, OrderEvent, TestEvent } from '../schemas/event.ts'
import { HEADERS, IDEMPOTENCY_KEY, type Json, jsonContent, namedSchemas } from './components.ts'
import { operationOf } from './operation.ts'

/** The one advice on retries: the contract's rule, with its row of `SERVER_ERROR`. Guides say it in the same words. */
export const RETRY_ADVICE =
  'On a timeout, 429 (after `Retry-After`), 502, 503 or 504, and on 500 `SERVER_ERROR`, send the same request again with backoff: the same Idempotency-Key, the same body. Never retry another 4xx unchanged.'

export const OPENAPI_PATH = '/openapi/stablecoin-partner-v1.json'

const TAGS: Record<string, string> = {
  System: 'Liveness, time, chains and tokens.',
  Mints: 'Issue coin against confirmed ringgit.',
  Redeems: 'Burn coin and pay out ringgit.',
  Transfers: 'Move coin to a recipient.',
  Transactions: 'Orders of any direction.',
  Balances: 'What a wallet holds on chain.',
  Accounts: 'Verification status of linked parties.',
  Events: 'Signed webhooks.',
  Sandbox: 'Every outcome on demand. Only a sandbox serves these: in live they are not found.',
}

/**
 * The document as a plain value; equal on every call.
 * @param routes what is served
 */
export function openApiDocument(routes: readonly Route[] = ROUTES): Json {
  const paths: Record<string, Json> = {}
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operationOf(route) }
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Stablecoin Partner API',
      version: '1.0.0',
      summary: 'Mint, redeem and transfer a ringgit-backed coin.',
      description:
        'Server-to-server JSON API. Every answer has `ok`; every failure has a stable `error.code`. Amounts are decimal strings. Ignore unknown fields; tolerate unknown `phase` and `error.code` values. ' +
        RETRY_ADVICE,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/v1', description: 'The environment that serves this document.' }],
    tags: Object.entries(TAGS)
      .filter(([name]) => name !== 'Sandbox' || routes.some((route) => route.tag === name))
      .map(([name, description]) => ({ name, description })),
    security: [{ apiKey: [] }],
    paths,
    webhooks: { orderEvent: { post: orderEvent() }, testEvent: { post: testEvent() } },
    components: {
      schemas: namedSchemas(),
      headers: HEADERS,
      parameters: { IdempotencyKey: IDEMPOTENCY_KEY },
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'coin_<environment>_<key id>_<secret>',
          description: `API key. A key works in one environment. Scopes: ${SCOPES.join(', ')}.`,
        },
      },
    },
  }
}

/**
 * Gives the document's text with the address at which it is asked for: `servers` are absolute. The newest text is kept, so that all who have asked and
 * do not take their answers hold one text, not a copy each.
 */
export function servedAt(document: Json): (origin: string) => string {
  let kept: { origin: string; text: string } | undefined
  return (origin) => {
    if (kept?.origin !== origin) {
      const servers = [{ url: `${origin}/v1`, description: 'The environment that serves this document.' }]
      kept = { origin, text: JSON.stringify({ ...document, servers }) }
    }
    return kept.text
  }
}

/** What is the same of everything that is posted to an endpoint. */
const DELIVERY = {
  tags: ['Events'],
  security: [],
  parameters: [
    {
      name: 'X-COIN-Signature',
      in: 'header',
      required: true,
      description:
        '`v1` is HMAC-SHA256, hex, of `{t}.{raw body}` keyed with the webhook secret. Tolerance 300 seconds.',
      schema: { type: 'string', pattern: '^t=\\d+,v1=[0-9a-f]{64}$' },
      example: `t=1772337931,v1=${'5d'.repeat(32)}`,
    },
  ],
}
const ACKNOWLEDGED = { description: 'Acknowledged; answer within 5 seconds.' }

function orderEvent(): Json {
  return {
    operationId: 'orderEvent',
    summary: 'An order changed its state',
    description:
      'Sent to your registered endpoint, at least once and in no particular order. Verify the signature over the raw body, deduplicate on `id`, then read the order: a webhook is a hint. Failed deliveries are retried for up to 24 hours. A `webhook.test` event has the same shape and is about no order: it is sent once, when the issuer tries your endpoint; acknowledge it and do nothing.',
    ...DELIVERY,
    requestBody: { required: true, content: jsonContent(OrderEvent, { completed: EXAMPLE_EVENT }) },
    responses: { '2XX': ACKNOWLEDGED, '410': { description: 'The endpoint is gone; it is disabled.' } },
  }
}

function testEvent(): Json {
  return {
    operationId: 'testEvent',
    summary: 'The issuer tries your endpoint',
    description: 'Sent once, and about no order: verify the signature, acknowledge it and do nothing.',
    ...DELIVERY,
    requestBody: { required: true, content: jsonContent(TestEvent, { test: EXAMPLE_TEST_EVENT }) },
    responses: { '2XX': ACKNOWLEDGED },
  }
}
