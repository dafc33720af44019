/** A connection to somebody else that takes in only so much: counted as it comes from the network, below TLS. */
import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'

/**
 * How many bytes a receiver of webhooks may send until its answer's headers are whole, and then again until the beginning of its body has been read. It could
 * otherwise hold up everybody else's deliveries with interim answers, blank lines or TLS's own records (session tickets, key updates,
 * renegotiations) without end. They are counted below TLS, because TLS shows its own records to nobody.
 */
const MAX_BYTES = 128 * 1024
/**
 * How many bytes it may send until TLS is secure; usual chains of certificates are far shorter. Every certificate that comes is checked, whoever has
 * signed it: a hundred kilobytes of them, with keys made for the purpose, occupied a courier for a third of a second in each attempt.
 */
const MAX_GREETING_BYTES = 32 * 1024

export type BoundedConnection = {
  stream: Duplex
  /** Counts from zero again, up to `MAX_BYTES`. */
  restart: () => void
  /** So many of the bytes that have come, or are still to come, do not count. */
  forgive: (count: number) => void
}

/**
 * Puts a bound on a socket. It counts each piece (64 KiB at most) before anybody works on it, where a timer would come too late: one turn of the event
 * loop reads megabytes of a fast receiver.
 * @param socket not read by anybody else; ends with the stream, and the stream with it. Its errors are the stream's
 * @param isGreeted whether TLS comes first, and `restart` is called when it is secure
 */
export function boundConnection(socket: Socket, isGreeted: boolean): BoundedConnection {
  let most = isGreeted ? MAX_GREETING_BYTES : MAX_BYTES
  let bytes = 0
  let ended = false
  const stream = new Duplex({
    // As with a socket: TLS above it would otherwise go on writing to one whose other side has gone.
    allowHalfOpen: false,
    read: () => void socket.resume(),
    write: (chunk: Buffer, _encoding, done) => void socket.write(chunk, done),
    final: (done) => void socket.end(done),
    destroy(error, done) {
      socket.destroy()
      done(error)
    },
  })
  // Whoever uses it hears its errors; one that comes when they have gone must not end the process.
  stream.on('error', () => {})
  socket.on('data', (piece: Buffer) => {
    bytes += piece.length
    if (bytes > most) stream.destroy(tooMuch(most))
    else if (!stream.push(piece)) socket.pause()
  })
  socket.on('end', () => {
    ended = true
    stream.push(null)
  })
  socket.on('error', (error) => stream.destroy(error))
  // What came before the end may still be read.
  socket.on('close', () => void (ended || stream.destroy()))
  return {
    stream,
    restart() {
      bytes = 0
      most = MAX_BYTES
    },
    forgive(count) {
      bytes -= count
    },
  }
}

function tooMuch(most: number): Error {
  return Object.assign(new Error('Too much came before the answer.'), { code: `NO_ANSWER_IN_${most / 1024}_KIB` })
}
