/** IP allowlists of API keys: IPv4 and IPv6 addresses and CIDR ranges. */
import ipaddr from 'ipaddr.js'

type Address = ipaddr.IPv4 | ipaddr.IPv6
type Range = { address: Address; prefixBits: number }

const MAPPED_PREFIX_BITS = 96

/**
 * Checks one entry of an allowlist and returns its canonical text, e.g. `10.1.2.3/8` → `10.0.0.0/8`.
 * @returns undefined when it is neither an address nor a CIDR range
 */
export function parseAllowlistEntry(entry: string): string | undefined {
  const range = parseRange(entry)
  if (range === undefined) return undefined
  const { address, prefixBits } = range
  const whole = address.kind() === 'ipv4' ? 32 : 128
  if (prefixBits === whole) return address.toString()
  const cidr = `${address.toString()}/${prefixBits}`
  const network =
    address.kind() === 'ipv4' ? ipaddr.IPv4.networkAddressFromCIDR(cidr) : ipaddr.IPv6.networkAddressFromCIDR(cidr)
  return `${network.toString()}/${prefixBits}`
}

/**
 * Compiles an allowlist to a predicate over a client's address as text. IPv4-mapped IPv6 addresses and ranges (RFC 4291
 * 2.5.5.2) equal their IPv4 form. Entries and addresses that cannot be read match nothing.
 * @param entries empty means no restriction
 */
export function compileAllowlist(entries: readonly string[]): (clientAddress: string) => boolean {
  if (entries.length === 0) return () => true
  const ranges = entries.map(parseRange).filter((range) => range !== undefined)
  return (clientAddress) => {
    const client = parseAddress(clientAddress)
    if (client === undefined) return false
    return ranges.some(
      ({ address, prefixBits }) => address.kind() === client.kind() && client.match(address, prefixBits),
    )
  }
}

function parseRange(entry: string): Range | undefined {
  const slash = entry.indexOf('/')
  if (slash === -1) {
    const address = parseAddress(entry)
    return address === undefined ? undefined : { address, prefixBits: address.kind() === 'ipv4' ? 32 : 128 }
  }
  const text = entry.slice(0, slash)
  const bits = entry.slice(slash + 1)
  const address = parseAddress(text)
  if (address === undefined || !/^(0|[1-9]\d{0,2})$/.test(bits)) return undefined
  const prefixBits = Number(bits)
  if (address.kind() === 'ipv6') return prefixBits <= 128 ? { address, prefixBits } : undefined
  const isMapped = text.includes(':')
  const ipv4Bits = isMapped ? prefixBits - MAPPED_PREFIX_BITS : prefixBits
  return ipv4Bits >= 0 && ipv4Bits <= 32 ? { address, prefixBits: ipv4Bits } : undefined
}

function parseAddress(text: string): Address | undefined {
  const zone = text.indexOf('%')
  const bare = zone === -1 ? text : text.slice(0, zone)
  // The library also reads octal, hexadecimal and shortened IPv4; only four decimal parts mean the same everywhere.
  if (ipaddr.IPv4.isValidFourPartDecimal(bare)) return ipaddr.IPv4.parse(bare)
  if (!bare.includes(':') || !ipaddr.IPv6.isValid(bare)) return undefined
  const address = ipaddr.IPv6.parse(bare)
  return address.isIPv4MappedAddress() ? address.toIPv4Address() : address
}
