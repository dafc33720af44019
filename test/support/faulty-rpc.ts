/**
 * A proxy in front of an RPC address that misbehaves as real ones do: it drops answers after forwarding the request,
 * delays them, lags behind, and lies. Rules and a seeded generator decide what it does, so that a run can be repeated
 * from its seed.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { postJson } from '../../src/chain/post.ts'
import { callsIn } from './bundled-calls.ts'
import { atLeast } from './wait-for.ts'

type RpcRequest = { id: unknown; method: string; params: unknown[] }
type RpcAnswer = { id: unknown; jsonrpc: string; result?: unknown; error?: unknown }

/** What to do with one request. `lie` gets the honest answer and returns another. */
export type Fault =
  | { kind: 'none' }
  /** Forwarded; the connection ends without an answer. */
  | { kind: 'drop' }
  /** Not forwarded; the connection ends without an answer. */
  | { kind: 'refuse' }
  | { kind: 'delay'; ms: number }
  /** Not forwarded; `data` as of a revert. */
  | { kind: 'error'; message: string; data?: unknown }
  /** Not forwarded; answered all the same. */
  | { kind: 'pretend'; result: unknown }
  /** Not forwarded; nothing is ever answered. */
  | { kind: 'hang' }
  | { kind: 'lie'; lie(answer: unknown, request: RpcRequest): unknown }

export type FaultyRpc = {
  url: string
  /** The methods of all requests so far. */
  seen: string[]
  /** Of each request that is never answered, whether its client still waits. */
  hanging: { isAwaited: boolean }[]
  close(): Promise<void>
}

/** Chooses a fault for a request; `random` gives numbers in [0, 1). */
export type Rules = (request: RpcRequest, random: () => number) => Fault | Promise<Fault>

/** Starts a proxy on a free port of 127.0.0.1. */
export async function startFaultyRpc(target: string, rules: Rules, seed = 1): Promise<FaultyRpc> {
  const random = seededRandom(seed)
  const seen: string[] = []
  const hanging: FaultyRpc['hanging'] = []
  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy())
  })

  async function handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = ''
    for await (const chunk of incoming) body += String(chunk)
    const request = JSON.parse(body) as RpcRequest
    seen.push(request.method)
    const fault = await faultOf(request)
    if (fault.kind === 'refuse') {
      response.destroy()
      return
    }
    if (fault.kind === 'error') {
      const { message, data } = fault
      answer(response, { id: request.id, jsonrpc: '2.0', error: { code: -32000, message, data } })
      return
    }
    if (fault.kind === 'hang') {
      const request = { isAwaited: true }
      hanging.push(request)
      response.once('close', () => {
        request.isAwaited = false
      })
      return
    }
    if (fault.kind === 'pretend') {
      answer(response, { id: request.id, jsonrpc: '2.0', result: fault.result })
      return
    }
    const honest = await forward(target, body)
    if (fault.kind === 'drop') {
      response.destroy()
      return
    }
    if (fault.kind === 'delay') await new Promise((resolve) => setTimeout(resolve, fault.ms))
    if (fault.kind !== 'lie') return send(response, honest)
    const said = JSON.parse(honest) as RpcAnswer
    answer(response, { ...said, result: fault.lie(said.result, request) })
  }

  /** A bundle with a call that a rule is about is refused: its calls come one by one, and the rule meets its own. */
  async function faultOf(request: RpcRequest): Promise<Fault> {
    const fault = await rules(request, random)
    if (fault.kind !== 'none' || request.method !== 'eth_call') return fault
    for (const call of callsIn(request.params[0]) ?? []) {
      const own = await rules({ ...request, params: [call, ...request.params.slice(1)] }, random)
      if (own.kind !== 'none') return { kind: 'error', message: 'one of these calls gets another answer' }
    }
    return fault
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    hanging,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** More than any node answers in a test. */
const BOUNDS = { timeoutMs: atLeast(60_000), maxBytes: 2 ** 28 }

/** As the service asks, for a third of what `fetch` takes: most of what is asked here goes through. */
async function forward(target: string, body: string): Promise<string> {
  return (await postJson(new URL(target), body, BOUNDS)).text
}

function answer(response: ServerResponse, body: RpcAnswer): void {
  send(response, JSON.stringify(body))
}

function send(response: ServerResponse, text: string): void {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }).end(text)
}

/** mulberry32: small, and the same numbers for the same seed everywhere. */
function seededRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
