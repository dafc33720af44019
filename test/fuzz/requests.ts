/** Requests made from the served OpenAPI document: valid, nearly valid, and anything at all. */

import fc from 'fast-check'
import { anyText } from '../support/any-text.ts'

type Json = Record<string, unknown>
type Parameter = { $ref?: string; name?: string; in?: string; schema?: Json }
type Operation = {
  parameters?: Parameter[]
  requestBody?: { content: { 'application/json': { schema: Json } } }
}
export type OpenApi = {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Json> }
}

/** Values that exist in the service under test, so that requests get past the first checks. */
export type Known = {
  customerIds: string[]
  wallets: string[]
  references: string[]
  chainIds: number[]
  keys: string[]
  idempotencyKeys: string[]
}

export type FuzzedRequest = {
  method: string
  /** The target as it is sent, encoded or not. */
  target: string
  headers: [name: string, value: string][]
  body: Uint8Array | undefined
}

const METHODS = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS']
const ODD_TEXT = ['', ' ', '\u0000', '__proto__', 'constructor', '../../etc/passwd', "' or 1=1 --", '%00', '😀']

/** A request to one of the documented operations, more or less as documented. */
export function requestArbitrary(document: OpenApi, known: Known): fc.Arbitrary<FuzzedRequest> {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  )
  return fc.constantFrom(...operations).chain(({ path, method, operation }) =>
    fc.record({
      method: mostly(fc.constant(method), fc.constantFrom(...METHODS), 30),
      target: targetArbitrary(path, operation, known),
      headers: headersArbitrary(method, known),
      body: bodyArbitrary(document, operation, known),
    }),
  )
}

/** The usual arbitrary, but the other one about every `oneIn`-th time. */
function mostly<A, B>(usual: fc.Arbitrary<A>, other: fc.Arbitrary<B>, oneIn = 6): fc.Arbitrary<A | B> {
  return fc.oneof({ weight: oneIn - 1, arbitrary: usual }, { weight: 1, arbitrary: other })
}

const oddText = fc.oneof(
  fc.constantFrom(...ODD_TEXT),
  anyText({ maxLength: 30 }),
  fc.string({ unit: 'grapheme', maxLength: 120 }),
  fc.integer({ min: 1, max: 3_000 }).map((length) => 'x'.repeat(length)),
)

function targetArbitrary(path: string, operation: Operation, known: Known): fc.Arbitrary<string> {
  const parts = path.split(/(\{\w+\})/).map((part) => {
    const name = /^\{(\w+)\}$/.exec(part)?.[1]
    return name === undefined ? fc.constant(part) : pathValue(name, known)
  })
  const query = (operation.parameters ?? []).filter((parameter) => parameter.in === 'query')
  const pairs = fc.array(
    fc.oneof(
      ...query.map((parameter) => queryPair(parameter, known)),
      fc.tuple(oddText.map(encode), oddText.map(encode)).map(([name, value]) => `${name}=${value}`),
    ),
    { maxLength: query.length === 0 ? 1 : 3 },
  )
  const whole = fc
    .tuple(fc.tuple(...parts), pairs)
    .map(([texts, queries]) => `/v1${texts.join('')}${queries.length === 0 ? '' : `?${queries.join('&')}`}`)
  return mostly(whole, rawTarget(), 25)
}

/** Visible ASCII after a slash: whatever a client could put on the request line. */
function rawTarget(): fc.Arbitrary<string> {
  const visible = fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code))
  return fc.string({ unit: visible, maxLength: 60 }).map((text) => `/v1/${text.replaceAll('#', '%')}`)
}

function pathValue(name: string, known: Known): fc.Arbitrary<string> {
  const some: Record<string, string[]> = {
    referenceId: known.references,
    walletAddress: [...known.wallets, ...known.wallets.map((wallet) => wallet.toLowerCase())],
    customerId: known.customerIds,
  }
  const values = some[name] ?? known.customerIds
  const odd = fc.oneof(oddText.map(encode), fc.constantFrom('%ZZ', '%', '%E0%A4%A', '%FF', 'a%2Fb', '.', '%2e%2e'))
  return mostly(fc.constantFrom(...values), odd, 4)
}

function queryPair({ name = '', schema = {} }: Parameter, known: Known): fc.Arbitrary<string> {
  const fitting = fc.oneof(
    fromSchema(schema, known, name).map((value) => encode(String(value))),
    fc.constantFrom('2026-01-01', '2999-12-31T23:59:59.999Z', '1', '100', '0', String(known.chainIds[0])),
  )
  return mostly(fitting, oddText.map(encode), 3).map((value) => `${name}=${value}`)
}

function headersArbitrary(method: string, known: Known): fc.Arbitrary<[string, string][]> {
  const headerText = fc.string({ unit: fc.integer({ min: 0x20, max: 0xff }).map((code) => String.fromCharCode(code)) })
  const authorization = mostly(
    fc.constantFrom(...known.keys).map((key) => `Bearer ${key}`),
    fc.oneof(headerText, fc.constantFrom('', 'Bearer', 'Bearer coin_sandbox_0000000000000000_x', 'Basic eDp5')),
    20,
  )
  const own: fc.Arbitrary<[string, string]>[] = [named('authorization', authorization)]
  if (method === 'POST') {
    const fresh = fc.uuid()
    const key = mostly(mostly(fresh, fc.constantFrom(...known.idempotencyKeys), 10), headerText, 15)
    const type = mostly(fc.constant('application/json'), headerText, 20)
    own.push(named('idempotency-key', key), named('content-type', type))
  }
  const extra = fc.array(
    fc.tuple(
      fc.constantFrom('x-forwarded-for', 'accept', 'accept-encoding', 'origin', 'x-http-method-override', 'if-match'),
      headerText,
    ),
    { maxLength: 2 },
  )
  return fc.tuple(fc.tuple(...own), extra).map(([needed, more]) => [...needed, ...more] as [string, string][])
}

function named(name: string, value: fc.Arbitrary<string>): fc.Arbitrary<[string, string]> {
  return value.map((text): [string, string] => [name, text])
}

function bodyArbitrary(document: OpenApi, operation: Operation, known: Known): fc.Arbitrary<Uint8Array | undefined> {
  const schema = operation.requestBody?.content['application/json'].schema
  if (schema === undefined) return mostly(fc.constant(undefined), fc.uint8Array({ maxLength: 50 }), 20)
  const named =
    String(schema.$ref ?? '')
      .split('/')
      .at(-1) ?? ''
  const whole = fromSchema(document.components.schemas[named] ?? schema, known, '') as fc.Arbitrary<Json>
  const broken = fc.tuple(whole, fc.string(), fc.jsonValue({ maxDepth: 3 })).chain(([body, name, value]) => {
    const fields = [...Object.keys(body), name, '__proto__']
    return fc.constantFrom(...fields).map((field) => JSON.stringify({ ...body, [field]: value }))
  })
  const without = whole.chain((body) =>
    fc.subarray(Object.entries(body)).map((entries) => JSON.stringify(Object.fromEntries(entries))),
  )
  const cut = fc.tuple(whole, fc.nat(), fc.uint8Array({ maxLength: 4 })).map(([body, at, bytes]) => {
    const text = Buffer.from(JSON.stringify(body))
    const place = at % (text.length + 1)
    return Buffer.concat([text.subarray(0, place), bytes, text.subarray(place + (at % 3))])
  })
  return fc.oneof(
    { weight: 8, arbitrary: whole.map((body) => Buffer.from(JSON.stringify(body))) },
    { weight: 4, arbitrary: fc.oneof(broken, without).map((text) => Buffer.from(text)) },
    { weight: 2, arbitrary: cut },
    { weight: 1, arbitrary: fc.json({ maxDepth: 40 }).map((text) => Buffer.from(text)) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }) },
    { weight: 1, arbitrary: fc.constantFrom(undefined, Buffer.alloc(66_000, 0x20), Buffer.from('['.repeat(9_000))) },
  )
}

/** A value of a schema; for a field that names something in the service, mostly a value that exists. */
function fromSchema(schema: Json, known: Known, field: string): fc.Arbitrary<unknown> {
  const existing = existingValues(field, known)
  const usual = shaped(schema, known, field)
  return existing === undefined ? usual : mostly(existing, usual, 12)
}

function existingValues(field: string, known: Known): fc.Arbitrary<unknown> | undefined {
  if (field === 'customerId') return fc.constantFrom(...known.customerIds)
  if (field === 'walletAddress') return fc.constantFrom(...known.wallets)
  if (field === 'chainId') return fc.constantFrom(...known.chainIds)
  if (field === 'referenceId') return mostly(fc.uuid(), fc.constantFrom(...known.references), 8)
  if (/^amount/.test(field)) return fc.constantFrom('1', '10.5', '0.000001', '1000', '49999.999999', '99999999')
  return undefined
}

function shaped(schema: Json, known: Known, field: string): fc.Arbitrary<unknown> {
  if (Array.isArray(schema.enum)) return fc.constantFrom(...(schema.enum as unknown[]))
  if ('const' in schema) return fc.constant(schema.const)
  if (typeof schema.properties === 'object') return objectOf(schema, known)
  if (schema.type === 'boolean') return fc.boolean()
  if (schema.type === 'integer' || schema.type === 'number') return fc.oneof(fc.integer(), fc.double())
  if (typeof schema.pattern === 'string' && !/date/.test(field)) {
    return fc.stringMatching(new RegExp(schema.pattern)).map((text) => text)
  }
  return oddText
}

function objectOf(schema: Json, known: Known): fc.Arbitrary<Json> {
  const properties = Object.entries(schema.properties as Record<string, Json>)
  const model = Object.fromEntries(properties.map(([name, inner]) => [name, fromSchema(inner, known, name)]))
  const requiredKeys = ((schema.required as string[] | undefined) ?? []).filter((name) => name in model)
  return fc.record(model, { requiredKeys, noNullPrototype: true }) as fc.Arbitrary<Json>
}

function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed())
}
