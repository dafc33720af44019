/**
 * A bound on the pieces in which one request sends its body. Node makes an object of each: a body of 64 KiB in chunks of one byte each took thirteen
 * megabytes, that of a hundred strangers without a key more than a gigabyte, and reading it kept every other client waiting for seconds.
 */
import type { EventEmitter } from 'node:events'
import type { IncomingMessage, Server } from 'node:http'
import { endAfter } from './pipelining.ts'

/** Shorter pieces are counted, and put together. What a client writes at once is longer, and so is what a packet brings of it. */
export const SHORT_BYTES = 64
/** A body of as many bytes may come byte by byte. */
export const MAX_SHORT_PIECES = 4096
const TOGETHER_BYTES = 4096

/**
 * Lets the body of a request come in at most `MAX_SHORT_PIECES` short pieces. A connection that sends more is read no further, and is closed once the
 * request is answered, or a second later. Whoever waits for the body hears by `onTooManyPieces` that it will never be whole. To be called once, after
 * whatever listens for requests does.
 */
export function boundChunks(server: Server): void {
  server.prependListener('request', (request, response) => {
    // A body that says its length has one piece for each packet.
    if (request.headers['transfer-encoding'] === undefined) return
    boundPieces(request, () => {
      endAfter(response, request.socket)
      ;(request as Counted)[OVERDONE] = true
      request.emit(EVENT)
    })
    // What follows an answer is counted, too: Node throws it away by itself, past all counting, unless the request has been read from.
    request.read(0)
    response.once('finish', () => request.resume())
  })
}

const OVERDONE = Symbol('overdone')
const EVENT = 'tooManyPieces'
type Counted = EventEmitter & { [OVERDONE]?: true }

/** Calls `tell` once a request has sent more short pieces than it may, or now if it has: its body will never be whole. */
export function onTooManyPieces(request: Counted, tell: () => void): void {
  if (request[OVERDONE]) tell()
  else request.once(EVENT, tell)
}

/** Node's parser hands over each piece, and the end, by `push`. */
function boundPieces(request: IncomingMessage, tooMany: () => void): void {
  const push = request.push.bind(request)
  let together: Buffer | undefined
  let length = 0
  let count = 0
  const pushTogether = (): boolean => {
    const whole = together?.subarray(0, length)
    together = undefined
    length = 0
    return whole === undefined || push(whole)
  }
  request.push = (piece: Buffer | null) => {
    if (count > MAX_SHORT_PIECES) return false
    if (piece === null || piece.length >= SHORT_BYTES) {
      pushTogether()
      return push(piece)
    }
    count += 1
    if (count > MAX_SHORT_PIECES) tooMany()
    together ??= Buffer.allocUnsafe(TOGETHER_BYTES)
    length += piece.copy(together, length)
    return length + SHORT_BYTES > TOGETHER_BYTES ? pushTogether() : true
  }
}
