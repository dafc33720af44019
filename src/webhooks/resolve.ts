/** Host name → addresses, by DNS alone and under a deadline. */
import { Resolver } from 'node:dns/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { isLocalhostName } from './endpoint-url.ts'

const TIMEOUT_MS = 1500
const TRIES = 2
const OTHER_FAMILY_GRACE_MS = 250

/** Resolves a name to all its addresses. @throws the resolver's error (`code`) when there are none */
export type Resolve = (hostname: string, signal: AbortSignal) => Promise<string[]>

/**
 * Makes a resolver that asks the name servers directly (c-ares): it neither reads /etc/hosts nor uses the thread pool
 * of the system's resolver, where a few names that never answer would hold up every other look-up. `localhost` is this
 * machine without a query (RFC 6761).
 * @param servers name servers as `address:port`; undefined: the system's
 */
export function createResolver(servers: readonly string[] | undefined): Resolve {
  return async (hostname, signal) => {
    if (isLocalhostName(hostname)) return ['127.0.0.1', '::1']
    const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES })
    if (servers !== undefined) resolver.setServers(servers)
    const cancel = () => resolver.cancel()
    signal.addEventListener('abort', cancel, { once: true })
    try {
      signal.throwIfAborted()
      return await bothFamilies(resolver.resolve4(hostname), resolver.resolve6(hostname))
    } finally {
      signal.removeEventListener('abort', cancel)
      resolver.cancel()
    }
  }
}

/** The addresses of both families; once one has answered, the other gets only a moment more (RFC 8305). */
async function bothFamilies(v4: Promise<string[]>, v6: Promise<string[]>): Promise<string[]> {
  const families = [v4, v6]
  const first = await Promise.any(families).catch((error: AggregateError) => {
    throw error.errors[0]
  })
  const none = delay(OTHER_FAMILY_GRACE_MS).then((): string[] => [])
  const found = await Promise.all(families.map((family) => Promise.race([family.catch((): string[] => []), none])))
  return [...new Set([...found.flat(), ...first])]
}
