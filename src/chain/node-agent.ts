/**
 * Connections to nodes by TLS, which are kept, and take in only so much. Whoever stands at an RPC address, with any certificate, would otherwise occupy the
 * process with certificates without end, each of which is checked, or with TLS's own records, which nobody above TLS can count.
 */
import type { ClientRequest } from 'node:http'
import { Agent, globalAgent } from 'node:https'
import { connect, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { type BoundedConnection, boundConnection } from '../values/bounded-connection.ts'

/** What is below a connection by TLS. */
type Below = Pick<BoundedConnection, 'restart' | 'forgive'> & { socket: Socket; isSecure: boolean }
const below = new WeakMap<Duplex, Below>()

/** As long as Node's own keeps them. */
const KEPT_MS = 5_000

class BoundedAgent extends Agent {
  override createConnection(...[options, callback]: Parameters<Agent['createConnection']>) {
    const { host, port, lookup } = options as { host: string; port: number; lookup?: never }
    const socket = connect({ host, port, lookup, noDelay: true, keepAlive: true })
    const { stream, restart, forgive } = boundConnection(socket, true)
    const secure = super.createConnection({ ...options, socket: stream } as typeof options, callback)
    if (secure) {
      const own = { socket, restart, forgive, isSecure: false }
      below.set(secure, own)
      secure.once('secureConnect', () => {
        own.isSecure = true
      })
      secure.once('close', () => stream.destroy())
    }
    return secure
  }

  // One that waits for the next request keeps no process from its end.
  override keepSocketAlive(secure: Duplex) {
    below.get(secure)?.socket.unref()
    return super.keepSocketAlive(secure)
  }

  override reuseSocket(secure: Duplex, request: ClientRequest) {
    below.get(secure)?.socket.ref()
    super.reuseSocket(secure, request)
  }
}

const bounded = new BoundedAgent({ keepAlive: true, scheduling: 'lifo', timeout: KEPT_MS })

/** Node's own, which knows how, where it is told to go through a proxy. */
export const nodeAgent: Agent =
  (globalAgent.options as { proxyEnv?: unknown }).proxyEnv === undefined ? bounded : globalAgent

/** With what TLS and HTTP add: of the smallest pieces that an answer may have on average (post.ts) a sixth, where each is a record of its own. */
const BYTES_FOR_ONE = 1.25

/**
 * Bounds what comes on the connection of a request, once it is secure, beside its answer: what may come of that is no measure, for TLS's own records would
 * take its place.
 * @returns what is to hear how much of the answer's body was read each time
 */
export function boundAnswer(request: ClientRequest): (readBytes: number) => void {
  let own: Below | undefined
  request.on('socket', (socket) => {
    own = below.get(socket)
    if (own?.isSecure) own.restart()
    else if (own) socket.once('secureConnect', own.restart)
  })
  return (readBytes) => own?.forgive(BYTES_FOR_ONE * readBytes)
}
