/** On the PostgreSQL engine the sandbox gets a DATABASE_URL; its chain is embedded either way. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { after, before, describe, it } from 'node:test'
import { isAlive } from '../../src/process-table.ts'
import { createTestDatabase, type TestDatabase, testEngine } from '../support/database.ts'
import { freePort } from '../support/ports.ts'
import { temporaryFolder } from '../support/temp.ts'
import { waitFor } from '../support/wait-for.ts'
import {
  chainProcess,
  codeOf,
  endChain,
  launch,
  printedCommands,
  readmeCommands,
  runProgram,
  type Sandbox,
  startSandbox,
  supplyOf,
} from './sandbox-process.ts'

const FUNDED_MICRO = 121_000_000_000n

const databases: TestDatabase[] = []

/** The settings of a sandbox that is still empty. */
async function newSettings(): Promise<{ DATA_DIR: string; DATABASE_URL?: string }> {
  const DATA_DIR = path.join(temporaryFolder('sandbox'), 'data')
  if (testEngine === 'pglite') return { DATA_DIR }
  const db = await createTestDatabase({ migrated: false })
  databases.push(db)
  return { DATA_DIR, DATABASE_URL: db.url ?? '' }
}

type Order = { status: string; amounts: { amountRaw: string } }

function keyOf({ dataDir }: Sandbox): string {
  return readFileSync(path.join(dataDir, 'sandbox-key'), 'utf8').trim()
}

async function get<T>(sandbox: Sandbox, path: string): Promise<T> {
  const response = await fetch(`${sandbox.baseUrl}${path}`, { headers: { authorization: `Bearer ${keyOf(sandbox)}` } })
  assert.equal(response.status, 200)
  return (await response.json()) as T
}

/** Posts a confirmed mint of 10 for the first demo customer and returns its reference. */
async function postMint(sandbox: Sandbox): Promise<string> {
  const [, customerId, walletAddress] = /resident +(cus_\w+) +(0x\w+)/.exec(sandbox.text) ?? []
  const referenceId = `test-${randomUUID()}`
  const response = await fetch(`${sandbox.baseUrl}/mints`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${keyOf(sandbox)}`,
      'idempotency-key': referenceId,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ referenceId, amountMyr: '10', walletAddress, customerId, fiatConfirmed: true }),
  })
  assert.equal(response.status, 201, await response.text())
  return referenceId
}

async function completed(sandbox: Sandbox, referenceId: string): Promise<void> {
  await waitFor(
    `${referenceId} to be completed`,
    async () => (await get<Order>(sandbox, `/mints/${referenceId}`)).status === 'completed',
    { timeoutMs: 30_000, everyMs: 700 },
  )
}

describe('a sandbox', () => {
  let settings: Awaited<ReturnType<typeof newSettings>>
  let dataDir: string
  let sandbox: Sandbox
  let minted = FUNDED_MICRO
  before(async () => {
    settings = await newSettings()
    dataDir = settings.DATA_DIR
  })
  after(async () => {
    await sandbox?.process.end('SIGTERM')
    endChain(dataDir)
    await Promise.all(databases.map((db) => db.close()))
  })

  it('starts from nothing and shows a key that only its owner can read', async () => {
    sandbox = await startSandbox(settings)
    assert.ok(sandbox.text.includes(keyOf(sandbox)))
    for (const name of ['sandbox-key', 'operator-token', 'secrets-key']) {
      assert.equal(statSync(path.join(dataDir, name)).mode & 0o777, 0o600, name)
    }
    for (const name of ['resident', 'non-resident', 'unverified', 'no bank account', 'enterprise']) {
      assert.match(sandbox.text, new RegExp(`${name} +cus_`))
    }
    assert.equal(await supplyOf(dataDir), FUNDED_MICRO)
  })

  it('prints commands that mint, follow the order to completed and read the balance from the chain', async () => {
    const { code, output } = await runProgram('bash', ['-euc', printedCommands(sandbox.text)], {})
    assert.equal(code, 0, output)
    assert.match(output, /"status":"completed"/)
    assert.match(output, /"balance":"10250\.5"/)
    minted += 250_500_000n
    assert.equal(await supplyOf(dataDir), minted)
  })

  it('answers the first mint exactly as it is in the README', async () => {
    const origin = new URL(sandbox.baseUrl).origin
    const commands = readmeCommands('## A first mint')
      .replaceAll('./.data', '.data')
      .replaceAll('.data', dataDir)
      .replaceAll('http://127.0.0.1:4000', origin)
    const { code, output } = await runProgram('bash', ['-euc', commands], {})
    assert.equal(code, 0, output)
    assert.match(output, /"balance":"10501"/)
    minted += 250_500_000n
    assert.equal(await supplyOf(dataDir), minted)
  })

  it('is walked through by the demo', async () => {
    const port = new URL(sandbox.baseUrl).port
    const demo = path.join(import.meta.dirname, '../../src/sandbox/demo.ts')
    const { code, output } = await runProgram(process.execPath, [demo], { PORT: port, DATA_DIR: dataDir })
    assert.equal(code, 0, output)
    assert.match(output, /completed \/ COMPLETED/)
    assert.doesNotMatch(output, /✗/)
    minted += 120_500_000n - 50_000_000n
    assert.equal(await supplyOf(dataDir), minted)
  })

  it('stops everything it started, and continues with the same data', async () => {
    const { pid } = chainProcess(dataDir)
    const before = sandbox.text
    await sandbox.process.end('SIGINT')
    assert.equal(await codeOf(sandbox.process), 0)
    assert.equal(isAlive(pid), false)
    sandbox = await startSandbox(settings)
    assert.ok(!sandbox.text.includes(keyOf(sandbox)), 'the key is shown once')
    assert.ok(sandbox.text.includes(path.join(dataDir, 'sandbox-key')))
    assert.deepEqual(sandbox.text.match(/cus_\w+/g), before.match(/cus_\w+/g))
    assert.equal(await supplyOf(dataDir), minted)
  })

  it('recovers after kill -9, with the chain it left behind', async () => {
    const referenceId = await postMint(sandbox)
    const { pid } = chainProcess(dataDir)
    await sandbox.process.end('SIGKILL')
    assert.equal(isAlive(pid), true)
    sandbox = await startSandbox(settings)
    assert.equal(chainProcess(dataDir).pid, pid)
    await completed(sandbox, referenceId)
    minted += 10_000_000n
    assert.equal(await supplyOf(dataDir), minted)
  })

  it('recovers after kill -9 of the chain too, in the middle of writing its state', async () => {
    const state = path.join(dataDir, 'chain-state.json')
    await completed(sandbox, await postMint(sandbox))
    minted += 10_000_000n
    const copied = statSync(state).mtimeMs
    await waitFor('a copy of the state', () => {
      const copy = statSync(`${state}.copy`, { throwIfNoEntry: false })
      return copy !== undefined && copy.mtimeMs >= copied
    })
    const referenceId = await postMint(sandbox)
    const { pid } = chainProcess(dataDir)
    await sandbox.process.end('SIGKILL')
    process.kill(pid, 'SIGKILL')
    await waitFor('the chain to be gone', () => !isAlive(pid))
    writeFileSync(state, readFileSync(state, 'utf8').slice(0, -100))
    sandbox = await startSandbox(settings)
    await completed(sandbox, referenceId)
    minted += 10_000_000n
    assert.equal(await supplyOf(dataDir), minted)
  })

  it('says what it is doing from the first moment, and answers nobody before everything is there', async () => {
    const other = await newSettings()
    const port = await freePort()
    const starting = await launch({ ...other, PORT: String(port) })
    try {
      await waitFor('its first words', () =>
        starting.output().startsWith(`Starting the sandbox in ${other.DATA_DIR} …`),
      )
      const health = () => fetch(`http://127.0.0.1:${port}/v1/health`).catch(() => undefined)
      assert.equal(await health(), undefined)
      await waitFor('an answer', health, { timeoutMs: 180_000 })
      for (const step of ['chain runs', 'database is open', 'contracts are deployed', 'customers have their coin']) {
        assert.match(starting.output(), new RegExp(step))
      }
      assert.equal(await supplyOf(other.DATA_DIR), FUNDED_MICRO)
    } finally {
      await starting.end('SIGTERM')
    }
  })

  it('says what is in the way', async () => {
    const other = await newSettings()
    const taken = new URL(sandbox.baseUrl).port
    const sameFolder = await launch(settings)
    assert.equal(await codeOf(sameFolder), 1)
    assert.match(sameFolder.output(), /in use by process/)
    for (const setting of ['PORT', 'OPERATOR_PORT']) {
      const refused = await launch({ ...other, [setting]: taken })
      assert.equal(await codeOf(refused), 1)
      assert.match(refused.output(), new RegExp(`^Port ${taken} is taken.* ${setting}\\.$`, 'm'))
      assert.ok(!existsSync(path.join(other.DATA_DIR, 'chain-process.json')), 'the chain was ended again')
    }
    assert.equal((await get<{ ok: boolean }>(sandbox, '/config')).ok, true)
  })

  it('runs beside another one', async () => {
    const other = await startSandbox(await newSettings())
    try {
      const [here, there] = await Promise.all([postMint(sandbox), postMint(other)])
      await Promise.all([completed(sandbox, here), completed(other, there)])
      minted += 10_000_000n
      assert.equal(await supplyOf(dataDir), minted)
      assert.equal(await supplyOf(other.dataDir), FUNDED_MICRO + 10_000_000n)
    } finally {
      await other.process.end('SIGTERM')
    }
  })

  it('says so when its chain has lost everything, and does not start', async () => {
    await sandbox.process.end('SIGTERM')
    for (const name of ['chain-state.json', 'chain-state.json.copy']) rmSync(path.join(dataDir, name))
    const refused = await launch(settings)
    assert.equal(await codeOf(refused), 1)
    assert.match(refused.output(), /has lost its state.*npm run sandbox:reset/)
  })

  it('is reset by a command, but not while it runs', async () => {
    const other = await startSandbox(await newSettings())
    const reset = path.join(import.meta.dirname, '../../src/sandbox/reset.ts')
    const env = { DATA_DIR: other.dataDir }
    const refused = await runProgram(process.execPath, [reset], env)
    assert.equal(refused.code, 1)
    assert.match(refused.output, /in use by process/)
    const { pid } = chainProcess(other.dataDir)
    await other.process.end('SIGKILL')
    const done = await runProgram(process.execPath, [reset], env)
    assert.equal(done.code, 0, done.output)
    assert.equal(isAlive(pid), false)
    for (const name of ['database', 'chain-state.json', 'sandbox-key', 'demo.json']) {
      assert.ok(!existsSync(path.join(other.dataDir, name)), name)
    }
  })
})
