/** The addresses that one delivery may connect to. */
import { mayConnect } from './address-guard.ts'
import { literalAddress } from './endpoint-url.ts'
import type { Resolve } from './resolve.ts'

const MAX_ADDRESSES = 4

/** The host is, or resolves to, an address that webhooks must not reach. */
export class AddressRefusedError extends Error {
  override readonly name = 'AddressRefusedError'
}

/**
 * Resolves a URL's host once and checks every address it has. The connection is then made to these addresses and no
 * others, so a name that resolves differently the next time changes nothing.
 * @returns at most four addresses
 * @throws AddressRefusedError when even one address is not permitted
 */
export async function checkedAddresses(
  url: URL,
  options: { resolve: Resolve; signal: AbortSignal; allowLoopback: boolean },
): Promise<string[]> {
  const literal = literalAddress(url)
  const addresses = literal === undefined ? await options.resolve(url.hostname, options.signal) : [literal]
  const permitted = addresses.every((address) => mayConnect(address, url.protocol, options.allowLoopback))
  if (!permitted || addresses.length === 0) throw new AddressRefusedError('The address is not permitted.')
  return addresses.slice(0, MAX_ADDRESSES)
}
