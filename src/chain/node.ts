/** One RPC address of a chain, asked on its own: bounded, never retried, and with errors that never show its URL. */
import { type Hex, isHex, stringify } from 'viem'
import { ChainError } from '../chain-errors.ts'
import { onOneLine } from '../values/on-one-line.ts'
import { PostError, postJson } from './post.ts'

/** The node answered with a JSON-RPC error. `data` is the revert data of a call, when there is any. */
export class RpcAnswerError extends ChainError {
  override readonly name = 'RpcAnswerError'
  readonly node: string
  readonly code: number
  readonly data: unknown
  /** With which it came, where that is known. */
  readonly httpStatus: number | undefined

  constructor(node: string, code: number, message: string, data: unknown, httpStatus?: number) {
    super(`${node}: ${message}`)
    this.node = node
    this.code = code
    this.data = data
    this.httpStatus = httpStatus
  }
}

/** No usable answer came back; whether the node got the request is not known. */
export class RpcUnreachableError extends ChainError {
  override readonly name = 'RpcUnreachableError'
  /** When that is what came instead of an answer. */
  readonly httpStatus: number | undefined
  /** Whether an answer came that is longer than what is read of one: less asked for may be answered. */
  readonly isTooLong: boolean

  constructor(message: string, { httpStatus, isTooLong = false }: { httpStatus?: number; isTooLong?: boolean } = {}) {
    super(message)
    this.httpStatus = httpStatus
    this.isTooLong = isTooLong
  }
}

export type RpcNode = {
  /** Scheme, host and port: what may be logged. */
  label: string
  /**
   * Sends one JSON-RPC request, once.
   * @param timeoutMs covers the whole exchange, body included; default 5 s
   * @throws RpcAnswerError, RpcUnreachableError
   */
  request(method: string, params: readonly unknown[], timeoutMs?: number): Promise<unknown>
}

export const READ_TIMEOUT_MS = 5_000
const MAX_MESSAGE_LENGTH = 300
/** An error of our contracts has a few words. */
const MAX_REVERT_LENGTH = 2_050
/** Receipts of whole batches, and blocks with the hashes of fifteen thousand transactions, are shorter. */
const MAX_ANSWER_BYTES = 1024 * 1024
/** Of logs, of blocks with their transactions, and of one of these, whose input may be as long as its sender pays for. */
const MAX_LONG_ANSWER_BYTES = 16 * 1024 * 1024

/** Connects to one RPC address. No request is made yet. */
export function connectNode(url: string): RpcNode {
  const label = labelOfUrl(url)
  const secrets = secretsIn(url)
  return {
    label,
    async request(method, params, timeoutMs = READ_TIMEOUT_MS) {
      const maxBytes = isLong(method, params) ? MAX_LONG_ANSWER_BYTES : MAX_ANSWER_BYTES
      const { status, answer } = await ask(url, { method, params }, { timeoutMs, maxBytes }).catch((error: unknown) => {
        throw unreachable(error, `${label}: ${method}`, timeoutMs)
      })
      if (answer?.error !== undefined && answer.error !== null) {
        const { code, message, data } = answer.error
        const text = textIn(message) ?? 'error without a message'
        throw new RpcAnswerError(label, Number(textIn(code)), clean(text, url, secrets), revertDataIn(data), status)
      }
      if (answer?.result === undefined) throw new RpcUnreachableError(`${label}: ${method}: not a JSON-RPC answer`)
      return answer.result
    },
  }
}

const LONG_ANSWERS: ReadonlySet<string> = new Set(['eth_getLogs', 'eth_getTransactionByHash'])

function isLong(method: string, params: readonly unknown[]): boolean {
  return LONG_ANSWERS.has(method) || (method === 'eth_getBlockByNumber' && params[1] === true)
}

type RawAnswer = { error?: { code?: unknown; message?: unknown; data?: unknown } | null; result?: unknown }

/** The HTTP status of an error came instead of an answer. */
class StatusError extends Error {
  readonly status: number

  constructor(status: number) {
    super(`HTTP status ${status}`)
    this.status = status
  }
}

/**
 * Sends it once: only a caller that knows what it means may repeat a broadcast. `answer` is undefined where it is no object.
 * @throws PostError, StatusError
 */
async function ask(
  url: string,
  asked: { method: string; params: readonly unknown[] },
  bounds: { timeoutMs: number; maxBytes: number },
): Promise<{ status: number; answer: RawAnswer | undefined }> {
  const { status, text } = await postJson(new URL(url), stringify({ jsonrpc: '2.0', id: 1, ...asked }), bounds)
  const answer = objectIn(text)
  if (status >= 200 && status < 300) return { status, answer }
  // Some nodes give their errors an HTTP status, too.
  if (typeof answer?.error?.code === 'number' && typeof answer.error.message === 'string') return { status, answer }
  throw new StatusError(status)
}

function objectIn(text: string): RawAnswer | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

function unreachable(error: unknown, what: string, timeoutMs: number): RpcUnreachableError {
  if (error instanceof StatusError)
    return new RpcUnreachableError(`${what}: ${error.message}`, { httpStatus: error.status })
  const { why, code } = error instanceof PostError ? error : { why: 'failed', code: undefined }
  if (why === 'late') return new RpcUnreachableError(`${what}: no answer within ${timeoutMs} ms`)
  if (why === 'too-long') return new RpcUnreachableError(`${what}: the answer is too long`, { isTooLong: true })
  return new RpcUnreachableError(`${what}: ${code ?? 'connection failed'}`)
}

/** Scheme, host and port of an RPC address: credentials sit in the user part, the path or the query, and stay out. */
export function labelOfUrl(url: string): string {
  try {
    return new URL(url).origin
  } catch {
    return 'invalid RPC address'
  }
}

/** What is shorter is no key, but a version or the name of a chain, which may be part of any sentence. */
const SHORTEST_KEY = 16
const SHORTEST_PASSWORD = 8

/** The parts of an address that may be a key, which a node may say by themselves in its errors. */
function secretsIn(url: string): string[] {
  if (!URL.canParse(url)) return []
  const { username, password, pathname, searchParams } = new URL(url)
  const keys = [username, ...pathname.split('/'), ...searchParams.values()].filter(
    (part) => part.length >= SHORTEST_KEY,
  )
  return password.length >= SHORTEST_PASSWORD ? [password, ...keys] : keys
}

function clean(message: string, url: string, secrets: readonly string[]): string {
  const shown = secrets.reduce((text, secret) => text.replaceAll(secret, '…'), message.replaceAll(url, labelOfUrl(url)))
  return onOneLine(shown, MAX_MESSAGE_LENGTH)
}

/** A node may say anything, also what cannot be made a text. */
function textIn(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  return typeof value === 'number' ? String(value) : undefined
}

/** Of an error's data what a call reverted with, which some nodes put one deeper: errors are logged with it, and it may be of any length. */
function revertDataIn(data: unknown): Hex | undefined {
  const revert = isHex(data) ? data : (data as { data?: unknown } | null | undefined)?.data
  return isHex(revert) && revert.length <= MAX_REVERT_LENGTH ? revert : undefined
}
