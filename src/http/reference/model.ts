/** The content of the reference, taken from the OpenAPI document: one source for the page and its Markdown. */
import { codesOf, type ReferenceCode } from './error-codes.ts'
import { type Field, fieldsOf } from './fields.ts'
import { type OpenApi, type OpenApiOperation, resolve } from './openapi-types.ts'
import { type Sample, samplesOf, withOwn } from './samples.ts'

export type DocumentedError = { status: string; code: string; message: string; example: unknown }
export type ReferenceOperation = {
  id: string
  method: string
  path: string
  tag: string
  summary: string
  description: string
  needsKey: boolean
  parameters: { name: string; place: string; required: boolean; type: string; description: string }[]
  requestFields: Field[]
  samples: Sample[]
  /** The example of its body, with the names of a shell's variables where a partner has its own values. */
  request: unknown
  successStatus: string
  successDescription: string
  answerFields: Field[]
  answers: { name: string; example: unknown }[]
  errors: DocumentedError[]
}
export type Reference = {
  title: string
  /** One sentence. */
  summary: string
  introduction: string
  tags: { name: string; description: string; operations: ReferenceOperation[] }[]
  headers: { name: string; description: string }[]
  codes: ReferenceCode[]
  event: { description: string; fields: Field[]; example: unknown; types: string[] }
}

/** Operations that are shown on an order which exists already; others have made theirs before. */
const KEPT_REFERENCE: ReadonlySet<string> = new Set(['getTransaction', 'repeatSandboxWebhooks', 'refundSandboxRedeem'])

const WRONG_SHAPE = 'the OpenAPI document lacks a part that the reference needs: '

/** Makes the reference from the OpenAPI document. */
export function referenceOf(document: OpenApi): Reference {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => operationOf(document, method.toUpperCase(), path, operation)),
  )
  return {
    title: document.info.title,
    summary: document.info.summary,
    introduction: document.info.description,
    tags: document.tags
      .map(({ name, description }) => ({
        name,
        description,
        operations: operations.filter(({ tag }) => tag === name),
      }))
      .filter((tag) => tag.operations.length > 0),
    headers: Object.entries(document.components.headers).map(([name, { description }]) => ({ name, description })),
    codes: codesOf(document, operations),
    event: eventOf(document),
  }
}

function operationOf(document: OpenApi, method: string, path: string, operation: OpenApiOperation): ReferenceOperation {
  const success = Object.entries(operation.responses).find(([status]) => status.startsWith('2'))
  if (success === undefined) throw new Error(`${WRONG_SHAPE}a success of ${operation.operationId}`)
  const [successStatus, answer] = success
  const answerContent = answer.content?.['application/json']
  const request = operation.requestBody?.content['application/json']
  const needsKey = operation.security === undefined
  return {
    id: operation.operationId,
    method,
    path: `/v1${path}`,
    tag: operation.tags[0] ?? '',
    summary: operation.summary,
    description: operation.description,
    needsKey,
    parameters: (operation.parameters ?? []).map((given) => {
      const parameter = resolve(document, given)
      const { name, required = false, description } = parameter
      return { name, place: parameter.in, required, type: fieldsOf(document, parameter.schema).type, description }
    }),
    requestFields: request === undefined ? [] : fieldsOf(document, request.schema).fields,
    ...samplesAndRequest(method, path, operation, needsKey),
    successStatus,
    successDescription: answer.description,
    answerFields: answerContent === undefined ? [] : fieldsOf(document, answerContent.schema).fields,
    answers: Object.entries(answerContent?.examples ?? {}).map(([name, { value }]) => ({ name, example: value })),
    errors: errorsOf(operation),
  }
}

function errorsOf(operation: OpenApiOperation): DocumentedError[] {
  return Object.entries(operation.responses)
    .filter(([status]) => !status.startsWith('2'))
    .flatMap(([status, response]) =>
      Object.entries(response.content?.['application/json']?.examples ?? {}).map(([code, { value }]) => {
        const { error } = value as { error: { message: string } }
        return { status, code, message: error.message, example: value }
      }),
    )
}

function samplesAndRequest(
  method: string,
  path: string,
  operation: OpenApiOperation,
  needsKey: boolean,
): Pick<ReferenceOperation, 'samples' | 'request'> {
  const { operationId } = operation
  const own = new Map([
    ['referenceId', KEPT_REFERENCE.has(operationId) ? '$REFERENCE' : '$REF'],
    ['walletAddress', operationId === 'createTransfer' ? '$RECIPIENT' : '$WALLET'],
    ['customerId', '$CUSTOMER'],
    ['corporateId', '$CORPORATE'],
  ])
  const filled = path.replace(/\{(\w+)\}/g, (whole, name: string) => own.get(name) ?? whole)
  const example = Object.values(operation.requestBody?.content['application/json'].examples ?? {})[0]?.value
  const request = example === undefined ? undefined : withOwn(example, own)
  return { samples: samplesOf({ operationId, method, path: filled, needsKey, body: request ?? {} }), request }
}

function eventOf(document: OpenApi): Reference['event'] {
  const operation = Object.values(document.webhooks)[0]?.post
  const content = operation?.requestBody?.content['application/json']
  if (operation === undefined || content === undefined) throw new Error(`${WRONG_SHAPE}the webhook`)
  const schema = resolve(document, content.schema)
  return {
    description: operation.description,
    fields: fieldsOf(document, schema).fields,
    example: Object.values(content.examples ?? {})[0]?.value,
    types: (schema.properties?.type?.enum ?? []).map(String),
  }
}
