/** Ends what clients have begun to send and do not finish, when their server closes. */
import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** How long a request that is on its way when the server closes may take to be whole. */
const WHOLE_WITHIN_MS = 2_000

/** What of an app is needed here. */
type Closing = { server: Server; addHook(name: 'preClose', hook: () => Promise<void>): unknown }

/**
 * Sees to it that `close` ends. Node watches over slow requests only while it listens: without this, half a line that somebody once sent keeps
 * a closing server open for as long as they like, and all that is to end after it. Requests that are whole get their answers.
 */
export function cutOffUnfinished(app: Closing): void {
  const { server } = app
  const cutOff = trackUnfinished(server)
  app.addHook('preClose', async () => {
    const timer = setInterval(cutOff, WHOLE_WITHIN_MS)
    server.once('close', () => clearInterval(timer))
  })
}

/** @returns closes every connection on which no whole request waits for its answer */
function trackUnfinished(server: Server): () => void {
  const newest = new Map<Socket, ServerResponse | undefined>()
  server.on('connection', (socket: Socket) => {
    newest.set(socket, undefined)
    socket.once('close', () => newest.delete(socket))
  })
  server.on('request', ({ socket }, response) => {
    // What was read together with the end of its connection is still handed over.
    if (newest.has(socket)) newest.set(socket, response)
  })
  return () => {
    for (const [socket, answer] of newest) {
      const isAwaited = answer?.req.complete === true && !answer.writableFinished
      if (!isAwaited) socket.destroy()
    }
  }
}
