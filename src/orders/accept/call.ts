/** A creating or cancelling POST as the HTTP layer hands it over, and the answer it gets back. */

/** The caller and its rights. Null caps mean that the configured ones apply; a key's own caps only lower them. */
export type Caller = {
  integrationId: string
  keyId: string
  scopes: ReadonlySet<string>
  transferTxCapMicro: bigint | null
  transferDayCapMicro: bigint | null
  mintDayCapMicro: bigint | null
  /** In whose usage its mints and transfers count: a key and those that replaced it share one. Null: its own. */
  capKeyId: string | null
}

export type PostCall = {
  caller: Caller
  /** 1 to 255 characters, checked by the HTTP layer. */
  idempotencyKey: string
  /** SHA-256 of method, path and canonical body, in hex. */
  fingerprint: string
  body: Record<string, unknown>
}

/** Whose call it is, and under which key. */
export type CallKey = Pick<PostCall, 'caller' | 'idempotencyKey'>

/** The same, and what it asks for, as a hash. */
export type KeyedCall = CallKey & Pick<PostCall, 'fingerprint'>

/** `body` is the exact JSON text, replayed byte for byte. */
export type Answer = { status: number; body: string; replay: boolean }

/** The key in whose usage the caller's mints and transfers count. */
export function capKeyOf({ keyId, capKeyId }: Caller): string {
  return capKeyId ?? keyId
}
