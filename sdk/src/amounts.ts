/** Amounts without floating point: decimal strings ⇄ bigint of 10⁻⁶ units. Coin and ringgit share the unit. */

const SCALE = 1_000_000n
const MAX_LENGTH = 60
const AMOUNT = /^(-?)(0|[1-9]\d*)(?:\.(\d{1,6}))?$/

/**
 * The number of millionths in a decimal string: `toMicro('1000.5')` is `1000500000n`. Equal amounts give equal results
 * (`1000` and `1000.00`), which comparing the strings does not.
 * @throws TypeError for anything but a decimal string with at most 6 decimal places, such as a number
 */
export function toMicro(amount: string): bigint {
  const match = typeof amount === 'string' && amount.length <= MAX_LENGTH ? AMOUNT.exec(amount) : null
  if (match === null) throw new TypeError('an amount is a decimal string with at most 6 decimal places')
  const [, sign, whole = '0', fraction = ''] = match
  const micro = BigInt(whole) * SCALE + BigInt(fraction.padEnd(6, '0'))
  return sign === '-' ? -micro : micro
}

/**
 * The shortest decimal string of a number of millionths: `fromMicro(1000500000n)` is `'1000.5'`.
 * @throws TypeError for anything but a bigint
 */
export function fromMicro(micro: bigint): string {
  if (typeof micro !== 'bigint') throw new TypeError('micro units are a bigint')
  const sign = micro < 0n ? '-' : ''
  const absolute = micro < 0n ? -micro : micro
  const fraction = (absolute % SCALE).toString().padStart(6, '0').replace(/0+$/, '')
  return `${sign}${absolute / SCALE}${fraction === '' ? '' : `.${fraction}`}`
}
