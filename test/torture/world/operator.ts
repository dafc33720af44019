/** The few operator commands that a run needs, over the operator API. */
import { atLeast } from '../../support/wait-for.ts'
import type { Command } from '../judge/evidence.ts'

export type Operator = {
  get<T>(path: string): Promise<T>
  post<T>(path: string, body: Record<string, unknown>): Promise<T>
  /** Every command so far that an audit log must know. */
  commands(): readonly Command[]
}

const TIMEOUT_MS = atLeast(60_000)

const CREATED_BY: Readonly<Record<string, string>> = {
  '/integrations': 'integration.create',
  '/keys': 'key.create',
  '/customers': 'customer.link',
  '/webhooks': 'webhook.add',
}

/** The name and the subject that the audit log has for a command; '' is what only its answer says. */
function namedInAudit(path: string, body: Record<string, unknown>): Omit<Command, 'outcome'> {
  const [, noun = '', ...rest] = path.split('/')
  if (noun === 'orders') return { action: `order.${rest.at(-1)}`, target: rest.slice(0, -1).join('/') }
  if (noun === 'keys' && rest.length > 0) return { action: `key.${rest.at(-1)}`, target: rest[0] ?? '' }
  if (noun === 'payouts') return { action: `payout.${rest.at(-1)}`, target: rest[0] ?? '' }
  if (noun === 'wallets') return { action: 'wallet.add', target: String(body.customerId) }
  if (noun === 'chains') return { action: `chain.${rest.at(-1)}`, target: String(body.chainId) }
  const action = CREATED_BY[path]
  if (action === undefined) throw new Error(`what does the audit log call ${path}?`)
  return { action, target: '' }
}

/** An answer other than 2xx. */
class RefusedError extends Error {
  readonly status: number

  constructor(message: string, status: number) {
    super(message)
    this.status = status
  }
}

/** Where the answer says what was made. */
const MADE = {
  'integration.create': 'integrationId',
  'key.create': 'keyId',
  'customer.link': 'customerId',
  'webhook.add': 'endpointId',
} as const

/** @param origin of a process that serves the operator API, asked anew for each request */
export function createOperator(origin: () => string, token: string): Operator {
  const commands: Command[] = []

  async function request<T>(method: string, path: string, body?: Record<string, unknown>): Promise<T> {
    const response = await fetch(`${origin()}/operator/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      signal: AbortSignal.timeout(TIMEOUT_MS),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const answer = await response.text()
    if (!response.ok)
      throw new RefusedError(`${method} ${path}: ${response.status} ${answer.slice(0, 300)}`, response.status)
    return JSON.parse(answer) as T
  }
  async function post<T>(path: string, body: Record<string, unknown>): Promise<T> {
    const command: Command = { ...namedInAudit(path, body), outcome: 'unknown' }
    commands.push(command)
    try {
      const answer = await request<T>('POST', path, body)
      const made = MADE[command.action as keyof typeof MADE]
      if (made !== undefined) command.target = (answer as Record<typeof made, string>)[made]
      command.outcome = 'done'
      return answer
    } catch (error) {
      if (error instanceof RefusedError && error.status < 500) command.outcome = 'refused'
      throw error
    }
  }

  return { get: (path) => request('GET', path), post, commands: () => commands }
}

/** The whole audit log. */
export async function readAudit(operator: Operator): Promise<{ action: string; target: string }[]> {
  const found: { action: string; target: string }[] = []
  let after = ''
  do {
    const page = await operator.get<{ entries: { action: string; target: string | null }[]; next: string | null }>(
      `/audit?limit=200${after}`,
    )
    found.push(...page.entries.map(({ action, target }) => ({ action, target: target ?? '' })))
    after = page.next === null ? '' : `&after=${page.next}`
  } while (after !== '')
  return found
}

/** Asks for every refused or waiting payout again, as an operator would; returns how many there are. */
export async function retryPayouts(operator: Operator): Promise<number> {
  let found = 0
  for (const status of ['rejected', 'queued']) {
    const { payouts } = await operator.get<{ payouts: { payoutId: string }[] }>(`/payouts?status=${status}&limit=200`)
    found += payouts.length
    for (const { payoutId } of payouts) {
      // It may have been accepted since it was listed.
      await operator.post(`/payouts/${payoutId}/retry`, {}).catch(() => {})
    }
  }
  return found
}

const HELD = 'by a torture run'
type Listed = { integrationId: string; referenceId: string; waiting: string | null }

/** As many as an operator would hold one by one, so that releasing them ends in time on a slow machine too. */
const MOST_HELD = 50

/** Holds some of what waits to be signed, as far as it is not signed meanwhile. */
export async function holdOrders(operator: Operator): Promise<void> {
  const waiting = await listOrders(operator, 'status=pending')
  for (const order of waiting.slice(0, MOST_HELD)) await decide(operator, order, 'hold').catch(() => {})
}

/**
 * Releases what `holdOrders` held, unless somebody else just did. Returns how many were held. An order whose batch was abandoned is
 * `processing` for its partner, and can be held like one that is pending.
 */
export async function releaseOrders(operator: Operator): Promise<number> {
  const held = (await listOrders(operator, 'stuck=true')).filter(({ waiting }) => waiting?.includes(HELD))
  for (const order of held) await decide(operator, order, 'release').catch(() => {})
  return held.length
}

function decide(
  operator: Operator,
  { integrationId, referenceId }: Listed,
  verb: 'hold' | 'release',
): Promise<unknown> {
  // Most are held and let go several times.
  const held = verb === 'release' ? { held: [HELD] } : {}
  return operator.post(`/orders/${integrationId}/${referenceId}/${verb}`, { reason: HELD, ...held })
}

async function listOrders(operator: Operator, which: 'status=pending' | 'stuck=true'): Promise<Listed[]> {
  const found: Listed[] = []
  let after = ''
  do {
    const page = await operator.get<{ orders: Listed[]; next: string | null }>(`/orders?${which}&limit=200${after}`)
    found.push(...page.orders)
    after = page.next === null ? '' : `&after=${page.next}`
  } while (after !== '')
  return found
}

/** What the torture itself does with the keys of limiter and pauser, and the service rightly tells. */
const OWN_FAULTS = [': the limit of mints went from ', ' the signer role of the settlement']

/** The service's own reconciliation, without what the torture itself did. */
export async function reconcile(operator: Operator): Promise<{ ok: boolean; differences: string[] }> {
  const { differences } = await operator.get<{ differences: { kind: string; message: string }[] }>('/reconcile')
  const unexpected = differences.filter(
    ({ kind, message }) => kind !== 'foreign_movement' || !OWN_FAULTS.some((fault) => message.includes(fault)),
  )
  return { ok: unexpected.length === 0, differences: unexpected.map(({ kind, message }) => `${kind}: ${message}`) }
}
