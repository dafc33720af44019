/** Numbers of a body that no double holds: JSON.parse rounds them, so that two different bodies become one. */
import { trimEndOf } from '../values/trim-end.ts'

/**
 * What stands in a body for a number that JSON.parse would round. It is of no type that a field takes, and differs wherever the number
 * as it was written does.
 */
export class RoundedNumber {
  /** The number as it was written. */
  readonly rounded: string

  constructor(rounded: string) {
    this.rounded = rounded
  }
}

/** @param source a JSON number as it was written; @param value what JSON.parse makes of it */
export function isExact(source: string, value: number): boolean {
  return canonicalDecimal(source) === canonicalDecimal(String(value))
}

/** Parses JSON whose numbers may be too long for a double. */
export function parseUnrounded(text: string): unknown {
  return JSON.parse(text, (_name, value: unknown, context?: { source?: string }): unknown => {
    const source = context?.source
    if (typeof value !== 'number' || source === undefined || isExact(source, value)) return value
    return new RoundedNumber(source)
  })
}

const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i

/** Sign, digits and power of ten of a number, the same however it is written; of zero, nothing but the zero. */
function canonicalDecimal(source: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = NUMBER.exec(source) ?? []
  const significant = `${whole}${fraction}`.replace(/^0+/, '')
  const digits = trimEndOf(significant, '0')
  if (digits === '') return '0'
  return `${sign}${digits}e${Number(exponent) - fraction.length + (significant.length - digits.length)}`
}
