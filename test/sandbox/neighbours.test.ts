// engine: pglite; only in test:long
/** Sandboxes beside each other on one machine, and what a start or a reset says when something is in the way. */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { after, describe, it } from 'node:test'
import { isAlive } from '../../src/process-table.ts'
import { freePort } from '../support/ports.ts'
import { temporaryFolder } from '../support/temp.ts'
import { waitFor } from '../support/wait-for.ts'
import { completed, FUNDED_MICRO, get, postMint } from './demo-partner.ts'
import { migratedDataDir } from './migrated.ts'
import {
  chainProcess,
  codeOf,
  endChain,
  launch,
  runProgram,
  type Sandbox,
  startSandbox,
  supplyOf,
  whenStarted,
} from './sandbox-process.ts'

const OTHERS = await migratedDataDir('sandbox')

describe('sandboxes on one machine', () => {
  const settings = { DATA_DIR: path.join(temporaryFolder('sandbox'), 'data') }
  const others = { DATA_DIR: OTHERS }
  let sandbox: Sandbox
  let other: Sandbox
  after(async () => {
    await sandbox?.process.end('SIGTERM')
    await other?.process.end('SIGTERM')
    for (const { DATA_DIR } of [settings, others]) endChain(DATA_DIR)
  })

  it('says what it is doing from the first moment, and answers nobody before everything is there', async () => {
    const port = await freePort()
    const starting = await launch({ ...settings, PORT: String(port) })
    await waitFor('its first words', () =>
      starting.output().startsWith(`Loading the program …\nStarting the sandbox in ${settings.DATA_DIR} …`),
    )
    const health = () => fetch(`http://127.0.0.1:${port}/v1/health`).catch(() => undefined)
    assert.equal(await health(), undefined)
    await waitFor('an answer', health, { timeoutMs: 180_000 })
    for (const step of ['chain runs', 'database is open', 'contracts are deployed', 'customers have their coin']) {
      assert.match(starting.output(), new RegExp(step))
    }
    sandbox = await whenStarted(starting, settings.DATA_DIR)
    assert.equal(await supplyOf(sandbox.dataDir), FUNDED_MICRO)
  })

  it('says what is in the way', async () => {
    const taken = new URL(sandbox.baseUrl).port
    const sameFolder = await launch(settings)
    assert.equal(await codeOf(sameFolder), 1)
    assert.ok(
      sameFolder.output().includes(`The data folder ${settings.DATA_DIR} is in use by process `),
      sameFolder.output(),
    )
    for (const setting of ['PORT', 'OPERATOR_PORT']) {
      const refused = await launch({ ...others, [setting]: taken })
      assert.equal(await codeOf(refused), 1)
      assert.match(refused.output(), new RegExp(`^Port ${taken} is taken.* ${setting}\\.$`, 'm'))
      assert.ok(!existsSync(path.join(others.DATA_DIR, 'chain-process.json')), 'the chain was ended again')
    }
    assert.equal((await get<{ ok: boolean }>(sandbox, '/config')).ok, true)
  })

  it('runs beside another one, which was refused at first', async () => {
    other = await startSandbox(others)
    const [here, there] = await Promise.all([postMint(sandbox), postMint(other)])
    await Promise.all([completed(sandbox, here), completed(other, there)])
    assert.equal(await supplyOf(sandbox.dataDir), FUNDED_MICRO + 10_000_000n)
    assert.equal(await supplyOf(other.dataDir), FUNDED_MICRO + 10_000_000n)
  })

  it('is reset by a command, but not while it runs', async () => {
    const reset = path.join(import.meta.dirname, '../../src/sandbox/reset.ts')
    const env = { DATA_DIR: other.dataDir }
    const refused = await runProgram(process.execPath, [reset], env)
    assert.equal(refused.code, 1)
    assert.ok(refused.output.includes(`The data folder ${other.dataDir} is in use by process `), refused.output)
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
