// engine: pglite; both in test:long
/** On the PostgreSQL engine the sandbox gets a DATABASE_URL; its chain is embedded either way. */
import assert from 'node:assert/strict'
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { after, before, describe, it } from 'node:test'
import { isAlive } from '../../src/process-table.ts'
import { createTestDatabase, type TestDatabase, testEngine } from '../support/database.ts'
import { temporaryFolder } from '../support/temp.ts'
import { waitFor } from '../support/wait-for.ts'
import { completed, FUNDED_MICRO, keyOf, postMint } from './demo-partner.ts'
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

const databases: TestDatabase[] = []

/** The settings of a sandbox that is still empty. */
async function newSettings(): Promise<{ DATA_DIR: string; DATABASE_URL?: string }> {
  const DATA_DIR = path.join(temporaryFolder('sandbox'), 'data')
  if (testEngine === 'pglite') return { DATA_DIR }
  const db = await createTestDatabase({ migrated: false })
  databases.push(db)
  return { DATA_DIR, DATABASE_URL: db.url ?? '' }
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
    assert.match(
      sandbox.text,
      /^Loading the program …\nStarting the sandbox in .+ …\n {2}opening the database, starting the local chain …\n/,
    )
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
    const operator = new URL(/Operator API (\S+)/.exec(sandbox.text)?.[1] ?? '').port
    const settings = { PORT: port, OPERATOR_PORT: operator, DATA_DIR: dataDir }
    const { code, output } = await runProgram(process.execPath, [demo], settings)
    assert.equal(code, 0, output)
    assert.match(output, /✓ the ringgit at the bank covers the coin/)
    assert.match(output, /completed \/ COMPLETED/)
    assert.doesNotMatch(output, /✗/)
    minted += 120_500_000n - 50_000_000n
    assert.equal(await supplyOf(dataDir), minted)
  })

  it('stops everything it started, and continues with the same data', async () => {
    const { pid } = chainProcess(dataDir)
    const before = sandbox.text
    await sandbox.process.end('SIGINT', 60_000)
    assert.equal(await codeOf(sandbox.process), 0, sandbox.process.output())
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

  it('says so when its chain has lost everything, and does not start', async () => {
    await sandbox.process.end('SIGTERM')
    for (const name of ['chain-state.json', 'chain-state.json.copy']) rmSync(path.join(dataDir, name))
    const refused = await launch(settings)
    assert.equal(await codeOf(refused), 1)
    assert.match(refused.output(), /has lost its state.*npm run sandbox:reset/)
  })
})
