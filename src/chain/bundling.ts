/** A node to which calls at one block go in one request, because providers bill each. */
import type { Hex } from 'viem'
import { answersIn, bundleOf, type PlainCall } from './bundle.ts'
import { RpcAnswerError, type RpcNode, RpcUnreachableError } from './node.ts'

/** More than one reading has, and far from the gas that nodes allow a call. */
const MOST_CALLS = 32
/** How long a node that answered calls by themselves, but not all of them in one request, is spared another try. */
const SPARED_MS = 600_000

type Waiting = { call: PlainCall; block: unknown; resolve(answer: unknown): void; reject(error: unknown): void }

/**
 * Sends calls of contracts that are asked for at the same time, at the same block, as one request. Where a node refuses
 * that, or one of the calls fails, each is sent by itself, and its own answer or error counts. So it is the next time after a node
 * did not answer: the node may be down, but one slow call among them, or all of them together, may also have taken too long.
 */
export function bundling(node: RpcNode, nowMs = () => performance.now()): RpcNode {
  const waiting = new Map<string, Waiting[]>()
  const send = createBundles(node, nowMs)

  function flush(key: string): void {
    const all = waiting.get(key) ?? []
    waiting.delete(key)
    for (let at = 0; at < all.length; at += MOST_CALLS) void send(all.slice(at, at + MOST_CALLS))
  }

  return {
    label: node.label,
    request(method, params, timeoutMs) {
      const [call, block] = params
      if (method !== 'eth_call' || timeoutMs !== undefined || !isPlain(call))
        return node.request(method, params, timeoutMs)
      const key = JSON.stringify(block)
      return new Promise((resolve, reject) => {
        const others = waiting.get(key)
        const own = { call, block, resolve, reject }
        if (others !== undefined) return void others.push(own)
        waiting.set(key, [own])
        setImmediate(flush, key)
      })
    },
  }
}

/** Sends calls at one block, as one request where the node takes that. Each is told its own answer; never rejects. */
function createBundles(node: RpcNode, nowMs: () => number): (calls: readonly Waiting[]) => Promise<void> {
  let sparedUntilMs = Number.NEGATIVE_INFINITY
  /** Bundles that the node has not answered, one after another; and whether that was the last thing it did. */
  let silences = 0
  let wasSilent = false

  return async (calls) => {
    const sentAtMs = nowMs()
    if (calls.length > 1 && wasSilent) {
      wasSilent = false
      if ((await sendEach(node, calls)) > 0 && silences > 1) sparedUntilMs = sentAtMs + SPARED_MS
      return
    }
    const code = calls.length > 1 && sentAtMs >= sparedUntilMs ? bundleOf(calls.map(({ call }) => call)) : undefined
    if (code === undefined) {
      await sendEach(node, calls)
      return
    }
    try {
      const result = await node.request('eth_call', [{ data: code }, calls[0]?.block])
      const answers = answersIn(result as Hex, calls.length)
      if (answers !== undefined) {
        silences = 0
        for (const [index, { resolve }] of calls.entries()) resolve(answers[index])
        return
      }
    } catch (error) {
      if (!mayRefuseCode(error)) {
        wasSilent = error instanceof RpcUnreachableError && error.httpStatus === undefined
        if (wasSilent) silences += 1
        for (const { reject } of calls) reject(error)
        return
      }
    }
    if ((await sendEach(node, calls)) === calls.length) sparedUntilMs = sentAtMs + SPARED_MS
  }
}

/** @returns how many were answered */
async function sendEach(node: RpcNode, calls: readonly Waiting[]): Promise<number> {
  const sent = await Promise.allSettled(
    calls.map(async ({ call, block, resolve, reject }) => {
      await node.request('eth_call', [call, block]).then(resolve, (error: unknown) => {
        reject(error)
        throw error
      })
    }),
  )
  return sent.filter(({ status }) => status === 'fulfilled').length
}

/** Without a sender: in a bundle every call comes from the bundle. */
function isPlain(call: unknown): call is PlainCall {
  const { to, data, ...more } = call as Partial<PlainCall>
  return to !== undefined && data !== undefined && Object.keys(more).length === 0
}

/** As of JSON-RPC, and as some providers say it in the words of HTTP. */
const ASKED_TOO_MUCH: readonly number[] = [-32_005, 429]

/** Whether a node may have refused a call for being code, as a bundle is: not because it is down, too slow or asked too much. */
export function mayRefuseCode(error: unknown): boolean {
  // With whatever status, but that: some nodes give each of their errors one.
  if (error instanceof RpcAnswerError) return error.httpStatus !== 429 && !ASKED_TOO_MUCH.includes(error.code)
  if (!(error instanceof RpcUnreachableError)) return true
  const { httpStatus } = error
  return httpStatus !== undefined && httpStatus >= 400 && httpStatus < 500 && httpStatus !== 429
}
