/** Reads single settings from the environment; every problem is collected and told in one go. */
import { parseAmount } from '../money.ts'

export type Environment = Readonly<Record<string, string | undefined>>

export type Settings = {
  /** The value of a setting, trimmed; undefined when it is absent or empty. */
  text(name: string): string | undefined
  /** As `text`, with a problem when it is absent. Returns an empty string then. */
  required(name: string, why: string): string
  oneOf<const T extends string>(name: string, values: readonly T[], fallback: T): T
  integer(name: string, range: { min: number; max: number; fallback: number }): number
  boolean(name: string, fallback: boolean): boolean
  list(name: string): string[]
  /** A decimal amount of coin or ringgit, in micro units. */
  amountMicro(name: string, fallback: bigint): bigint
  /** As `amountMicro`, with zero allowed. */
  feeMicro(name: string): bigint
  date(name: string): Date | undefined
  /** A URL with one of the protocols. Its text never appears in a problem: it can hold credentials. */
  url(name: string, protocols: readonly string[]): string | undefined
  /** Tells of a problem in plain words. Never pass a secret's value. */
  problem(sentence: string): void
  problems: readonly string[]
}

/** Makes a reader over an environment. It never throws. */
export function readSettings(env: Environment): Settings {
  const problems: string[] = []
  const problem = (sentence: string) => void problems.push(sentence)
  const text = (name: string) => {
    const value = env[name]?.trim()
    return value === '' ? undefined : value
  }
  const orElse = <T>(name: string, fallback: T, parse: (value: string) => T | undefined, what: string): T => {
    const value = text(name)
    if (value === undefined) return fallback
    const parsed = parse(value)
    if (parsed === undefined) problem(`${name} must be ${what}.`)
    return parsed ?? fallback
  }
  const amountMicro = (name: string, fallback: bigint) =>
    orElse(name, fallback, positiveAmount, 'a positive decimal amount such as 50000 or 0.5')

  return {
    text,
    problem,
    problems,
    amountMicro,
    required(name, why) {
      const value = text(name)
      if (value === undefined) problem(`${name} is missing: ${why}.`)
      return value ?? ''
    },
    oneOf: (name, values, fallback) =>
      orElse(name, fallback, (value) => values.find((known) => known === value), `one of ${values.join(', ')}`),
    integer: (name, { min, max, fallback }) =>
      orElse(name, fallback, (value) => integerIn(value, min, max), `a whole number from ${min} to ${max}`),
    boolean: (name, fallback) => orElse(name, fallback, booleanOf, 'true or false'),
    list: (name) =>
      (text(name) ?? '')
        .split(',')
        .map((part) => part.trim())
        .filter((part) => part !== ''),
    feeMicro: (name) => (text(name) === '0' ? 0n : amountMicro(name, 0n)),
    date: (name) => orElse(name, undefined, dateOf, 'a date such as 2030-06-30 or an ISO 8601 instant'),
    url: (name, protocols) =>
      orElse(
        name,
        undefined,
        (value) => (isUrl(value, protocols) ? value : undefined),
        `a URL that begins with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`,
      ),
  }
}

/** Whether `value` is a URL of one of the protocols (each with its colon). */
export function isUrl(value: string, protocols: readonly string[]): boolean {
  const url = URL.parse(value)
  return url !== null && protocols.includes(url.protocol) && url.hostname !== ''
}

function integerIn(value: string, min: number, max: number): number | undefined {
  if (!/^-?\d{1,15}$/.test(value)) return undefined
  const number = Number(value)
  return number >= min && number <= max ? number : undefined
}

function booleanOf(value: string): boolean | undefined {
  return value === 'true' ? true : value === 'false' ? false : undefined
}

function positiveAmount(value: string): bigint | undefined {
  const parsed = parseAmount(value)
  return parsed.ok ? parsed.amountMicro : undefined
}

function dateOf(value: string): Date | undefined {
  const date = new Date(value)
  return /^\d{4}-\d{2}-\d{2}(T.+Z)?$/.test(value) && !Number.isNaN(date.getTime()) ? date : undefined
}
