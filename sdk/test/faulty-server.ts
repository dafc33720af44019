/** A server that answers as a test tells it to, and remembers the requests. */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { createClient } from '../src/index.ts'
import type { ClientOptions } from '../src/settings.ts'

export type Seen = { method: string; url: string; headers: IncomingHttpHeaders; body: string }
export type Reply = (response: ServerResponse) => void

export const API_KEY = `coin_sandbox_0123456789abcdef_${'Ab3'.repeat(14)}Z`

/** Starts it; each request gets the next of `replies`, and the last one again and again. */
export async function startFaultyServer(replies: readonly Reply[]) {
  const seen: Seen[] = []
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request)
    const { method = '', url = '', headers } = request
    const reply = replies[Math.min(seen.length, replies.length - 1)]
    seen.push({ method, url, headers, body })
    reply?.(response)
  }
  const server = createServer((request, response) => {
    answer(request, response).catch((error: Error) => response.destroy(error))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    seen,
    baseUrl: `http://127.0.0.1:${port}`,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** A clock that moves only when somebody waits, and a random number that is always a half. */
export function fakeTimers() {
  const delays: number[] = []
  let nowMs = Date.parse('2026-01-31T12:00:00Z')
  return {
    delays,
    timers: {
      now: () => nowMs,
      random: () => 0.5,
      async delay(ms: number, signal: AbortSignal | undefined) {
        signal?.throwIfAborted()
        delays.push(ms)
        nowMs += ms
      },
    },
  }
}

/** A client of such a server, with timers that do not wait. */
export async function startFaulty(replies: readonly Reply[], options: Partial<ClientOptions> = {}) {
  const server = await startFaultyServer(replies)
  const { delays, timers } = fakeTimers()
  const client = createClient({ baseUrl: server.baseUrl, apiKey: API_KEY, timers, ...options })
  return { ...server, delays, client }
}

export function json(status: number, body: unknown, headers: Record<string, string> = {}): Reply {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
  }
}

export function refusal(status: number, code: string, headers: Record<string, string> = {}, meta?: object): Reply {
  return json(status, { ok: false, error: { code, message: 'No.', meta } }, headers)
}

/** Ends the connection without an answer. */
export const hangUp: Reply = (response) => response.destroy()
/** Never answers. */
export const silence: Reply = () => undefined

export function order(status = 'pending'): Record<string, unknown> {
  return { ok: true, referenceId: 'order-2026-0001', status, phase: status.toUpperCase() }
}
