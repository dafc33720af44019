/** Values that several resources share. */
import Type, { type TSchema } from 'typebox'
import { REFERENCE_ID_LENGTH, REFERENCE_ID_PATTERN } from '../../orders/reference-id.ts'
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from '../../values/page-size.ts'

export const EXAMPLE_TIME = '2026-03-01T04:05:06.789Z'
export const EXAMPLE_WALLET = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
export const EXAMPLE_COIN_ADDRESS = '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359'
export const EXAMPLE_REFERENCE = 'order-2026-0001'
export const EXAMPLE_CUSTOMER = 'cus_3f9c2a7d1e8b4c6f0a5d9e2b'

export const Ok = Type.Literal(true, { description: '`true` on every successful answer.' })

/** A schema that also admits null. */
export function orNull<T extends TSchema>(schema: T) {
  return Type.Union([schema, Type.Null()])
}

/** One of these texts. Generators of clients make of an enumeration without a type whatever their language has for anything. */
export function oneOf<const Names extends readonly string[]>(names: Names, description?: string) {
  return Type.Enum(names, { type: 'string', ...(description === undefined ? {} : { description }) })
}

/** ISO 8601 in UTC with milliseconds. */
export function timestamp(description: string) {
  return Type.String({
    format: 'date-time',
    pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$',
    description: `${description} ISO 8601 in UTC with milliseconds.`,
  })
}

/** How an instant is written in a query, for the end of a description. */
export const INSTANT_FORMAT = 'ISO 8601 with its zone, or a date alone, which is its first instant in UTC'

/** A decimal string in its shortest form. */
export function decimal(description: string) {
  return Type.String({
    pattern: '^\\d+(\\.\\d{1,6})?$',
    description: `${description} Decimal string, not zero-padded.`,
  })
}

/** An integer as a string. */
export function integerText(description: string) {
  return Type.String({ pattern: '^\\d+$', description: `${description} Integer string.` })
}

const ADDRESS = '^0x[0-9a-fA-F]{40}$'

/** An EIP-55 checksummed EVM address. */
export function address(description: string) {
  return Type.String({ pattern: ADDRESS, description: `${description} Checksummed (EIP-55).` })
}

/** An EVM address that is taken without its checksum, too, where its letters are all of one case. */
export function anyCaseAddress(description: string) {
  return Type.String({ pattern: ADDRESS, description: `${description} Checksummed, or all lower or all upper case.` })
}

export const ChainId = Type.Integer({ minimum: 1, description: 'One of `chains[].chainId` of the configuration.' })

export const Network = Type.String({ description: 'Display name of the chain.' })

export const Decimals = Type.Integer({ const: 6, description: 'Always 6.' })

export const ReferenceId = Type.String({
  minLength: REFERENCE_ID_LENGTH.min,
  maxLength: REFERENCE_ID_LENGTH.max,
  pattern: REFERENCE_ID_PATTERN,
  description: `Chosen by the integration; unique within it; names the order for its whole life. ${REFERENCE_ID_LENGTH.min} to ${REFERENCE_ID_LENGTH.max} characters from letters, digits, ".", "_", "-" and ":".`,
})

/** The parameter of lists that says how much is on a page. */
export const LIMIT = {
  name: 'limit',
  schema: Type.Integer({ minimum: 1, maximum: MAX_PAGE_SIZE, default: DEFAULT_PAGE_SIZE }),
  description: `Page size, from 1 to ${MAX_PAGE_SIZE}; without it ${DEFAULT_PAGE_SIZE}.`,
  example: DEFAULT_PAGE_SIZE,
}
