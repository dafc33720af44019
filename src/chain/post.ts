/**
 * One POST to a node, and what comes back, over Node's own connections, which are kept. `fetch` takes three times the processor time for what a settler asks
 * hundreds of times a block (bench/results/choices.md).
 */
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { CIPHERS } from '../values/ciphers.ts'
import { countParts } from './few-parts.ts'
import { lookUp } from './look-up.ts'
import { boundAnswer, nodeAgent } from './node-agent.ts'

/** No whole answer came. `code`: what the system, or Node, calls it. */
export class PostError extends Error {
  override readonly name = 'PostError'
  readonly code: string | undefined
  readonly why: 'failed' | 'late' | 'too-long'

  constructor(why: PostError['why'], code?: string) {
    super(code ?? why)
    this.why = why
    this.code = code
  }
}

/** Providers refuse who does not say what it is. Without a word on encodings an answer may have any. */
const HEADERS = {
  'content-type': 'application/json',
  accept: '*/*',
  'accept-encoding': 'identity',
  'user-agent': 'node',
} as const

/** Before an answer. Without end, they would occupy the process for as long as an answer may take. */
const MOST_INTERIM = 16

type Bounds = { timeoutMs: number; maxBytes: number }

/**
 * Follows no redirect, and sends again nothing that may have arrived.
 * @param url may have a name and a password, which go into the header
 * @param bounds `timeoutMs`: of the whole exchange; `maxBytes`: of the answer's body
 * @throws PostError
 */
export function postJson(url: URL, body: string, bounds: Bounds): Promise<{ status: number; text: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; text: string }>()
  const options = { method: 'POST', headers: { ...HEADERS, 'content-length': Buffer.byteLength(body) }, lookup: lookUp }
  const isSecure = url.protocol === 'https:'
  const request = isSecure
    ? httpsRequest(url, { ...options, ciphers: CIPHERS, agent: nodeAgent })
    : httpRequest(url, options)
  const heard = boundAnswer(request)
  const giveUp = (error: PostError) => {
    reject(error)
    request.destroy()
  }
  const timer = setTimeout(() => giveUp(new PostError('late')), bounds.timeoutMs)
  let interim = 0
  request.on('information', () => {
    interim += 1
    if (interim > MOST_INTERIM) giveUp(new PostError('failed', 'TOO_MANY_INTERIM_ANSWERS'))
  })
  request.on('response', (response) => {
    response.on('data', (piece: Buffer) => heard(piece.length))
    collect(response, bounds.maxBytes, (text) => resolve({ status: response.statusCode ?? 0, text }), giveUp)
  })
  request.on('error', (error) => giveUp(failure(error)))
  request.on('close', () => {
    clearTimeout(timer)
    // Of an answer that broke off this comes first.
    reject(new PostError('failed', 'ECONNRESET'))
  })
  request.end(body)
  return promise
}

/** Most answers are shorter. */
const USUAL_BYTES = 4_096
/** Nodes send thousands of bytes at a time. Each piece takes the process some microseconds, of whatever length it is. */
const LEAST_BYTES_A_PIECE = 256
const MOST_SMALL_PIECES = 1_000

function collect(
  response: IncomingMessage,
  maxBytes: number,
  take: (text: string) => void,
  giveUp: (error: PostError) => void,
): void {
  let whole = Buffer.allocUnsafe(USUAL_BYTES)
  let [bytes, pieces] = [0, 0]
  if (Number(response.headers['content-length'] ?? 0) > maxBytes) giveUp(new PostError('too-long'))
  const hasFewParts = countParts()
  response.on('data', (piece: Buffer) => {
    const before = bytes
    bytes += piece.length
    pieces += 1
    if (bytes > maxBytes) return giveUp(new PostError('too-long'))
    if (pieces > MOST_SMALL_PIECES + bytes / LEAST_BYTES_A_PIECE)
      return giveUp(new PostError('failed', 'TOO_MANY_PIECES'))
    if (!hasFewParts(piece)) return giveUp(new PostError('failed', 'TOO_MANY_PARTS'))
    // Copied: pieces take more than they say.
    if (bytes > whole.length) whole = Buffer.concat([whole.subarray(0, before)], Math.max(bytes, 2 * whole.length))
    piece.copy(whole, before)
  })
  response.on('end', () => take(whole.toString('utf8', 0, bytes)))
  response.on('error', (error) => giveUp(failure(error)))
}

function failure(error: Error): PostError {
  const { code } = error as { code?: unknown }
  return new PostError('failed', typeof code === 'string' ? code : undefined)
}
