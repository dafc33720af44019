/** The parts of our own OpenAPI document that the reference reads. */

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
export type Content = { 'application/json': { schema: Schema; examples?: Record<string, { value: unknown }> } }
export type OpenApiParameter = {
  name: string
  in: string
  required?: boolean
  description: string
  schema: Schema
  example?: unknown
}
export type OpenApiOperation = {
  operationId: string
  tags: string[]
  summary: string
  description: string
  security?: unknown[]
  parameters?: (OpenApiParameter | { $ref: string })[]
  requestBody?: { content: Content }
  responses: Record<string, { description: string; content?: Content }>
}
export type OpenApi = {
  info: { title: string; summary: string; description: string }
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, OpenApiOperation>>
  webhooks: Record<string, { post: OpenApiOperation }>
  components: { headers: Record<string, { description: string }>; schemas: Record<string, Schema> }
}

/** Resolves a `$ref` inside the document; anything else is returned as it is. */
export function resolve<T extends object>(document: OpenApi, value: T | { $ref: string }): T {
  if (!('$ref' in value) || typeof value.$ref !== 'string') return value as T
  let found: unknown = document
  for (const step of value.$ref.replace(/^#\//, '').split('/')) found = (found as Record<string, unknown>)[step]
  return found as T
}
