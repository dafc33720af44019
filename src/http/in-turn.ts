/**
 * The order of requests on one connection. A client may send the next before it has the answer to the one before, and Node then hands over
 * both at once. Answers keep their order by themselves; effects do not: only requests that change nothing may be served side by side (RFC 9112 9.3.2).
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Of a connection: the answer to its newest request, and to the newest that may change something. */
type Newest = { answer: ServerResponse; unsafe: ServerResponse | undefined }
const NEWEST = Symbol('newest')
type OrderedSocket = Socket & { [NEWEST]?: Newest }

const SAFE_METHODS: ReadonlySet<string | undefined> = new Set(['GET', 'HEAD'])

/**
 * Calls `goOn` once the request may be carried out: at once, unless it is pipelined; otherwise when those before it are answered that it must
 * not overtake. When the connection ends with one of those, never: nobody would hear of what was done. Called once for each request, in their order.
 */
export function inTurn(request: IncomingMessage, answer: ServerResponse, goOn: () => void): void {
  const socket: OrderedSocket = request.socket
  const isSafe = SAFE_METHODS.has(request.method)
  const newest = socket[NEWEST]
  if (newest === undefined) {
    socket[NEWEST] = { answer, unsafe: isSafe ? undefined : answer }
    goOn()
    return
  }
  // Answers are sent in order: when one is sent, all before it are.
  const before = isSafe ? newest.unsafe : newest.answer
  newest.answer = answer
  if (!isSafe) newest.unsafe = answer
  if (before === undefined || before.writableFinished) {
    goOn()
    return
  }
  // Any number of GETs may wait for one POST: that is no leak.
  before.setMaxListeners(0)
  before.once('finish', () => {
    if (socket.writable) goOn()
  })
}
