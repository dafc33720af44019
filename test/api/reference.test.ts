// engine: postgres; both in test:long
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { ERRORS, type ErrorCode } from '../../src/errors.ts'
import { EVENT_TYPES } from '../../src/events/event.ts'
import { openApiDocument, RETRY_ADVICE } from '../../src/http/openapi/document.ts'
import { FILLED } from '../../src/http/reference/code.ts'
import { layOut } from '../../src/http/reference/layout.ts'
import { referenceOf } from '../../src/http/reference/model.ts'
import type { OpenApi } from '../../src/http/reference/openapi-types.ts'
import { makeSite } from '../../src/http/reference/site.ts'
import { ROUTES } from '../../src/http/routes/index.ts'
import { exampleError } from '../../src/http/schemas/error.ts'
import { textOf } from '../../src/values/html.ts'
import { generateWebhookSecret, signatureHeader } from '../../src/webhooks/signature.ts'
import { sandboxRoutes } from '../sandbox/routes.ts'
import { assertRefused, startTestApi, type TestApi } from '../support/api.ts'

const HOSTILE = `</style></script><script>alert(1)</script><img src=x onerror="a">'"&\`$(id)`
const VOID = new Set(['meta', 'br', 'hr', 'img', 'link', 'input'])
const GUIDES = path.join(import.meta.dirname, '../../docs/guides')
const document = openApiDocument() as unknown as OpenApi
const operations = Object.entries(document.paths).flatMap(([url, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    method: method.toUpperCase(),
    path: `/v1${url}`,
    operation,
  })),
)
const site = makeSite(document, true)
const paths = ['/docs', ...site.pages.map((page) => page.path)]
let api: TestApi
/** Path → HTML. */
const html = new Map<string, string>()
let markdown: string

before(async () => {
  api = await startTestApi()
  for (const each of paths) html.set(each, (await read(each)).text)
  markdown = (await read('/docs.md')).text
})
after(() => api.close())

/** Reads the whole answer: one that is left unread keeps its connection open. */
async function read(target: string, asked: Record<string, string> = {}) {
  const answer = await fetch(`${api.baseUrl}${target}`, { headers: asked, redirect: 'manual' })
  return { status: answer.status, headers: answer.headers, text: await answer.text() }
}

test('a path of the longest kind leads to a page only where it ends in slashes', async () => {
  const long = `/docs${'/'.repeat(15_000)}x`
  const answers = await Promise.all(Array.from({ length: 8 }, () => read(long, { accept: 'application/json' })))
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([404]))
  const { status, headers } = await read(`/docs${'/'.repeat(15_000)}`)
  assert.deepEqual([status, headers.get('location')], [302, '/docs'])
})

test('needs no key, is cached, carries the version and no CORS', async () => {
  const types = {
    '/docs': 'text/html; charset=utf-8',
    '/docs/guides/first-mint': 'text/html; charset=utf-8',
    '/docs/guides/first-mint.md': 'text/markdown; charset=utf-8',
    '/docs.md': 'text/markdown; charset=utf-8',
    '/docs/search.json': 'application/json; charset=utf-8',
    '/docs/assets/main.ts': 'text/javascript; charset=utf-8',
    '/docs/assets/docs.css': 'text/css; charset=utf-8',
    '/llms.txt': 'text/plain; charset=utf-8',
  }
  for (const [target, type] of Object.entries(types)) {
    const { status, headers } = await read(target)
    assert.deepEqual([status, headers.get('content-type'), headers.get('x-coin-api-version')], [200, type, 'v1'])
    assert.deepEqual(
      [...headers.keys()].filter((name) => name.startsWith('access-control-')),
      [],
    )
    assert.equal(headers.get('cache-control'), 'no-cache', 'may be kept, and is asked for again')
    const etag = headers.get('etag') ?? ''
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`]) {
      const again = await read(target, { 'if-none-match': known })
      assert.deepEqual([again.status, again.text], [304, ''])
    }
    assert.equal((await read(target, { 'if-none-match': '"other"' })).status, 200)
  }
})

test('the root and a slash at the end lead to it, for people only', async () => {
  const page = 'text/html,application/xhtml+xml,*/*;q=0.8'
  assertRefused(await api.get('/'), 404, 'NOT_FOUND')
  assertRefused(await api.get('/', { headers: { accept: 'application/json, text/html' } }), 404, 'NOT_FOUND')
  assertRefused(await api.get('/v1', { headers: { accept: page } }), 404, 'NOT_FOUND')
  assertRefused(await api.get('/v1/', { headers: { accept: page } }), 404, 'NOT_FOUND')
  for (const [from, to] of [
    ['/', '/docs'],
    ['/docs/', '/docs'],
    ['/docs/errors/', '/docs/errors'],
  ] as const) {
    const { status, headers } = await read(from, { accept: page })
    assert.deepEqual([status, headers.get('location')], [302, to], from)
  }
  for (const wrong of ['/docs/nothing', '/docs/assets/../pages.ts', '/docs/assets/', '/docs//x']) {
    assertRefused(await api.get(wrong), 404, 'NOT_FOUND')
    const { status, text } = await read(wrong, { accept: page })
    assert.equal(status, 404)
    assert.match(text, /No such page/)
  }
})

test('answers in Markdown when the client asks for it before HTML', async () => {
  const asked = async (accept: string) => (await read('/docs', { accept })).text
  for (const accept of [
    'text/markdown',
    'Text/Markdown, text/html;q=0.5',
    'text/plain, text/markdown;q=0.9, */*;q=0.1',
  ]) {
    assert.equal(await asked(accept), markdown, accept)
  }
  for (const accept of ['*/*', '', 'text/html, text/markdown', 'text/html,application/xhtml+xml,*/*;q=0.8']) {
    assert.equal(await asked(accept), html.get('/docs'), accept)
  }
  assert.equal((await read('/docs')).headers.get('vary'), 'accept')
  assert.match((await read('/docs/errors', { accept: 'text/markdown' })).text, /^# Errors/)
})

test('shows every operation with its fields and examples, every error code, and every event', () => {
  for (const { method, path: target, operation } of operations) {
    const page = html.get(`/docs/api/${operation.tags[0]?.toLowerCase()}`) ?? ''
    const article = page.split(`data-operation="${operation.operationId}"`)[1]?.split('</article>')[0] ?? ''
    const part = markdown.split(`## ${method} ${target}\n`)[1]?.split(/\n##/)[0] ?? ''
    const codes = Object.entries(operation.responses)
      .filter(([status]) => !status.startsWith('2'))
      .flatMap(([, { content }]) => Object.keys(content?.['application/json']?.examples ?? {}))
    const names = (operation.parameters ?? []).flatMap((given) =>
      'name' in given ? [given.name] : ['Idempotency-Key'],
    )
    assert.ok(codes.length > 0)
    for (const name of names) assert.ok(article.includes(`<dt id="${operation.operationId}.${name}">`), name)
    for (const code of codes) assert.ok(article.includes(`href="/docs/errors#${code}"`), code)
    assert.ok(article.includes('<pre tabindex="0" data-language="sh">'), operation.operationId)
    assert.ok(page.includes(`href="#${operation.operationId}"`))
    for (const text of [...codes.map((code) => `"code":"${code}"`), ...names, operation.summary, 'curl '])
      assert.ok(part.includes(text), `${operation.operationId}: ${text} in Markdown`)
  }
  const mints = html.get('/docs/api/mints') ?? ''
  for (const id of ['createMint.amountMyr', 'createMint.answer.amounts.coin', 'cancelMint.answer.status'])
    assert.ok(mints.includes(`<dt id="${id}">`), id)
  for (const [code, { status }] of Object.entries(ERRORS)) {
    const row = `<tr><td><a href="/docs/errors#${code}"><code>${code}</code></a></td><td data-label="HTTP">${status}</td>`
    assert.ok(html.get('/docs/errors')?.includes(row), code)
    assert.ok(markdown.includes(`| \`${code}\` | ${status} |`), code)
  }
  for (const type of EVENT_TYPES)
    for (const page of [html.get('/docs/guides/webhooks'), markdown]) assert.ok(page?.includes(type), type)
})

test('each error code has an answer, its meta, and what shows it in the sandbox; live has no sandbox', () => {
  const live = makeSite(document, false).pages.find((page) => page.path === '/docs/errors')
  for (const code of Object.keys(ERRORS) as ErrorCode[]) {
    const [, part = ''] = html.get('/docs/errors')?.split(`<h3 id="${code}">`) ?? []
    const section = part.split('<h3 ')[0] ?? ''
    const shown = /<pre[^>]*><code>(.*?)<\/code><\/pre>/s.exec(section)?.[1]
    assert.deepEqual(JSON.parse(textOf(shown ?? '')), exampleError(code), code)
    for (const name of Object.keys(exampleError(code).error.meta ?? {}))
      assert.ok(section.includes(`<code>meta.${name}</code>`), `${code}: ${name}`)
    const scenarios = [...section.matchAll(/href="\/docs\/sandbox#(\w+)"/g)].map(([, name]) => name)
    assert.ok(scenarios.length > 0, code)
    for (const name of scenarios) {
      const [, row = ''] = html.get('/docs/sandbox')?.split(`<tr id="${name}">`) ?? []
      assert.ok(row.split('</tr>')[0]?.includes(`href="/docs/errors#${code}"`), `${name} leads back to ${code}`)
    }
    assert.ok(live?.markdown.includes(`### \`${code}\``), code)
  }
  const tried = [...(html.get('/docs/guides/testing') ?? '').matchAll(/<code>([a-z]+_[a-z_]+)<\/code>(<\/a>)?/g)]
  assert.ok(tried.length > 10)
  assert.deepEqual(
    tried.filter(([, , link]) => link === undefined).map(([, name]) => name),
    [],
  )
  const operation = html.get('/docs/errors')?.split('<h3 id="ORDER_NOT_CANCELLABLE">')[1]?.split('<h3 ')[0]
  assert.ok(operation?.includes('href="/docs/api/mints#cancelMint"'))
  assert.doesNotMatch(live?.body ?? '', /docs\/sandbox/)
})

test('every field, parameter and header is explained', () => {
  const whole = openApiDocument([...ROUTES, ...sandboxRoutes()]) as unknown as OpenApi
  const { tags, event, headers, codes } = referenceOf(whole)
  const described = [
    ...tags.flatMap((tag) =>
      tag.operations.flatMap(({ id, parameters, requestFields, answerFields }) =>
        [...parameters, ...requestFields, ...answerFields].map((one) => ({ ...one, name: `${id}.${one.name}` })),
      ),
    ),
    ...codes.flatMap(({ code, meta }) => meta.map((one) => ({ ...one, name: `${code}.${one.name}` }))),
    ...event.fields,
    ...headers,
  ]
  assert.ok(described.some(({ name }) => name === 'makeSandboxCustomer.tryIt[].expect.order.status'))
  assert.deepEqual(
    // What a value can be is said by itself; a description says what it is for.
    described.filter(({ description }) => /^(One of (`[\w.]+`(, )?)+\.)?$/.test(description)).map(({ name }) => name),
    [],
  )
})

test('loads and runs nothing from elsewhere, and no script stands in a page', async () => {
  const served = new Set(['/openapi/stablecoin-partner-v1.json', '/docs.md', '/llms.txt', ...paths])
  for (const target of paths) served.add(`${target}.md`)
  for (const [target, page] of html) {
    const policy = (await read(target)).headers.get('content-security-policy') ?? ''
    assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';/)
    assert.ok(!/unsafe|https?:|\*/.test(policy))
    assert.deepEqual(page.match(/<script\b[^>]*>(?!<\/script>)/g), null)
    assert.ok(!/<(img|iframe|object|embed|form|base|svg|style)\b/i.test(page))
    assert.ok(!/\s(style|on\w+|srcset)=/i.test(page.replace(/<pre\b[\s\S]*?<\/pre>/g, '')))
    for (const [, to = ''] of page.matchAll(/(?:href|src)="([^"]*)"/g)) {
      const [file = '', fragment] = to.split('#')
      if (file.startsWith('/docs/assets/')) assert.equal((await read(file)).status, 200, file)
      else assert.ok(file === '' || served.has(file), `${target}: ${to}`)
      if (fragment === undefined) continue
      assert.ok(html.get(file === '' ? target : file)?.includes(` id="${fragment}"`), `${target}: ${to}`)
    }
  }
  for (const target of served) assert.equal((await read(target)).status, 200, target)
})

test('a link in Markdown leads to Markdown, from its own page as from the whole file', async () => {
  const texts = await Promise.all(paths.map(async (target) => ({ target, text: (await read(`${target}.md`)).text })))
  let count = 0
  for (const { target, text } of texts) {
    for (const [, to = ''] of text.replace(/^```.*?^```$/gms, '').matchAll(/\]\(([^)\s]+)\)/g)) {
      count += 1
      if (to.startsWith('#')) continue
      assert.match(to, /^\/(docs\/.*\.md(#.*)?|openapi\/.*\.json)$/, `${target}.md: ${to}`)
      assert.equal((await read(to)).status, 200, `${target}.md: ${to}`)
    }
  }
  assert.ok(count > 60, String(count))
  assert.doesNotMatch(texts.find(({ target }) => target.endsWith('first-mint'))?.text ?? '', /sdk\/README/)
})

test('every entry of the search leads somewhere', async () => {
  const entries = JSON.parse((await read('/docs/search.json')).text) as [string, string, string, string][]
  assert.ok(entries.length > 200)
  for (const [href] of entries) {
    const [target = '', fragment] = href.split('#')
    const page = html.get(target)
    assert.ok(page !== undefined && (fragment === undefined || page.includes(` id="${fragment}"`)), href)
  }
})

test('what pages say is found and listed as a reader sees it, whatever colours or marks it', async () => {
  const texts = (JSON.parse((await read('/docs/search.json')).text) as string[][]).map((entry) => entry.at(-1) ?? '')
  for (const words of ['export COIN_KEY=$(cat .data/sandbox-key)', '{ "ok": true, "apiVersion": "v1"', 'npm start. It'])
    assert.ok(
      texts.some((text) => text.includes(words)),
      words,
    )
  assert.doesNotMatch((await read('/llms.txt')).text, /\S [.,;:]\s/)
})

test('is well-formed: tags are closed in order, ids are unique', () => {
  for (const [target, page] of html) {
    assertWellFormed(page)
    const ids = [...page.matchAll(/\sid="([^"]*)"/g)].map(([, id]) => id)
    assert.equal(new Set(ids).size, ids.length, target)
  }
  assert.equal((markdown.match(/^```/gm)?.length ?? 1) % 2, 0)
})

test('whatever the document says stays text', () => {
  const hostile = makeSite(poisoned(document) as OpenApi, true)
  const shell = { title: hostile.title, pages: hostile.pages, modules: [], isSandbox: true }
  for (const one of [hostile.overview, ...hostile.pages]) {
    const page = layOut(one, shell)
    assertWellFormed(page)
    assert.ok(!/<(img|style)\b/i.test(page))
    assert.equal(page.match(/<script\b/g)?.length, 1)
  }
  assert.ok(hostile.overview.body.includes('&lt;script&gt;alert(1)'))
})

test('commands can be pasted, whatever is in their bodies', () => {
  const command = referenceOf(poisoned(document) as OpenApi)
    .tags.flatMap((tag) => tag.operations)
    .find(({ id }) => id === 'createTransfer')?.samples[0]?.code
  const [, written] = /<<JSON\n(.*)\nJSON$/s.exec(command ?? '') ?? []
  assert.ok(written)
  assert.doesNotMatch(written, /(?<!\\)(?:\\\\)*(?:`|\$\()/)
  const body = JSON.parse(written.replace(/\\([\\`$])/g, '$1')) as Record<string, unknown>
  assert.equal(body.amountCoin, `12.345678${HOSTILE}`)
})

test('there is one advice on retries, in the same words', () => {
  const docs = path.join(GUIDES, '..')
  const documents = ['ERRORS.md', ...readdirSync(GUIDES).map((file) => `guides/${file}`), 'SANDBOX.md']
  const saying = documents.filter((file) => readFileSync(path.join(docs, file), 'utf8').includes(RETRY_ADVICE))
  assert.deepEqual(saying, ['ERRORS.md', 'guides/retries.md'])
  assert.ok(site.overview.markdown.includes(RETRY_ADVICE))
  for (const file of [...documents, '../README.md', '../sdk/README.md'])
    assert.doesNotMatch(
      readFileSync(path.join(docs, file), 'utf8').replace(RETRY_ADVICE, ''),
      /retry[^.|]*\b50[0234]\b/i,
      file,
    )
})

test('the README and the guide of the first mint say the same', () => {
  const guide = readFileSync(path.join(GUIDES, 'first-mint.md'), 'utf8')
  const readme = readFileSync(path.join(GUIDES, '../../README.md'), 'utf8').split('## A first mint\n')[1] ?? ''
  const [, commands = ''] = /```sh\n(.*?)```/s.exec(readme) ?? []
  const lines = commands.split('\n').filter((line) => /^(export|until|curl| {2}-[Hd])/.test(line))
  assert.ok(lines.length >= 11)
  // The guide posts twice, so it has a key for each.
  const guided = guide.replaceAll('$REF-confirm', '$REF')
  assert.deepEqual(
    lines.filter((line) => !guided.includes(line)),
    [],
  )
  for (const words of ['"amountMyr": "250.50"', '"fiatConfirmed": true']) {
    assert.ok(guide.includes(words) && commands.includes(words), words)
  }
})

test('whatever samples take from the environment is set by the guide of the first mint, or by a sample', () => {
  const guide = readFileSync(path.join(GUIDES, 'first-mint.md'), 'utf8')
  const set = [...markdown.matchAll(/^export (\w+)=|^([A-Z]+)='/gm)].map(([, name, own]) => name ?? own)
  const taken = [...markdown.matchAll(/\$([A-Z][A-Z_]+)|process\.env\.([A-Z_]+)/g)].map(([, sh, ts]) => sh ?? ts)
  assert.deepEqual(
    [...new Set(taken)].filter((name) => !set.includes(name)),
    [],
  )
  for (const name of FILLED) assert.ok(guide.includes(`export ${name}=`), name)
})

test('the addresses in llms.txt are absolute and lead somewhere; nothing says /v1 twice', async () => {
  const { text } = await read('/llms.txt')
  const addresses = [...text.matchAll(/\]\(([^)]*)\)/g)].map(([, address]) => address ?? '')
  assert.ok(addresses.length > site.pages.length)
  for (const address of addresses) {
    assert.ok(address.startsWith(api.baseUrl), address)
    assert.equal((await read(address.slice(api.baseUrl.length))).status, 200, address)
  }
  for (const page of [markdown, text]) assert.doesNotMatch(page, /\/v1\/v1|COIN_API\/v1/)
})

test('the signature recipe verifies what the service signs, and nothing else', async () => {
  const recipe = /```js\n(.*?)```/s.exec(readFileSync(path.join(GUIDES, 'webhooks.md'), 'utf8'))?.[1]
  const { verify } = await import(`data:text/javascript,${encodeURIComponent(`${recipe}\nexport { verify }`)}`)
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
  for (const [tag, closing, name = ''] of page.matchAll(
    /<(\/?)([a-z][a-z0-9]*)((?:\s[a-z-]+="[^"<>]*"|\s[a-z-]+)*)>/g,
  )) {
    if (closing === '/') assert.equal(open.pop(), name, tag)
    else if (!VOID.has(name)) open.push(name)
  }
  assert.deepEqual(open, [])
  const text = page
    .replace(/^<!doctype html>/, '')
    .replace(/<\/?[a-z][a-z0-9]*(?:\s[a-z-]+="[^"<>]*"|\s[a-z-]+)*>/g, '')
  assert.ok(!/[<>]/.test(text), 'a < or > that is no tag')
}
