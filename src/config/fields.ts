/** Typed reading of one object of the chains file. Problems are collected as sentences that name the field, never its value. */
import { isAddress, isAddressEqual, zeroAddress } from 'viem'
import { isLoopbackHost } from './loopback.ts'

export type Fields = ReturnType<typeof fieldsOf>

/**
 * @param value what should be a JSON object
 * @param where names it in problems, e.g. `CHAINS_FILE chains[0]`
 * @param report receives one sentence per problem; the value returned for a wrong field is a placeholder
 */
export function fieldsOf(value: unknown, where: string, report: (problem: string) => void) {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  if (!isObject) report(`${where} must be an object.`)
  const source = new Map(isObject ? Object.entries(value) : [])
  const known = new Set<string>()
  const take = (name: string): unknown => {
    known.add(name)
    return source.get(name)
  }
  const wrong = <T>(name: string, rule: string, placeholder: T): T => {
    if (isObject) report(`${where}.${name} must be ${rule}.`)
    return placeholder
  }
  return {
    where,
    has: (name: string): boolean => source.has(name),
    take,
    wrong,

    text(name: string, fallback?: string): string {
      const field = take(name)
      if (field === undefined && fallback !== undefined) return fallback
      if (typeof field === 'string' && field.length > 0 && field.length <= 200) return field
      return wrong(name, 'a text of 1 to 200 characters', '')
    },

    integer(name: string, { min, max, fallback }: { min: number; max: number; fallback?: number }): number {
      const field = take(name)
      if (field === undefined && fallback !== undefined) return fallback
      if (typeof field === 'number' && Number.isInteger(field) && field >= min && field <= max) return field
      return wrong(name, `a whole number from ${min} to ${max}`, min)
    },

    /** An EIP-55 checksummed address other than zero. */
    address(name: string): `0x${string}` {
      const field = take(name)
      if (typeof field === 'string' && isAddress(field) && !isAddressEqual(field, zeroAddress)) return field
      return wrong(name, 'a checksummed address', zeroAddress)
    },

    /** https, or http to this machine. */
    url(name: string): string {
      const field = take(name)
      return isSafeUrl(field) ? field : wrong(name, 'an https address (http only to this machine)', '')
    },

    /** Reports fields that nobody has read: a misspelt name must not silently mean the default. */
    refuseUnknown(): void {
      for (const name of source.keys()) {
        if (!known.has(name)) report(`${where} has an unknown field (known: ${[...known].join(', ')}).`)
      }
    },
  }
}

/** An https address, or an http address of this machine. */
export function isSafeUrl(value: unknown): value is string {
  if (typeof value !== 'string' || value.length > 2_000 || !URL.canParse(value)) return false
  const { protocol, hostname } = new URL(value)
  return protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname))
}
