// engine: pglite
/** The documentation of a running sandbox: its samples, pasted; its pages, looked at in a browser and used. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { after, before, describe, it } from 'node:test'
import { DOCUMENTS } from '../../src/http/reference/guides.ts'
import { blocksOf } from '../../src/http/reference/markdown-blocks.ts'
import { referenceOf } from '../../src/http/reference/model.ts'
import type { OpenApi } from '../../src/http/reference/openapi-types.ts'
import { migratedDataDir } from '../sandbox/migrated.ts'
import { endChain, type Sandbox, startSandbox } from '../sandbox/sandbox-process.ts'
import { SIZES, startBrowser, type TestBrowser } from '../support/browser.ts'
import { atLeast, waitFor } from '../support/wait-for.ts'
import { filled, runSamples, samplesIn } from './samples.ts'
import { problemsOf } from './use-pages.ts'

const DOCS = path.join(import.meta.dirname, '../../docs')
const DATA_DIR = await migratedDataDir('docs')
const GUIDES = DOCUMENTS.filter(({ group }) => group === 'Guides')
const ok = { language: 'json', text: '{ "ok": true, "…": "…" }' }
const notFound = { language: 'json', text: '{ "ok": false, "error": { "code": "NOT_FOUND", "message": "…" } }' }
/** What a sample answers until the partner has more than a sandbox gives it: an endpoint for webhooks, a redeem whose payout came back. */
const NEEDS_MORE: Readonly<Record<string, typeof ok>> = {
  repeatSandboxWebhooks: notFound,
  refundSandboxRedeem: notFound,
}

let sandbox: Sandbox
let origin: string
let own: Record<string, string>

before(async () => {
  sandbox = await startSandbox({ DATA_DIR })
  origin = new URL(sandbox.baseUrl).origin
  // As a page of its own asks.
  const asked = await fetch(`${origin}/docs/sandbox.json`, { headers: { referer: `${origin}/docs` } })
  const told = (await asked.json()) as { isFilled: boolean; own: typeof own }
  assert.ok(told.isFilled)
  own = { COIN_API: sandbox.baseUrl, ...told.own }
})
after(async () => {
  if (sandbox === undefined) return
  await sandbox.process.end('SIGTERM')
  endChain(DATA_DIR)
})

describe('what is pasted does what the page says', () => {
  for (const { file } of GUIDES) {
    const samples = samplesIn(readFileSync(path.join(DOCS, file), 'utf8'))
    if (samples.length === 0) continue
    it(file, async () => {
      await runSamples(
        file,
        samples.map((sample) => ({ ...sample, code: filled(sample.code, own) })),
      )
    })
  }
})

describe('in a browser', () => {
  let browser: TestBrowser
  before(async () => {
    browser = await startBrowser()
  })
  after(() => browser.close())

  it('every page is without a violation or an error, wide and on a phone, light and dark', async () => {
    const list = await (await fetch(`${origin}/llms.txt`)).text()
    const pages = [...list.matchAll(/\]\((\S+\/docs\/\S+)\.md\)/g)].map(([, page]) => new URL(page ?? '').pathname)
    assert.ok(pages.length > 15)
    assert.deepEqual(await problemsOf(browser, origin, ['/docs', ...pages]), [])
  })

  it('samples stand there as they were pasted, and are copied so', async () => {
    const { page, problems, close } = await browser.open()
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    for (const { at, file } of GUIDES) {
      const wanted = blocksOf(readFileSync(path.join(DOCS, file), 'utf8')).flatMap((block) =>
        block.type === 'code' ? [filled(block.text, own)] : [],
      )
      await page.goto(`${origin}/docs/${at}`)
      await page.locator('body[data-ready]').waitFor()
      const shown = await page.locator('main .code pre').allTextContents()
      for (const sample of wanted) assert.ok(shown.includes(sample), `${file}: ${sample}`)
    }
    await page.goto(`${origin}/docs/guides/retries`)
    await page.getByRole('button', { name: 'TypeScript' }).first().click()
    const sample = page.locator('.code[data-tab="TypeScript"]').first()
    await sample.getByRole('button', { name: 'Copy' }).click()
    await sample.getByRole('button', { name: 'Copied' }).waitFor()
    const copied = String(await page.evaluate('navigator.clipboard.readText()'))
    assert.equal(copied, await sample.locator('pre').textContent())
    assert.match(copied, new RegExp(`apiKey: '${own.COIN_KEY ?? ''}'`))
    await page.reload()
    await sample.waitFor()
    assert.deepEqual(problems, [])
    await close()
  })

  it('the search finds what is asked for, with the keyboard alone', async () => {
    const { page, problems, close } = await browser.open()
    await page.goto(`${origin}/docs`)
    await page.locator('body[data-ready]').waitFor()
    for (const [asked, path] of [
      ['insufficient balance', '/docs/errors#INSUFFICIENT_BALANCE'],
      ['POST /v1/mints', '/docs/api/mints#createMint'],
      ['residual', '/docs/guides/amounts'],
      ['payout_returned', '/docs/sandbox#payout_returned'],
    ] as const) {
      await page.keyboard.press('/')
      await page.keyboard.type(asked)
      await page.locator('#found a').first().waitFor()
      await page.keyboard.press('Enter')
      await page.waitForURL(origin + path)
      await page.locator('body[data-ready]').waitFor()
    }
    await page.keyboard.press('/')
    await page.keyboard.type('nothingofthatname')
    await page.getByText('Nothing found').waitFor()
    assert.deepEqual(problems, [])
    await close()
  })

  it('a mint that is tried there is completed', async () => {
    const { page, problems, close } = await browser.open()
    await page.goto(`${origin}/docs/api/mints`)
    const operation = page.locator('[data-operation="createMint"]')
    await operation.getByText('Try it').click()
    const body = operation.getByLabel('Body of createMint')
    await body.fill((await body.inputValue()).replace('false', 'true'))
    await operation.getByRole('button', { name: 'Send' }).click()
    await operation.locator('.status.completed').waitFor({ timeout: atLeast(60_000) })
    assert.match((await operation.locator('.answer pre').textContent()) ?? '', /"amountRaw": "1000500000"/)
    assert.deepEqual(problems, [])
    await close()
  })

  it('what was made there is what the forms beside it read, unless somebody has written another path', async () => {
    const { page, problems, close } = await browser.open()
    await page.goto(`${origin}/docs/api/redeems`)
    const [making, reading] = ['createRedeem', 'getRedeem'].map((id) => page.locator(`[data-operation="${id}"]`))
    for (const operation of [making, reading]) await operation?.getByText('Try it').click()
    await making?.getByRole('button', { name: 'Send' }).click()
    await making?.locator('.status.completed').waitFor({ timeout: atLeast(60_000) })
    const { referenceId } = JSON.parse((await page.getByLabel('Body of createRedeem').inputValue()) || '{}')
    const path = page.getByLabel('Path of getRedeem')
    assert.equal(await path.inputValue(), `/v1/redeems/${referenceId}`)
    await reading?.getByRole('button', { name: 'Send' }).click()
    await reading?.locator('.status.completed').waitFor()
    await path.fill('/v1/redeems/another-one')
    await making?.getByRole('button', { name: 'Send' }).click()
    await making?.getByRole('button', { name: 'Send', disabled: false }).waitFor()
    assert.equal(await path.inputValue(), '/v1/redeems/another-one')
    assert.deepEqual(problems, [])
    await close()
  })

  it('is read without scripts: samples of both languages, contents, nothing that needs a script', async () => {
    const { page: any, close } = await browser.open()
    const context = await any.context().browser()?.newContext({ javaScriptEnabled: false, viewport: SIZES.phone })
    assert.ok(context)
    const page = await context.newPage()
    await page.goto(`${origin}/docs/guides/retries`)
    for (const language of ['curl', 'TypeScript'])
      assert.equal(await page.locator(`.code[data-tab="${language}"] pre`).first().isVisible(), true)
    assert.equal(await page.getByRole('button').count(), 0)
    await page.getByText('Contents', { exact: true }).click()
    await page.getByRole('link', { name: 'Errors', exact: true }).click()
    await page.waitForURL(`${origin}/docs/errors`)
    await page.getByRole('link', { name: 'IDEMPOTENCY_KEY_REQUIRED', exact: true }).click()
    await page.waitForURL(`${origin}/docs/errors#IDEMPOTENCY_KEY_REQUIRED`)
    assert.equal(await page.getByRole('heading', { name: 'IDEMPOTENCY_KEY_REQUIRED' }).isVisible(), true)
    await context.close()
    await close()
  })

  it('on a phone the contents fold out and lead on; on a wide screen they follow the reading', async () => {
    const phone = await browser.open({ size: 'phone' })
    await phone.page.goto(`${origin}/docs/guides/first-mint`)
    const link = phone.page.getByRole('navigation', { name: 'Contents' }).getByRole('link', { name: 'Webhooks' })
    assert.equal(await link.isVisible(), false)
    await phone.page.getByText('Contents', { exact: true }).click()
    await link.click()
    await phone.page.waitForURL(`${origin}/docs/guides/webhooks`)
    await phone.close()
    const { page, close } = await browser.open()
    await page.goto(`${origin}/docs/api/mints`)
    const marked = (text: string) => page.locator('.side .parts [aria-current="true"]', { hasText: text }).waitFor()
    await page.locator('.side .parts a', { hasText: '/cancel' }).click()
    await marked('/cancel')
    // A key that is pressed while the page still scrolls to the link may be lost.
    await waitFor('the first part to be marked', async () => {
      await page.keyboard.press('Home')
      return (await page.locator('.side .parts a').first().getAttribute('aria-current')) === 'true'
    })
    await close()
  })
})

describe('what is pasted from the reference', () => {
  it('the samples of every operation', async () => {
    const document = await (await fetch(`${origin}/openapi/stablecoin-partner-v1.json`)).json()
    const operations = referenceOf(document as OpenApi).tags.flatMap((tag) => tag.operations)
    assert.ok(operations.some(({ tag }) => tag === 'Sandbox'))
    const samples = operations.flatMap((operation) =>
      operation.samples.map(({ language, code }) => ({
        language,
        code: filled(code, own),
        prints: language === 'sh' ? (NEEDS_MORE[operation.id] ?? ok) : undefined,
      })),
    )
    await runSamples('the reference', samples)
  })
})
