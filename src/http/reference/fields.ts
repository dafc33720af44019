/** The fields of a schema as flat rows: `amounts.coin`, `chains[].name`. */
import { type OpenApi, resolve, type Schema } from './openapi-types.ts'

export type Field = { name: string; type: string; required: boolean; description: string }

/** The rows of an object schema, and the schema's own type in words. */
export function fieldsOf(document: OpenApi, schema: Schema): { type: string; fields: Field[] } {
  const shape = resolve(document, schema)
  return { type: typeOf(document, shape), fields: rowsOf(document, shape, '') }
}

function rowsOf(document: OpenApi, schema: Schema, prefix: string): Field[] {
  return Object.entries(schema.properties ?? {}).flatMap(([key, given]) => {
    const property = resolve(document, given)
    const name = `${prefix}${key}`
    const required = schema.required?.includes(key) ?? false
    const row = { name, type: typeOf(document, property), required, description: descriptionOf(property) }
    return [row, ...innerRows(document, property, name)]
  })
}

function innerRows(document: OpenApi, property: Schema, name: string): Field[] {
  if (property.properties !== undefined) return rowsOf(document, property, `${name}.`)
  if (property.items === undefined) return []
  const item = resolve(document, property.items)
  return rowsOf(document, item, `${name}[].`)
}

function descriptionOf(schema: Schema): string {
  const own =
    schema.description ?? schema.anyOf?.find(({ description }) => description !== undefined)?.description ?? ''
  const values = schema.enum ?? schema.anyOf?.find((option) => option.enum !== undefined)?.enum
  if (values === undefined) return own
  return `${own === '' ? '' : `${own} `}One of ${values.map((value) => `\`${value}\``).join(', ')}.`
}

function typeOf(document: OpenApi, given: Schema): string {
  const schema = resolve(document, given)
  if (schema.anyOf !== undefined) return [...new Set(schema.anyOf.map((one) => typeOf(document, one)))].join(' or ')
  if (schema.items !== undefined) return `array of ${typeOf(document, schema.items)}`
  if (schema.type !== undefined) return [schema.type].flat().join(' or ')
  if (schema.enum !== undefined) return 'string'
  return schema.const === undefined ? 'any' : typeof schema.const
}
