/** Answers to what never becomes a request: malformed HTTP, oversized headers, clients that are too slow. */
import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { ERRORS, type ErrorCode } from '../errors.ts'
import { errorBody, JSON_TYPE } from './envelope.ts'

/** The newest request of a connection, as far as it was received, and the answer to it; one record for each connection. */
type Exchange = {
  request: IncomingMessage
  response: ServerResponse
  /** The answer before it, when that was not yet sent. */
  previous: ServerResponse | undefined
}
const EXCHANGE = Symbol('exchange')
type TrackedSocket = Duplex & { [EXCHANGE]?: Exchange }

const CODES: Record<string, ErrorCode> = {
  HPE_HEADER_OVERFLOW: 'HEADERS_TOO_LARGE',
  ERR_HTTP_REQUEST_TIMEOUT: 'REQUEST_TIMEOUT',
}

/** Must be told of every request, so that errors of its connection are answered rightly. */
export function trackExchange(request: IncomingMessage, response: ServerResponse): void {
  const socket: TrackedSocket = request.socket
  const exchange = socket[EXCHANGE]
  if (exchange === undefined) {
    socket[EXCHANGE] = { request, response, previous: undefined }
    return
  }
  exchange.previous = exchange.response.writableFinished ? undefined : exchange.response
  exchange.request = request
  exchange.response = response
}

/**
 * Makes the handler of `clientError`. It answers only where the client will take the answer for the right one: while a
 * request that came whole is being answered, that answer goes out and the connection ends.
 * @param headers those that every answer carries
 */
export function createSocketErrorHandler(headers: Readonly<Record<string, string>>) {
  return (error: Error & { code?: string }, socket: TrackedSocket): void => {
    const exchange = socket[EXCHANGE]
    const pending = exchange && answerInTheMaking(exchange)
    if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy()
    else if (pending !== undefined) pending.once('close', () => socket.destroy())
    else if (exchange !== undefined && isAnsweredEarly(exchange)) socket.destroy()
    else endWith(socket, CODES[error.code ?? ''] ?? 'BAD_REQUEST', headers)
  }
}

/** The answer to a request that came whole, while it is not sent. */
function answerInTheMaking({ request, response, previous }: Exchange): ServerResponse | undefined {
  if (request.complete) return response.writableFinished ? undefined : response
  return previous?.writableFinished === false ? previous : undefined
}

/** A request that was answered before it came whole needs no second answer. */
function isAnsweredEarly({ request, response }: Exchange): boolean {
  return !request.complete && response.headersSent
}

/** Answers in the envelope what Node would answer bare or not at all: CONNECT, and unknown expectations. */
export function answerOddRequests(server: Server, headers: Readonly<Record<string, string>>): void {
  server.on('connect', (_request: IncomingMessage, socket: Duplex) => endWith(socket, 'NOT_FOUND', headers))
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    server.emit('request', request, response)
  })
}

function endWith(socket: Duplex, code: ErrorCode, headers: Readonly<Record<string, string>>): void {
  const body = errorBody(code)
  const { status } = ERRORS[code]
  const all = {
    ...headers,
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
