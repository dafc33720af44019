/** Serves the documentation: `/docs` for people, `/docs.md` and `/llms.txt` for tools. It needs no key and is made at the first look. */
import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../../errors.ts'
import { trimEndOf } from '../../values/trim-end.ts'
import { prefers } from '../accept-header.ts'
import { JSON_TYPE } from '../envelope.ts'
import { readAssets } from './assets.ts'
import { asksOnThisMachine, type DemoPartner } from './demo-partner.ts'
import { ASSETS, layOut } from './layout.ts'
import { llmsText, wholeMarkdown } from './llms.ts'
import type { OpenApi } from './openapi-types.ts'
import type { Page } from './page.ts'
import { searchIndex } from './search-index.ts'
import { makeSite } from './site.ts'

/** Nothing is loaded, asked or sent but here, and no script stands in a page. */
const HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  // Where the pages themselves ask, they say from where: see `asksOnThisMachine`.
  'referrer-policy': 'same-origin',
  'cache-control': 'no-cache',
}
const HTML = 'text/html; charset=utf-8'
const MARKDOWN = 'text/markdown; charset=utf-8'
const DOCS = '/docs'

export type Documented = {
  /** The OpenAPI document of what is served. */
  document: Record<string, unknown>
  originFor: (request: FastifyRequest) => string
  /** Only in a sandbox: its own partner, once there is one. */
  demo: (() => DemoPartner | undefined) | undefined
}

type File = { type: string; text: string; etag: string }
type Files = { html: ReadonlyMap<string, File>; others: ReadonlyMap<string, File>; llms: (origin: string) => string }

/** Registers the pages. `/docs…` answers in Markdown when the client asks for it before HTML. */
export function registerReference(app: FastifyInstance, documented: Documented): void {
  let made: Files | undefined
  const files = () => {
    made ??= makeFiles(documented)
    return made
  }
  app.get('/', (request, reply) => {
    if (!prefers(request.headers, 'text/html', 'application/json')) throw new ApiError('NOT_FOUND')
    return reply.header('vary', 'accept').redirect(DOCS)
  })
  app.get('/llms.txt', (request, reply) => {
    const text = files().llms(documented.originFor(request))
    return send(request, reply, fileOf('text/plain; charset=utf-8', text))
  })
  const { demo } = documented
  if (demo !== undefined) {
    app.get(`${DOCS}/sandbox.json`, (request, reply) => {
      const partner = asksOnThisMachine(request) ? demo() : undefined
      reply.headers({ ...HEADERS, 'cache-control': 'no-store' }).header('content-type', JSON_TYPE)
      return reply.send(JSON.stringify({ isFilled: partner !== undefined, own: partner ?? {} }))
    })
  }
  for (const path of [DOCS, `${DOCS}.md`, `${DOCS}/*`])
    app.get(path, (request, reply) => answer(files(), request, reply))
}

function answer({ html, others }: Files, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const path = request.url.split('?')[0] ?? ''
  const page = html.get(path)
  if (page !== undefined) {
    reply.header('vary', 'accept')
    const markdown = others.get(`${path}.md`)
    return send(
      request,
      reply,
      markdown !== undefined && prefers(request.headers, 'text/markdown', 'text/html') ? markdown : page,
    )
  }
  const other = others.get(path)
  if (other !== undefined) return send(request, reply, other)
  const shorter = trimEndOf(path, '/')
  if (shorter !== path && html.has(shorter)) return reply.redirect(shorter)
  const missing = html.get('')
  if (missing === undefined || !prefers(request.headers, 'text/html', 'application/json'))
    throw new ApiError('NOT_FOUND')
  return reply.code(404).headers(HEADERS).header('content-type', HTML).send(missing.text)
}

function makeFiles({ document, demo }: Documented): Files {
  const isSandbox = demo !== undefined
  const site = makeSite(document as unknown as OpenApi, isSandbox)
  const assets = readAssets()
  const modules = [...assets.keys()].filter((name) => name.endsWith('.ts'))
  const shell = { title: site.title, pages: site.pages, modules, isSandbox }
  const pages = [site.overview, ...site.pages]
  const page = (one: Page) => fileOf(HTML, layOut(one, shell))
  const others: [string, File][] = [
    [`${DOCS}.md`, fileOf(MARKDOWN, wholeMarkdown(site))],
    [`${DOCS}/search.json`, fileOf(JSON_TYPE, JSON.stringify(searchIndex(site)))],
    ...site.pages.map((one): [string, File] => [`${one.path}.md`, fileOf(MARKDOWN, one.markdown)]),
    ...[...assets].map(([name, { type, text }]): [string, File] => [ASSETS + name, fileOf(type, text)]),
  ]
  return {
    html: new Map([...pages.map((one): [string, File] => [one.path, page(one)]), ['', page(MISSING)]]),
    others: new Map(others),
    llms: (origin) => llmsText(site, origin),
  }
}

const MISSING: Page = {
  path: DOCS,
  group: undefined,
  title: 'No such page',
  summary: 'There is no such page.',
  body: '<p class="lead">There is no such page. Search above, or begin with the <a href="/docs">overview</a>.</p>',
  sections: [],
  markdown: '',
}

function fileOf(type: string, text: string): File {
  return { type, text, etag: `"${createHash('sha256').update(text).digest('base64url').slice(0, 27)}"` }
}

function send(request: FastifyRequest, reply: FastifyReply, { type, text, etag }: File): FastifyReply {
  reply.headers(HEADERS).header('etag', etag)
  // The header may be a list, or weakened by a proxy that compressed the page (RFC 9110 13.1.2).
  if (request.headers['if-none-match']?.includes(etag) === true) return reply.code(304).send()
  return reply.header('content-type', type).send(text)
}
