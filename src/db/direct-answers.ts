/**
 * Reads what PostgreSQL answers to a prepared statement before node-postgres does: it makes a string of each column, a message and an event of
 * each row, and a buffer of its own of what each read brings. Everything else goes to node-postgres as it came, message by message.
 */
import { Socket } from 'node:net'
import type pg from 'pg'
import { messageLength } from './wire.ts'

/** Takes the answer to one statement. */
export type AnswerTaker = {
  /** The columns of a row lie between two places of `bytes`, which are overwritten afterwards. */
  takeRow(bytes: Buffer, start: number, end: number): void
  /** The statement has ended without an error. @returns whether node-postgres need not know */
  takeEnd(): boolean
}

type Taking = { taker: AnswerTaker | undefined }
type OnData = (bytes: Buffer) => void
type Stream = { on(event: string, listener: OnData): unknown }
type Attach = { attachListeners(stream: Stream): void }

const BIND_COMPLETE = 0x32
const COMMAND_COMPLETE = 0x43
const DATA_ROW = 0x44
const READY_FOR_QUERY = 0x5a
/** A message's type and its length. */
const HEAD_BYTES = 5
const READ_BYTES = 65_536

const takings = new WeakMap<object, Taking>()

/** A socket that reads into one buffer again and again. What it reads goes to listeners of `data`. Below TLS it would read nothing, and keep its buffer. */
function createReadingSocket(): Socket {
  const socket: Socket = new Socket({
    onread: {
      buffer: Buffer.allocUnsafeSlow(READ_BYTES),
      callback(length: number, buffer: Uint8Array): boolean {
        socket.emit('data', (buffer as Buffer).subarray(0, length))
        return true
      },
    },
  } as never)
  return socket
}

/** Lets answers be taken on the connection of a client that has not connected yet. */
export function divertAnswers(client: pg.Client): void {
  const { connection, ssl } = client as unknown as { connection: Attach & { stream: Socket }; ssl: unknown }
  if (!ssl) connection.stream = createReadingSocket()
  const taking: Taking = { taker: undefined }
  takings.set(connection, taking)
  const attach = connection.attachListeners
  connection.attachListeners = (stream) => {
    let onData: OnData = () => {}
    attach.call(connection, {
      on: (event, listener) => {
        if (event === 'data') onData = listener
        else stream.on(event, listener)
      },
    })
    stream.on(
      'data',
      createSieve(taking, (bytes) => onData(bytes)),
    )
  }
}

/**
 * From now on answers of this connection go to `taker`, or to node-postgres again.
 * @throws Error for a connection whose answers were never diverted
 */
export function takeAnswers(connection: object, taker: AnswerTaker | undefined): void {
  const taking = takings.get(connection)
  if (taking === undefined) throw new Error('the answers of this connection are not diverted')
  taking.taker = taker
}

/**
 * Cuts what comes into messages, and takes out those that a taker wants.
 * @param pass gets all other messages, whole and in their order
 */
export function createSieve(taking: Taking, pass: OnData): OnData {
  let begun: Buffer[] = []
  let begunBytes = 0
  let wantedBytes = 0

  const join = (chunk: Buffer): Buffer => {
    if (begunBytes === 0) return chunk
    begun.push(chunk)
    return Buffer.concat(begun)
  }
  const keep = (rest: Buffer): void => {
    // Copies: the next read overwrites what this one brought.
    begun = rest.length === 0 ? [] : [Buffer.from(rest)]
    begunBytes = rest.length
    wantedBytes = rest.length < HEAD_BYTES ? HEAD_BYTES : messageLength(rest, 0)
  }

  return (chunk) => {
    if (begunBytes > 0 && begunBytes + chunk.length < wantedBytes) {
      begun.push(Buffer.from(chunk))
      begunBytes += chunk.length
      return
    }
    const bytes = join(chunk)
    let passedTo = 0
    let at = 0
    const passUntil = (end: number): void => {
      if (passedTo < end) pass(Buffer.from(bytes.subarray(passedTo, end)))
    }
    while (at + HEAD_BYTES <= bytes.length) {
      const next = at + messageLength(bytes, at)
      if (next > bytes.length) break
      if (taking.taker !== undefined && isTaken(bytes[at])) {
        passUntil(at)
        // An error that was passed on just now ends the taking.
        passedTo = taking.taker !== undefined && take(taking.taker, bytes, at, next) ? next : at
      }
      at = next
    }
    passUntil(at)
    keep(bytes.subarray(at))
  }
}

function isTaken(type: number | undefined): boolean {
  return type === DATA_ROW || type === READY_FOR_QUERY || type === BIND_COMPLETE || type === COMMAND_COMPLETE
}

function take(taker: AnswerTaker, bytes: Buffer, at: number, next: number): boolean {
  if (bytes[at] === READY_FOR_QUERY) return taker.takeEnd()
  if (bytes[at] === DATA_ROW) taker.takeRow(bytes, at + HEAD_BYTES, next)
  return true
}
