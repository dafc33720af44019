/** JSON Schema, as the OpenAPI document uses it, as TypeScript. */

export type Schema = {
  $ref?: string
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  description?: string
  required?: string[]
  properties?: Record<string, Schema>
  items?: Schema
  anyOf?: Schema[]
}

const PRIMITIVES: Readonly<Record<string, string>> = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  null: 'null',
}
const REFERENCE = '#/components/schemas/'

/**
 * The type of a schema. Fields that may be left out also admit `undefined`, whatever the consumer's compiler settings.
 * @param indent what stands before each line but the first
 * @throws Error for a keyword that is not understood: a type must never be looser than its schema by accident
 */
export function typeOf(schema: Schema, indent = ''): string {
  if (schema.$ref !== undefined) return schema.$ref.replace(REFERENCE, '')
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  if (schema.anyOf !== undefined) return schema.anyOf.map((option) => typeOf(option, indent)).join(' | ')
  if (schema.items !== undefined) return `Array<${typeOf(schema.items, indent)}>`
  if (schema.type === 'object' || schema.properties !== undefined) return objectType(schema, indent)
  const primitives = [schema.type].flat().map((name) => PRIMITIVES[name ?? ''])
  if (primitives.length === 0 || primitives.includes(undefined)) {
    throw new Error(`no type for the schema ${JSON.stringify(schema)}`)
  }
  return primitives.join(' | ')
}

/** A description as a documentation comment; nothing when there is none. */
export function comment(text: string | undefined, indent: string): string {
  return text === undefined || text === ''
    ? ''
    : `${indent}/** ${text.replaceAll('*/', '* /').replaceAll('\n', ' ')} */\n`
}

function objectType(schema: Schema, indent: string): string {
  const inside = `${indent}  `
  const fields = Object.entries(schema.properties ?? {}).map(([name, field]) => {
    const type = typeOf(field, inside)
    const required = schema.required?.includes(name) ?? false
    return `${comment(descriptionOf(field), inside)}${inside}${name}${required ? `: ${type}` : `?: ${type} | undefined`}\n`
  })
  return `{\n${fields.join('')}${indent}}`
}

function descriptionOf(schema: Schema): string | undefined {
  return schema.description ?? schema.anyOf?.find(({ description }) => description !== undefined)?.description
}
