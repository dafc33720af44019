/** One HTTP POST to addresses checked beforehand, with a bounded answer. */
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { isIP, type LookupFunction, connect as netConnect, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { connect as tlsConnect } from 'node:tls'
import { boundConnection } from '../values/bounded-connection.ts'
import { CIPHERS } from '../values/ciphers.ts'
import { AddressRefusedError } from './checked-addresses.ts'
import { literalAddress } from './endpoint-url.ts'
import { EXCERPT_BYTES } from './excerpt.ts'
import { SIGNATURE_HEADER } from './signature.ts'

const MAX_HEADER_BYTES = 16 * 1024
const ANSWER_BODY_WITHIN_MS = 1000
/** How long a connection may take while other addresses are left, and how long all of these together: the last one has the rest. */
const CONNECT_WITHIN_MS = 1000
const ALL_BUT_LAST_WITHIN_MS = 2000

export type WebhookRequest = { url: string; body: string; signature: string }

export type Answer = { status: number; beginning: Buffer }

type PostOptions = {
  url: URL
  /** The checked addresses of the URL's host. */
  addresses: readonly string[]
  signal: AbortSignal
  /** Whether the request may go to the address to which the socket turns out to be connected. */
  mayConnect: (address: string) => boolean
  request: WebhookRequest
  /** Hears that the whole request was handed to the network. */
  sent: () => void
}

/**
 * Posts and resolves with the status and the beginning of the answer. The status is known with the headers: a body that
 * stalls, breaks or never ends is cut off and changes nothing.
 * @throws AddressRefusedError when the socket turns out to be connected to an address that is not permitted
 * @throws the socket's, TLS's or parser's error when no status line arrived
 */
export function post(options: PostOptions): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const socket = connectTo(options)
    const { stream, restart } = boundConnection(socket, options.url.protocol === 'https:')
    // Heard before what waits to be sent: not even a greeting of TLS goes to an address that is refused.
    socket.once('connect', () => {
      const problem = problemOf(socket, options)
      if (problem !== undefined) stream.destroy(problem)
    })
    const request = open(options, stream)
    let answered = false
    request.on('error', (error) => {
      if (!answered) reject(error)
    })
    request.on('response', (response) => {
      answered = true
      restart()
      readBeginning(response).then((beginning) => {
        request.destroy()
        resolve({ status: response.statusCode ?? 0, beginning })
      }, reject)
    })
    request.on('upgrade', (_response, upgraded) => {
      upgraded.destroy()
      reject(Object.assign(new Error('The endpoint answered with an upgrade.'), { code: 'UPGRADE_REFUSED' }))
    })
    request.on('close', () => stream.destroy())
    sendOnceSecure(request, options, restart)
  })
}

/** Why nothing may be sent on a connected socket. One that the receiver has closed again by then has no address, and none to refuse. */
function problemOf({ remoteAddress }: Socket, { mayConnect }: PostOptions): Error | undefined {
  if (remoteAddress === undefined) return Object.assign(new Error('The connection was closed.'), { code: 'ECONNRESET' })
  return mayConnect(remoteAddress) ? undefined : new AddressRefusedError('The connected address is not permitted.')
}

/** A connection of its own: never shared with other parts, never used again, through no proxy. */
function connectTo({ url, addresses }: PostOptions): Socket {
  return netConnect({
    host: hostOf(url),
    port: Number(url.port || (url.protocol === 'https:' ? 443 : 80)),
    lookup: pinnedLookup(addresses),
    autoSelectFamilyAttemptTimeout: attemptTimeoutMs(addresses.length),
  })
}

function open({ url, signal, request }: PostOptions, stream: Duplex): ClientRequest {
  const options = {
    method: 'POST',
    signal,
    maxHeaderSize: MAX_HEADER_BYTES,
    headers: {
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(request.body),
      'User-Agent': 'stablecoin-partner-api-webhooks/1',
      [SIGNATURE_HEADER]: request.signature,
    },
  }
  if (url.protocol === 'http:') return httpRequest(url, { ...options, createConnection: () => stream })
  return httpsRequest(url, { ...options, createConnection: () => secured(url, stream) })
}

function secured(url: URL, stream: Duplex): Duplex {
  const host = hostOf(url)
  return tlsConnect({
    socket: stream,
    host,
    ciphers: CIPHERS,
    ...(isIP(host) === 0 ? { servername: host } : {}),
    rejectUnauthorized: true,
  })
}

/** A name may end in a dot, the one that TLS asks for must not (RFC 6066 3), and many receivers hang up on it. */
function hostOf(url: URL): string {
  return literalAddress(url) ?? url.hostname.replace(/\.$/, '')
}

/** Node gives each address but the last 250 ms, which is less than a far host takes over a slow line. */
function attemptTimeoutMs(addresses: number): number {
  return Math.min(CONNECT_WITHIN_MS, Math.floor(ALL_BUT_LAST_WITHIN_MS / Math.max(addresses - 1, 1)))
}

/** A look-up that answers with the checked addresses only, whatever the name. */
function pinnedLookup(addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIP(address) }))
  return (_hostname, { all }, callback) => {
    const [first] = found
    if (all === true) callback(null, found)
    else if (first !== undefined) callback(null, first.address, first.family)
  }
}

/** Sends the request once it is certain who is at the other end. */
function sendOnceSecure(
  request: ClientRequest,
  { url, request: { body }, sent }: PostOptions,
  secure: () => void,
): void {
  const end = () => {
    secure()
    request.end(body, sent)
  }
  if (url.protocol === 'http:') end()
  else request.on('socket', (socket) => void socket.once('secureConnect', end))
}

/** Reads at most 1 KiB of the answer's body within a second; whatever has arrived by then is enough. */
async function readBeginning(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  const cut = setTimeout(() => response.destroy(), ANSWER_BODY_WITHIN_MS)
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk)
      size += chunk.length
      if (size >= EXCERPT_BYTES) break
    }
  } catch {
    // The status has arrived; a body that breaks off, or is cut off, does not change it.
  } finally {
    clearTimeout(cut)
  }
  return Buffer.concat(chunks).subarray(0, EXCERPT_BYTES)
}
