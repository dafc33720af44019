/**
 * One POST to a node, and what comes back, over Node's own connections, which are kept. `fetch` takes four times the processor time for what a settler asks
 * hundreds of times a block (bench/results/choices.md).
 */
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { countParts } from './few-parts.ts'

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

type Bounds = { timeoutMs: number; maxBytes: number }

/**
 * Follows no redirect, and sends again nothing that may have arrived.
 * @param url may have a name and a password, which go into the header
 * @param bounds `timeoutMs`: of the whole exchange; `maxBytes`: of the answer's body
 * @throws PostError
 */
export function postJson(url: URL, body: string, bounds: Bounds): Promise<{ status: number; text: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; text: string }>()
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest
  // Without a word on encodings an answer may have any.
  const headers = { 'content-type': 'application/json', 'accept-encoding': 'identity' }
  const request = send(url, {
    method: 'POST',
    headers: { ...headers, 'content-length': Buffer.byteLength(body) },
  })
  const giveUp = (error: PostError) => {
    reject(error)
    request.destroy()
  }
  const timer = setTimeout(() => giveUp(new PostError('late')), bounds.timeoutMs)
  request.on('response', (response) => {
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

function collect(
  response: IncomingMessage,
  maxBytes: number,
  take: (text: string) => void,
  giveUp: (error: PostError) => void,
): void {
  const pieces: Buffer[] = []
  let bytes = 0
  if (Number(response.headers['content-length'] ?? 0) > maxBytes) giveUp(new PostError('too-long'))
  const hasFewParts = countParts()
  response.on('data', (piece: Buffer) => {
    bytes += piece.length
    if (bytes > maxBytes) giveUp(new PostError('too-long'))
    else if (hasFewParts(piece)) pieces.push(piece)
    else giveUp(new PostError('failed', 'TOO_MANY_PARTS'))
  })
  response.on('end', () => take(Buffer.concat(pieces).toString()))
  response.on('error', (error) => giveUp(failure(error)))
}

function failure(error: Error): PostError {
  const { code } = error as { code?: unknown }
  return new PostError('failed', typeof code === 'string' ? code : undefined)
}
