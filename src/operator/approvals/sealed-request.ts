/**
 * What an approval keeps of its request, sealed as one: the body as it is shown, and the digests of the whole request and of what it concerns. The digests
 * are sealed because a short account number could be found by trying them all, and so that none can be replaced by that of another request.
 */
import { hash } from 'node:crypto'
import { digestOf } from '../../operators/approval.ts'
import type { SecretBox } from '../../secrets/secrets.ts'
import type { Facts } from './about-file.ts'
import type { Asked } from './asked.ts'

export type KeptRequest = {
  /** As it is shown to whoever decides. */
  body: unknown
  /** Of method, path and body. */
  digest: string
  /** Of what the command concerns, as it was when it was asked for. */
  seen: string
  /** Of a bank file, what it says: the bytes are not kept. */
  says?: Facts
  /** The idempotency key with which it was asked for; null without one. */
  key: string | null
}

/** Seals a request for this approval. */
export function sealRequest(secrets: SecretBox, approvalId: string, request: KeptRequest): string {
  return secrets.seal(JSON.stringify(request), approvalId)
}

/** Opens it; undefined when no key opens it. */
export function openRequest(
  secrets: SecretBox,
  { approvalId, body }: { approvalId: string; body: string },
): KeptRequest | undefined {
  try {
    return JSON.parse(secrets.open(body, approvalId)) as KeptRequest
  } catch {
    return undefined
  }
}

/** The digest of a request, the same for the same one. */
export function digestOfRequest({ method, path, body }: Pick<Asked, 'method' | 'path' | 'body'>): string {
  return digestOf([method, path, body])
}

/** Whether a request is one that waits already. Two with different keys are meant to be two. */
export function isSame(before: KeptRequest | undefined, now: KeptRequest): boolean {
  return before?.digest === now.digest && before.seen === now.seen && (before.key ?? null) === now.key
}

const LONGEST_SHOWN = 12_000

/** What is stored to be shown: of a file, what names it exactly. The digest of the request covers all of it. */
export function shown(body: Asked['body']): Record<string, unknown> {
  const short = (value: unknown) =>
    typeof value === 'string' && value.length > LONGEST_SHOWN
      ? `${value.length} characters, SHA-256 ${hash('sha256', value)}`
      : value
  return Object.fromEntries(Object.entries(body).map(([field, value]) => [field, short(value)]))
}
