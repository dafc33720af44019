/** Requests to the sandbox's own chain, the `anvil_` and `evm_` methods above all. */

const TIMEOUT_MS = 10_000
/** On a machine that is busy the chain may take a minute to answer. */
const TRIES = 6

type RpcAnswer<T> = { result?: T; error?: { message: string } }

/** Sends one JSON-RPC request. @throws Error when the chain does not answer, or answers an error */
export async function rpc<T>(rpcUrl: string, method: string, params: readonly unknown[] = []): Promise<T> {
  return resultOf(method, await ask<T>(rpcUrl, method, params))
}

/** Sends a request that may be repeated, again while no answer comes. @throws Error as `rpc` does, in the end */
export async function patientRpc<T>(rpcUrl: string, method: string, params: readonly unknown[] = []): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return resultOf(method, await ask<T>(rpcUrl, method, params))
    } catch (error) {
      if (tries === TRIES || error instanceof AnsweredError) throw error
    }
  }
}

async function ask<T>(rpcUrl: string, method: string, params: readonly unknown[]): Promise<RpcAnswer<T>> {
  const response = await fetch(rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  return (await response.json()) as RpcAnswer<T>
}

/** The chain answered, with an error. */
class AnsweredError extends Error {
  override readonly name = 'AnsweredError'
}

function resultOf<T>(method: string, { result, error }: RpcAnswer<T>): T {
  if (error !== undefined) throw new AnsweredError(`${method}: ${error.message}`)
  return result as T
}
