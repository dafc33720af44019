/** Checks bodies and queries against TypeBox schemas and refuses with a sentence. No value is coerced. */
import { type Static, type TObject, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { OperatorError } from './errors.ts'

type Check = (value: unknown) => boolean
type Problem = { keyword: string; instancePath: string; message: string; params: Record<string, unknown> }
type Checker = { check: Check; problems: (value: unknown) => Problem[] }

const checkers = new WeakMap<TObject, Checker>()

function checkerOf(schema: TObject): Checker {
  const known = checkers.get(schema)
  if (known !== undefined) return known
  const compiled = Compile(schema)
  const checker: Checker = {
    check: (value) => compiled.Check(value),
    problems: (value) => compiled.Errors(value) as unknown as Problem[],
  }
  checkers.set(schema, checker)
  return checker
}

/**
 * Checks a value. A property's `description` in the schema completes the sentence `"name" must be …`.
 * @throws OperatorError BAD_REQUEST naming every missing, unknown or wrong field
 */
export function parse<T extends TObject>(schema: T, value: unknown): Static<T> {
  const checker = checkerOf(schema)
  if (checker.check(value)) return value as Static<T>
  const sentences = new Set(checker.problems(value).flatMap((problem) => sentencesOf(schema, problem)))
  throw new OperatorError('BAD_REQUEST', [...sentences].slice(0, 10).join(' '))
}

function sentencesOf(schema: TObject, problem: Problem): string[] {
  const { requiredProperties, additionalProperties } = problem.params
  if (Array.isArray(requiredProperties)) return requiredProperties.map((name) => `"${name}" is required.`)
  if (Array.isArray(additionalProperties)) {
    return additionalProperties.map((name) => `"${String(name).slice(0, 50)}" is not known here.`)
  }
  const field = problem.instancePath.split('/')[1]
  if (field === undefined || field === '') return ['The body must be a JSON object.']
  const property: unknown = schema.properties[field]
  if (property === undefined) return []
  const { description } = property as { description?: string }
  return [`"${field}" ${description === undefined ? problem.message : `must be ${description}`}.`]
}

/** PostgreSQL's texts hold every character but NUL, its JSON also no half of a pair of surrogates. */
const STORABLE = '^[^\\u0000\\ud800-\\udfff]*$'

/** A string of `min` to `max` characters. */
export function text(min: number, max: number) {
  const description = `${min} to ${max} characters`
  return Type.String({ minLength: min, maxLength: max, pattern: STORABLE, description })
}

/** One of the listed strings. */
export function oneOf<const T extends string>(values: readonly T[]) {
  return Type.Enum([...values], { description: `one of ${values.join(', ')}` })
}

/** A body, or a query, without any field. */
export const Nothing = Type.Object({}, { additionalProperties: false })

/** A flag of a JSON body. */
export const Flag = Type.Boolean({ description: 'true or false' })

const MAX_PAGE = 500
const DEFAULT_PAGE = 100

/** The query parameters that every list takes. */
export const PageQuery = {
  limit: Type.Optional(Type.String({ pattern: '^[0-9]{1,4}$', description: `a number from 1 to ${MAX_PAGE}` })),
  after: Type.Optional(text(1, 100)),
}

export type Page = { limit: number; after: string | undefined }

/** Reads a list's page. @throws OperatorError BAD_REQUEST for a limit outside 1 to 500 */
export function pageOf(query: { limit?: string; after?: string }): Page {
  const limit = query.limit === undefined ? DEFAULT_PAGE : Number(query.limit)
  if (limit < 1 || limit > MAX_PAGE) {
    throw new OperatorError('BAD_REQUEST', `"limit" must be a number from 1 to ${MAX_PAGE}.`)
  }
  return { limit, after: query.after }
}

/** The cursor of the next page: the last item's id while the page is full, else null. */
export function nextOf<T>(items: readonly T[], page: Page, idOf: (item: T) => string): string | null {
  const last = items.at(-1)
  return last !== undefined && items.length === page.limit ? idOf(last) : null
}

/** A serial number of the database that a text is; undefined for any other text. */
export function serialIn(text: string): bigint | undefined {
  return /^[0-9]{1,18}$/.test(text) ? BigInt(text) : undefined
}

/** Reads a serial number of the database. @throws OperatorError BAD_REQUEST */
export function parseSerial(field: string, value: string): bigint {
  const serial = serialIn(value)
  if (serial !== undefined) return serial
  throw new OperatorError('BAD_REQUEST', `"${field}" must be a whole number.`)
}

/** The serial number after which a page begins; undefined for the first page. @throws OperatorError BAD_REQUEST */
export function serialAfter({ after }: Page): bigint | undefined {
  return after === undefined ? undefined : parseSerial('after', after)
}

/** The names in a field that holds several, with commas or blanks between them; each once. */
export function namesIn(given: unknown): string[] {
  return typeof given === 'string' ? [...new Set(given.split(/[\s,]+/).filter((name) => name !== ''))] : []
}
