/** HTTP as bytes on a socket, to send what no HTTP client would. */
import { connect, type Socket } from 'node:net'

export type RawAnswer = { status: number; headers: Record<string, string>; body: string }

/** Connects to 127.0.0.1. */
export function rawSocket(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket))
    socket.once('error', reject)
  })
}

/** Writes `bytes`, waits until the server ends the connection, and returns the answers it sent until then. */
export async function exchangeRaw(port: number, bytes: string | Buffer, timeoutMs = 20_000): Promise<RawAnswer[]> {
  const socket = await rawSocket(port)
  socket.write(bytes)
  return parseAnswers(await readToEnd(socket, timeoutMs))
}

/** Everything the server sends until it ends the connection. */
export function readToEnd(socket: Socket, timeoutMs = 20_000): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    const timer = setTimeout(() => {
      socket.destroy()
      reject(new Error(`the server kept the connection: ${Buffer.concat(chunks).toString()}`))
    }, timeoutMs)
    const finish = () => {
      clearTimeout(timer)
      socket.destroy()
      resolve(Buffer.concat(chunks).toString())
    }
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    socket.once('end', finish)
    socket.once('close', finish)
    socket.on('error', finish)
  })
}

/** Splits a connection's text into answers; every answer must carry Content-Length. */
export function parseAnswers(text: string): RawAnswer[] {
  const answers: RawAnswer[] = []
  let rest = text
  while (rest !== '') {
    const end = rest.indexOf('\r\n\r\n')
    if (end === -1) throw new Error(`not an answer: ${rest}`)
    const [statusLine = '', ...lines] = rest.slice(0, end).split('\r\n')
    const headers = Object.fromEntries(
      lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
    )
    const status = Number(statusLine.split(' ')[1])
    const length = status === 100 ? 0 : Number(headers['content-length'])
    if (Number.isNaN(length)) throw new Error(`no content-length: ${rest}`)
    answers.push({ status, headers, body: rest.slice(end + 4, end + 4 + length) })
    rest = rest.slice(end + 4 + length)
  }
  return answers
}
