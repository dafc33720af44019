// engine: pglite
/**
 * A fuzzer over the served OpenAPI document: no answer is a 5xx, each fits its documented schema, and each carries what
 * all answers carry. 1,500 requests by default; `FUZZ_REQUESTS=50000` for a long run, `FUZZ_SEED` repeats one. A
 * failure prints its seed and the smallest request that shows it.
 */
import assert from 'node:assert/strict'
import { Agent, request } from 'node:http'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { setIntegrationDpa } from '../../src/integrations/integrations.sql.ts'
import { newAddress, newReference, startTestApi, type TestApi } from '../support/api.ts'
import { checkAgainstDocument, seenAnswers } from '../support/openapi-check.ts'
import { type FuzzedRequest, type Known, type OpenApi, requestArbitrary } from './requests.ts'

const REQUESTS = Number(process.env.FUZZ_REQUESTS ?? 1_500)
const SEED = Number(process.env.FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 31))
/** Requests under way at the same time, because races are part of what it looks for. */
const TOGETHER = 4

let api: TestApi
let document: OpenApi
let known: Known
const agent = new Agent({ keepAlive: true, maxSockets: TOGETHER })
const statuses = new Map<number, number>()

before(async () => {
  api = await startTestApi()
  await setIntegrationDpa(api.db, api.integrationId, '2026-01-01')
  document = (await (await fetch(`${api.baseUrl}/openapi/stablecoin-partner-v1.json`)).json()) as OpenApi
  known = await prepare()
})
after(async () => {
  agent.destroy()
  await api.close()
})

async function prepare(): Promise<Known> {
  const rich = await api.makeCustomer({ monthlyCapMicro: 10n ** 15n })
  const foreigner = await api.makeCustomer({ isResident: false, countryCode: 'SG' })
  const others = [
    await api.makeCustomer({ status: 'PENDING' }),
    await api.makeCustomer({ bank: null }),
    await api.makeCustomer({}, await api.makeIntegration()),
  ]
  const wallet = await api.makeWallet(rich, 10n ** 16n)
  const wallets = [wallet, wallet, await api.makeWallet(foreigner, 5_000_000n), newAddress()]
  api.chain.sanctioned.add(newAddress())
  const references = []
  for (const fiatConfirmed of [false, true, false]) {
    const referenceId = newReference()
    const body = { referenceId, amountMyr: '10', walletAddress: newAddress(), customerId: rich, fiatConfirmed }
    assert.equal((await api.post('/v1/mints', body, { idempotencyKey: referenceId })).status, 201)
    references.push(referenceId)
  }
  return {
    customerIds: [rich, rich, rich, rich, rich, foreigner, foreigner, ...others],
    wallets,
    references,
    chainIds: [31_337, 31_338],
    keys: [...Array<string>(8).fill(api.fullKey), await api.makeKey({ scopes: ['mint:create', 'transaction:read'] })],
    idempotencyKeys: references,
  }
}

type FuzzedAnswer = { status: number; headers: Headers; text: string }

function send({ method, target, headers, body }: FuzzedRequest): Promise<FuzzedAnswer> {
  return new Promise((resolve, reject) => {
    const sent = request({ port: api.port, host: '127.0.0.1', agent, method, path: target }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.once('error', reject)
      response.once('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: new Headers(response.headers as Record<string, string>),
          text: Buffer.concat(chunks).toString('utf8'),
        }),
      )
    })
    sent.once('error', reject)
    for (const [name, value] of headers) setHeader(sent, name, value)
    if (body === undefined) sent.end()
    // Without it, Node sends the body of a GET as bytes that belong to no request.
    else sent.setHeader('content-length', body.length).end(body)
  })
}

/** Values that HTTP itself forbids cannot be sent here; the raw socket suite sends those. */
function setHeader(sent: ReturnType<typeof request>, name: string, value: string): void {
  try {
    sent.setHeader(name, value)
  } catch (error) {
    if ((error as { code?: string }).code !== 'ERR_INVALID_CHAR') throw error
  }
}

function judge({ method, target }: FuzzedRequest, { status, headers, text }: FuzzedAnswer): void {
  statuses.set(status, (statuses.get(status) ?? 0) + 1)
  assert.ok(status < 500, `${status}: ${text}`)
  assert.equal(headers.get('x-coin-api-version'), 'v1')
  if (method === 'HEAD') return
  const body = JSON.parse(text) as Record<string, unknown>
  assert.equal(body.ok, status < 400)
  checkAgainstDocument({ method, path: target, status, headers, body })
}

test(`${REQUESTS} requests made from the document: no 5xx, and no answer outside of the document`, {
  timeout: 110_000 + REQUESTS * 40,
}, async () => {
  const requests = fc.array(requestArbitrary(document, known), { minLength: TOGETHER, maxLength: TOGETHER })
  const property = fc.asyncProperty(requests, async (batch) => {
    const answers = await Promise.all(batch.map(send))
    for (const [index, answer] of answers.entries()) judge(batch[index] as FuzzedRequest, answer)
  })
  await fc.assert(property, { seed: SEED, numRuns: Math.ceil(REQUESTS / TOGETHER), endOnFailure: REQUESTS > 5_000 })
  const accepted = (statuses.get(200) ?? 0) + (statuses.get(201) ?? 0)
  assert.ok(accepted > REQUESTS / 5, `only ${accepted} requests were accepted: the fuzzer stays at the gate`)
  const unexpected = api.logLines.filter((line) => line.includes('unexpected error'))
  assert.deepEqual(unexpected, [])
  if (process.env.FUZZ_REQUESTS !== undefined) report()
})

function report(): void {
  console.log(`seed ${SEED}`)
  for (const [status, count] of [...statuses].sort(([a], [b]) => a - b)) console.log(`${status}: ${count}`)
  console.log([...seenAnswers].sort().join('\n'))
}
