/** Fetches a proof of reserves from whoever serves one, or from a file. */
import { readFile, stat } from 'node:fs/promises'
import type { SignedReserves } from './statement.ts'

export const TIMEOUT_MS = 20_000
const MAX_BYTES = 1_000_000

/** The proof; or why there is none: nobody answers, which says nothing of it, or the answer is another one. */
export async function fetchProof(url: string): Promise<SignedReserves | string> {
  if (url.startsWith('file:')) return await readKept(new URL(url))
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
  return proofIn(isOk ? text : undefined) ?? `${url} answers with no proof of reserves.`
}

/** One that was kept: an issuer serves only the newest. */
async function readKept(url: URL): Promise<SignedReserves | string> {
  try {
    const text = (await stat(url)).size <= MAX_BYTES ? await readFile(url, 'utf8') : undefined
    return proofIn(text) ?? `${url.pathname} holds no proof of reserves.`
  } catch {
    return `${url.pathname} cannot be read.`
  }
}

function proofIn(text: string | undefined): SignedReserves | undefined {
  const body = text === undefined ? undefined : parsed(text)
  const isProof = typeof body === 'object' && body !== null && 'supplies' in body && Array.isArray(body.supplies)
  return isProof ? (body as unknown as SignedReserves) : undefined
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
