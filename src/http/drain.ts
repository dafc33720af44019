/** Ends a server without cutting anybody off: answers tell the clients to give up their connections. */
import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * Closes the app. For `drainMs` it takes connections and requests as before, but answers `Connection: close`, so
     * that clients leave; connections still open after that are closed as soon as they are idle. Requests under way are
     * finished.
     */
    drain(drainMs: number): Promise<void>
  }
}

/** Gives an app its `drain`. Must be added before its routes. */
export function addDrain(app: FastifyInstance): void {
  let isDraining = false
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (isDraining) reply.header('connection', 'close')
    done()
  })
  app.decorate('drain', async (drainMs: number) => {
    isDraining = true
    // An idle connection is not closed yet: its client's next request may be on its way.
    if (drainMs > 0) await pause(drainMs)
    await app.close()
  })
}
