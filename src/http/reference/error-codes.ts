/** What the page of errors says of each code beside its row: an answer, its `meta`, who gives it, and how to bring it about. */
import { ERRORS } from '../../errors.ts'
import { metaSchemaName } from '../openapi/components.ts'
import { type Field, fieldsOf } from './fields.ts'
import type { OpenApi } from './openapi-types.ts'

/** What is read of an operation. */
type Answering = {
  method: string
  path: string
  needsKey: boolean
  errors: readonly { code: string; example: unknown }[]
}

export type ReferenceCode = {
  code: string
  status: number
  message: string
  meta: Field[]
  /** A whole answer; undefined: no operation of this document gives it. */
  example: unknown
  /** In a sentence. */
  answeredBy: string
}

/** Every code, in the order of the page's table. */
export function codesOf(document: OpenApi, operations: readonly Answering[]): ReferenceCode[] {
  return Object.entries(ERRORS).map(([code, { status, message }]) => {
    const schema = document.components.schemas[metaSchemaName(code)]
    const given = operations.flatMap(({ errors }) => errors).filter((error) => error.code === code)
    const found = given.find(({ example }) => JSON.stringify(example).includes('"meta":')) ?? given[0]
    return {
      code,
      status,
      message,
      example: found?.example,
      answeredBy: answeredBy(code, operations),
      meta: schema === undefined ? [] : fieldsOf(document, schema).fields,
    }
  })
}

function answeredBy(code: string, operations: readonly Answering[]): string {
  const answering = operations.filter(({ errors }) => errors.some((error) => error.code === code))
  const groups: [name: string, of: readonly Answering[]][] = [
    ['Any operation', operations],
    ['Any operation that needs a key', operations.filter(({ needsKey }) => needsKey)],
    ['Any POST', operations.filter(({ method }) => method === 'POST')],
  ]
  const group = groups.find(([, of]) => of.length === answering.length && of.every((one) => answering.includes(one)))
  const names = answering.map(({ method, path }) => `\`${method} ${path}\``)
  return `${group?.[0] ?? names.join(', ')} can answer it.`
}

/** What a scenario of the sandbox shows. */
export type Shown = { scenario: string; code: string; reason: string | undefined }

/** The codes that each row of docs/SANDBOX.md says it shows. */
export function shownIn(sandbox: string): Shown[] {
  return [...sandbox.matchAll(/^\| `(\w+)` \|.*\| ([^|]*) \|$/gm)].flatMap(([, scenario = '', results = '']) =>
    [...results.matchAll(/`([A-Z_]+)`(?: \(`(\w+)`\))?/g)]
      .filter(([, code = '']) => code in ERRORS)
      .map(([, code = '', reason]) => ({ scenario, code, reason })),
  )
}

/**
 * A part for each code.
 * @param shown what the sandbox can show; empty where there is none
 */
export function codesMarkdown(codes: readonly ReferenceCode[], shown: readonly Shown[], sandboxPath: string): string {
  const parts = codes.map((one) => {
    const scenarios = shown.filter(({ code }) => code === one.code)
    const links = scenarios.map(({ scenario, reason }) => {
      const link = `[\`${scenario}\`](${sandboxPath}#${scenario})`
      return reason === undefined ? link : `${link} (${reason})`
    })
    return [
      `### \`${one.code}\``,
      `${one.status}: ${one.message} ${one.answeredBy}`,
      ...(links.length === 0 ? [] : [`To see it in the sandbox: ${links.join(', ')}.`]),
      ...(one.meta.length === 0 ? [] : [metaTable(one.meta)]),
      ...(one.example === undefined ? [] : [`\`\`\`json\n${JSON.stringify(one.example, null, 2)}\n\`\`\``]),
    ].join('\n\n')
  })
  return ['## Each code, and an answer', ...parts].join('\n\n')
}

function metaTable(fields: readonly Field[]): string {
  const rows = fields.map(({ name, type, description }) => `| \`meta.${name}\` | ${type} | ${description} |`)
  return ['| field | type | what it says |', '|---|---|---|', ...rows].join('\n')
}
