/** Parameters and column values as text, encoded and decoded in one place so that both engines behave alike. */
import pg from 'pg'
import { parse } from 'postgres-array'
import type { Param } from './database.ts'

type Decoder = (text: string) => unknown

/** Encodes a parameter as PostgreSQL input text; null stays null. */
export function encodeParam(value: Param | undefined): string | null {
  if (value === null || value === undefined) return null
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return `{${value.map(encodeElement).join(',')}}`
  if (value instanceof Date) return value.toISOString()
  return String(value)
}

function encodeElement(value: Param | undefined): string {
  const text = encodeParam(value)
  return text === null ? 'NULL' : `"${text.replace(/[\\"]/g, '\\$&')}"`
}

const asIs: Decoder = (text) => text
const readTimestamp = pg.types.getTypeParser(1184) as Decoder

/** Far off, and the last that JSON and PostgreSQL both read as JavaScript writes them: with a year of four digits. */
const [EARLIEST_MS, LATEST_MS] = [Date.parse('0001-01-01T00:00:00.000Z'), Date.parse('9999-12-31T23:59:59.999Z')]

/**
 * Reads any timestamp as a Date that can be written again. Whoever has a login of the database may have written `infinity`, or the year 12000; one such
 * row would otherwise stop whatever reads it together with others, or goes on from it.
 */
function decodeAnyTimestamp(text: string): Date {
  const read = readTimestamp(text)
  const ms = read instanceof Date ? read.getTime() : Number.NaN
  const far = text === '-infinity' ? EARLIEST_MS : LATEST_MS
  return new Date(Number.isNaN(ms) ? far : Math.min(Math.max(ms, EARLIEST_MS), LATEST_MS))
}

/**
 * A time as sessions in UTC write it (`2026-01-31 23:59:59.123456+00`), cut to milliseconds; any other form (infinity, BC, other years)
 * goes the library's way, which takes five times as long.
 */
function decodeTimestamp(text: string): Date {
  const { length } = text
  if (length < 22 || text[4] !== '-' || !text.endsWith('+00')) return decodeAnyTimestamp(text)
  const year = digits(text, 0) * 100 + digits(text, 2)
  if (year < 1000) return decodeAnyTimestamp(text)
  const [month, day] = [digits(text, 5), digits(text, 8)]
  let ms = 0
  for (let place = 20, unit = 100; place < length - 3 && unit >= 1; place += 1, unit /= 10)
    ms += (text.charCodeAt(place) - 48) * unit
  return new Date(Date.UTC(year, month - 1, day, digits(text, 11), digits(text, 14), digits(text, 17), ms))
}

function digits(text: string, at: number): number {
  return (text.charCodeAt(at) - 48) * 10 + text.charCodeAt(at + 1) - 48
}

/** OIDs of pg_type → decoder, and the OID of the array over it. */
const SCALARS: readonly (readonly [oid: number, arrayOid: number, decode: Decoder])[] = [
  [16, 1000, (text) => text === 't'],
  [17, 1001, (text) => Buffer.from(text.slice(2), 'hex')],
  [20, 1016, (text) => BigInt(text)],
  [21, 1005, Number],
  [23, 1007, Number],
  [25, 1009, asIs],
  [26, 1028, Number],
  [114, 199, (text) => JSON.parse(text)],
  [700, 1021, Number],
  [701, 1022, Number],
  [1042, 1014, asIs],
  [1043, 1015, asIs],
  [1082, 1182, asIs],
  [1114, 1115, asIs],
  [1184, 1185, decodeTimestamp],
  [1186, 1187, asIs],
  [1700, 1231, asIs],
  [2950, 2951, asIs],
  [3802, 3807, (text) => JSON.parse(text)],
]

/** Type OID → decoder of its text form. Unlisted types stay text. */
export const decoders: Readonly<Record<number, Decoder>> = Object.fromEntries(
  SCALARS.flatMap(([oid, arrayOid, decode]) => [
    [oid, decode],
    [arrayOid, (text: string) => decodeArray(text, decode)],
  ]),
)

/** The decoder of a type. */
export function decoderOf(typeId: number): Decoder {
  return decoders[typeId] ?? asIs
}

/** Decodes an array literal such as `{1,NULL,"a\"b"}`. */
export function decodeArray(literal: string, decode: Decoder): unknown[] {
  return parse(literal, decode)
}
