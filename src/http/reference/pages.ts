/** Serves the reference: `/docs` for people, `/docs.md` for tools. No key needed; both are made once. */
import { createHash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { openApiDocument } from '../openapi/document.ts'
import { CONTENT_SECURITY_POLICY, renderHtml } from './html.ts'
import { renderMarkdown } from './markdown.ts'
import { referenceOf } from './model.ts'
import type { OpenApi } from './openapi-types.ts'

/** Registers the pages. */
export function registerReference(app: FastifyInstance): void {
  const reference = referenceOf(openApiDocument() as unknown as OpenApi)
  serve(app, '/docs', 'text/html; charset=utf-8', renderHtml(reference))
  serve(app, '/docs.md', 'text/markdown; charset=utf-8', renderMarkdown(reference))
}

function serve(app: FastifyInstance, path: string, type: string, text: string): void {
  const etag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 27)}"`
  app.get(path, (request, reply) => {
    reply
      .header('etag', etag)
      .header('cache-control', 'no-cache')
      .header('content-security-policy', CONTENT_SECURITY_POLICY)
      .header('x-content-type-options', 'nosniff')
    if (request.headers['if-none-match'] === etag) return reply.code(304).send()
    return reply.header('content-type', type).send(text)
  })
}
