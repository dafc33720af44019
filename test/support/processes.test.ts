/** The tests' own tools: whatever they start ends with them. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { isAlive } from '../../src/process-table.ts'
import { startAnvil } from './anvil.ts'
import { startGuarded } from './guarded-process.ts'
import { freePort } from './ports.ts'
import { temporaryFolder } from './temp.ts'
import { waitFor } from './wait-for.ts'

async function rpc(url: string, method: string): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [] })
  const response = await fetch(url, { method: 'POST', body, headers: { 'content-type': 'application/json' } })
  return ((await response.json()) as { result: unknown }).result
}

test('anvil starts on its own port with its own chain id, and stops in order', async () => {
  const state = path.join(temporaryFolder('anvil'), 'state.json')
  const [one, two] = await Promise.all([
    startAnvil({ chainId: 4242, args: ['--state', state] }),
    startAnvil({ blockTimeSeconds: 1 }),
  ])
  assert.equal(await rpc(one.rpcUrl, 'eth_chainId'), '0x1092')
  assert.notEqual(one.rpcUrl, two.rpcUrl)
  assert.ok(isAlive(one.pid))
  await one.stop()
  assert.equal(isAlive(one.pid), false)
  assert.ok(existsSync(state), 'its state was written')
  await two.kill()
  assert.equal(isAlive(two.pid), false)
})

test('a requested port that is taken is refused in words', async () => {
  const port = await freePort()
  const first = await startAnvil({ port })
  await assert.rejects(startAnvil({ port }), /anvil did not start/)
  await first.stop()
})

test('a process and its folder are gone when the test process is killed with -9', async () => {
  const folder = temporaryFolder('orphan')
  const module = path.join(import.meta.dirname, 'guarded-process.ts')
  const script = `
    import { startGuarded } from ${JSON.stringify(module)}
    const child = await startGuarded('sleep', ['1000'], { orphanRemoves: ${JSON.stringify(folder)} })
    console.log(child.pid)
    setInterval(() => {}, 1000)`
  const parent = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = await once(parent.stdout, 'data')
  const pid = Number(String(line))
  assert.ok(isAlive(pid))
  parent.kill('SIGKILL')
  await waitFor('the orphan to end', () => !isAlive(pid))
  await waitFor('its folder to go', () => !existsSync(folder))
})

test('the exit code and the output of a guarded process are its own', async () => {
  const child = await startGuarded('/bin/sh', ['-c', 'echo out; echo err >&2; exit 7'])
  assert.equal(await child.exited, 7)
  await waitFor('its output', () => child.output().includes('out') && child.output().includes('err'))
  assert.equal(child.running(), false)
})

test('a command that does not exist is an error', async () => {
  const child = await startGuarded('/does/not/exist', [])
  assert.notEqual(await child.exited, 0)
})

test('a temporary folder is removed when the process ends', async () => {
  const module = path.join(import.meta.dirname, 'temp.ts')
  const record = path.join(temporaryFolder('record'), 'path')
  const script = `
    import { writeFileSync } from 'node:fs'
    import { temporaryFolder } from ${JSON.stringify(module)}
    writeFileSync(${JSON.stringify(record)}, temporaryFolder('gone'))`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'inherit' })
  await once(child, 'exit')
  assert.equal(existsSync(readFileSync(record, 'utf8')), false)
})

test('waiting ends with the reason when the deadline passes', async () => {
  const never = waitFor('the impossible', () => Promise.reject(new Error('because')), { timeoutMs: 1, everyMs: 1 })
  await assert.rejects(never, /in vain for: the impossible \(last: Error: because\)/)
})
