// engine: pglite
/** docs/SANDBOX.md: every outcome is brought about by asking for it, over HTTP, on a sandbox as `npm start` runs it. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { DIRECTIONS } from '../../src/orders/order.ts'
import { rpc } from '../../src/sandbox/chain/rpc.ts'
import { CUSTOMER_SCENARIO_NAMES } from '../../src/sandbox/on-demand/customer-scenarios.ts'
import { KEY_SCENARIO_NAMES } from '../../src/sandbox/on-demand/key-scenarios.ts'
import type { Try } from '../../src/sandbox/on-demand/try.ts'
import { atLeast, waitFor } from '../support/wait-for.ts'
import { startReceiver } from '../webhooks/http-receiver.ts'
import { keyOf } from './demo-partner.ts'
import { migratedDataDir } from './migrated.ts'
import { chainProcess, endChain, type Sandbox, startSandbox } from './sandbox-process.ts'

const ROOT = path.join(import.meta.dirname, '../..')
const DATA_DIR = await migratedDataDir('on-demand')
/** Longer waits are left to outcomes.test.ts, which lets time pass by itself. */
const MOST_WAITED_SECONDS = 60
const BLOCK_MS = 150

type Json = Record<string, unknown>
type Answer = { status: number; body: Json; replay: boolean }
type Made = Json & { customerId: string; walletAddress: string; apiKey: string | null; tryIt: Try[] }

let sandbox: Sandbox
let operatorUrl: string
let ours: string
let theirs: string
let ownIntegration: string
const mining = new AbortController()
/** False while the chain's own pace is what is tested. */
let hurries = true
/** Codes and ends of orders that were really seen. */
const seenCodes = new Set<string>()
const seenOrders = new Set<string>()
/** What was asked for with the partner's own key, as the audit log names it. */
const askedFor = new Set<string>()
/** Code → the answer that the page of errors shows. */
const documented = new Map<string, unknown>()

async function operate<T = Json>(target: string, body?: Json): Promise<T> {
  const token = readFileSync(path.join(DATA_DIR, 'operator-token'), 'utf8').trim()
  const response = await fetch(`${operatorUrl}/operator/v1${target}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  assert.equal(response.status, 200, text)
  return JSON.parse(text) as T
}

/** A partner with a key that may send as much as it likes. */
async function newPartner(name: string): Promise<{ integrationId: string; apiKey: string }> {
  const { integrationId } = await operate<{ integrationId: string }>('/integrations', { name })
  await operate(`/integrations/${integrationId}/set`, { dpaSignedOn: '2026-01-01' })
  const rates = { rateRead: 100_000, rateWrite: 100_000, rateBalances: 100_000 }
  const { apiKey } = await operate<{ apiKey: string }>('/keys', { integrationId, scopes: 'all', ...rates })
  return { integrationId, apiKey }
}

async function call(
  method: string,
  target: string,
  {
    key = ours,
    idempotencyKey,
    body,
    headers = {},
  }: { key?: string; idempotencyKey?: string | null; body?: string; headers?: Record<string, string> },
): Promise<Answer> {
  const response = await fetch(`${new URL(sandbox.baseUrl).origin}${target}`, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(typeof idempotencyKey === 'string' ? { 'idempotency-key': idempotencyKey } : {}),
      ...headers,
    },
    ...(body === undefined ? {} : { body }),
  })
  const replay = response.headers.get('x-coin-idempotent-replay') === 'true'
  return { status: response.status, body: (await response.json()) as Json, replay }
}

/** What the audit log keeps of each request. */
const ACTIONS: Readonly<Record<string, readonly string[]>> = {
  customers: ['sandbox.customer', 'sandbox.customer.begun'],
  keys: ['sandbox.key'],
  webhooks: ['sandbox.webhooks'],
  payouts: ['sandbox.payouts'],
  chain: ['sandbox.chain'],
}

/** Asks for an outcome. */
async function ask(
  target: string,
  body: Json,
  { key = ours, idempotencyKey = randomUUID() as string } = {},
): Promise<Answer> {
  const answer = await call('POST', `/v1/sandbox/${target}`, { key, idempotencyKey, body: JSON.stringify(body) })
  if (answer.status === 201 && key === ours) for (const action of ACTIONS[target] ?? []) askedFor.add(action)
  return answer
}

/** On a busy machine making something may take longer than a request may: then it is sent again, and goes on. */
async function made(target: string, body: Json, key = ours): Promise<Made> {
  const idempotencyKey = randomUUID()
  let answer = await ask(target, body, { key, idempotencyKey })
  for (let again = 0; again < 10 && codeOf(answer) === 'SERVICE_UNAVAILABLE'; again += 1)
    answer = await ask(target, body, { key, idempotencyKey })
  assert.equal(answer.status, 201, JSON.stringify(answer.body))
  return answer.body as Made
}

const codeOf = ({ body }: Answer) => (body.error as { code?: string } | undefined)?.code
const reasonOf = ({ body }: Answer) => (body.error as { meta?: { reason?: string } } | undefined)?.meta?.reason

/** The fields of an error with their kinds, its code and message as they are. @param ownMeta what its reason adds to `meta` */
function shapeOf(body: unknown, ownMeta: Json, beginning = ''): unknown {
  const { ok, error } = body as { ok: boolean; error: { code: string; message: string; meta?: Json } }
  const { meta, ...said } = error
  const kinds = Object.entries({ ...meta, ...ownMeta }).map(([name, value]) => [
    name,
    Array.isArray(value) ? `list of ${typeof value[0]}` : typeof value,
  ])
  // After the message of its code an answer may say what to do.
  const message = said.message.startsWith(`${beginning} `) ? beginning : said.message
  return { ok, ...said, message, meta: Object.fromEntries(kinds), hasMeta: meta !== undefined }
}

const messageOf = (body: unknown): string => (body as { error: { message: string } }).error.message

/** The answers that the page of errors shows. */
async function readDocumented(): Promise<void> {
  const page = await (await fetch(`${new URL(sandbox.baseUrl).origin}/docs/errors.md`)).text()
  for (const [, code = '', json = ''] of page.matchAll(/^### `([A-Z_]+)`\n(?:(?!^### ).*\n)*?```json\n([^`]*)```$/gm))
    documented.set(code, JSON.parse(json))
}

/** Sends a request as it was given to try. */
async function send({ method, path: target, idempotencyKey, body, add, expect }: Try, key: string): Promise<Answer> {
  const text = body === undefined ? undefined : JSON.stringify(body) + (add?.to === 'body' ? ' '.repeat(add.bytes) : '')
  const headers: Record<string, string> = add?.to === 'headers' ? { 'x-own': 'x'.repeat(add.bytes) } : {}
  const sent = call(method, target, {
    key,
    headers,
    ...(text === undefined ? {} : { body: text }),
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
  })
  if (expect.status !== 0) return await sent
  await assert.rejects(sent)
  return { status: 0, body: {}, replay: false }
}

/** Tries what an answer says, in its order, and sees that it is so. */
async function tryAll(where: string, { tryIt, apiKey }: Pick<Made, 'tryIt' | 'apiKey'>): Promise<void> {
  assert.ok(tryIt.length > 0, where)
  const awaited: Promise<void>[] = []
  for (const one of tryIt) {
    const { expect } = one
    const key = apiKey ?? ours
    let answer = await send(one, key)
    for (let sent = 1; sent < (one.repeat ?? 1) && answer.status !== expect.status; sent += 1)
      answer = await send(one, key)
    const told = `${where}, ${one.says}: ${JSON.stringify(answer.body)}`
    assert.deepEqual(
      [answer.status, codeOf(answer), reasonOf(answer)],
      [expect.status, expect.code, expect.reason],
      told,
    )
    if (expect.code !== undefined) {
      const shown = documented.get(expect.code)
      const own = expect.reason === 'mint_day_cap' ? { capMyr: '', committedMyr: '' } : {}
      assert.deepEqual(
        shapeOf(answer.body, own, messageOf(shown)),
        shapeOf(shown, own),
        `as the page of errors shows it: ${told}`,
      )
      seenCodes.add(expect.code)
    }
    if (expect.order === undefined) continue
    const end = ended(told, String(answer.body.referenceId), expect.order)
    // The next request may be what ends an order that waits.
    if (expect.order.status === 'payment_pending') await end
    else awaited.push(end)
  }
  await Promise.all(awaited)
}

async function ended(told: string, referenceId: string, order: NonNullable<Try['expect']['order']>): Promise<void> {
  const { status, phase, withinSeconds } = order
  if (withinSeconds > MOST_WAITED_SECONDS) return
  const read = () => call('GET', `/v1/transactions/${referenceId}`, {})
  await waitFor(
    `${told} to become ${status} / ${phase}`,
    async () => {
      const { body } = await read()
      if (body.status !== status || body.phase !== phase) throw new Error(`${body.status} / ${body.phase}`)
      return seenOrders.add(`${body.direction} ${status} ${phase}`)
    },
    { timeoutMs: atLeast(3_000 * withinSeconds), everyMs: 100 },
  )
}

/** A few at a time: the wallets are linked one after the other anyway. */
async function eachOf<T>(names: readonly T[], work: (name: T) => Promise<void>): Promise<void> {
  const queue = [...names]
  const worker = async () => {
    for (let name = queue.shift(); name !== undefined; name = queue.shift()) await work(name)
  }
  await Promise.all(Array.from({ length: 6 }, worker))
}

const onChain = <T>(method: string, params: readonly unknown[] = []) =>
  rpc<T>(`http://127.0.0.1:${chainProcess(DATA_DIR).port}`, method, params)

/** Makes the blocks come faster than every second. */
async function mine(): Promise<void> {
  while (!mining.signal.aborted) {
    if (hurries) await onChain('evm_mine').catch(() => {})
    await sleep(BLOCK_MS, undefined, { signal: mining.signal }).catch(() => {})
  }
}

/** A key that expires soon, seen to work before it does: on a busy machine one that lasts longer. */
async function aliveKey(scenario: string): Promise<Made> {
  for (const seconds of [5, 15, 45]) {
    const answer = await made('keys', { scenario, seconds })
    const [first] = answer.tryIt
    assert.ok(first !== undefined)
    const { status } = await send(first, answer.apiKey ?? '')
    if (status === first.expect.status) return answer
    assert.ok(Date.now() >= Date.parse(String(answer.expiresAt)), `${status} before it expires`)
  }
  return assert.fail('each key expired before it was used')
}

describe('outcomes on demand', () => {
  before(async () => {
    sandbox = await startSandbox({ DATA_DIR })
    await readDocumented()
    operatorUrl = /Operator API (\S+)/.exec(sandbox.text)?.[1] ?? ''
    const [one, other] = [await newPartner('One'), await newPartner('Other')]
    ours = one.apiKey
    ownIntegration = one.integrationId
    theirs = other.apiKey
    void mine()
  })
  after(async () => {
    mining.abort()
    await sandbox?.process.end('SIGTERM')
    endChain(DATA_DIR)
  })

  it('each customer that can be asked for shows what it is said to show', async () => {
    await eachOf(CUSTOMER_SCENARIO_NAMES, async (scenario) => tryAll(scenario, await made('customers', { scenario })))
  })

  it('each key that can be asked for shows what it is said to show', async () => {
    await eachOf(KEY_SCENARIO_NAMES, async (scenario) => {
      const soon = scenario === 'expires_soon'
      if (!soon) return await tryAll(scenario, await made('keys', { scenario }))
      const { tryIt, apiKey } = await aliveKey(scenario)
      await waitFor(
        'the key to expire',
        async () => (await call('GET', '/v1/config', { key: apiKey ?? '' })).status === 401,
      )
      await tryAll(scenario, { apiKey, tryIt: tryIt.slice(1) })
    })
  })

  it('the coin of a redeem whose payout came back is minted back; nobody gets somebody else’s', async () => {
    const refunded = (referenceId: string) => ({ scenario: 'refunded', referenceId })
    const redeemed = async (scenario: string) => {
      const customer = await made('customers', { scenario })
      await tryAll(scenario, customer)
      const referenceId = (customer.tryIt[0]?.body as Json | undefined)?.referenceId
      return { referenceId: String(referenceId), walletAddress: customer.walletAddress }
    }
    const coinIn = async (wallet: string) => {
      const { body } = await call('GET', `/v1/balances/${wallet}`, {})
      return (body.balances as { balance: string }[] | undefined)?.[0]?.balance
    }
    const ends = { payout_refused: ['failed', 'FAILED'], payout_returned: ['completed', 'REFUNDED'] } as const
    await eachOf(Object.entries(ends), async ([scenario, [status, phase]]) => {
      const { referenceId, walletAddress } = await redeemed(scenario)
      assert.equal(await coinIn(walletAddress), '987.5')
      assert.equal(codeOf(await ask('payouts', refunded(referenceId), { key: theirs })), 'NOT_FOUND')
      await made('payouts', refunded(referenceId))
      await ended(scenario, referenceId, { status, phase, withinSeconds: 30 })
      assert.equal(await coinIn(walletAddress), '1000')
      assert.equal(codeOf(await ask('payouts', refunded(referenceId))), 'NOT_FOUND', 'once')
    })
    const paid = await redeemed('payout_late')
    assert.equal(codeOf(await ask('payouts', refunded(paid.referenceId))), 'NOT_FOUND', 'it did not come back')
    assert.equal(codeOf(await ask('payouts', refunded('x'))), 'INVALID_REFERENCE_ID')
  })

  it('so every row of the contract’s error table was brought about, and every end of an order', () => {
    const document = readFileSync(path.join(ROOT, 'docs/ERRORS.md'), 'utf8')
    const codes = [...document.matchAll(/^\| `([A-Z_]+)` \| \d+ \|/gm)].map(([, code]) => code)
    assert.ok(codes.length > 30)
    assert.deepEqual(
      codes.filter((code) => !seenCodes.has(code ?? '')),
      [],
    )
    const ends = DIRECTIONS.flatMap((direction) => [`${direction} completed COMPLETED`, `${direction} failed FAILED`])
    const others = ['MINT payment_pending PAYMENT_PENDING', 'MINT cancelled FAILED', 'REDEEM processing PAYOUT_PENDING']
    const payouts = [
      'REDEEM processing PAYOUT_REJECTED',
      'REDEEM completed PAYOUT_RETURNED',
      'REDEEM completed REFUNDED',
    ]
    assert.deepEqual(
      [...ends, ...others, ...payouts].filter((end) => !seenOrders.has(end)),
      [],
    )
  })

  it('what it is asked is answered once: again the same, and otherwise not at all', async () => {
    const idempotencyKey = randomUUID()
    const [one, same] = await Promise.all(
      [1, 2].map(() => ask('customers', { scenario: 'no_wallet' }, { idempotencyKey })),
    )
    assert.deepEqual(one?.body, same?.body)
    assert.deepEqual([one?.replay, same?.replay].sort(), [false, true])
    const again = await ask('customers', { scenario: 'no_wallet' }, { idempotencyKey })
    assert.deepEqual([again.status, again.replay, again.body], [201, true, one?.body])
    assert.equal(codeOf(await ask('customers', { scenario: 'foreigner' }, { idempotencyKey })), 'IDEMPOTENCY_CONFLICT')
    assert.equal(codeOf(await ask('keys', { scenario: 'revoked' }, { idempotencyKey })), 'IDEMPOTENCY_CONFLICT')
    const { customerId, walletAddress } = one?.body ?? {}
    const mint = JSON.stringify({ referenceId: randomUUID(), amountMyr: '20', walletAddress, customerId })
    assert.equal(codeOf(await call('POST', '/v1/mints', { body: mint, idempotencyKey })), 'IDEMPOTENCY_CONFLICT')
    const foreign = await ask('customers', { scenario: 'no_wallet' }, { idempotencyKey, key: theirs })
    assert.notEqual(foreign.body.customerId, one?.body.customerId)
  })

  it('what is made is nobody else’s, and refusals say which field is wrong', async () => {
    const customer = await made('customers', { scenario: 'no_wallet' })
    const read = (key: string) => call('GET', `/v1/customers/${customer.customerId}`, { key })
    assert.deepEqual([(await read(ours)).status, (await read(theirs)).status], [200, 404])
    for (const [target, body, field] of [
      ['customers', { scenario: 'toString' }, 'scenario'],
      ['customers', {}, 'scenario'],
      ['keys', { scenario: 'server_error', times: 101 }, 'times'],
      ['keys', { scenario: 'expires_soon', seconds: 3_601 }, 'seconds'],
      ['keys', { scenario: 'expires_soon', seconds: '5' }, 'seconds'],
    ] as const) {
      const { body: refusal } = await ask(target, body)
      assert.deepEqual((refusal.error as Json).meta, { field })
    }
  })

  it('a key that was asked for has no more than the one that asked', async () => {
    const expires = new Date(Date.now() + 60_000).toISOString()
    const limits = {
      scopes: 'mint:create,mint:read,config:read',
      ipAllowlist: ['127.0.0.0/8'],
      mintDayCap: '5',
      expires,
    }
    const { apiKey } = await operate<{ apiKey: string }>('/keys', { integrationId: ownIntegration, ...limits })
    const key = await made('keys', { scenario: 'server_error' }, apiKey)
    assert.deepEqual(key.scopes, ['mint:create', 'mint:read', 'config:read'])
    assert.deepEqual((await made('keys', { scenario: 'read_only' }, apiKey)).scopes, ['mint:read', 'config:read'])
    assert.equal(key.expiresAt, expires)
    const { keys } = await operate<{ keys: Json[] }>(`/keys?integrationId=${ownIntegration}&limit=200`)
    const stored = keys.find(({ keyId }) => keyId === key.keyId)
    assert.deepEqual([stored?.ipAllowlist, stored?.mintDayCap], [['127.0.0.0/8'], '5'])
    assert.equal(codeOf(await ask('customers', { scenario: 'verified' }, { key: apiKey })), 'SCOPE_DENIED')

    const idempotencyKey = randomUUID()
    const asked = { scenario: 'rate_limited' }
    assert.equal((await ask('keys', asked, { idempotencyKey })).status, 201)
    const ofAnother = await ask('keys', asked, { idempotencyKey, key: apiKey })
    assert.equal(codeOf(ofAnother), 'IDEMPOTENCY_CONFLICT', 'a key with more than it has is not shown to it')
  })

  it('a fault touches no other key, and as many requests as were asked for', async () => {
    const { apiKey } = await made('keys', { scenario: 'service_unavailable', times: 3 })
    const statuses = async (key: string) => {
      const answers = await Promise.all([1, 2, 3, 4, 5].map(() => call('GET', '/v1/config', { key })))
      return answers.map(({ status }) => status).sort()
    }
    assert.deepEqual(await statuses(apiKey ?? ''), [200, 200, 503, 503, 503])
    assert.deepEqual(await statuses(ours), [200, 200, 200, 200, 200])
  })

  it('an order whose answer is lost was accepted, and is answered again', async () => {
    const { customerId, walletAddress } = await made('customers', { scenario: 'no_wallet' })
    const { apiKey } = await made('keys', { scenario: 'no_answer' })
    const referenceId = `lost-${randomUUID()}`
    const body = JSON.stringify({ referenceId, amountMyr: '10', walletAddress, customerId })
    const post = () => call('POST', '/v1/mints', { key: apiKey ?? '', idempotencyKey: referenceId, body })
    await assert.rejects(post())
    const answer = await post()
    assert.deepEqual([answer.status, answer.replay, answer.body.referenceId], [201, true, referenceId])
  })

  it('webhooks come twice, and in another order; nobody gets somebody else’s', async () => {
    const receiver = await startReceiver()
    await operate('/webhooks', { integrationId: ownIntegration, url: `${receiver.url}/hook` })
    try {
      const { customerId, walletAddress } = await made('customers', { scenario: 'no_wallet' })
      const referenceId = `hook-${randomUUID()}`
      // Orders of the tests before may still end.
      const received = () =>
        receiver.received
          .filter(({ body }) => body.includes(referenceId))
          .map(({ body }) => JSON.parse(body) as { id: string; type: string })
      const body = JSON.stringify({ referenceId, amountMyr: '10', walletAddress, customerId, fiatConfirmed: true })
      await call('POST', '/v1/mints', { idempotencyKey: referenceId, body })
      await waitFor('both webhooks', () => received().length === 2)
      const [pending, completed] = received().toSorted((a, b) => Number(b.type > a.type) - 0.5)
      assert.deepEqual([pending?.type, completed?.type], ['mint.pending', 'mint.completed'])

      assert.equal((await made('webhooks', { scenario: 'duplicate', referenceId })).scheduled, 2)
      await waitFor('both again', () => received().length === 4)
      const ids = (of: { id: string }[]) => of.map(({ id }) => id).sort()
      assert.deepEqual(ids(received().slice(2)), ids(received().slice(0, 2)))

      const reversed = [completed?.id, pending?.id]
      const seen: (string | undefined)[] = []
      // Two seconds apart: a courier without a processor for as long sends both at once.
      for (let time = 1; time <= 3 && seen.join() !== reversed.join(); time += 1) {
        const before = received().length
        assert.equal((await made('webhooks', { scenario: 'out_of_order', referenceId })).scheduled, 2)
        await waitFor('both once more', () => received().length === before + 2)
        seen.splice(
          0,
          2,
          ...received()
            .slice(before)
            .map(({ id }) => id),
        )
      }
      assert.deepEqual(seen, reversed)

      assert.equal(codeOf(await ask('webhooks', { scenario: 'duplicate', referenceId }, { key: theirs })), 'NOT_FOUND')
      assert.equal(codeOf(await ask('webhooks', { scenario: 'duplicate', referenceId: 'x' })), 'INVALID_REFERENCE_ID')
    } finally {
      await receiver.close()
    }
  })

  it('the chain is slow, changes its mind and does not answer, when it is asked to', async () => {
    const { customerId, walletAddress } = await made('customers', { scenario: 'verified' })
    const mint = async () => {
      const referenceId = `chain-${randomUUID()}`
      const body = JSON.stringify({ referenceId, amountMyr: '10', walletAddress, customerId, fiatConfirmed: true })
      assert.equal((await call('POST', '/v1/mints', { idempotencyKey: referenceId, body })).status, 201)
      return referenceId
    }
    const completed = (referenceId: string) =>
      waitFor(
        `${referenceId} to be completed`,
        async () => (await call('GET', `/v1/mints/${referenceId}`, {})).body.status === 'completed',
        { everyMs: 100 },
      )
    type Block = { number: string; hash: string; transactions: string[] }
    const block = (number: string) => onChain<Block | null>('eth_getBlockByNumber', [number, false])
    hurries = false
    try {
      const held = performance.now()
      const blockNumber = async () => Number(await onChain<string>('eth_blockNumber'))
      await made('chain', { scenario: 'slow_block', seconds: 3 })
      const newest = await blockNumber()
      const slow = await mint()
      // One block may have been on its way.
      await waitFor('two more blocks', async () => (await blockNumber()) >= newest + 2)
      assert.ok(performance.now() - held > 3_000)
      await completed(slow)

      // A busy machine may look too late.
      let isReplaced = false
      for (let time = 1; time <= 3 && !isReplaced; time += 1) {
        let number = await blockNumber()
        await made('chain', { scenario: 'reorganisation' })
        const reorganised = await mint()
        const holding = await waitFor('a block with its transaction', async () => {
          const next = await block(`0x${(number + 1).toString(16)}`)
          if (next === null) return undefined
          number += 1
          return next.transactions.length > 0 ? next : undefined
        })
        await completed(reorganised)
        isReplaced = (await block(holding.number))?.hash !== holding.hash
      }
      assert.ok(isReplaced, 'another block stands in its place')

      const inTheDark = async () => {
        const referenceId = `dark-${randomUUID()}`
        const redeem = JSON.stringify({ referenceId, amountCoin: '1', walletAddress, customerId })
        return await Promise.all([
          call('GET', `/v1/balances/${walletAddress}`, {}),
          call('POST', '/v1/redeems', { idempotencyKey: randomUUID(), body: redeem }),
        ])
      }
      let codes: (string | undefined)[] = []
      // A busy machine may ask when it is over.
      for (const seconds of [7, 20, 60]) {
        const asked = performance.now()
        await made('chain', { scenario: 'unreadable', seconds })
        codes = (await inTheDark()).map(codeOf)
        // A timer may be early by as much as its process was busy.
        if (performance.now() - asked < seconds * 1_000 - 1_000) break
      }
      assert.deepEqual(codes, ['SERVICE_UNAVAILABLE', 'SETTLEMENT_FAILED'])
      await completed(await mint())
    } finally {
      hurries = true
    }
    assert.equal(codeOf(await ask('chain', { scenario: 'unreadable', seconds: 61 })), 'BAD_REQUEST')
  })

  it('its document describes them, and the audit log names who asked', async () => {
    const origin = new URL(sandbox.baseUrl).origin
    const document = (await (await fetch(`${origin}/openapi/stablecoin-partner-v1.json`)).json()) as {
      paths: Record<string, { post: { responses: Record<string, { content: Record<string, { schema: Json }> }> } }>
    }
    const ajv = new Ajv2020({ strict: false })
    for (const [target, scenario] of [
      ['customers', 'wrong_requests'],
      ['keys', 'low_rates'],
    ] as const) {
      const schema = document.paths[`/sandbox/${target}`]?.post.responses['201']?.content['application/json']?.schema
      const isValid = ajv.compile(schema ?? {})
      assert.ok(isValid(await made(target, { scenario })), ajv.errorsText(isValid.errors))
    }
    assert.match(await (await fetch(`${origin}/docs/sandbox`)).text(), /payout_returned/)
    const { entries } = await operate<{ entries: Json[] }>(
      `/audit?actor=${encodeURIComponent(`integration ${ownIntegration}`)}`,
    )
    // Parts of this file may run alone.
    assert.deepEqual(new Set(entries.map(({ action }) => action)), askedFor)
    assert.ok(!JSON.stringify(entries).includes(keyOf(sandbox)))
  })

  it('the books agree after all of it', async () => {
    const report = await operate<{ differences: { kind: string }[] }>('/reconcile')
    const expected = ['payout_rejected', 'payout_returned', 'payout_not_reported']
    assert.deepEqual(
      report.differences.filter(({ kind }) => !expected.includes(kind)),
      [],
    )
  })
})
