/** A keep-alive connection of a load generator, over a plain socket: it does as little as it can. */
import { connect, type Socket } from 'node:net'

const HEAD_END = '\r\n\r\n'
const CONTENT_LENGTH = /\r\ncontent-length: (\d+)/i

export type Answer = { status: string; sinceMs: number; nowMs: number; bytes: number }
/** One that sends its next request, for which somebody has waited since an instant. */
export type Connection = { send(sinceMs: number): void; end(): void }

/** Opens a connection. One that the server closes is an error that nobody catches. */
export function openConnection(
  port: number,
  nextRequest: () => string,
  onAnswer: (connection: Connection, answer: Answer) => void,
): Promise<Connection> {
  return new Promise((resolve, reject) => {
    const socket: Socket = connect({ port, host: '127.0.0.1', noDelay: true })
    let received = ''
    let sinceMs = 0
    const connection: Connection = {
      send(since) {
        sinceMs = since
        socket.write(nextRequest(), 'latin1')
      },
      end: () => void socket.removeAllListeners('close').end(),
    }
    socket.setEncoding('latin1')
    socket.on('connect', () => resolve(connection))
    socket.once('error', reject)
    socket.on('close', () => {
      throw new Error('the server closed a connection')
    })
    socket.on('data', (chunk: string) => {
      received += chunk
      const head = received.indexOf(HEAD_END)
      if (head === -1) return
      const bytes = Number(CONTENT_LENGTH.exec(received)?.[1])
      if (received.length < head + HEAD_END.length + bytes) return
      const status = received.slice(9, 12)
      received = ''
      onAnswer(connection, { status, sinceMs, nowMs: performance.now(), bytes })
    })
  })
}
