/** Encrypts what must be kept but never be readable in the database, such as webhook secrets. AES-256-GCM (NIST SP 800-38D). */
import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto'

const VERSION = 'sb1'
const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16
const HASH_LENGTH = 32

export type SecretBox = {
  /**
   * Encrypts `text` under a fresh random nonce.
   * @param boundTo what the secret belongs to (an id): it must be named again to open, so that a sealed value copied to
   *   another row does not open there
   * @returns `sb1.`, the id of the key, a dot, and base64url of nonce, ciphertext and tag
   */
  seal(text: string, boundTo?: string): string
  /**
   * Decrypts what `seal` returned.
   * @throws SecretBoxError when it was sealed under another key or for something else, was altered, or is not a sealed
   * value
   */
  open(sealed: string, boundTo?: string): string
  /**
   * Hashes of `text` by which equal texts are found without being read: under the present key, and under the previous one where there
   * is one. Nobody without a key can try out texts against them.
   * @param purpose what is hashed: the same text has another hash for another purpose
   * @returns 32 hexadecimal characters each, that of the present key first
   */
  hashes(text: string, purpose: string): readonly [string, ...string[]]
  /** How everything begins that was sealed under the present key, and nothing else. */
  readonly prefix: string
  /** Whether it opens what was sealed under the key of that id. */
  knows(keyId: string): boolean
}

/** A sealed value does not open. The message never contains any of its content. */
export class SecretBoxError extends Error {
  override readonly name = 'SecretBoxError'
}

/** It names a key that is not known here: one that was lost, or that another process has. */
export class UnknownKeyError extends SecretBoxError {
  /** What names the key, as it stands in what it has sealed. */
  readonly keyId: string
  constructor(keyId: string) {
    super('A sealed secret was sealed under a key that is not known here.')
    this.keyId = keyId
  }
}

/**
 * Makes a box that seals under one key.
 * @param key 32 bytes
 * @param previous a key of 32 bytes under which it opens as well, while one replaces the other
 * @throws SecretBoxError when a key has another length
 */
export function createSecretBox(key: Uint8Array, previous?: Uint8Array): SecretBox {
  const present = keyOf(key)
  const known = previous === undefined ? [present] : [present, keyOf(previous)]
  const prefix = `${VERSION}.${present.id}.`
  const hashed = (bytes: Uint8Array, text: string, purpose: string) => {
    const hashKey = createHmac('sha256', bytes).update(`${VERSION} hash of ${purpose}`).digest()
    return createHmac('sha256', hashKey).update(text, 'utf8').digest('hex').slice(0, HASH_LENGTH)
  }

  return {
    prefix,
    knows: (keyId) => known.some(({ id }) => id === keyId),
    hashes: (text, purpose) => [
      hashed(present.bytes, text, purpose),
      ...known.slice(1).map(({ bytes }) => hashed(bytes, text, purpose)),
    ],
    seal(text, boundTo = '') {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', present.bytes, nonce)
      cipher.setAAD(additionalData(boundTo))
      const encrypted = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return `${prefix}${Buffer.concat([nonce, encrypted, cipher.getAuthTag()]).toString('base64url')}`
    },
    open(sealed, boundTo = '') {
      const [version, keyId, encoded, ...rest] = sealed.split('.')
      if (version !== VERSION || encoded === undefined || rest.length > 0) {
        throw new SecretBoxError(`A sealed secret is not in the format ${VERSION}.`)
      }
      const bytes = Buffer.from(encoded, 'base64url')
      if (bytes.length < NONCE_BYTES + TAG_BYTES) throw new SecretBoxError('A sealed secret is too short.')
      const sealedUnder = known.find(({ id }) => id === keyId)
      if (sealedUnder === undefined) throw new UnknownKeyError(keyId ?? '')
      const decipher = createDecipheriv('aes-256-gcm', sealedUnder.bytes, bytes.subarray(0, NONCE_BYTES), {
        authTagLength: TAG_BYTES,
      })
      decipher.setAAD(additionalData(boundTo))
      decipher.setAuthTag(bytes.subarray(-TAG_BYTES))
      try {
        const opened = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES))
        return Buffer.concat([opened, decipher.final()]).toString('utf8')
      } catch {
        throw new SecretBoxError('A sealed secret does not open: it was sealed for something else, or altered.')
      }
    },
  }
}

/** A copy of the key, and a name for it that says nothing about it. */
function keyOf(key: Uint8Array): { bytes: Uint8Array; id: string } {
  if (key.length !== KEY_BYTES)
    throw new SecretBoxError(`The secrets key must be ${KEY_BYTES} bytes, not ${key.length}.`)
  const id = createHmac('sha256', key).update(`${VERSION} key id`).digest('hex').slice(0, 16)
  return { bytes: Uint8Array.from(key), id }
}

function additionalData(boundTo: string): Buffer {
  return Buffer.from(`${VERSION}:${boundTo}`, 'utf8')
}
