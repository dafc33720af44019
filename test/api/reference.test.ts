// engine: postgres; both in test:long
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ERRORS } from '../../src/errors.ts'
import { EVENT_TYPES } from '../../src/events/event.ts'
import { openApiDocument } from '../../src/http/openapi/document.ts'
import { renderHtml } from '../../src/http/reference/html.ts'
import { renderMarkdown } from '../../src/http/reference/markdown.ts'
import { referenceOf } from '../../src/http/reference/model.ts'
import type { OpenApi } from '../../src/http/reference/openapi-types.ts'
import { SIGNATURE_CODE } from '../../src/http/reference/texts.ts'
import { generateWebhookSecret, signatureHeader } from '../../src/webhooks/signature.ts'
import { assertRefused, startTestApi, type TestApi } from '../support/api.ts'

const HOSTILE = `</style></script><script>alert(1)</script><img src=x onerror="a">'"&\``
const VOID = new Set(['meta', 'br', 'hr', 'img', 'link', 'input'])
const document = openApiDocument() as unknown as OpenApi
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    method: method.toUpperCase(),
    path: `/v1${path}`,
    operation,
  })),
)
let api: TestApi
let html: string
let markdown: string

before(async () => {
  api = await startTestApi()
  html = await (await fetch(`${api.baseUrl}/docs`)).text()
  markdown = await (await fetch(`${api.baseUrl}/docs.md`)).text()
})
after(() => api.close())

/** Reads the whole answer: one that is left unread keeps its connection open. */
async function read(path: string, asked: Record<string, string> = {}) {
  const answer = await fetch(`${api.baseUrl}${path}`, { headers: asked })
  return { status: answer.status, headers: answer.headers, text: await answer.text() }
}

test('needs no key, is cached, carries the version and no CORS', async () => {
  const types = { '/docs': 'text/html; charset=utf-8', '/docs.md': 'text/markdown; charset=utf-8' }
  for (const [path, type] of Object.entries(types)) {
    const { status, headers } = await read(path)
    assert.deepEqual([status, headers.get('content-type'), headers.get('x-coin-api-version')], [200, type, 'v1'])
    assert.deepEqual(
      [...headers.keys()].filter((name) => name.startsWith('access-control-')),
      [],
    )
    const etag = headers.get('etag') ?? ''
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`]) {
      const again = await read(path, { 'if-none-match': known })
      assert.deepEqual([again.status, again.text], [304, ''])
    }
    assert.equal((await read(path, { 'if-none-match': '"other"' })).status, 200)
  }
  assertRefused(await api.get('/'), 404, 'NOT_FOUND')
})

test('answers in Markdown when the client asks for it before HTML', async () => {
  const asked = async (accept: string) => (await fetch(`${api.baseUrl}/docs`, { headers: { accept } })).text()
  for (const accept of [
    'text/markdown',
    'Text/Markdown, text/html;q=0.5',
    'text/plain, text/markdown;q=0.9, */*;q=0.1',
  ]) {
    assert.equal(await asked(accept), markdown, accept)
  }
  for (const accept of ['*/*', '', 'text/html, text/markdown', 'text/html,application/xhtml+xml,*/*;q=0.8']) {
    assert.equal(await asked(accept), html, accept)
  }
  assert.equal((await read('/docs')).headers.get('vary'), 'accept')
})

test('shows every operation with its parameters and examples, every error code with an example, and every event', () => {
  for (const { method, path, operation } of operations) {
    const section = html.split(`<article id="${operation.operationId}">`)[1]?.split('</article>')[0] ?? ''
    const part = markdown.split(`### ${method} ${path}\n`)[1]?.split(/\n##/)[0] ?? ''
    const codes = Object.entries(operation.responses)
      .filter(([status]) => !status.startsWith('2'))
      .flatMap(([, { content }]) => Object.keys(content?.['application/json']?.examples ?? {}))
    const names = (operation.parameters ?? []).flatMap((given) =>
      'name' in given ? [given.name] : ['Idempotency-Key'],
    )
    const bodies = Object.keys(operation.requestBody?.content['application/json'].schema ?? {}).length > 0
    assert.ok(codes.length > 0)
    for (const text of [...codes, ...names, operation.summary.replaceAll("'", '&#39;'), 'curl ']) {
      assert.ok(section.includes(text), `${operation.operationId}: ${text} in HTML`)
    }
    for (const text of [...codes.map((code) => `"code":"${code}"`), ...names, operation.summary, 'curl ']) {
      assert.ok(part.includes(text), `${operation.operationId}: ${text} in Markdown`)
    }
    for (const code of codes)
      assert.ok(section.includes(`&quot;code&quot;: &quot;${code}&quot;`), `an example of ${code}`)
    if (method === 'POST' && bodies) assert.ok(section.includes('-d &#39;{'), operation.operationId)
    assert.ok(html.includes(`href="#${operation.operationId}"`))
  }
  const errorTable = html.split('<section id="errors">')[1] ?? ''
  for (const [code, { status }] of Object.entries(ERRORS)) {
    assert.ok(errorTable.includes(`<td><code>${code}</code></td><td>${status}</td>`), code)
    assert.ok(markdown.includes(`| \`${code}\` | ${status} |`), code)
  }
  for (const type of EVENT_TYPES) for (const page of [html, markdown]) assert.ok(page.includes(type), type)
  for (const text of ['X-COIN-Signature', '300 seconds', 'HMAC-SHA256', '120 requests a minute', 'Retry-After']) {
    for (const page of [html, markdown]) assert.ok(page.includes(text), text)
  }
})

test('loads and runs nothing', async () => {
  const policy = (await read('/docs')).headers.get('content-security-policy') ?? ''
  assert.match(policy, /^default-src 'none'; style-src 'sha256-/)
  assert.ok(!/unsafe|https?:|\*/.test(policy))
  assert.ok(!/<(script|img|link|iframe|object|embed|form|base|svg)\b/i.test(html))
  assert.ok(!/\s(style|on\w+|src|srcset)=/i.test(html.replace(/<pre>[\s\S]*?<\/pre>/g, '')))
  assert.ok(!/url\(|@import/.test(html))
  for (const [, target = ''] of html.matchAll(/href="([^"]*)"/g)) assert.match(target, /^[#/](?!\/)/)
  for (const path of ['/openapi/stablecoin-partner-v1.json', '/docs.md']) {
    assert.ok(html.includes(`href="${path}"`))
    assert.equal((await read(path)).status, 200)
  }
})

test('is well-formed: tags are closed in order, ids are unique, every link inside leads somewhere', () => {
  assertWellFormed(html)
  const ids = [...html.matchAll(/\sid="([^"]*)"/g)].map(([, id]) => id)
  assert.equal(new Set(ids).size, ids.length)
  for (const [, id] of html.matchAll(/href="#([^"]*)"/g)) assert.ok(ids.includes(id), id)
  assert.equal(markdown.match(/^```/gm)?.length ?? 0, (markdown.match(/^```\w+$/gm)?.length ?? 0) * 2)
})

test('whatever the document says stays text', () => {
  const reference = referenceOf(poisoned(document) as OpenApi)
  const page = renderHtml(reference)
  assertWellFormed(page)
  assert.ok(!/<(script|img)\b/i.test(page))
  assert.equal(page.match(/<\/style>/g)?.length, 1)
  assert.ok(page.includes('&lt;script&gt;alert(1)'))
  assert.ok(renderMarkdown(reference).includes('alert(1)'))
})

test('commands can be pasted, whatever is in their bodies', () => {
  const [, written] =
    /-d ('(?:[^']|'\\'')*')\n/.exec(
      `${
        referenceOf(poisoned(document) as OpenApi)
          .tags.flatMap((tag) => tag.operations)
          .find(({ method }) => method === 'POST')?.curl
      }\n`,
    ) ?? []
  assert.ok(written)
  const unquoted = written.slice(1, -1).replaceAll(`'\\''`, "'")
  assert.ok(Object.values(JSON.parse(unquoted) as object).some((value) => String(value).endsWith(HOSTILE)))
})

test('the signature recipe verifies what the service signs, and nothing else', async () => {
  const { verify } = await import(`data:text/javascript,${encodeURIComponent(`${SIGNATURE_CODE}\nexport { verify }`)}`)
  assert.ok(markdown.includes(SIGNATURE_CODE))
  const body = Buffer.from('{"id":"evt_1","note":"✓"}')
  const secret = generateWebhookSecret()
  const signed = (at: number) => signatureHeader(secret, body.toString(), new Date(at))
  assert.deepEqual(verify(body, signed(Date.now()), secret), JSON.parse(body.toString()))
  assert.throws(() => verify(Buffer.from('{}'), signed(Date.now()), secret), /not genuine/)
  assert.throws(() => verify(body, signed(Date.now()), generateWebhookSecret()), /not genuine/)
  for (const offMs of [-310_000, 310_000])
    assert.throws(() => verify(body, signed(Date.now() + offMs), secret), /too old/)
  for (const bad of ['', 't=1', `t=${Math.floor(Date.now() / 1000)}`, 'v1=00'])
    assert.throws(() => verify(body, bad, secret))
})

/** The document with something hostile behind every text that people read. */
function poisoned(value: unknown, key = ''): unknown {
  if (Array.isArray(value)) return value.map((one) => poisoned(one, key))
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, poisoned(inner, name)]))
  }
  const structural = ['$ref', 'in', 'type', 'operationId', 'tags', 'name', 'required']
  return typeof value === 'string' && !structural.includes(key) ? value + HOSTILE : value
}

function assertWellFormed(page: string): void {
  const open: string[] = []
  const withoutStyle = page.replace(/<style>[\s\S]*?<\/style>/, '')
  for (const [tag, closing, name = ''] of withoutStyle.matchAll(
    /<(\/?)([a-z][a-z0-9]*)((?:\s[a-z-]+="[^"<>]*"|\s[a-z-]+)*)>/g,
  )) {
    if (closing === '/') assert.equal(open.pop(), name, tag)
    else if (!VOID.has(name)) open.push(name)
  }
  assert.deepEqual(open, [])
  const text = withoutStyle
    .replace(/^<!doctype html>/, '')
    .replace(/<\/?[a-z][a-z0-9]*(?:\s[a-z-]+="[^"<>]*"|\s[a-z-]+)*>/g, '')
  assert.ok(!/[<>]/.test(text), 'a < or > that is no tag')
}
