/** Answers what never becomes a request: malformed HTTP, oversized headers, clients that are too slow. */
import { randomUUID } from 'node:crypto'
import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Logger } from 'pino'
import { ERRORS, type ErrorCode } from '../errors.ts'
import { errorBody, JSON_TYPE, REQUEST_ID } from './envelope.ts'
import { RATE_HEADERS } from './rate-limit.ts'
import { MAX_HEADER_BYTES, TIMEOUTS } from './server-options.ts'

/** What an answer is to carry, before any of it is sent. */
type Reply = { getHeader(name: string): unknown }

/** A connection's newest request, as far as it was received, and its answer; one record for each connection. */
type Exchange = {
  request: IncomingMessage
  response: ServerResponse
  reply: Reply
  /** The answer before that one, when it was not yet sent. */
  previous: ServerResponse | undefined
}
const EXCHANGE = Symbol('exchange')
type TrackedSocket = Duplex & { [EXCHANGE]?: Exchange }

const CODES: Record<string, ErrorCode> = {
  HPE_HEADER_OVERFLOW: 'HEADERS_TOO_LARGE',
  ERR_HTTP_REQUEST_TIMEOUT: 'REQUEST_TIMEOUT',
}

/** What to do about it, after the message of its code. */
const DETAILS: Partial<Record<ErrorCode, string>> = {
  HEADERS_TOO_LARGE: `They may have ${MAX_HEADER_BYTES.toLocaleString('en')} bytes together with the request line.`,
  REQUEST_TIMEOUT: `The headers have ${TIMEOUTS.headersMs / 1_000} seconds, and the whole request has ${TIMEOUTS.requestMs / 1_000}.`,
}

/** Records each request, so that an error of its connection gets the right answer. */
export function trackExchange(request: IncomingMessage, response: ServerResponse, reply: Reply): void {
  const socket: TrackedSocket = request.socket
  const exchange = socket[EXCHANGE]
  if (exchange === undefined) {
    socket[EXCHANGE] = { request, response, reply, previous: undefined }
    return
  }
  exchange.previous = exchange.response.writableFinished ? undefined : exchange.response
  exchange.request = request
  exchange.response = response
  exchange.reply = reply
}

/**
 * Makes the handler of `clientError`. It answers only where the client cannot mistake the answer for another's: while a
 * complete request is being answered, that answer goes out and the connection ends.
 * @param headers those that every answer carries
 */
export function createSocketErrorHandler(headers: Readonly<Record<string, string>>, logger: Pick<Logger, 'info'>) {
  return (error: Error & { code?: string }, socket: TrackedSocket): void => {
    const exchange = socket[EXCHANGE]
    const pending = exchange && answerInTheMaking(exchange)
    if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy()
    else if (pending !== undefined) pending.once('close', () => socket.destroy())
    else if (exchange !== undefined && isAnsweredEarly(exchange)) socket.destroy()
    else if (isUnused(socket)) socket.destroy()
    else endWith(socket, CODES[error.code ?? ''] ?? 'BAD_REQUEST', { ...headers, ...rateOf(exchange) }, logger)
  }
}

/** The answer to a complete request, while it is not yet sent. */
function answerInTheMaking({ request, response, previous }: Exchange): ServerResponse | undefined {
  if (request.complete) return response.writableFinished ? undefined : response
  return previous?.writableFinished === false ? previous : undefined
}

/** Of a request with a valid key of which only the body is not whole: every answer to one says how many are left. */
function rateOf(exchange: Exchange | undefined): Record<string, string> {
  if (exchange === undefined || exchange.request.complete) return {}
  const { reply } = exchange
  const said = RATE_HEADERS.map((name) => [name, reply.getHeader(name)] as const)
  return Object.fromEntries(said.flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])))
}

/** A request that was answered before it was complete needs no second answer. */
function isAnsweredEarly({ request, response }: Exchange): boolean {
  return !request.complete && response.headersSent
}

/**
 * Nothing was ever received on it. An answer would meet a request that is just on its way, and read as its refusal; a
 * closed connection tells its client the truth, that it does not know.
 */
function isUnused(socket: TrackedSocket): boolean {
  return (socket as Partial<Socket>).bytesRead === 0
}

/** Answers in the envelope what Node would answer bare or not at all: CONNECT, unknown expectations, clients that have closed their side. */
export function answerOddRequests(
  server: Server,
  headers: Readonly<Record<string, string>>,
  logger: Pick<Logger, 'info'>,
): void {
  server.on('connect', (_request: IncomingMessage, socket: TrackedSocket) => {
    inItsTurn(socket, () => endWith(socket, 'NOT_FOUND', headers, logger))
  })
  // Without this, a client that closes its side of the connection after its request gets no answer, though the request is carried out.
  Object.assign(server, { httpAllowHalfOpen: true })
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    server.emit('request', request, response)
  })
}

/** Ends a connection that Node has let go of: at once, or when what was asked before is answered. */
function inItsTurn(socket: TrackedSocket, end: () => void): void {
  // Node listens no more, and a client may leave meanwhile.
  socket.on('error', () => {})
  const exchange = socket[EXCHANGE]
  const pending = exchange && answerInTheMaking(exchange)
  if (pending === undefined) end()
  else pending.once('finish', () => socket.writable && end())
}

function endWith(
  socket: Duplex,
  code: ErrorCode,
  headers: Readonly<Record<string, string>>,
  logger: Pick<Logger, 'info'>,
): void {
  const { status, message } = ERRORS[code]
  const detail = DETAILS[code]
  const body = errorBody(code, undefined, detail === undefined ? message : `${message} ${detail}`)
  const correlationId = randomUUID()
  logger.info({ status, code, correlationId }, 'no request')
  const all = {
    ...headers,
    [REQUEST_ID]: correlationId,
    'content-type': JSON_TYPE,
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.on('error', () => {})
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`, () =>
    (socket as Socket).destroySoon?.(),
  )
}
