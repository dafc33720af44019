import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Value } from 'typebox/value'
import { loadConfig } from '../../../config.ts'
import { openApiDocument } from '../../../http/openapi/document.ts'
import { ROUTES } from '../../../http/routes/index.ts'
import type { OnDemandDeps } from '../deps.ts'
import { onDemandRoutes } from './index.ts'

const KEYS = { linker: {}, freezer: {} }
const control = { holdBlocks() {}, takeBackNextBlock() {}, silence() {} }

function routesWith(changes: Record<string, unknown>) {
  const given = { chain: { config: KEYS }, control, isBankSimulated: true, policy: loadConfig({}).policy, ...changes }
  return onDemandRoutes(given as unknown as OnDemandDeps)
}

function scenariosOf(routes: ReturnType<typeof onDemandRoutes>): string[] {
  const [customers] = routes
  const { requestBody } = customers as unknown as {
    requestBody: { schema: { properties: { scenario: { enum: string[] } } } }
  }
  return requestBody.schema.properties.scenario.enum
}

test('the chain can be disturbed only where it is the sandbox’s own', () => {
  const paths = (routes: ReturnType<typeof onDemandRoutes>) => routes.map(({ path }) => path)
  const everywhere = ['/sandbox/customers', '/sandbox/keys', '/sandbox/webhooks']
  assert.deepEqual(paths(routesWith({})), [...everywhere, '/sandbox/chain'])
  assert.deepEqual(paths(routesWith({ control: undefined })), everywhere)
})

test('what the keys and the bank of a sandbox cannot make is not offered', () => {
  const all = scenariosOf(routesWith({}))
  const without = (changes: Record<string, unknown>) => {
    const offered = new Set(scenariosOf(routesWith(changes)))
    return all.filter((name) => !offered.has(name))
  }
  assert.deepEqual(without({ chain: { config: { linker: {} } } }), ['wallet_frozen', 'fails_on_chain'])
  assert.deepEqual(
    without({ isBankSimulated: false }),
    all.filter((name) => name.startsWith('payout_')),
  )
  assert.deepEqual(scenariosOf(routesWith({ chain: { config: {} } })), [
    'unverified',
    'suspended',
    'foreigner',
    'no_wallet',
    'switched_off',
  ])
})

test('every example satisfies its schema, and the document has all of them', () => {
  const routes = routesWith({})
  const { paths, tags } = openApiDocument([...ROUTES, ...routes]) as { paths: object; tags: { name: string }[] }
  assert.ok(tags.some(({ name }) => name === 'Sandbox'))
  for (const route of routes) {
    assert.ok(route.path in paths)
    if (route.kind !== 'write') throw new Error(route.path)
    for (const { schema, examples } of [route.requestBody, route.success]) {
      for (const example of Object.values(examples)) {
        assert.ok(Value.Check(schema, example), `${route.path}: ${JSON.stringify(Value.Errors(schema, example))}`)
      }
    }
  }
})
