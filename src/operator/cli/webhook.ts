/** coin webhook … */
import type { Command } from 'commander'
import { get, pathOf, post } from './client.ts'
import { add, fields, gather, paged, rename, table } from './command.ts'
import { CliError } from './errors.ts'
import type { Row } from './output.ts'
import { registerListen } from './webhook-listen.ts'

type OfEndpoint = (endpointId: string, options: Record<string, unknown>) => ReturnType<typeof get>

export function register(noun: Command): void {
  add(noun, 'add', 'register an endpoint; its secret is shown this once', (options) =>
    post('/webhooks', rename(options, { integration: 'integrationId', event: 'eventTypes' })),
  )
    .requiredOption('--integration <id>', 'the partner')
    .requiredOption('--url <url>', 'https address that receives the events')
    .option('--event <type>', 'only this event type; may be given several times', gather)
  add(
    noun,
    'list',
    'endpoints',
    (options) => get('/webhooks', rename(options, { integration: 'integrationId' })),
    table('endpoints', {
      ...fields('endpointId', 'integrationId', 'status', 'rotating', 'disabledReason'),
      events: ({ eventTypes }) => (Array.isArray(eventTypes) ? eventTypes.join(',') : 'all'),
      ...fields('url'),
    }),
  ).option('--integration <id>', 'only those of this partner')
  registerOfEndpoint(noun)
  registerListen(noun)
  add(noun, 'replay', 'deliver again what happened', (options) =>
    post(
      '/webhooks/replay',
      rename(options, { event: 'eventId', endpoint: 'endpointId', integration: 'integrationId' }),
    ),
  )
    .option('--event <id>', 'this event')
    .option('--since <instant>', 'or all events since, in ISO 8601')
    .option('--until <instant>', 'up to, in ISO 8601')
    .option('--endpoint <id>', 'to this endpoint only')
    .option('--integration <id>', 'of this partner only; a period needs this or --endpoint')
    .option('--failed', 'only what ended undelivered')
    .option('--dry-run', 'only count them, deliver nothing')
}

function change(verb: string): OfEndpoint {
  return (endpointId, options) => post(pathOf('webhooks', endpointId, verb), options)
}

function registerOfEndpoint(noun: Command): void {
  forEndpoint(
    noun,
    'test',
    'send a signed test event now; exits with 1 when it is not acknowledged',
    async (id, options) => {
      const result = await change('test')(id, options)
      if (result.acknowledged !== true) process.exitCode = 1
      return result
    },
  ).option('--next', 'sign with the next secret')
  forEndpoint(noun, 'set', 'change the address or the event types, keep the secret', (id, options) =>
    change('set')(id, rename(options, { event: 'eventTypes' })),
  )
    .option('--url <url>', 'https address that receives the events')
    .option('--event <type>', 'only this event type; may be given several times', gather)
    .option('--all-events', 'all event types')
  forEndpoint(noun, 'remove', 'remove it with its secrets, and drop what is due', change('remove'))
  forEndpoint(noun, 'disable', 'stop deliveries and drop what is due', change('disable')).option(
    '--reason <text>',
    'why',
  )
  forEndpoint(noun, 'enable', 'deliver again from now on', change('enable'))
  forEndpoint(
    noun,
    'rotate',
    'make the next secret, shown this once; the old one still signs',
    (id, { activate, ...options }) => change(activate === true ? 'activate' : 'rotate')(id, options),
  )
    .option('--replace', 'replace a next secret that is not activated yet')
    .option('--activate', 'let the next secret sign from now on')
  forEndpoint(noun, 'activate', 'sign with the next secret from now on', change('activate'))
  const deliveries = forEndpoint(
    noun,
    'deliveries',
    'what was sent, newest first',
    (endpointId, options) => get(pathOf('webhooks', endpointId, 'deliveries'), options),
    table('deliveries', {
      ...fields('deliveryId', 'eventId', 'type', 'status', 'attempts', 'nextAttemptAt', 'createdAt'),
      httpStatus: (row) => lastAttempt(row)?.httpStatus,
      error: (row) => lastAttempt(row)?.error,
    }),
  ).option('--failed', 'only those not delivered')
  paged(deliveries)
}

/** A command about one endpoint, which is named as an argument or with --endpoint. */
function forEndpoint(
  noun: Command,
  name: string,
  about: string,
  request: OfEndpoint,
  show?: (result: Record<string, unknown>) => void,
): Command {
  return add(
    noun,
    `${name} [id]`,
    about,
    ({ endpoint, ...options }, id) => {
      const endpointId = id ?? endpoint
      if (typeof endpointId === 'string') return request(endpointId, options)
      throw new CliError('USAGE', 'Name the endpoint with --endpoint: find its id with "coin webhook list".')
    },
    show,
  ).option('--endpoint <id>', 'the endpoint')
}

function lastAttempt({ attemptLog }: Row): Row | undefined {
  return Array.isArray(attemptLog) ? attemptLog.at(-1) : undefined
}
