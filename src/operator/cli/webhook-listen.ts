/**
 * coin webhook listen: shows an integration's events as they happen and forwards them, signed, to the user's own
 * server.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { Command } from 'commander'
import { type Forwarded, forwardEvent } from '../../webhooks/forward.ts'
import { generateWebhookSecret } from '../../webhooks/signature.ts'
import { get, type Result } from './client.ts'
import { CliError } from './errors.ts'
import { printJson, say } from './output.ts'

const RETRY_MS = 2000

type ListenedEvent = { eventId: string; type: string; payload: string }
type Listening = { integrationId: string; forwardTo: string | undefined; secret: string; json: boolean }

export function registerListen(noun: Command): void {
  const command = noun
    .command('listen')
    .description(
      'show events as they happen and forward them, signed, until interrupted; with --json one object a line',
    )
    .requiredOption('--integration <id>', 'the partner')
    .option('--forward-to <url>', 'http or https address of your own server, such as http://localhost:3000/webhooks')
    .option('--json', 'print one JSON object per line')
  command.action(async () => {
    const { integration, forwardTo, json } = command.optsWithGlobals<Record<string, unknown>>()
    const url = typeof forwardTo === 'string' ? checkedUrl(forwardTo) : undefined
    await listen({
      integrationId: String(integration),
      forwardTo: url,
      secret: generateWebhookSecret(),
      json: json === true,
    })
  })
}

async function listen(listening: Listening): Promise<void> {
  let after = await begin(listening)
  for (;;) {
    const { events, next } = await following(listening.integrationId, after)
    for (const event of events as ListenedEvent[]) await handle(listening, event)
    after = String(next)
  }
}

/** The first call must succeed: it shows at once when the service, the token or the integration is wrong. */
async function begin({ integrationId, forwardTo, secret, json }: Listening): Promise<string> {
  const { next } = await get('/webhooks/events', { integrationId })
  if (json) {
    printJson({ listening: integrationId, forwardTo: forwardTo ?? null, secret })
  } else {
    say(`Listening for events of ${integrationId}. Press Ctrl+C to end.`)
    if (forwardTo !== undefined) {
      say(`Forwarding to ${forwardTo}`)
      say(`The secret of this session, for your receiver: ${secret}`)
    }
  }
  return String(next)
}

/** Later the service may restart: nothing is missed, because the cursor is kept. */
async function following(integrationId: string, after: string): Promise<Result> {
  for (;;) {
    try {
      return await get('/webhooks/events', { integrationId, after })
    } catch (error) {
      const mayPass =
        error instanceof CliError && ['UNREACHABLE', 'SERVICE_UNAVAILABLE', 'SERVER_ERROR'].includes(error.code)
      if (!mayPass) throw error
      process.stderr.write('The service does not answer. Trying again…\n')
      await pause(RETRY_MS)
    }
  }
}

async function handle({ forwardTo, secret, json }: Listening, { payload, ...event }: ListenedEvent): Promise<void> {
  const body = JSON.parse(payload) as { createdAt: string; data: { referenceId: string; amounts: { coin: string } } }
  if (!json)
    say(`${body.createdAt}  ${event.type}  ${body.data.referenceId}  ${body.data.amounts.coin}  ${event.eventId}`)
  const forwarded =
    forwardTo === undefined ? undefined : await forwardEvent({ url: forwardTo, secret, payload, at: new Date() })
  if (json) printJson({ event: body, ...(forwarded === undefined ? {} : { forwarded }) })
  else if (forwarded !== undefined) say(`  → ${sentenceOf(forwarded)}`)
}

function sentenceOf({ status, error, durationMs, answer }: Forwarded): string {
  const result = error === null ? `${status} acknowledged` : `${error} (the service would try again later)`
  return `${result} in ${durationMs} ms${answer === null || answer === '' ? '' : `: ${answer}`}`
}

function checkedUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (
    url !== undefined &&
    (url.protocol === 'http:' || url.protocol === 'https:') &&
    url.username === '' &&
    url.password === ''
  ) {
    return url.href
  }
  throw new CliError('USAGE', 'Give --forward-to an http or https URL, such as http://localhost:3000/webhooks.')
}
