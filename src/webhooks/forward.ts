/** The laptop's side of `webhook listen`: sends an event to the user's own server. */
import { lookup } from 'node:dns/promises'
import { literalAddress } from './endpoint-url.ts'
import { ACKNOWLEDGE_WITHIN_MS, senderTo } from './send.ts'
import { signatureHeader } from './signature.ts'

export type Forwarded = { status: number | null; error: string | null; durationMs: number; answer: string | null }

/** The address is the user's own choice on the user's own machine, so it is not checked, and this machine's resolver finds it. */
const sendToOwn = senderTo({ addressesOf, mayConnect: () => true, timeoutMs: ACKNOWLEDGE_WITHIN_MS })

/**
 * Posts an event as the service would, and judges the answer as it does: the same bytes, freshly signed, five seconds from when the receiver has
 * them, following no redirect.
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
  const sent = await sendToOwn({ url, body: payload, signature: signatureHeader(secret, payload, at) })
  const { httpStatus: status, error, durationMs, responseExcerpt: answer } = sent
  return { status, error, durationMs, answer }
}

async function addressesOf(url: URL): Promise<string[]> {
  const literal = literalAddress(url)
  if (literal !== undefined) return [literal]
  return (await lookup(url.hostname, { all: true })).map(({ address }) => address)
}
