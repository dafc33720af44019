import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { FolderInUseError, lockFolder } from './folder-lock.ts'

const base = mkdtempSync(path.join(tmpdir(), 'coin-lock-'))
after(() => rmSync(base, { recursive: true, force: true }))

const module = path.join(import.meta.dirname, 'folder-lock.ts')
const hold = (folder: string) =>
  `import { lockFolder } from ${JSON.stringify(module)}; lockFolder(${JSON.stringify(folder)}); console.log('locked')`

test('a folder is locked once, even within one process, and can be locked again after its release', () => {
  const folder = path.join(base, 'one')
  const unlock = lockFolder(folder)
  assert.throws(() => lockFolder(folder), FolderInUseError)
  unlock()
  lockFolder(folder)()
  assert.equal(existsSync(`${folder}.lock`), false)
})

test('a living process keeps others out and is named; once it is killed, its lock is recovered', async () => {
  const folder = path.join(base, 'two')
  const script = `${hold(folder)}; setInterval(() => {}, 1000)`
  const holder = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(holder.stdout, 'data')
  assert.throws(() => lockFolder(folder), new RegExp(`in use by process ${holder.pid}`))
  holder.kill('SIGKILL')
  await once(holder, 'exit')
  lockFolder(folder)()
})

test('a process id that has since been given to another process does not count', () => {
  const folder = path.join(base, 'three')
  writeFileSync(`${folder}.lock`, JSON.stringify({ pid: process.pid, startedAt: 'earlier' }))
  lockFolder(folder)()
})

test('a damaged lock file does not keep the service from starting', () => {
  const folder = path.join(base, 'four')
  writeFileSync(`${folder}.lock`, '')
  lockFolder(folder)()
})

test('of many processes that find a stale lock, exactly one gets it', async () => {
  const folder = path.join(base, 'five')
  const dead = spawnSync(process.execPath, ['--input-type=module', '-e', hold(folder)])
  assert.equal(dead.status, 0)
  const script = `${hold(folder)}; process.stdin.resume(); process.stdin.on('end', () => process.exit(0))`
  const contenders = Array.from({ length: 6 }, () =>
    spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['pipe', 'pipe', 'ignore'] }),
  )
  const results = await Promise.all(
    contenders.map((one) =>
      Promise.race([once(one.stdout, 'data').then(() => 'locked'), once(one, 'exit').then(() => 'refused')]),
    ),
  )
  assert.equal(results.filter((result) => result === 'locked').length, 1)
  const { pid } = JSON.parse(readFileSync(`${folder}.lock`, 'utf8')) as { pid: number }
  assert.equal(pid, contenders[results.indexOf('locked')]?.pid)
  const winner = contenders[results.indexOf('locked')]
  winner?.stdin.end()
  if (winner) await once(winner, 'exit')
  assert.deepEqual(
    readdirSync(base).filter((name) => name.startsWith('five')),
    ['five.lock'],
  )
})
