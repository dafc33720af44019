/** A server that stops answering without breaking a connection. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export type Freezable = {
  port: number
  /** How many connections were accepted so far. */
  connections(): number
  freeze(): void
  /** Ends every connection; new ones pass bytes on again. */
  thaw(): void
  close(): void
}

/** Listens on a port of its own and passes bytes on to `port` until it is frozen; then it holds them, and new connections too. */
export async function startFreezable(port: number): Promise<Freezable> {
  const sockets = new Set<Socket>()
  let frozen = false
  let accepted = 0
  const listener = createServer((near) => {
    accepted += 1
    const far = connect(port, '127.0.0.1')
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from)
      from.pipe(to)
      from.on('error', () => to.destroy())
      from.on('close', () => to.destroy())
      if (frozen) from.pause()
    }
  })
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  return {
    port: (listener.address() as AddressInfo).port,
    connections: () => accepted,
    freeze() {
      frozen = true
      for (const socket of sockets) socket.unpipe().pause()
    },
    thaw() {
      frozen = false
      for (const socket of sockets) socket.destroy()
    },
    close() {
      for (const socket of sockets) socket.destroy()
      listener.close()
    },
  }
}
