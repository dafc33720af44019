import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Value } from 'typebox/value'
import { sandboxRoutes } from '../../../../test/sandbox/routes.ts'
import { openApiDocument } from '../../../http/openapi/document.ts'
import { ROUTES } from '../../../http/routes/index.ts'

function scenariosOf([customers]: ReturnType<typeof sandboxRoutes>): string[] {
  const schema = customers?.requestBody.schema as { properties: { scenario: { enum: string[] } } } | undefined
  return schema?.properties.scenario.enum ?? []
}

test('the chain can be disturbed, and payouts minted back, only where chain and bank are the sandbox’s own', () => {
  const paths = (routes: ReturnType<typeof sandboxRoutes>) => routes.map(({ path }) => path)
  const everywhere = ['/sandbox/customers', '/sandbox/keys', '/sandbox/webhooks']
  assert.deepEqual(paths(sandboxRoutes({})), [...everywhere, '/sandbox/payouts', '/sandbox/chain'])
  assert.deepEqual(paths(sandboxRoutes({ isBankSimulated: false })), [...everywhere, '/sandbox/chain'])
  assert.deepEqual(paths(sandboxRoutes({ control: undefined, isBankSimulated: false })), everywhere)
})

test('what the keys and the bank of a sandbox cannot make is not offered', () => {
  const all = scenariosOf(sandboxRoutes({}))
  const without = (changes: Record<string, unknown>) => {
    const offered = new Set(scenariosOf(sandboxRoutes(changes)))
    return all.filter((name) => !offered.has(name))
  }
  assert.deepEqual(without({ chain: { config: { linker: {} } } }), ['wallet_frozen', 'fails_on_chain'])
  assert.deepEqual(
    without({ isBankSimulated: false }),
    all.filter((name) => name.startsWith('payout_')),
  )
  assert.deepEqual(scenariosOf(sandboxRoutes({ chain: { config: {} } })), [
    'unverified',
    'suspended',
    'foreigner',
    'no_wallet',
    'switched_off',
  ])
})

test('every example satisfies its schema, and the document has all of them', () => {
  const routes = sandboxRoutes({})
  const { paths, tags } = openApiDocument([...ROUTES, ...routes]) as { paths: object; tags: { name: string }[] }
  assert.ok(tags.some(({ name }) => name === 'Sandbox'))
  for (const route of routes) {
    assert.ok(route.path in paths)
    for (const { schema, examples } of [route.requestBody, route.success]) {
      for (const example of Object.values(examples)) {
        assert.ok(Value.Check(schema, example), `${route.path}: ${JSON.stringify(Value.Errors(schema, example))}`)
      }
    }
  }
})

test('of one integration, eight requests are carried out at once', async () => {
  const [customers] = sandboxRoutes({ db: { query: () => new Promise(() => {}) } })
  const handle = customers?.handle({} as never)
  const call = { key: { integrationId: 'int_1' }, body: {}, idempotencyKey: 'one' } as never
  const begun = Array.from({ length: 8 }, () => handle?.(call))
  await assert.rejects(async () => await handle?.(call), { code: 'SERVICE_UNAVAILABLE' })
  assert.equal(begun.length, 8)
})
