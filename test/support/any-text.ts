/** Text of any code points, for properties. fast-check's own unit `binary` first lists all of them, which takes a second and a half in each process. */
import fc from 'fast-check'

const FIRST_SURROGATE = 0xd800
const SURROGATES = 0x800
const LAST = 0x10ffff

const codePoint = fc.nat({ max: LAST - SURROGATES }).map(
  (place) => String.fromCodePoint(place < FIRST_SURROGATE ? place : place + SURROGATES),
  (text) => {
    const point = typeof text === 'string' && [...text].length === 1 ? text.codePointAt(0) : undefined
    if (point === undefined) throw new Error('not one code point')
    return point < FIRST_SURROGATE ? point : point - SURROGATES
  },
)

export function anyText(length: { minLength?: number; maxLength?: number } = {}): fc.Arbitrary<string> {
  return fc.string({ ...length, unit: codePoint })
}
