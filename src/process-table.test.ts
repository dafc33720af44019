import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
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

test('a number that is no process id names no process', () => {
  for (const pid of [0, -1, 1.5, Number.NaN]) assert.equal(isAlive(pid), false)
})
