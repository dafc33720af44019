/** The few operator commands that a run needs, over the operator API. */

export type Operator = {
  get<T>(path: string): Promise<T>
  post<T>(path: string, body: Record<string, unknown>): Promise<T>
}

const TIMEOUT_MS = 60_000

/** @param origin of a process that serves the operator API, asked anew for each request */
export function createOperator(origin: () => string, token: string): Operator {
  async function request<T>(method: string, path: string, body?: Record<string, unknown>): Promise<T> {
    const response = await fetch(`${origin()}/operator/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      signal: AbortSignal.timeout(TIMEOUT_MS),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const answer = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${answer.slice(0, 300)}`)
    return JSON.parse(answer) as T
  }
  return { get: (path) => request('GET', path), post: (path, body) => request('POST', path, body) }
}

/** Asks for every refused or waiting payout again, as an operator would; returns how many there are. */
export async function retryPayouts(operator: Operator): Promise<number> {
  let found = 0
  for (const status of ['rejected', 'queued']) {
    const { payouts } = await operator.get<{ payouts: { payoutId: string }[] }>(`/payouts?status=${status}&limit=200`)
    found += payouts.length
    for (const { payoutId } of payouts) {
      // It may have been accepted since it was listed.
      await operator.post(`/payouts/${payoutId}/retry`, {}).catch(() => {})
    }
  }
  return found
}

/** The service's own reconciliation. */
export async function reconcile(operator: Operator): Promise<{ ok: boolean; differences: string[] }> {
  const { ok, differences } = await operator.get<{ ok: boolean; differences: { kind: string; message: string }[] }>(
    '/reconcile',
  )
  return { ok, differences: differences.map(({ kind, message }) => `${kind}: ${message}`) }
}
