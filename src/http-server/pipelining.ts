/**
 * A bound on what one connection asks before it is answered. Node hands over every request of a piece of 64 KiB at once, some thousands, and then
 * the next piece: a few connections that never wait kept every other client waiting for seconds, and what they had asked filled the memory.
 */
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** No client in use sends so many ahead of its answers; most send none. */
export const MAX_UNANSWERED = 64
/** How long a connection that asked for more has to be answered what it may ask. */
const ANSWERED_WITHIN_MS = 1_000
/** And to take them from the line: closed while something of it is unread, a connection is reset, and what is on its way is lost. */
const READ_WITHIN_MS = 250

type Standing = { unanswered: number; newest: ServerResponse; isFull: boolean }
const STANDING = Symbol('standing')
type CountedSocket = Socket & { [STANDING]?: Standing }

/**
 * Lets each connection have at most `MAX_UNANSWERED` requests that wait for their answers. One that sends more gets the answers to these and is
 * then closed, as HTTP allows at any time (RFC 9112 9.3.2); of what it sent beyond them nothing is carried out. To be called once, when
 * whatever listens for requests does.
 */
export function boundPipelining(server: Server): void {
  const listeners = server.listeners('request') as RequestListener[]
  server.removeAllListeners('request')
  server.on('request', (request, response) => {
    if (isOneTooMany(request, response)) return
    for (const listener of listeners) listener(request, response)
  })
}

function isOneTooMany(request: IncomingMessage, response: ServerResponse): boolean {
  const socket: CountedSocket = request.socket
  let standing = socket[STANDING]
  if (standing === undefined) {
    standing = { unanswered: 0, newest: response, isFull: false }
    socket[STANDING] = standing
  }
  if (standing.isFull) return true
  if (standing.unanswered === MAX_UNANSWERED) {
    standing.isFull = true
    endAfter(standing.newest, socket)
    return true
  }
  const counted = standing
  counted.unanswered += 1
  counted.newest = response
  response.once('finish', () => {
    counted.unanswered -= 1
  })
  return false
}

/** Reads no more, and closes the connection when its newest answer is out, or takes too long. */
export function endAfter(newest: ServerResponse, socket: Socket): void {
  socket.pause()
  // Node reads on when one of the answers is out.
  socket.on('resume', () => socket.pause())
  let timer = setTimeout(() => socket.destroy(), ANSWERED_WITHIN_MS)
  socket.once('close', () => clearTimeout(timer))
  newest.once('finish', () => {
    socket.end()
    clearTimeout(timer)
    timer = setTimeout(() => socket.destroy(), READ_WITHIN_MS)
  })
}
