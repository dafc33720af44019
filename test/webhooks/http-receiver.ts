/** A real HTTP server on a free port of this machine that records what it is sent. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

export type Received = { at: number; path: string; headers: IncomingMessage['headers']; body: string }

export type Receiver = {
  url: string
  port: number
  received: Received[]
  connections(): number
  close(): Promise<void>
}

export type Answerer = (response: ServerResponse, received: Received) => void

/** @param answer called after the body has arrived; default: 204 */
export async function startReceiver(
  answer: Answerer = (response) => void response.writeHead(204).end(),
  options: { host?: string; port?: number } = {},
): Promise<Receiver> {
  const received: Received[] = []
  let connections = 0
  const server = createServer((request, response) => {
    buffer(request).then(
      (body) => {
        const one = { at: Date.now(), path: request.url ?? '', headers: request.headers, body: body.toString('utf8') }
        received.push(one)
        answer(response, one)
      },
      () => response.destroy(),
    )
  })
  server.on('connection', () => {
    connections += 1
  })
  const host = options.host ?? '127.0.0.1'
  await listening(server, options.port ?? 0, host)
  const { port } = server.address() as AddressInfo
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${port}/hooks`,
    port,
    received,
    connections: () => connections,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

async function listening(server: Server, port: number, host: string): Promise<void> {
  server.listen(port, host)
  await once(server, 'listening')
}
