/** One HTTP request as a partner makes it, noted with its answer. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '../../support/random.ts'
import type { Attempt, Purpose } from '../judge/evidence.ts'

export type Call = {
  reference: string
  purpose: Purpose
  secret: string
  method: 'GET' | 'POST'
  path: string
  key: string
  body: string
}

export type Client = {
  /** Sends a request once. */
  ask(call: Call, server: number): Promise<Attempt>
  /**
   * Sends a request, to one server or the other, until an answer decides, as the contract tells partners to: same key,
   * same body.
   */
  insist(call: Call, random: Random): Promise<Attempt>
}

/** More than the ten seconds that a duplicate may wait for its original. */
const TIMEOUT_MS = 15_000
const LONGEST_BACKOFF_MS = 1_000

/**
 * @param servers origins of the API processes
 * @param note gets every attempt when it has ended
 * @param isOver true when nobody insists any longer: the attempt stays undecided
 */
export function createClient(
  servers: readonly string[],
  note: (attempt: Attempt) => void,
  isOver: () => boolean,
): Client {
  async function ask(call: Call, server: number): Promise<Attempt> {
    const { reference, purpose, key } = call
    const startedMs = performance.now()
    const answer = await send(`${servers[server % servers.length]}/v1${call.path}`, call)
    const attempt = { reference, purpose, key, startedMs, endedMs: performance.now(), ...answer }
    note(attempt)
    return attempt
  }
  return {
    ask,
    async insist(call, random) {
      let server = random.between(0, servers.length - 1)
      for (let backoffMs = 50; ; backoffMs = Math.min(2 * backoffMs, LONGEST_BACKOFF_MS)) {
        const attempt = await ask(call, server)
        const { status } = attempt
        if ((status !== 0 && status < 500 && status !== 429) || isOver()) return attempt
        server += 1
        await sleep(backoffMs)
      }
    },
  }
}

type Answer = Pick<Attempt, 'status' | 'code' | 'text' | 'isReplay'>

async function send(url: string, { method, secret, key, body }: Call): Promise<Answer> {
  try {
    const response = await fetch(url, {
      method,
      headers: {
        authorization: `Bearer ${secret}`,
        ...(method === 'POST' ? { 'content-type': 'application/json', 'idempotency-key': key } : {}),
      },
      ...(method === 'POST' ? { body } : {}),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    const text = await response.text()
    const isReplay = response.headers.get('x-coin-idempotent-replay') === 'true'
    return { status: response.status, code: response.ok ? '' : codeIn(text), text, isReplay }
  } catch {
    return { status: 0, code: '', text: '', isReplay: false }
  }
}

function codeIn(text: string): string {
  try {
    return String((JSON.parse(text) as { error?: { code?: unknown } }).error?.code ?? 'no code')
  } catch {
    return 'no JSON'
  }
}
