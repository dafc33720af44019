/** The partner API as a partner calls it. */
import { setTimeout as sleep } from 'node:timers/promises'

/** The fields of an order that the demo shows (contract "Order"). */
export type DemoOrder = {
  referenceId: string
  status: string
  phase: string
  amounts: { coin: string; amountRaw: string }
  blockchain: { txHash: string | null; blockNumber: string | null }
}

export type ApiClient = {
  get<T>(path: string): Promise<T>
  /** Posts under an Idempotency-Key; the same key and body may be posted again at any time. */
  post<T>(path: string, idempotencyKey: string, body: unknown): Promise<{ status: number; isReplay: boolean; body: T }>
}

/** The API answered with an error envelope. */
class DemoRefusedError extends Error {
  override readonly name = 'DemoRefusedError'
}

/** Makes a client that waits when it is rate-limited, as partners should. */
export function createApiClient(baseUrl: string, apiKey: string): ApiClient {
  async function call(path: string, init: RequestInit): Promise<{ response: Response; body: unknown }> {
    const response = await fetch(`${baseUrl}${path}`, { ...init, signal: AbortSignal.timeout(15_000) })
    const body = (await response.json()) as { ok: boolean; error?: { code: string; message: string } }
    if (response.status === 429) {
      await sleep(Number(response.headers.get('retry-after') ?? '1') * 1_000)
      return call(path, init)
    }
    if (!body.ok) throw new DemoRefusedError(`${init.method} ${path}: ${body.error?.code} ${body.error?.message}`)
    return { response, body }
  }
  const authorization = `Bearer ${apiKey}`
  return {
    async get<T>(path: string) {
      const { body } = await call(path, { method: 'GET', headers: { authorization } })
      return body as T
    },
    async post<T>(path: string, idempotencyKey: string, sent: unknown) {
      const headers = { authorization, 'idempotency-key': idempotencyKey, 'content-type': 'application/json' }
      const { response, body } = await call(path, { method: 'POST', headers, body: JSON.stringify(sent) })
      const isReplay = response.headers.get('x-coin-idempotent-replay') === 'true'
      return { status: response.status, isReplay, body: body as T }
    },
  }
}
