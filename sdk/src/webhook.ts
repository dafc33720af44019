/** Verification of webhooks: the six steps of the contract, in order. */
import type { WebhookEvent } from './types.ts'

const TOLERANCE_SECONDS = 300
const MAX_HEADER_LENGTH = 1_000

/**
 * Why a delivery was refused:
 * - `body_not_raw`: not bytes or text; a framework has already parsed it, or has taken its memory back
 * - `header_missing`, `header_malformed`: no `X-COIN-Signature: t=…,v1=…`
 * - `timestamp_outside_tolerance`: too old, too new, or one of the clocks is wrong
 * - `signature_mismatch`: another secret, or a body that is not what was signed
 * - `body_not_an_event`: genuine, but not an event (the service never sends this)
 */
export type WebhookRefusal =
  | 'body_not_raw'
  | 'header_missing'
  | 'header_malformed'
  | 'timestamp_outside_tolerance'
  | 'signature_mismatch'
  | 'body_not_an_event'

/** A delivery that must not be trusted. Answer it with 400 and do nothing else. */
export class WebhookVerificationError extends Error {
  readonly reason: WebhookRefusal

  constructor(reason: WebhookRefusal, message: string) {
    super(message)
    this.name = 'WebhookVerificationError'
    this.reason = reason
  }
}

export type WebhookDelivery = {
  /** The body exactly as received: bytes, or their UTF-8 text, never parsed and serialised again. */
  rawBody: Uint8Array | ArrayBuffer | string
  /** The value of `X-COIN-Signature`. */
  header: string | null | undefined
  /** The endpoint's whole secret, `whsec_` included. While it is replaced: the present one and the next. */
  secret: string | readonly string[]
  /** How far `t` may be from now, either way. Default 300. */
  toleranceSeconds?: number | undefined
  /** Default: the system's clock. */
  now?: Date | undefined
}

/**
 * Verifies a delivery and returns its event. A webhook is a hint: deduplicate on `id`, and read the order before
 * crediting anyone.
 * @throws WebhookVerificationError saying why (its `reason`); TypeError when the secret is missing
 */
export async function verifyWebhook(delivery: WebhookDelivery): Promise<WebhookEvent> {
  const { header, toleranceSeconds = TOLERANCE_SECONDS, now = new Date() } = delivery
  const secrets = secretsOf(delivery.secret)
  const body = bytesOf(delivery.rawBody)
  const { t, v1 } = parseHeader(header)
  const nowSeconds = now.getTime() / 1_000
  // Written so that a tolerance or a clock that is not a number leads to a refusal.
  if (!(Math.abs(nowSeconds - Number(t)) <= toleranceSeconds)) {
    throw new WebhookVerificationError('timestamp_outside_tolerance', `signed at ${t}, now is ${nowSeconds}`)
  }
  for (const secret of secrets) if (await isSignature(v1, `${t}.`, body, secret)) return parseEvent(body)
  throw new WebhookVerificationError('signature_mismatch', 'the signature is not of this body and secret')
}

/** @throws TypeError also when one of several is missing: what it signs would be refused without a word of why */
function secretsOf(given: unknown): string[] {
  const secrets: unknown[] = Array.isArray(given) ? given : [given]
  if (secrets.length > 0 && secrets.every((secret) => typeof secret === 'string' && secret !== ''))
    return secrets as string[]
  throw new TypeError('secret is required')
}

/** A copy: a server may read the next request into the same memory, or take it back, before the signature was computed or the event is read. */
function bytesOf(rawBody: WebhookDelivery['rawBody']): Uint8Array {
  if (typeof rawBody === 'string') return new TextEncoder().encode(rawBody)
  // Not `instanceof`: an edge runtime or jsdom hands over bytes of its own kind.
  const kind = Object.prototype.toString.call(rawBody)
  const isBytes = kind === '[object Uint8Array]' || kind === '[object ArrayBuffer]'
  const copy = isBytes ? copyOf(rawBody) : undefined
  if (copy !== undefined) return copy
  throw new WebhookVerificationError(
    'body_not_raw',
    'rawBody must be the bytes as received, not what was parsed from them',
  )
}

/** Undefined for memory that its owner has taken back. */
function copyOf(bytes: Uint8Array | ArrayBuffer): Uint8Array | undefined {
  try {
    return new Uint8Array(bytes).slice()
  } catch {
    return undefined
  }
}

function parseHeader(header: string | null | undefined): { t: string; v1: string } {
  if (typeof header !== 'string' || header === '') {
    throw new WebhookVerificationError('header_missing', 'there is no X-COIN-Signature')
  }
  const parts = header.length > MAX_HEADER_LENGTH ? [] : header.split(',').map((part) => part.trim())
  const [t, v1] = ['t=', 'v1='].map((name) => onlyValue(parts, name))
  if (t === undefined || v1 === undefined || !/^\d{1,12}$/.test(t) || !/^[0-9a-f]{64}$/.test(v1)) {
    throw new WebhookVerificationError('header_malformed', 'X-COIN-Signature is not t=<unix seconds>,v1=<hex>')
  }
  return { t, v1 }
}

/** The value of a name, if the header has exactly one. */
function onlyValue(parts: readonly string[], name: string): string | undefined {
  const values = parts.filter((part) => part.startsWith(name)).map((part) => part.slice(name.length))
  return values.length === 1 ? values[0] : undefined
}

/** `verify` of WebCrypto compares in constant time. */
async function isSignature(v1: string, prefix: string, body: Uint8Array, secret: string): Promise<boolean> {
  const encoder = new TextEncoder()
  const { subtle } = globalThis.crypto
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await subtle.importKey('raw', encoder.encode(secret), algorithm, false, ['verify'])
  const signature = Uint8Array.from(v1.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
  const start = encoder.encode(prefix)
  const signed = new Uint8Array(start.length + body.length)
  signed.set(start)
  signed.set(body, start.length)
  return subtle.verify('HMAC', key, signature, signed)
}

function parseEvent(body: Uint8Array): WebhookEvent {
  try {
    const event: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
    if (isEvent(event)) return event
  } catch {
    // Refused below, like any other body that is not an event.
  }
  throw new WebhookVerificationError('body_not_an_event', 'the body is genuine, but not an event')
}

function isEvent(value: unknown): value is WebhookEvent {
  if (typeof value !== 'object' || value === null) return false
  const { id, type, data } = value as Record<string, unknown>
  return typeof id === 'string' && typeof type === 'string' && typeof data === 'object' && data !== null
}
