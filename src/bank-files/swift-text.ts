/** The characters that banks carry: letters, digits, `/-?:().,'+` and the blank, from the SWIFT character set X. */

const SWIFT_TEXT = /^[A-Za-z0-9/\-?:().,'+ ]*$/

/** Characters that are replaced by convention, after accents have been removed. */
const REPLACEMENTS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  Æ: 'AE',
  œ: 'oe',
  Œ: 'OE',
  ø: 'o',
  Ø: 'O',
  đ: 'd',
  Đ: 'D',
  ð: 'd',
  Ð: 'D',
  ł: 'l',
  Ł: 'L',
  þ: 'th',
  Þ: 'TH',
  ı: 'i',
  '€': 'EUR',
  '£': 'GBP',
  '&': '+',
  '"': "'",
  '`': "'",
  '´': "'",
  '‘': "'",
  '’': "'",
  '“': "'",
  '”': "'",
  '‛': "'",
  ʻ: "'",
  ʼ: "'",
  '–': '-',
  '—': '-',
  '‐': '-',
  '‑': '-',
  '−': '-',
  _: '-',
  '~': '-',
  '[': '(',
  ']': ')',
  '{': '(',
  '}': ')',
  '\\': '/',
  '|': '/',
  ';': ',',
  '!': '.',
  '#': '.',
  $: '.',
  '%': '.',
  '*': '.',
  '<': '.',
  '=': '.',
  '>': '.',
  '@': '.',
  '^': '.',
  '·': '.',
  '•': '.',
}

/** True when nothing in a text needs to be replaced. */
export function isSwiftText(text: string): boolean {
  return SWIFT_TEXT.test(text)
}

/**
 * Writes a text in the characters that banks carry: accents are removed, punctuation is replaced, blanks are collapsed.
 * A character without a counterpart (Chinese, Tamil, an emoji) becomes `missing`.
 */
export function toSwiftText(text: string, missing: string): string {
  const plain = [...text.normalize('NFKD').replace(/\p{M}/gu, '')].map((character) => {
    if (/\s/u.test(character)) return ' '
    if (isSwiftText(character)) return character
    return REPLACEMENTS[character] ?? missing
  })
  return plain.join('').replace(/ +/g, ' ').trim()
}

/** True when every character of a text has a counterpart that banks carry. */
export function hasSwiftText(text: string): boolean {
  return !toSwiftText(text, '\u0000').includes('\u0000')
}
