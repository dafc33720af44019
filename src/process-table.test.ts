import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { commandOf, isAlive, startOf } from './process-table.ts'

test('a process is alive from its start to its end, with one start time', async () => {
  const child = spawn(process.execPath, ['-e', 'console.log(1); setInterval(() => {}, 1000)'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(child.stdout, 'data')
  const pid = child.pid ?? 0
  const start = startOf(pid)
  assert.ok(isAlive(pid) && start !== undefined && start === startOf(pid))
  assert.match(commandOf(pid) ?? '', /setInterval/)
  child.kill('SIGKILL')
  await once(child, 'exit')
  assert.deepEqual([isAlive(pid), startOf(pid), commandOf(pid)], [false, undefined, undefined])
})

test('a process lives although no more files may be opened to read of it', {
  skip: process.platform === 'win32',
}, () => {
  const table = JSON.stringify(new URL('process-table.ts', import.meta.url).href)
  const program = `const { openSync } = await import('node:fs'); const { isAlive, startOf } = await import(${table})
    const { pid } = process; try { for (;;) openSync('/dev/null') } catch {}
    const read = () => { try { return startOf(pid) } catch ({ code }) { return code } }
    console.log(isAlive(pid), isAlive(2 ** 30), read())`
  const limited = `ulimit -n 64; exec "$0" --input-type=module -e "$1"`
  const { stdout, stderr } = spawnSync('/bin/sh', ['-c', limited, process.execPath, program], { encoding: 'utf8' })
  assert.equal(stdout, 'true false EMFILE\n', stderr)
})

test('a number that is no process id names no process', () => {
  for (const pid of [0, -1, 1.5, Number.NaN]) assert.equal(isAlive(pid), false)
})
