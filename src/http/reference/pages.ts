/** Serves the reference: `/docs` for people, `/docs.md` for tools. They need no key and are made once. */
import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { CONTENT_SECURITY_POLICY, renderHtml } from './html.ts'
import { renderMarkdown } from './markdown.ts'
import { referenceOf } from './model.ts'
import type { OpenApi } from './openapi-types.ts'

/** Registers the pages about the OpenAPI document. `/docs` answers in Markdown when the client asks for it before HTML. */
export function registerReference(app: FastifyInstance, document: Record<string, unknown>): void {
  const reference = referenceOf(document as unknown as OpenApi)
  const html = pageOf('text/html; charset=utf-8', renderHtml(reference))
  const markdown = pageOf('text/markdown; charset=utf-8', renderMarkdown(reference))
  app.get('/docs', (request, reply) => {
    reply.header('vary', 'accept')
    return send(request, reply, prefersMarkdown(request.headers.accept) ? markdown : html)
  })
  app.get('/docs.md', (request, reply) => send(request, reply, markdown))
}

type Page = { type: string; text: string; etag: string }

function pageOf(type: string, text: string): Page {
  return { type, text, etag: `"${createHash('sha256').update(text).digest('base64url').slice(0, 27)}"` }
}

function send(request: FastifyRequest, reply: FastifyReply, { type, text, etag }: Page): FastifyReply {
  reply
    .header('etag', etag)
    .header('cache-control', 'no-cache')
    .header('content-security-policy', CONTENT_SECURITY_POLICY)
    .header('x-content-type-options', 'nosniff')
  // The header may be a list, or weakened by a proxy that compressed the page (RFC 9110 13.1.2).
  if (request.headers['if-none-match']?.includes(etag) === true) return reply.code(304).send()
  return reply.header('content-type', type).send(text)
}

/** Browsers name HTML; a client that names Markdown, and not HTML before it, wants Markdown. */
function prefersMarkdown(accept = ''): boolean {
  const [markdown, html] = ['text/markdown', 'text/html'].map((type) => accept.toLowerCase().indexOf(type))
  return markdown !== undefined && markdown !== -1 && (html === undefined || html === -1 || markdown < html)
}
