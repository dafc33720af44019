/** EVM addresses: format, EIP-55 checksum. The only place that checks them. */
import { keccak256Hex } from '../values/keccak.ts'

const ADDRESS_PATTERN = /^0x[0-9a-fA-F]{40}$/
/** Nobody's. */
export const ZERO_ADDRESS = `0x${'0'.repeat(40)}`

/** `required`: exactly the EIP-55 form. `optional`: also all lower or all upper case hex digits. */
export type ChecksumRule = 'required' | 'optional'

/**
 * Parses a wallet address of a request (contract "walletAddress").
 * @returns the address in EIP-55 form; undefined when it is not an address, is the zero address, or when its
 *   letters are neither checksummed nor, where `rule` allows it, all of one case
 */
export function parseAddress(value: unknown, rule: ChecksumRule): string | undefined {
  if (typeof value !== 'string' || !ADDRESS_PATTERN.test(value)) return undefined
  const checksummed = checksumAddress(value)
  if (checksummed === ZERO_ADDRESS) return undefined
  if (value === checksummed) return checksummed
  return rule === 'optional' && isOneCase(value.slice(2)) ? checksummed : undefined
}

/** Writes 40 hex digits after `0x`, of any case, in the mixed case of EIP-55. */
export function checksumAddress(address: string): string {
  const digits = address.slice(2).toLowerCase()
  const hash = keccak256Hex(digits)
  let checksummed = '0x'
  for (let i = 0; i < digits.length; i += 1) {
    const digit = digits.charAt(i)
    checksummed += hash.charAt(i) >= '8' ? digit.toUpperCase() : digit
  }
  return checksummed
}

function isOneCase(digits: string): boolean {
  return digits === digits.toLowerCase() || digits === digits.toUpperCase()
}
