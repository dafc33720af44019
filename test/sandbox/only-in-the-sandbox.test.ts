// engine: pglite
/** What brings about outcomes is not there in live. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AppDeps, createApp } from '../../src/http/app.ts'
import { openApiDocument } from '../../src/http/openapi/document.ts'
import type { SandboxRoutes } from '../../src/http/route.ts'
import { ROUTES } from '../../src/http/routes/index.ts'
import { startTestApi } from '../support/api.ts'

const ROUTE_NAMES = ['customers', 'keys', 'webhooks', 'payouts', 'chain']
const NOTHING: SandboxRoutes = { routes: [], faultOf: () => Promise.resolve(undefined) }

test('in live they are not found and not in the document', async () => {
  const live = await startTestApi({ config: { environment: 'live' } })
  try {
    for (const name of ROUTE_NAMES) {
      const answers = await Promise.all(
        [`/v1/sandbox/${name}`, '/v1/no-such-route'].map((path) => live.post(path, { scenario: 'verified' })),
      )
      const [asked, unknown] = answers.map(({ status, text }) => [status, text])
      assert.deepEqual(asked, unknown)
      assert.equal(answers[0]?.status, 404)
    }
    const document = await (await fetch(`${live.baseUrl}/openapi/stablecoin-partner-v1.json`)).text()
    assert.doesNotMatch(document, /sandbox\/|Sandbox"/)
    const page = async (path: string) => {
      const answer = await fetch(`${live.baseUrl}${path}`)
      return { status: answer.status, text: await answer.text() }
    }
    for (const path of ['/docs/sandbox.json', '/docs/sandbox', '/docs/guides/testing'])
      assert.equal((await page(path)).status, 404, path)
    for (const path of ['/docs', '/docs/guides/first-mint', '/docs/api/mints', '/docs.md', '/llms.txt']) {
      const { status, text } = await page(path)
      assert.equal(status, 200)
      assert.doesNotMatch(text, /data-sandbox|sandbox\/(customers|keys)|coin_sandbox_[0-9a-f]/, path)
    }
    assert.doesNotMatch(live.app.printRoutes({ commonPrefix: false }), /sandbox/)
  } finally {
    await live.close()
  }
})

test('an app for live cannot be made with them', () => {
  const deps = { config: { environment: 'live' }, sandbox: NOTHING } as unknown as AppDeps
  assert.throws(() => createApp(deps), /only a sandbox has outcomes on demand/)
})

test('what every environment serves names none of them', () => {
  assert.deepEqual(
    ROUTES.filter(({ path, tag }) => path.startsWith('/sandbox') || tag === 'Sandbox'),
    [],
  )
  assert.doesNotMatch(JSON.stringify(openApiDocument()), /\/sandbox\//)
})
