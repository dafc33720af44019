// engine: postgres; both in test:long
/** The whole service runs with recognisable secrets; afterwards nothing that it wrote or said contains one. */
import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { loadConfig } from '../../src/config.ts'
import { openPglite } from '../../src/db/pglite.ts'
import { createLogger } from '../../src/logs/logging.ts'
import { createService } from '../../src/service.ts'
import { deployChain, keyOf } from '../settlement/fixture.ts'
import { startAnvil } from '../support/anvil.ts'
import { newAddress, newReference } from '../support/api.ts'
import { createTestDatabase, testEngine } from '../support/database.ts'
import { temporaryFolder } from '../support/temp.ts'
import { waitFor } from '../support/wait-for.ts'
import { startReceiver } from '../webhooks/http-receiver.ts'
import { dumpRows, readableIn } from './clear-text.ts'

type Json = Record<string, unknown>
const canary = (name: string) => `canary${name}${randomBytes(12).toString('hex')}`

/** A chain with one RPC address that carries a credential, and keys that come from the environment. */
async function chainsFile(folder: string, rpcUrl: string): Promise<string> {
  const { chainId, coin, settlement } = await deployChain(rpcUrl)
  const chain = {
    key: 'test',
    name: 'Test',
    chainId,
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    explorer: { baseUrl: 'https://explorer.example' },
    confirmations: 1,
    rpcUrls: [{ env: 'RPC_URL' }],
    quorum: 1,
    pollIntervalMs: 100,
    bumpAfterBlocks: 8,
    maxFeePerGasGwei: 500,
    coin,
    settlement,
    signers: [{ type: 'key', privateKeyEnv: 'SIGNER_KEY' }],
    linker: { type: 'key', privateKeyEnv: 'LINKER_KEY' },
    pauser: { type: 'key', privateKeyEnv: 'PAUSER_KEY' },
  }
  const file = path.join(folder, 'chains.json')
  writeFileSync(file, JSON.stringify({ chains: [chain] }))
  return file
}

function filesUnder(folder: string): { name: string; bytes: Buffer }[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .map((name) => ({ name, bytes: readFileSync(name) }))
}

test('no secret is in logs, answers, metrics or the database', { timeout: 300_000 }, async () => {
  const folder = temporaryFolder('canaries')
  const anvil = await startAnvil()
  const receiver = await startReceiver()
  const external = testEngine === 'postgres' ? await createTestDatabase({ migrated: false }) : undefined
  const rpcCanary = canary('Rpc')
  const operatorToken = canary('OperatorToken')
  const secretsKey = randomBytes(32).toString('base64')
  const dataDir = path.join(folder, 'data')
  const keys = { SIGNER_KEY: keyOf('signer'), LINKER_KEY: keyOf('linker'), PAUSER_KEY: keyOf('pauser') }
  const settings = {
    ...Object.fromEntries(Object.entries(keys).map(([name, { privateKey }]) => [name, privateKey])),
    CHAINS_FILE: await chainsFile(folder, anvil.rpcUrl),
    RPC_URL: `${anvil.rpcUrl}/?key=${rpcCanary}`,
    DATA_DIR: dataDir,
    DATABASE_URL: external?.url,
    PORT: '0',
    OPERATOR_PORT: '0',
    OPERATOR_TOKEN: operatorToken,
    SECRETS_KEY: secretsKey,
    WEBHOOK_ALLOW_LOOPBACK: 'true',
    LOG_LEVEL: 'debug',
  }
  const config = loadConfig(settings)
  const log: string[] = []
  const logger = createLogger('debug', { write: (line: string) => void log.push(line) })
  const service = createService(config, logger)
  await service.start()
  const portOf = (message: string) => {
    const line = log.find((text) => text.includes(message)) ?? '{}'
    return (JSON.parse(line) as { port: number }).port
  }
  const [apiUrl, operatorUrl] = ['partner API listening', 'operator API listening'].map(
    (message) => `http://127.0.0.1:${portOf(message)}`,
  )
  /** Every answer to callers, except where a secret is shown once by design. */
  const said: string[] = []

  const operate = async (target: string, body: Json, quietly = true) => {
    const headers = { authorization: `Bearer ${operatorToken}`, 'content-type': 'application/json' }
    const response = await fetch(`${operatorUrl}/operator/v1${target}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    })
    const text = await response.text()
    if (quietly) said.push(text)
    assert.equal(response.status, 200, text)
    return JSON.parse(text) as Json
  }
  const call = async (method: string, target: string, headers: Record<string, string>, body?: string) => {
    const response = await fetch(`${apiUrl}${target}`, { method, headers, ...(body === undefined ? {} : { body }) })
    const text = await response.text()
    said.push(text, JSON.stringify([...response.headers]))
    return { status: response.status, body: JSON.parse(text) as Json }
  }

  const { integrationId } = await operate('/integrations', { name: 'Canary' })
  const { apiKey } = await operate('/keys', { integrationId, scopes: 'all' }, false)
  const secret = String(apiKey).slice(-43)
  const bankAccount = '70198234550916'
  const { customerId } = await operate('/customers', {
    integrationId,
    type: 'RETAIL',
    status: 'VERIFIED',
    level: 'TIER_2',
    country: 'MY',
    bankBic: 'MBBEMYKL',
    bankAccount,
    bankName: 'CANARY PERSON',
  })
  const walletAddress = newAddress()
  await operate('/wallets', { customerId, address: walletAddress, primary: true })
  const { secret: webhookSecret } = await operate('/webhooks', { integrationId, url: receiver.url }, false)
  const post = (target: string, body: unknown, more: Record<string, string> = {}) =>
    call(
      'POST',
      target,
      {
        authorization: `Bearer ${apiKey}`,
        'idempotency-key': randomUUID(),
        'content-type': 'application/json',
        ...more,
      },
      typeof body === 'string' ? body : JSON.stringify(body),
    )
  const get = (target: string, authorization = `Bearer ${apiKey}`) => call('GET', target, { authorization })

  const referenceId = newReference()
  const mint = { referenceId, amountMyr: '50', walletAddress, customerId, fiatConfirmed: true }
  assert.equal((await post('/v1/mints', mint)).status, 201)
  await waitFor('the mint', async () => (await get(`/v1/mints/${referenceId}`)).body.status === 'completed', {
    everyMs: 100,
  })
  const redeem = { referenceId: newReference(), amountCoin: '10', walletAddress, customerId }
  assert.equal((await post('/v1/redeems', redeem)).status, 201)
  await waitFor('the redeem', async () => {
    return (await get(`/v1/redeems/${redeem.referenceId}`)).body.status === 'completed'
  })
  await waitFor('events', () => receiver.received.length >= 4)

  // Secrets where they do not belong: in the URL, in a body, in a header of another name, and misspelt.
  await get(`/v1/transactions?api_key=${apiKey}&cursor=${secret}`)
  await get(`/v1/nothing/${apiKey}`, String(apiKey))
  await get('/v1/config', `Bearer ${String(apiKey).replace('sandbox', 'live')}`)
  await post(`/v1/mints?key=${apiKey}`, `{"apiKey":"${apiKey}"`)
  await post('/v1/mints', { ...mint, walletAddress: apiKey }, { 'x-api-key': String(apiKey), cookie: String(apiKey) })
  // Log injection: a client's text cannot begin a line of its own.
  const forged = 'forged\r\n{"level":"info","msg":"forged line"}'
  await get(`/v1/mints/${encodeURIComponent(forged)}`)
  await post('/v1/mints', { ...mint, customerId: forged, referenceId: newReference() }, { 'user-agent': 'x"forged' })
  // Header injection: a client's text comes back in no header.
  const crlf = await get(`/v1/customers/${encodeURIComponent('x\r\nx-injected: 1')}`)
  assert.equal(crlf.status, 403)

  // The chain goes away: its errors name no credential.
  await anvil.kill()
  const refused = await post('/v1/redeems', { ...redeem, referenceId: newReference() })
  assert.equal(refused.status, 502)
  assert.equal((await get(`/v1/balances/${walletAddress}`)).status, 503)
  const health = await fetch(`${operatorUrl}/readyz`)
  const metrics = await fetch(`${operatorUrl}/metrics`)
  said.push(await health.text(), await metrics.text())
  const status = await fetch(`${operatorUrl}/operator/v1/chain/status`, {
    headers: { authorization: `Bearer ${operatorToken}` },
  })
  said.push(await status.text())
  const wrongToken = await fetch(`${operatorUrl}/operator/v1/audit?token=${operatorToken}`)
  said.push(await wrongToken.text())
  await service.stop()
  const mistaken = createService(loadConfig({ ...settings, SECRETS_KEY: 'ab'.repeat(32) }), logger)
  await assert.rejects(mistaken.start(), /^DatabaseUnsuitableError: SECRETS_KEY is not the key/)

  const db = external ?? (await openPglite({ dataDir: path.join(dataDir, 'database') }))
  const rows = await dumpRows(db)
  const stored = rows.map(({ table, row }) => `${table}: ${row}\n`).join('')
  await db.close()
  await receiver.close()

  const secrets: Record<string, string> = {
    'API key': secret,
    'operator token': operatorToken,
    'webhook secret': String(webhookSecret).slice('whsec_'.length),
    'RPC credential': rpcCanary,
    'secrets key': secretsKey,
    ...Object.fromEntries(Object.entries(keys).map(([name, { privateKey }]) => [name, privateKey.slice(2)])),
  }
  const password = external?.url === undefined ? '' : new URL(external.url).password
  if (password !== '') secrets['database password'] = password
  assert.ok(stored.includes(referenceId) && log.length > 20 && said.length > 20, 'there was something to search')
  const places: Record<string, string> = {
    'the log': log.join(''),
    answers: said.join('\n'),
    'the database': stored,
    'delivered events': JSON.stringify(receiver.received),
  }
  for (const [name, value] of Object.entries(secrets)) {
    for (const [place, text] of Object.entries(places)) {
      assert.deepEqual(readableIn(text, [value]), [], `${name} is in ${place}`)
    }
    for (const { name: file, bytes } of filesUnder(dataDir)) assert.ok(!bytes.includes(value), `${name} is in ${file}`)
  }

  const personal = [bankAccount, 'CANARY PERSON', '512345678901', 'Aminah Demo']
  const inClear = stored.split('\n').filter((line) => readableIn(line, personal).length > 0)
  assert.deepEqual(inClear, [], 'a bank account or its holder stands in clear in the database')
  for (const place of ['the log', 'delivered events']) {
    assert.ok(!places[place]?.includes(bankAccount) && !places[place]?.includes('CANARY PERSON'), place)
  }
  for (const line of log) assert.doesNotThrow(() => JSON.parse(line), `not one JSON object a line: ${line}`)
  assert.ok(!log.some((line) => line.includes('forged')), 'what a client wrote is logged')
})
