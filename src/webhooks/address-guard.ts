/** Which network addresses a webhook may reach: globally routed unicast, and loopback where the sandbox allows it. */
import ipaddr from 'ipaddr.js'

const GLOBAL_UNICAST: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3]
const ISATAP_INTERFACE_IDS = new Set([0x0000_5efe, 0x0200_5efe])

/**
 * Whether `address` is globally routed unicast, by the IANA special-purpose registries (RFC 6890): not private,
 * loopback, link-local, carrier-grade NAT, multicast, broadcast, benchmarking, documentation or reserved, and no IPv6
 * form that carries an IPv4 address inside (mapped, compatible, NAT64, 6to4, Teredo, ISATAP). An address not known to
 * be public is not.
 * @param address as a resolver or socket spells it; anything that is no IP address, or has a zone, is not public
 */
export function isPublicAddress(address: string): boolean {
  if (address.includes('%') || !ipaddr.isValid(address)) return false
  const parsed = ipaddr.parse(address)
  if (parsed.range() !== 'unicast') return false
  if (parsed.kind() === 'ipv4') return ipaddr.IPv4.isValidFourPartDecimal(address)
  const v6 = parsed as ipaddr.IPv6
  return v6.match(GLOBAL_UNICAST) && !ISATAP_INTERFACE_IDS.has(interfacePrefix(v6))
}

/** Whether `address` is this machine: 127.0.0.0/8 or ::1, in plain notation only. */
export function isLoopbackAddress(address: string): boolean {
  if (address.includes('%') || !ipaddr.isValid(address)) return false
  const parsed = ipaddr.parse(address)
  if (parsed.range() !== 'loopback') return false
  return parsed.kind() === 'ipv6' || ipaddr.IPv4.isValidFourPartDecimal(address)
}

/**
 * Whether a delivery may connect to `address`.
 * @param protocol of the endpoint's URL; http is for loopback alone
 * @param allowLoopback whether loopback may be reached at all (`WEBHOOK_ALLOW_LOOPBACK`)
 */
export function mayConnect(address: string, protocol: string, allowLoopback: boolean): boolean {
  if (allowLoopback && isLoopbackAddress(address)) return true
  return protocol === 'https:' && isPublicAddress(address)
}

/** The upper half of the interface identifier, where ISATAP (RFC 5214) marks an embedded IPv4 address. */
function interfacePrefix(address: ipaddr.IPv6): number {
  const [, , , , high = 0, low = 0] = address.parts
  return high * 0x1_0000 + low
}
