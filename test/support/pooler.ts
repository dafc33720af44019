/**
 * A stand-in for a pooler: it answers the start of a connection itself and lends out a server connection for each
 * transaction, or for as long as the client stays, as PgBouncer, Odyssey and the like do.
 */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import pg from 'pg'

export type Pooler = { url: string; close(): Promise<void> }

type Options = {
  /** How many server connections it has to lend. */
  size: number
  /** How long one is lent. */
  mode: 'transaction' | 'session'
  /** Which idle connection is lent: the one used last, or the one idle longest. */
  lends: 'latest' | 'oldest'
  /** Startup options of the server connections, as passed on by a pooler that knows settings; undefined: dropped. */
  options: string | undefined
}

const SSL_REQUEST = 80_877_103
const READY = 'Z'.charCodeAt(0)
const TERMINATE = 'X'.charCodeAt(0)
const IDLE = 'I'.charCodeAt(0)

/** @param serverUrl of PostgreSQL; the pooler's own URL has the same user and database */
export async function startPooler(serverUrl: string, options: Options): Promise<Pooler> {
  const timeouts = options.options === undefined ? {} : { statement_timeout: 10_000 }
  const connect = async (): Promise<{ socket: Socket; client: pg.Client }> => {
    const client = new pg.Client({
      connectionString: serverUrl,
      ...timeouts,
      ...(options.options === undefined ? {} : { options: options.options }),
    })
    client.on('error', () => {})
    await client.connect()
    const { stream } = (client as unknown as { connection: { stream: Socket } }).connection
    stream.removeAllListeners('data')
    return { socket: stream, client }
  }
  const servers = await Promise.all(Array.from({ length: options.size }, connect))
  const idle = servers.map(({ socket }) => socket)
  const waiting: ((server: Socket) => void)[] = []
  const clients = new Set<Socket>()

  const lend = async (): Promise<Socket> => {
    const free = options.lends === 'latest' ? idle.pop() : idle.shift()
    return free ?? (await new Promise<Socket>((resolve) => waiting.push(resolve)))
  }
  const takeBack = (server: Socket) => {
    server.removeAllListeners('data')
    const next = waiting.shift()
    if (next === undefined) idle.push(server)
    else next(server)
  }

  const listener = createServer((client) => {
    clients.add(client)
    client.on('error', () => {})
    client.once('close', () => clients.delete(client))
    serve(client, lend, options.mode === 'session' ? () => false : endsTransaction, takeBack)
  })
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const url = new URL(serverUrl)
  url.host = `127.0.0.1:${(listener.address() as AddressInfo).port}`
  return {
    url: url.href,
    async close() {
      for (const client of clients) client.destroy()
      for (const { socket } of servers) socket.destroy()
      listener.close()
      await once(listener, 'close')
    },
  }
}

function serve(
  client: Socket,
  lend: () => Promise<Socket>,
  isOver: (answer: Buffer) => boolean,
  takeBack: (server: Socket) => void,
): void {
  let started = false
  let server: Promise<Socket> | undefined
  client.on('data', (chunk: Buffer) => {
    if (!started) {
      if (chunk.readInt32BE(4) === SSL_REQUEST) return void client.write('N')
      started = true
      return void client.write(greeting())
    }
    if (chunk[0] === TERMINATE) return void client.end()
    server ??= lend().then((lent) => {
      lent.on('data', (answer: Buffer) => {
        client.write(answer)
        if (!isOver(answer)) return
        server = undefined
        takeBack(lent)
      })
      return lent
    })
    void server.then((lent) => lent.write(chunk))
  })
}

/** AuthenticationOk, BackendKeyData of its own, ReadyForQuery. */
function greeting(): Buffer {
  const authenticated = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0])
  const key = Buffer.from([0x4b, 0, 0, 0, 12, 0, 0, 0x30, 0x39, 1, 2, 3, 4])
  const ready = Buffer.from([READY, 0, 0, 0, 5, IDLE])
  return Buffer.concat([authenticated, key, ready])
}

/** Answers here are short and arrive whole, so the last message is the one that counts. */
function endsTransaction(answer: Buffer): boolean {
  return answer.length >= 6 && answer[answer.length - 6] === READY && answer[answer.length - 1] === IDLE
}
