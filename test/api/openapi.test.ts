// engine: postgres; both in test:long
/** The OpenAPI document: whole, consistent, and about the routes that are served. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { ERRORS } from '../../src/errors.ts'
import { errorCodesOf } from '../../src/http/route.ts'
import { ROUTES } from '../../src/http/routes/index.ts'
import { parseAmount } from '../../src/money.ts'
import { generateWebhookSecret } from '../../src/webhooks/signature.ts'
import { testRequest } from '../../src/webhooks/test-event.ts'
import { startTestApi, type TestApi } from '../support/api.ts'

type Json = Record<string, unknown>
type Content = { 'application/json': { schema: Json; examples: Record<string, { value: unknown }> } }
type Operation = {
  operationId: string
  summary: string
  tags: string[]
  security?: unknown[]
  parameters?: (Json & { name?: string; in?: string; $ref?: string })[]
  requestBody?: { content: Content }
  responses: Record<string, { description: string; headers: Json; content: Content }>
}

let api: TestApi
let document: {
  openapi: string
  servers: { url: string }[]
  tags: { name: string }[]
  paths: Record<string, Record<string, Operation>>
  webhooks: { orderEvent: { post: Operation }; testEvent: { post: Operation } }
  components: { schemas: Json; securitySchemes: Json; headers: Record<string, Json>; parameters: Json }
}
let operations: [path: string, method: string, operation: Operation][]

before(async () => {
  api = await startTestApi()
  const response = await fetch(`${api.baseUrl}/openapi/stablecoin-partner-v1.json`)
  assert.equal(response.status, 200)
  assert.equal(response.headers.get('x-coin-api-version'), 'v1')
  assert.match(response.headers.get('content-type') ?? '', /^application\/json/)
  document = (await response.json()) as typeof document
  operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, string, Operation] => [path, method, operation]),
  )
})
after(() => api.close())

test('what the contract enumerates has exactly those values, and what it lets grow has no list', () => {
  const at = (...path: string[]) =>
    path.reduce<Json>((schema, name) => (schema.properties as Record<string, Json>)[name] ?? {}, {
      properties: document.components.schemas,
    })
  const statuses = ['payment_pending', 'pending', 'processing', 'completed', 'failed', 'cancelled']
  const directions = ['MINT', 'REDEEM', 'TRANSFER']
  const verification = ['UNVERIFIED', 'PENDING', 'VERIFIED', 'REJECTED', 'SUSPENDED']
  const filters = Object.fromEntries(
    (document.paths['/transactions']?.get?.parameters ?? []).map(({ name, schema }) => [name, schema as Json]),
  )
  for (const [schema, values] of [
    [at('Order', 'status'), statuses],
    [at('OrderEvent', 'data', 'status'), statuses],
    [filters.status ?? {}, statuses],
    [at('Order', 'direction'), directions],
    [at('OrderEvent', 'data', 'direction'), directions],
    [filters.direction ?? {}, directions],
    [at('Customer', 'accountType'), ['RETAIL', 'ENTERPRISE']],
    [at('Customer', 'verification', 'status'), verification],
    [at('Corporate', 'verification', 'status'), verification],
  ] as const) {
    assert.deepEqual(schema.enum, values)
  }
  for (const open of [
    at('Order', 'phase'),
    at('Customer', 'verification', 'level'),
    at('Corporate', 'verification', 'stage'),
  ]) {
    assert.deepEqual([open.type, open.enum], ['string', undefined])
  }
})

test('an answer with a code and a meta of later fits the document of today', () => {
  const ajv = new Ajv2020({ strict: false })
  ajv.addSchema({ $id: 'published', components: document.components })
  const error = { code: 'LATER_CODE', message: 'Later.', meta: { laterField: 1 } }
  assert.ok(ajv.validate('published#/components/schemas/Error', { ok: false, error }), ajv.errorsText())
})

test('version, server with the /v1 prefix, paths without it', () => {
  assert.match(document.openapi, /^3\.1\./)
  assert.deepEqual(
    document.servers.map(({ url }) => url),
    [`${api.baseUrl}/v1`],
  )
  for (const path of Object.keys(document.paths)) assert.ok(path.startsWith('/') && !path.startsWith('/v1'))
})

test('a document names PUBLIC_ORIGIN; live without one names none, whatever host and proxy a request claims', async () => {
  const live = { environment: 'live', trustedProxies: ['127.0.0.1'] } as const
  for (const [config, origin] of [
    [live, ''],
    [{ ...live, publicOrigin: 'https://api.example.com' }, 'https://api.example.com'],
    [{ publicOrigin: 'https://sandbox.example.com' }, 'https://sandbox.example.com'],
  ] as const) {
    const other = await startTestApi({ config })
    const headers = { 'x-forwarded-host': 'thief.example', 'x-forwarded-proto': 'https' }
    const stated = (await (
      await fetch(`${other.baseUrl}/openapi/stablecoin-partner-v1.json`, { headers })
    ).json()) as typeof document
    const llms = await (await fetch(`${other.baseUrl}/llms.txt`, { headers })).text()
    await other.close()
    assert.deepEqual(
      stated.servers.map(({ url }) => url),
      [`${origin}/v1`],
    )
    assert.ok(llms.includes(`(${origin}/docs`) && !llms.includes('thief'), llms.slice(0, 300))
  }
})

test('the 16 operations of the contract, and those that docs/CONTRACT.md calls additive', () => {
  const listed = operations.map(([path, method]) => `${method.toUpperCase()} ${path}`).sort()
  const contract = [
    'GET /health',
    'GET /system/time',
    'GET /config',
    'GET /tokens',
    'POST /mints',
    'GET /mints/{referenceId}',
    'POST /mints/{referenceId}/cancel',
    'POST /redeems',
    'GET /redeems/{referenceId}',
    'POST /transfers',
    'GET /transfers/{referenceId}',
    'GET /transactions',
    'GET /transactions/{referenceId}',
    'GET /balances/{walletAddress}',
    'GET /customers/{customerId}',
    'GET /corporates/{corporateId}',
  ]
  const table = readFileSync(path.join(import.meta.dirname, '../../docs/CONTRACT.md'), 'utf8')
  const additive = [...table.matchAll(/^\| additive operation `([A-Z]+ [^`?]+)/gm)].map(
    ([, operation]) => operation ?? '',
  )
  assert.deepEqual(listed, [...contract, ...additive].sort())
  assert.equal(new Set(operations.map(([, , { operationId }]) => operationId)).size, listed.length)
})

/** Every schema of the document, at any depth; examples are none. */
function* schemasIn(value: unknown): Generator<Json> {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) yield value as Json
  for (const [name, part] of Object.entries(value))
    if (name !== 'example' && name !== 'examples') yield* schemasIn(part)
}

test('what generators of clients stumble over: enumerations have a type, and no field is optional by its default alone', () => {
  let enumerations = 0
  for (const schema of schemasIn(document)) {
    const { enum: names, properties } = schema as { enum?: unknown[]; properties?: Record<string, Json> }
    if (Array.isArray(names)) {
      enumerations += 1
      assert.equal((schema as Json).type, 'string', JSON.stringify(names))
    }
    // openapi-typescript takes a field with a default for one that is always there, and demands it of requests.
    for (const [name, field] of Object.entries(properties ?? {})) assert.equal(field.default, undefined, name)
  }
  assert.ok(enumerations > 5)
})

test('the meta of one code is not taken for that of another', () => {
  const { schemas } = document.components
  const names = Object.keys(schemas).filter((name) => name.endsWith('Meta'))
  const ajv = formats.default(new Ajv2020({ strict: false }))
  for (const { error } of refusalsIn(document)) {
    const mine = names.filter((name) => ajv.validate(schemas[name] as object, error.meta))
    const alike = mine.every((name) => JSON.stringify(schemas[name]) === JSON.stringify(schemas[mine[0] ?? '']))
    assert.ok(mine.length > 0 && alike, `${error.code}: ${mine.join(', ')}`)
  }
})

/** The examples of refusals that have a meta. */
function refusalsIn(value: unknown): { error: { code: string; meta: object } }[] {
  if (typeof value !== 'object' || value === null) return []
  const { ok, error } = value as { ok?: unknown; error?: { code: string; meta?: object } }
  if (ok === false && error?.meta !== undefined) return [{ error: { code: error.code, meta: error.meta } }]
  return Object.values(value).flatMap(refusalsIn)
}

test('every reference resolves, and every component is used', () => {
  const used = new Set<string>()
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(visit)
    if (typeof value !== 'object' || value === null) return
    const { $ref } = value as { $ref?: unknown }
    if (typeof $ref === 'string') {
      const [, , kind = '', name = ''] = $ref.split('/')
      assert.ok(name in ((document.components as Record<string, Json>)[kind] ?? {}), $ref)
      used.add(`${kind}/${name}`)
    }
    Object.values(value).forEach(visit)
  }
  visit(document)
  for (const kind of ['headers', 'parameters'] as const) {
    for (const name of Object.keys(document.components[kind])) assert.ok(used.has(`${kind}/${name}`), name)
  }
  const mentioned = JSON.stringify(document.paths)
  for (const name of Object.keys(document.components.schemas)) {
    assert.ok(used.has(`schemas/${name}`) || mentioned.includes(name), name)
  }
})

test('path parameters are declared; every operation has a known tag, a summary and its key', () => {
  for (const [path, method, operation] of operations) {
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
    const declared = (operation.parameters ?? []).filter((parameter) => parameter.in === 'path').map(({ name }) => name)
    assert.deepEqual(declared, inPath)
    assert.ok(operation.summary.length > 0)
    for (const tag of operation.tags) assert.ok(document.tags.some(({ name }) => name === tag))
    const isPublic = path === '/health' || path === '/system/time'
    assert.deepEqual(operation.security, isPublic ? [] : undefined)
    const hasKeyParameter = (operation.parameters ?? []).some(
      ({ $ref }) => $ref === '#/components/parameters/IdempotencyKey',
    )
    assert.equal(hasKeyParameter, method === 'post')
  }
})

test('every error code is documented by an operation, with its own status and an example', () => {
  const documented = new Set<string>()
  for (const [, , operation] of operations) {
    for (const [status, { content }] of Object.entries(operation.responses)) {
      if (Number(status) < 400) continue
      for (const [code, { value }] of Object.entries(content['application/json'].examples)) {
        assert.equal(ERRORS[code as keyof typeof ERRORS].status, Number(status))
        assert.equal((value as { error: { code: string } }).error.code, code)
        documented.add(code)
      }
    }
  }
  assert.deepEqual([...documented].sort(), Object.keys(ERRORS).sort())
})

test('each operation documents the codes that the contract lists for it', () => {
  const post = [
    'INVALID_JSON',
    'IDEMPOTENCY_KEY_REQUIRED',
    'INVALID_AMOUNT',
    'INVALID_WALLET_ADDRESS',
    'INVALID_REFERENCE_ID',
    'AMOUNT_NEGATIVE_OR_ZERO',
    'POLICY_REJECTED',
    'SCOPE_DENIED',
    'CUSTOMER_NOT_VERIFIED',
    'NOT_FOUND',
    'IDEMPOTENCY_CONFLICT',
    'SETTLEMENT_FAILED',
    'INVALID_CHAIN_ID',
    'BAD_REQUEST',
  ]
  const read = ['INVALID_REFERENCE_ID', 'NOT_FOUND', 'SCOPE_DENIED']
  const listed: Record<string, string[]> = {
    createMint: [...post, 'AMOUNT_BELOW_FLOOR', 'FOREIGNER_LIMIT_EXCEEDED'],
    createRedeem: [
      ...post,
      'INSUFFICIENT_BALANCE',
      'AMOUNT_ABOVE_REDEEM_CEILING',
      'FOREIGNER_LIMIT_EXCEEDED',
      'MONTHLY_WITHDRAWAL_LIMIT_EXCEEDED',
    ],
    createTransfer: [
      ...post,
      'INSUFFICIENT_BALANCE',
      'TRANSFER_PER_TX_CAP_EXCEEDED',
      'TRANSFER_DAILY_CAP_EXCEEDED',
      'RECIPIENT_NOT_PERMITTED',
    ],
    cancelMint: [
      'IDEMPOTENCY_KEY_REQUIRED',
      'INVALID_REFERENCE_ID',
      'NOT_FOUND',
      'ORDER_NOT_CANCELLABLE',
      'IDEMPOTENCY_CONFLICT',
      'INVALID_JSON',
    ],
    getMint: read,
    getRedeem: read,
    getTransfer: read,
    getTransaction: read,
    listTransactions: ['BAD_REQUEST', 'SCOPE_DENIED'],
    getBalances: ['INVALID_WALLET_ADDRESS', 'INVALID_CHAIN_ID', 'SCOPE_DENIED', 'SERVICE_UNAVAILABLE'],
    getConfig: ['SCOPE_DENIED'],
    listTokens: ['SCOPE_DENIED'],
    getCustomer: ['SCOPE_DENIED', 'NOT_FOUND'],
    getCorporate: ['SCOPE_DENIED', 'NOT_FOUND'],
  }
  for (const route of ROUTES) {
    const codes: string[] = errorCodesOf(route)
    const withKey = route.kind === 'public' ? [] : ['UNAUTHORIZED', 'IP_NOT_ALLOWED']
    for (const code of [...(listed[route.operationId] ?? []), ...withKey, 'RATE_LIMITED', 'SERVER_ERROR']) {
      assert.ok(codes.includes(code), `${route.operationId}: ${code}`)
    }
  }
})

test('schemas compile, and every example satisfies its schema', () => {
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true })
  const addFormats = formats as unknown as (instance: Ajv2020) => void
  addFormats(ajv)
  ajv.addVocabulary(['components'])
  ajv.addSchema({ $id: 'openapi', components: document.components } as Json, undefined, undefined, false)
  const rebase = (schema: unknown) => JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"openapi#/')) as Json
  let checked = 0
  const checkContent = (where: string, { 'application/json': { schema, examples } }: Content) => {
    const validate = ajv.compile(rebase(schema))
    assert.ok(Object.keys(examples).length > 0, where)
    for (const [name, { value }] of Object.entries(examples)) {
      assert.ok(validate(value), `${where} ${name}: ${ajv.errorsText(validate.errors)}`)
      checked += 1
    }
  }
  const posted = Object.values(document.webhooks).map(({ post }) => post)
  const all = [...operations.map(([, , operation]) => operation), ...posted]
  for (const operation of all) {
    if (operation.requestBody !== undefined) checkContent(operation.operationId, operation.requestBody.content)
    for (const [status, { content }] of Object.entries(operation.responses)) {
      if (content !== undefined) checkContent(`${operation.operationId} ${status}`, content)
    }
    for (const parameter of operation.parameters ?? []) {
      if (parameter.$ref !== undefined) continue
      const validate = ajv.compile(rebase(parameter.schema))
      assert.ok(validate(parameter.example), `${operation.operationId} ${parameter.name}`)
    }
  }
  assert.ok(checked > 150)
})

type ShownOrder = {
  direction: string
  status: string
  amounts: { myr: string | null; coin: string; feeMyr?: string; amountRaw?: string }
  blockchain: { txHash: string | null; blockNumber: string | null }
  timestamps?: { createdAt: string; updatedAt: string | null }
}

/** Every order, and what events tell of one, in an example. */
function ordersIn(value: unknown): ShownOrder[] {
  if (typeof value !== 'object' || value === null) return []
  const inner = Object.values(value).flatMap(ordersIn)
  return 'direction' in value && 'amounts' in value ? [value as ShownOrder, ...inner] : inner
}

test('every order in an example is one that could be, and of the direction that its operation has', () => {
  const posted = Object.values(document.webhooks).map(({ post }): [string, Operation] => [post.operationId, post])
  const all = [...operations.map(([path, , operation]): [string, Operation] => [path, operation]), ...posted]
  let checked = 0
  for (const [path, { operationId, requestBody, responses }] of all) {
    const contents = [requestBody?.content, ...Object.values(responses).map(({ content }) => content)]
    const examples = contents.map((content) => content?.['application/json'].examples)
    for (const order of ordersIn(examples)) {
      const { direction, status, amounts, blockchain, timestamps } = order
      const { [`/${path.split('/')[1]}`]: only = direction } = {
        '/mints': 'MINT',
        '/redeems': 'REDEEM',
        '/transfers': 'TRANSFER',
      } as Record<string, string>
      assert.equal(direction, only, operationId)
      assert.equal(amounts.myr, direction === 'TRANSFER' ? null : amounts.coin, `${operationId}: amounts.myr`)
      if (direction === 'TRANSFER') assert.equal(amounts.feeMyr ?? '0', '0', operationId)
      if (amounts.amountRaw !== undefined)
        assert.equal(BigInt(amounts.amountRaw), microOf(amounts.coin), `${operationId}: amounts.amountRaw`)
      assert.equal(blockchain.txHash !== null, status === 'completed', `${operationId}: txHash`)
      assert.equal(blockchain.blockNumber !== null, status === 'completed', `${operationId}: blockNumber`)
      const isNew = status === 'payment_pending' || status === 'pending'
      if (timestamps !== undefined) assert.equal(timestamps.updatedAt === null, isNew, `${operationId}: updatedAt`)
      checked += 1
    }
  }
  assert.ok(checked >= 12, String(checked))
})

function microOf(amount: string): bigint {
  const parsed = parseAmount(amount)
  assert.ok(parsed.ok, amount)
  return parsed.amountMicro
}

/** The reasons of POLICY_REJECTED that an operation gives. */
const REASONS: Record<string, string[]> = {
  createMint: ['capability_disabled', 'contract_address', 'wallet_denied', 'above_mint_ceiling', 'mint_day_cap'],
  createRedeem: ['wallet_not_linked', 'wallet_frozen', 'no_bank_account', 'below_one_sen'],
  createTransfer: ['no_source_wallet', 'recipient_is_source', 'wallet_not_linked', 'wallet_frozen'],
}

/** The fields of its body and the parameters of its query. */
function namesIn({ requestBody, parameters = [] }: Operation): string[] {
  const { $ref = '', ...own } = requestBody?.content['application/json'].schema ?? {}
  const schema = (document.components.schemas[String($ref).split('/').at(-1) ?? ''] ?? own) as { properties?: Json }
  const query = parameters.flatMap((parameter) => (parameter.in === 'query' ? [String(parameter.name)] : []))
  return [...Object.keys(schema.properties ?? {}), ...query]
}

test('the example of a refusal is one that its operation can give', () => {
  for (const [, , operation] of operations) {
    const examples = operation.responses['400']?.content['application/json'].examples ?? {}
    const metaOf = (code: string) => (examples[code]?.value as { error: { meta?: Json } } | undefined)?.error.meta
    const names = namesIn(operation)
    const field = metaOf('BAD_REQUEST')?.field
    assert.equal(field !== undefined, names.length > 0, `${operation.operationId}: ${String(field)}`)
    if (field !== undefined) assert.ok(names.includes(String(field)), `${operation.operationId}: ${String(field)}`)
    const reason = metaOf('POLICY_REJECTED')?.reason
    if (reason !== undefined) assert.ok(REASONS[operation.operationId]?.includes(String(reason)), operation.operationId)
  }
})

test('what a field or parameter is limited to is also said in words: the pages for people show only these', () => {
  const schemas = document.components.schemas as Record<string, { properties?: Record<string, Json> }>
  const resolved = (schema: Json): Json =>
    typeof schema.$ref === 'string' ? ((schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {}) as Json) : schema
  const fields = ['MintRequest', 'RedeemRequest', 'TransferRequest'].flatMap((name) =>
    Object.entries(schemas[name]?.properties ?? {}).map(([field, schema]) => ({
      name: field,
      schema,
      description: '',
    })),
  )
  const parameters = [
    ...operations.flatMap(([, , operation]) => operation.parameters ?? []),
    ...Object.values(document.components.parameters as Record<string, Json>),
  ].filter(({ $ref }) => $ref === undefined) as { name: string; schema: Json; description: string }[]
  for (const { name, schema, description } of [...fields, ...parameters]) {
    // Which they are, its own words say.
    if (name === 'chainId') continue
    const shape = resolved(schema)
    const said = `${description} ${String(shape.description ?? '')}`
    for (const limit of ['minimum', 'maximum', 'minLength', 'maxLength', 'default'])
      if (shape[limit] !== undefined)
        assert.match(said, new RegExp(`\\b${String(shape[limit])}\\b`), `${name}: ${limit}`)
  }
})

test('what an operator sends to try an endpoint is in the document, and is no event of an order', () => {
  const { orderEvent, testEvent } = document.webhooks
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true })
  ;(formats as unknown as (instance: Ajv2020) => void)(ajv)
  ajv.addVocabulary(['components'])
  const allows = ({ post }: { post: Operation }) => {
    const { schema } = post.requestBody?.content['application/json'] ?? assert.fail()
    return ajv.compile({ ...schema, components: document.components })
  }
  const { request } = testRequest('https://partner.example/', generateWebhookSecret(), new Date())
  const sent: unknown = JSON.parse(request.body)
  const isTest = allows(testEvent)
  assert.ok(isTest(sent), ajv.errorsText(isTest.errors))
  assert.equal(allows(orderEvent)(sent), false)
})

test('an address that may be all of one case is nowhere said to need its checksum', () => {
  const { TransferRequest } = document.components.schemas as Record<string, { properties: Record<string, Json> }>
  const [inPath] = document.paths['/balances/{walletAddress}']?.get?.parameters ?? []
  for (const described of [inPath, TransferRequest?.properties.walletAddress ?? {}]) {
    const text = JSON.stringify(described)
    assert.match(text, /all lower or all upper case/)
    assert.doesNotMatch(text, /EIP-55/)
  }
})

test('the document takes the bankReference and Idempotency-Key that the service takes, and no other', () => {
  const { RedeemRequest } = document.components.schemas as { RedeemRequest: { properties: Json } }
  const { IdempotencyKey } = document.components.parameters as { IdempotencyKey: { schema: Json } }
  const ajv = new Ajv2020({ strict: true })
  const isReference = ajv.compile(RedeemRequest.properties.bankReference as Json)
  const isKey = ajv.compile(IdempotencyKey.schema)
  const smile = '😀'
  // test/api/fields.test.ts and test/api/idempotency.test.ts send the same to the service.
  for (const text of ['', 'INV 2026/0001 – März', 'x'.repeat(255), smile.repeat(255)]) assert.ok(isReference(text))
  for (const text of ['x'.repeat(256), smile.repeat(256), 'nul\0', 'new\nline', 'next\x85'])
    assert.ok(!isReference(text))
  for (const text of ['x', 'x'.repeat(255), 'a key, with: blanks; and "signs"']) assert.ok(isKey(text))
  for (const text of ['', ' ', 'x'.repeat(256), 'ä', 'tab\there', ' x', 'x ']) assert.ok(!isKey(text))
})

test('every served route has its operation: what is registered is what is documented', async () => {
  const printed = api.app.printRoutes({ commonPrefix: false })
  const served = printed.match(/\((GET|POST|HEAD|PUT|DELETE|PATCH|OPTIONS)[^)]*\)/g) ?? []
  const docs = ['/', '/docs', '/docs/*', '/docs.md', '/docs/sandbox.json', '/llms.txt']
  const pages = ['/openapi/stablecoin-partner-v1.json', '/reserves', ...docs]
  assert.equal(served.length, ROUTES.length + pages.length, printed)
})
