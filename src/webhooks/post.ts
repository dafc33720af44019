/** One HTTP POST to addresses checked beforehand, with a bounded answer. */
import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { isIP, type LookupFunction, type Socket } from 'node:net'
import { AddressRefusedError } from './checked-addresses.ts'
import { EXCERPT_BYTES } from './excerpt.ts'
import { SIGNATURE_HEADER } from './signature.ts'

const MAX_HEADER_BYTES = 16 * 1024
const ANSWER_BODY_WITHIN_MS = 1000
/** What a receiver may send before its answer's headers are whole, and how often that is looked at: interim answers and blank lines may come before them without end. */
const MAX_BYTES_BEFORE_ANSWER = 128 * 1024
const LOOK_EVERY_MS = 100
/** How long a connection may take while other addresses are left, and how long all of these together: the last one has the rest. */
const CONNECT_WITHIN_MS = 1000
const ALL_BUT_LAST_WITHIN_MS = 2000

/** Own agents: their connections are never shared with other parts, never reused, and follow no proxy settings. */
const httpAgent = new HttpAgent({ keepAlive: false })
const httpsAgent = new HttpsAgent({ keepAlive: false, maxCachedSessions: 0 })

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
    const request = open(options)
    let answered = false
    request.on('error', (error) => {
      if (!answered) reject(error)
    })
    request.on('response', (response) => {
      answered = true
      readBeginning(response).then((beginning) => {
        request.destroy()
        resolve({ status: response.statusCode ?? 0, beginning })
      }, reject)
    })
    request.on('upgrade', (_response, socket) => {
      socket.destroy()
      reject(Object.assign(new Error('The endpoint answered with an upgrade.'), { code: 'UPGRADE_REFUSED' }))
    })
    sendWhenChecked(request, options)
    boundBytesBefore(request)
  })
}

function open({ url, addresses, signal, request }: PostOptions): ClientRequest {
  const options = {
    method: 'POST',
    signal,
    lookup: pinnedLookup(addresses),
    autoSelectFamilyAttemptTimeout: attemptTimeoutMs(addresses.length),
    maxHeaderSize: MAX_HEADER_BYTES,
    headers: {
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(request.body),
      'User-Agent': 'stablecoin-partner-api-webhooks/1',
      [SIGNATURE_HEADER]: request.signature,
    },
  }
  if (url.protocol === 'http:') return httpRequest(url, { ...options, agent: httpAgent })
  return httpsRequest(url, { ...options, agent: httpsAgent, rejectUnauthorized: true, ...serverNameOf(url) })
}

/** A name may end in a dot, the one that TLS asks for must not (RFC 6066 3), and many receivers hang up on it. */
function serverNameOf({ hostname }: URL): { servername: string } | undefined {
  return hostname.endsWith('.') ? { servername: hostname.slice(0, -1) } : undefined
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

/** Checks the connected socket once more before any byte of the request leaves. */
function sendWhenChecked(request: ClientRequest, { url, mayConnect, request: { body }, sent }: PostOptions): void {
  request.on('socket', (socket: Socket) => {
    socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', () => {
      if (mayConnect(socket.remoteAddress ?? '')) request.end(body, sent)
      else request.destroy(new AddressRefusedError('The connected address is not permitted.'))
    })
  })
}

/** Ends an exchange in which too much comes before the answer: to take it in would hold up everybody else's deliveries. */
function boundBytesBefore(request: ClientRequest): void {
  const look = () => {
    if ((request.socket?.bytesRead ?? 0) <= MAX_BYTES_BEFORE_ANSWER) return
    request.destroy(Object.assign(new Error('Too much came before the answer.'), { code: 'NO_ANSWER_IN_128_KIB' }))
  }
  const timer = setInterval(look, LOOK_EVERY_MS)
  request.on('information', look)
  for (const end of ['response', 'close'] as const) request.once(end, () => clearInterval(timer))
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
