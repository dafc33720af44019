/** `generate.ts` writes src/generated/api.ts from the service's OpenAPI document; the tests fail when it is not current. */
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { metaSchemaName } from '../../src/http/openapi/components.ts'
import { openApiDocument } from '../../src/http/openapi/document.ts'
import { comment, type Schema, typeOf } from './schema-to-type.ts'

export const GENERATED_FILE = path.join(import.meta.dirname, '../src/generated/api.ts')

/** Codes whose answers also come without `meta`: a request that the server cannot read has no field to name. */
const WITHOUT_META = ['BAD_REQUEST']

type Content = { 'application/json'?: { examples?: Record<string, unknown> } }
type Operation = {
  parameters?: { name?: string; in?: string; required?: boolean; description?: string; schema?: Schema }[]
  responses: Record<string, { content?: Content }>
}
type Document = {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}

/** The text of the generated file. */
export function generateTypes(): string {
  const document = openApiDocument() as unknown as Document
  const { schemas } = document.components
  const codes = errorCodes(document)
  const named = Object.entries(schemas)
    // The envelope of a failure reaches callers as an error of this package.
    .filter(([name]) => name !== 'Error')
    .map(([name, schema]) => `${comment(schema.description, '')}export type ${name} = ${typeOf(schema)}\n`)
  const metas = codes
    .filter((code) => metaSchemaName(code) in schemas)
    .map((code) => `  ${code}: ${metaSchemaName(code)}${WITHOUT_META.includes(code) ? ' | undefined' : ''}\n`)
  return [
    '/** Generated from the OpenAPI document by `npm run generate`. Do not edit. */\n',
    ...named,
    `/** Filters of the list of orders. */\nexport type TransactionFilters = ${typeOf(queryOf(document, '/transactions'))}\n`,
    `/** Parameters of the events. */\nexport type EventQuery = ${typeOf(queryOf(document, '/events'))}\n`,
    `/** Error codes of this version of the API; new ones may appear. */\nexport type KnownErrorCode =\n${codes.map((code) => `  | "${code}"`).join('\n')}\n`,
    `/** What \`meta\` holds, for the codes that have it. */\nexport type ErrorMetaByCode = {\n${metas.join('')}}\n`,
  ].join('\n')
}

function errorCodes(document: Document): string[] {
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods))
  const codes = operations.flatMap(({ responses }) =>
    Object.entries(responses)
      .filter(([status]) => !status.startsWith('2'))
      .flatMap(([, { content }]) => Object.keys(content?.['application/json']?.examples ?? {})),
  )
  return [...new Set(codes)].sort()
}

function queryOf(document: Document, route: string): Schema {
  const parameters = document.paths[route]?.get?.parameters ?? []
  const query = parameters.filter((parameter) => parameter.in === 'query')
  const properties = query.map(({ name = '', description, schema }) => [
    name,
    { ...schema, ...(description === undefined ? {} : { description }) },
  ])
  return {
    type: 'object',
    properties: Object.fromEntries(properties) as Record<string, Schema>,
    required: query.filter(({ required }) => required).map(({ name = '' }) => name),
  }
}

if (import.meta.main) writeFileSync(GENERATED_FILE, generateTypes())
