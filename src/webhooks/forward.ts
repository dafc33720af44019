/** The laptop's side of `webhook listen`: sends an event to the user's own server. */
import { excerptOf } from './excerpt.ts'
import { ACKNOWLEDGE_WITHIN_MS } from './send.ts'
import { SIGNATURE_HEADER, signatureHeader } from './signature.ts'

const MAX_ANSWER_BYTES = 1024

export type Forwarded = { status: number | null; error: string | null; durationMs: number; answer: string | null }

/**
 * Posts an event as the service would: the same bytes, freshly signed, within five seconds, following no redirect. The
 * address is the user's own choice on the user's own machine, so it is not checked.
 * @param secret signs the event; the receiver must know it
 * @returns what came of it; never rejects
 */
export async function forwardEvent(options: {
  url: string
  secret: string
  payload: string
  at: Date
}): Promise<Forwarded> {
  const { url, secret, payload, at } = options
  const startedAt = performance.now()
  const durationMs = () => Math.round(performance.now() - startedAt)
  const deadline = AbortSignal.timeout(ACKNOWLEDGE_WITHIN_MS)
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', [SIGNATURE_HEADER]: signatureHeader(secret, payload, at) },
      body: payload,
      redirect: 'manual',
      signal: deadline,
    })
    const { status } = response
    const answer = await beginningOf(response)
    return { status, error: response.ok ? null : `http_${status}`, durationMs: durationMs(), answer }
  } catch (error) {
    return {
      status: null,
      error: deadline.aborted ? 'timeout' : reasonOf(error),
      durationMs: durationMs(),
      answer: null,
    }
  }
}

async function beginningOf(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    for await (const chunk of response.body ?? []) {
      chunks.push(chunk)
      size += chunk.length
      if (size >= MAX_ANSWER_BYTES) break
    }
  } catch {
    // The status has arrived; a body that breaks off does not change it.
  }
  return excerptOf(Buffer.concat(chunks))
}

function reasonOf(error: unknown): string {
  const { cause } = error as { cause?: { code?: unknown } }
  return typeof cause?.code === 'string' ? `connection_failed: ${cause.code}` : 'connection_failed'
}
