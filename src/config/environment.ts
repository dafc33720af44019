/** Typed reading of environment variables. Problems are collected as sentences that name the variable, never its value. */

import { parseAmount } from '../money.ts'
import { parseInstant } from '../values/instant.ts'
import { parseAllowlistEntry } from '../values/ip-allowlist.ts'

export type Environment = ReturnType<typeof createEnvironment>

const MAX_LENGTH = 10_000
const KEY_BYTES = 32
const UNIT_MS = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/**
 * @param env the variables; an empty or blank value counts as absent
 * @param problems receives one sentence per problem; the value returned for a wrong variable is a placeholder
 */
export function createEnvironment(env: Readonly<Record<string, string | undefined>>, problems: string[]) {
  const known = new Set<string>()
  const chosen = new Set<string>()
  const read: Read = (name) => {
    known.add(name)
    const value = env[name]?.trim()
    if (value === undefined || value === '') return undefined
    if (value.length <= MAX_LENGTH) return value
    problems.push(`${name} is too long.`)
    return undefined
  }
  const wrong: Wrong = (name, rule, placeholder) => {
    problems.push(`${name} must be ${rule}.`)
    return placeholder
  }
  return {
    /** The names that were asked for so far. */
    known: known as ReadonlySet<string>,
    /** Those of them that somebody has chosen. */
    chosen: chosen as ReadonlySet<string>,
    /** Adds a problem in the caller's words. */
    report: (problem: string): void => {
      problems.push(problem)
    },
    isSet: (name: string): boolean => read(name) !== undefined,
    text: (name: string, fallback: string): string => read(name) ?? fallback,
    optional: read,
    /** The value under a name that somebody has chosen. The caller reports one that is absent. */
    underName(name: string): string | undefined {
      chosen.add(name)
      return read(name)
    },
    ...choices(read, wrong),
    ...quantities(read, wrong),
    ...times(read, wrong),
    ...places(read, wrong),
    ...secrets(read, wrong),
  }
}

/** The value of a variable; undefined where it is absent. */
type Read = (name: string) => string | undefined
/** Says what a variable must be. @returns the placeholder */
type Wrong = <T>(name: string, rule: string, placeholder: T) => T

function choices(read: Read, wrong: Wrong) {
  return {
    oneOf<const T extends string>(name: string, allowed: readonly T[], fallback: T): T {
      const value = read(name)
      if (value === undefined) return fallback
      return allowed.find((one) => one === value) ?? wrong(name, `one of ${allowed.join(', ')}`, fallback)
    },

    /** A comma-separated, non-empty subset of `allowed`. */
    list<const T extends string>(name: string, allowed: readonly T[], fallback: readonly T[]): readonly T[] {
      const value = read(name)
      if (value === undefined) return fallback
      const chosen = value.split(',').map((part) => allowed.find((one) => one === part.trim()))
      if (chosen.every((one) => one !== undefined)) return chosen
      return wrong(name, `a comma-separated list of ${allowed.join(', ')}`, fallback)
    },

    flag(name: string, fallback: boolean): boolean {
      const value = read(name)
      if (value === undefined) return fallback
      return value === 'true' || (value !== 'false' && wrong(name, 'true or false', fallback))
    },
  }
}

function quantities(read: Read, wrong: Wrong) {
  return {
    integer(name: string, { min, max, fallback }: { min: number; max: number; fallback: number }): number {
      const value = read(name)
      if (value === undefined) return fallback
      const parsed = /^\d{1,16}$/.test(value) ? Number(value) : Number.NaN
      return parsed >= min && parsed <= max ? parsed : wrong(name, `a whole number from ${min} to ${max}`, fallback)
    },

    /** An amount in ringgit or coin, zero included; in micro units. */
    amount(name: string, { max, fallback }: { max: bigint; fallback: bigint }): bigint {
      const value = read(name)
      if (value === undefined) return fallback
      if (value === '0') return 0n
      const parsed = parseAmount(value)
      if (parsed.ok && parsed.amountMicro <= max) return parsed.amountMicro
      return wrong(name, `an amount such as 1000 or 0.5, at most ${max / 1_000_000n}`, fallback)
    },
  }
}

function times(read: Read, wrong: Wrong) {
  return {
    /** A duration such as `90m`, `36h` or `3d`, in milliseconds. */
    duration(name: string, { fallback, maxDays }: { fallback: string; maxDays: number }): number {
      const [, count = '', unit = ''] = /^([1-9]\d{0,5})([mhd])$/.exec(read(name) ?? fallback) ?? []
      const durationMs = Number(count) * (UNIT_MS[unit as keyof typeof UNIT_MS] ?? Number.NaN)
      if (durationMs <= maxDays * UNIT_MS.d) return durationMs
      return wrong(name, `a duration such as 90m, 36h or 3d, at most ${maxDays}d`, 0)
    },

    /** A time zone by its IANA name. */
    timezone(name: string, fallback: string): string {
      const value = read(name)
      if (value === undefined) return fallback
      const isKnown = value === 'UTC' || Intl.supportedValuesOf('timeZone').includes(value)
      return isKnown ? value : wrong(name, 'the name of a time zone such as Asia/Kuala_Lumpur', fallback)
    },

    date(name: string): Date | undefined {
      const value = read(name)
      if (value === undefined) return undefined
      const instant = parseInstant(value)
      if (instant !== undefined) return instant.at
      return wrong(name, 'a date such as 2027-06-30 or 2027-06-30T00:00:00Z', undefined)
    },
  }
}

/** Where something is on the network. */
function places(read: Read, wrong: Wrong) {
  return {
    url(name: string, protocols: readonly string[]): string | undefined {
      const value = read(name)
      if (value === undefined) return undefined
      if (URL.canParse(value) && protocols.includes(new URL(value).protocol)) return value
      return wrong(name, `an address beginning with ${protocols.map((one) => `${one}//`).join(' or ')}`, undefined)
    },

    /** An https address without path, as browsers write it in the header Origin. */
    origin(name: string): string | undefined {
      const value = read(name)
      if (value === undefined) return undefined
      const parsed = URL.canParse(value) ? new URL(value) : undefined
      if (parsed?.protocol === 'https:' && [parsed.origin, `${parsed.origin}/`].includes(value)) return parsed.origin
      return wrong(name, 'an address such as https://console.example.com, without a path', undefined)
    },

    /** Comma-separated IP addresses and CIDR ranges, in canonical form. */
    addresses(name: string): readonly string[] {
      const value = read(name)
      if (value === undefined) return []
      const entries = value.split(',').map((entry) => parseAllowlistEntry(entry.trim()))
      if (entries.every((entry) => entry !== undefined)) return entries
      return wrong(name, 'a comma-separated list of IP addresses or CIDR ranges', [])
    },
  }
}

function secrets(read: Read, wrong: Wrong) {
  return {
    /** A bearer token: printable ASCII without blanks. */
    token(name: string, minLength: number, maxLength = MAX_LENGTH): string | undefined {
      const value = read(name)
      if (value === undefined) return undefined
      if (value.length >= minLength && value.length <= maxLength && /^[\x21-\x7e]+$/.test(value)) return value
      const length = maxLength < MAX_LENGTH ? `${minLength} to ${maxLength}` : `at least ${minLength}`
      return wrong(name, `${length} printable characters without blanks`, undefined)
    },

    /** 32 bytes as 64 hexadecimal digits or as base64. */
    key(name: string): Uint8Array | undefined {
      const value = read(name)
      if (value === undefined) return undefined
      if (/^[0-9a-fA-F]{64}$/.test(value)) return Uint8Array.from(Buffer.from(value, 'hex'))
      const bytes = /^[A-Za-z0-9+/]{43}=$/.test(value) ? Uint8Array.from(Buffer.from(value, 'base64')) : undefined
      return bytes?.length === KEY_BYTES
        ? bytes
        : wrong(name, '32 bytes as 64 hexadecimal digits or as base64', undefined)
    },
  }
}
