/** Values of ISO 20022: ringgit, days, instants, credit or debit, account numbers. */
import { parseSen } from '../../money.ts'
import { isDay, localTime } from '../day.ts'
import { quoted, refuse } from '../refusal.ts'
import { child, optionalPath, optionalText, textOf } from './element.ts'
import type { XmlElement } from './parse.ts'

export type Direction = 'credit' | 'debit'

/** An amount with its currency, in sen. @throws a refusal: `wrong_currency`, `wrong_amount` */
export function senOf(element: XmlElement): bigint {
  const currency = element.attributes.get('Ccy') ?? ''
  if (currency !== 'MYR') refuse('wrong_currency', `<${element.name}> is in ${quoted(currency)}, not in MYR.`)
  return plainSenOf(element)
}

/** A sum, which names no currency, in sen. @throws a refusal: `wrong_amount` */
export function plainSenOf(element: XmlElement): bigint {
  const text = textOf(element, 40)
  const amountSen = parseSen(plainDecimal(text))
  return (
    amountSen ??
    refuse('wrong_amount', `<${element.name}> is not a ringgit amount with at most two decimals: ${quoted(text)}.`)
  )
}

const DECIMAL = /^\+?0*(\d*)(?:\.(\d*?)0*)?$/

/** Banks write a decimal with as many zeros as the definitions allow, five behind the point: `1234.50000` and `01234.5` are one amount. */
function plainDecimal(text: string): string {
  const [match, whole = '', fraction = ''] = DECIMAL.exec(text) ?? []
  if (match === undefined || !/\d/.test(text)) return text
  return `${whole === '' ? '0' : whole}${fraction === '' ? '' : `.${fraction}`}`
}

/** `CdtDbtInd` of an element. */
export function directionOf(parent: XmlElement): Direction {
  return readDirection(child(parent, 'CdtDbtInd'))
}

/** The direction that an indicator names. */
export function readDirection(indicator: XmlElement): Direction {
  const code = textOf(indicator, 4)
  if (code === 'CRDT') return 'credit'
  if (code === 'DBIT') return 'debit'
  return refuse('wrong_content', `<CdtDbtInd> is neither CRDT nor DBIT: ${quoted(code)}.`)
}

const DATE = /^(\d{4}-\d{2}-\d{2})(?:Z|[+-]\d{2}:\d{2})?$/
const DATE_TIME = /^(\d{4}-\d{2}-\d{2})T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(Z|[+-](?:0\d|1[0-4]):[0-5]\d)?$/

/**
 * The day that a `Dt` or `DtTm` names. An instant with an offset becomes its day in `timeZone`; a day, or an instant
 * without an offset, is the bank's own day.
 */
export function dayOf(choice: XmlElement, timeZone: string): string {
  const date = optionalPath(choice, 'Dt')
  const dateTime = optionalPath(choice, 'DtTm')
  if ((date === undefined) === (dateTime === undefined))
    refuse('wrong_content', `<${choice.name}> needs <Dt> or <DtTm>.`)
  if (date !== undefined) return plainDayOf(date)
  const text = dateTimeOf(dateTime as XmlElement)
  const hasOffset = DATE_TIME.exec(text)?.[3] !== undefined
  return hasOffset ? localTime(timeZone, new Date(text)).day : text.slice(0, 10)
}

/** The day that an element itself contains. */
function plainDayOf(element: XmlElement): string {
  const text = textOf(element, 20)
  const day = DATE.exec(text)?.[1] ?? ''
  return isDay(day) ? day : refuse('wrong_content', `<${element.name}> is not a date: ${quoted(text)}.`)
}

/** An instant as written in the file, checked. Without an offset it is the bank's own time. */
export function dateTimeOf(element: XmlElement): string {
  const text = textOf(element, 40)
  const day = DATE_TIME.exec(text)?.[1] ?? ''
  return isDay(day) ? text : refuse('wrong_content', `<${element.name}> is not a date and time: ${quoted(text)}.`)
}

const ACCOUNT_DIGITS = /^\d{5,17}$/

/** True for an account number of a Malaysian bank: 5 to 17 digits. */
export function isAccountNumber(text: string): boolean {
  return ACCOUNT_DIGITS.test(text)
}

/** The number in an account's `Id`, or null when there is none: of another's account some banks write the elements alone. */
export function accountOf(account: XmlElement | undefined): string | null {
  const id = optionalPath(account, 'Id')
  const text = optionalText(id, 34, 'IBAN') ?? optionalText(id, 34, 'Othr', 'Id')
  return text === null ? null : withoutLayout(text)
}

/** An account number without the blanks and dashes between its digits; any other text as it is. */
export function withoutLayout(text: string): string {
  const digits = text.replace(/[ -]/g, '')
  return isAccountNumber(digits) ? digits : text
}
