/** Fetches a proof of reserves from whoever serves one. */
import type { SignedReserves } from './statement.ts'

export const TIMEOUT_MS = 20_000
const MAX_BYTES = 1_000_000

/** The proof; or why there is none: nobody answers, which says nothing of it, or the answer is another one. */
export async function fetchProof(url: string): Promise<SignedReserves | string> {
  let text: string | undefined
  let isOk: boolean
  try {
    const response = await fetch(url, {
      headers: { accept: 'application/json' },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    text = await readText(response)
    isOk = response.ok
  } catch (error) {
    const { name, cause } = error as { name?: string; cause?: { code?: string } }
    const why = name === 'TimeoutError' ? `within ${TIMEOUT_MS / 1_000} s` : `(${cause?.code ?? 'connection failed'})`
    return `${url} does not answer ${why}.`
  }
  const body = isOk && text !== undefined ? parsed(text) : undefined
  const isProof = typeof body === 'object' && body !== null && 'supplies' in body && Array.isArray(body.supplies)
  return isProof ? (body as unknown as SignedReserves) : `${url} answers with no proof of reserves.`
}

/** The body as text; undefined when it is longer than any proof, of which no more is read. */
async function readText({ body }: Response): Promise<string | undefined> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body ?? []) {
    size += chunk.length
    if (size > MAX_BYTES) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
