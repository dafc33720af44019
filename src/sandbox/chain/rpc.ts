/** Requests to the sandbox's own chain, the `anvil_` and `evm_` methods above all. */

const TIMEOUT_MS = 10_000

/** Sends one JSON-RPC request. @throws Error when the chain does not answer, or answers an error */
export async function rpc<T>(rpcUrl: string, method: string, params: readonly unknown[] = []): Promise<T> {
  const response = await fetch(rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  const answer = (await response.json()) as { result?: T; error?: { message: string } }
  if (answer.error !== undefined) throw new Error(`${method}: ${answer.error.message}`)
  return answer.result as T
}
