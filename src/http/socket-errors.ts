/** Answers to what never becomes a request: malformed HTTP, oversized headers, clients that are too slow. */
import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { ERRORS, type ErrorCode } from '../errors.ts'
import { errorBody, JSON_TYPE } from './envelope.ts'

/** The newest request of each connection, as far as it was received, and the answer to it. */
type Exchange = { request: IncomingMessage; response: ServerResponse }

const CODES: Record<string, ErrorCode> = {
  HPE_HEADER_OVERFLOW: 'HEADERS_TOO_LARGE',
  ERR_HTTP_REQUEST_TIMEOUT: 'REQUEST_TIMEOUT',
}

/**
 * Makes the handler of `clientError`, and what it must be told of every request. An answer is written only where the
 * client will take it for the right one: while an earlier, whole request is still being answered, that answer goes out
 * and the connection ends.
 * @param headers those that every answer carries
 */
export function createSocketErrorHandler(headers: Readonly<Record<string, string>>) {
  const exchanges = new WeakMap<Duplex, Exchange>()

  const onClientError = (error: Error & { code?: string }, socket: Duplex): void => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy()
      return
    }
    const exchange = exchanges.get(socket)
    if (exchange !== undefined && !exchange.response.writableFinished) {
      if (exchange.request.complete) {
        exchange.response.once('close', () => socket.destroy())
        return
      }
      if (exchange.response.headersSent) {
        socket.destroy()
        return
      }
    }
    // A request that was answered before it was received whole needs no second answer.
    if (exchange !== undefined && !exchange.request.complete && exchange.response.writableFinished) {
      socket.destroy()
      return
    }
    endWith(socket, CODES[error.code ?? ''] ?? 'BAD_REQUEST', headers)
  }

  return {
    onClientError,
    track: (request: IncomingMessage, response: ServerResponse): void => {
      exchanges.set(request.socket, { request, response })
    },
  }
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
