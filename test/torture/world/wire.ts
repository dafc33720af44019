/**
 * The wire between the service and PostgreSQL, cut where it hurts most: around a commit, so that the service cannot know
 * whether it was carried out.
 */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { Random } from '../../support/random.ts'

/** What happens to a commit: nobody hears its answer; it never arrives; it arrives when its sender has given it up. */
export const CUTS = ['answer lost', 'never arrives', 'arrives late'] as const
export type Cut = (typeof CUTS)[number]

export type Wire = {
  /** The server's URL, through the wire. */
  url: string
  /** From now on this share of commits is cut so, until the returned function is called. */
  cutCommits(cut: Cut, share: number, random: Random): () => void
  /** How many were cut. */
  cuts(): number
  close(): Promise<void>
}

const QUERY = 'Q'.charCodeAt(0)
const SYNC = 'S'.charCodeAt(0)
const READY = 'Z'.charCodeAt(0)
const IDLE = 'I'.charCodeAt(0)
/** The type of a message, and its length. */
const HEADER = 5
const LATE_MS = 1_500

type Fault = { cut: Cut; share: number; random: Random }

export async function startWire(serverUrl: string): Promise<Wire> {
  const { port, hostname } = new URL(serverUrl)
  const sockets = new Set<Socket>()
  let fault: Fault | undefined
  let cuts = 0
  const listener = createServer((client) => {
    const upstream = connect(Number(port), hostname)
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.setNoDelay(true)
      socket.on('error', () => {})
      socket.once('close', () => sockets.delete(socket))
    }
    carry(client, upstream, () => {
      const chosen = fault?.random.chance(fault.share) ? fault : undefined
      if (chosen !== undefined) cuts += 1
      return chosen
    })
  })
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const url = new URL(serverUrl)
  url.port = String((listener.address() as AddressInfo).port)
  return {
    url: url.href,
    cutCommits(cut, share, random) {
      const begun = { cut, share, random }
      fault = begun
      return () => {
        if (fault === begun) fault = undefined
      }
    },
    cuts: () => cuts,
    async close() {
      for (const socket of sockets) socket.destroy()
      listener.close()
      await once(listener, 'close')
    },
  }
}

/** @param draw says for each commit whether it is cut, and how */
function carry(client: Socket, upstream: Socket, draw: () => Fault | undefined): void {
  const asked = createFraming(true)
  const answered = createFraming(false)
  /** The transaction state that the server told last. */
  let state = 0
  let loses = false
  let gone = false
  client.on('data', (chunk: Buffer) => {
    if (gone) return
    const commits = asked(chunk).some((message) => endsTransaction(message, state))
    const fault = commits ? draw() : undefined
    if (fault?.cut === 'answer lost') loses = true
    if (fault === undefined || loses) return void upstream.write(chunk)
    gone = true
    client.destroy()
    if (fault.cut === 'never arrives') upstream.destroy()
    else setTimeout(() => upstream.end(chunk), fault.random.between(0, LATE_MS))
  })
  upstream.on('data', (chunk: Buffer) => {
    for (const message of answered(chunk)) if (message[0] === READY) state = message[HEADER] ?? 0
    if (loses) {
      // The server has said that it is done, and nobody hears it.
      if (state !== IDLE) return
      client.destroy()
      upstream.destroy()
    } else if (!gone) client.write(chunk)
  })
  client.once('close', () => {
    if (!gone) upstream.destroy()
  })
  upstream.once('close', () => client.destroy())
}

/** Whether the server commits when it has this: a commit, or a statement outside of a transaction. */
function endsTransaction(message: Buffer, state: number): boolean {
  if (message[0] === SYNC) return state === IDLE
  return message[0] === QUERY && /^commit\b/i.test(message.toString('utf8', HEADER))
}

/** Cuts a stream into its messages. @param starts whether its first message has no type, as a client's */
function createFraming(starts: boolean): (chunk: Buffer) => Buffer[] {
  let rest: Buffer = Buffer.alloc(0)
  let isStart = starts
  return (chunk) => {
    rest = Buffer.concat([rest, chunk])
    const messages: Buffer[] = []
    for (;;) {
      const at = isStart ? 0 : 1
      if (rest.length < at + 4) return messages
      const length = at + rest.readUInt32BE(at)
      if (rest.length < length) return messages
      if (!isStart) messages.push(rest.subarray(0, length))
      rest = rest.subarray(length)
      isStart = false
    }
  }
}
