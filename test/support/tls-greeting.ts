/** What a client of TLS offers in its greeting. */

/** The numbers of the cipher suites in the first record of a client of TLS (RFC 8446 4.1.2). */
export function suitesIn(greeting: Buffer): number[] {
  const afterRandom = 5 + 4 + 2 + 32
  const at = afterRandom + 1 + greeting.readUInt8(afterRandom)
  return Array.from({ length: greeting.readUInt16BE(at) / 2 }, (_, index) => greeting.readUInt16BE(at + 2 + 2 * index))
}

/** Those that Node offers by itself: TLS_DHE_RSA_WITH_… (IANA's registry). */
export const DHE = [0x33, 0x39, 0x67, 0x6b, 0x9e, 0x9f, 0xccaa]
