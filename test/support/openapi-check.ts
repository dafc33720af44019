/** Checks answers of the API against its own OpenAPI document: strictly, so that an undocumented field, header or code fails a test. */
import assert from 'node:assert/strict'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { metaSchemaName } from '../../src/http/openapi/components.ts'
import { openApiDocument } from '../../src/http/openapi/document.ts'

type Json = Record<string, unknown>
type Documented = {
  headers: Json
  content: { 'application/json': { schema: Json; examples: Record<string, { value: Json }> } }
}
type Operation = { operationId: string; responses: Record<string, Documented> }

export type CheckedAnswer = { method: string; path: string; status: number; headers: Headers; body: Json }

const document = openApiDocument() as {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Json>; headers: Record<string, { schema: Json; required?: boolean }> }
}
const ajv = new Ajv2020({ strict: false, allErrors: true })
// The package's types describe only its CommonJS form.
const addFormats = formats as unknown as (instance: Ajv2020) => void
addFormats(ajv)
ajv.addSchema({ $id: 'openapi', components: closed(document.components) as Json })

const validators = new Map<string, ValidateFunction>()
/** `operationId status code` of every answer checked in this process. */
export const seenAnswers = new Set<string>()

/** The documented operation of a request; undefined for a path or method that is not documented. */
export function operationOf(method: string, path: string): Operation | undefined {
  const [pathname = ''] = path.split('?')
  for (const [template, operations] of Object.entries(document.paths)) {
    const pattern = new RegExp(`^/v1${template.replace(/\{\w+\}/g, '[^/]+')}$`)
    if (pattern.test(pathname)) return operations[method.toLowerCase()]
  }
  return undefined
}

/** Fails when the answer is not exactly one that the document describes for its operation. */
export function checkAgainstDocument(answer: CheckedAnswer): void {
  const { method, path, status, headers, body } = answer
  assert.equal(headers.get('x-coin-api-version'), 'v1')
  assert.match(headers.get('content-type') ?? '', /^application\/json/)
  for (const name of headers.keys()) assert.ok(!name.startsWith('access-control-'), `CORS header ${name}`)
  const operation = operationOf(method, path)
  if (operation === undefined) {
    validate('#/components/schemas/Error', body)
    return
  }
  const documented = operation.responses[String(status)]
  assert.ok(documented, `${operation.operationId} does not document ${status}: ${JSON.stringify(body)}`)
  checkHeaders(documented, headers)
  const { schema, examples } = documented.content['application/json']
  validate(String(schema.$ref), body)
  const code = body.ok === true ? 'ok' : (body.error as { code: string }).code
  seenAnswers.add(`${operation.operationId} ${status} ${code}`)
  if (code === 'ok') return
  assert.ok(code in examples, `${operation.operationId} does not document ${code} under ${status}`)
  const meta = (body.error as Json).meta
  if (meta !== undefined) validate(`#/components/schemas/${metaSchemaName(code)}`, meta)
}

function checkHeaders(documented: Documented, headers: Headers): void {
  for (const name of Object.keys(documented.headers)) {
    const value = headers.get(name)
    const header = document.components.headers[name]
    if (header?.required === true) assert.ok(value !== null, `${name} is missing`)
    if (value !== null && header?.schema.type === 'integer') assert.match(value, /^\d+$/, name)
    if (value !== null && 'const' in (header?.schema ?? {})) assert.equal(value, header?.schema.const, name)
  }
  for (const name of Object.keys(document.components.headers)) {
    assert.ok(name in documented.headers || headers.get(name) === null, `${name} is not documented here`)
  }
}

function validate(pointer: string, value: unknown): void {
  let validator = validators.get(pointer)
  if (validator === undefined) {
    validator = ajv.compile({ $ref: `openapi${pointer}` })
    validators.set(pointer, validator)
  }
  assert.ok(validator(value), `${pointer}: ${ajv.errorsText(validator.errors)} in ${JSON.stringify(value)}`)
}

/** Objects with named properties admit no others. (The published schemas do: clients must ignore unknown fields.) */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([name, inner]) => [name, closed(inner)])
  const copy = Object.fromEntries(entries) as Json
  return copy.type === 'object' && typeof copy.properties === 'object' && copy.additionalProperties === undefined
    ? { ...copy, additionalProperties: false }
    : copy
}
