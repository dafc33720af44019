/** kill -9 between any two file operations: nothing is paid twice, nothing is lost, nothing half written is seen. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import * as fs from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { foldersOf, prepareFolders } from '../../src/bank-files/folder/layout.ts'
import { removeLeftParts } from '../../src/bank-files/folder/write-new.ts'
import { temporaryFolder } from '../support/temp.ts'
import { BAD, journalOf, MESSAGE_ID, PAYMENT_FILE, sendFile, takeFiles } from './folder-work.ts'

const HOUR_MS = 3_600_000
const PROGRAM = path.join(import.meta.dirname, 'folder-work.ts')

/** Runs the work in a process of its own. @returns whether it was killed before it came to its end */
async function killedAt(root: string, work: 'send' | 'take', killAt: number): Promise<boolean> {
  const child = spawn(process.execPath, [PROGRAM, root, work, String(killAt)], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null]
  if (signal === 'SIGKILL') return true
  assert.equal(code, 0)
  return false
}

/**
 * Kills the work at each operation in turn, on a fresh folder, two at a time, until it comes to its end. @returns the
 * number of operations
 */
async function atEveryOperation(
  work: 'send' | 'take',
  tryOne: (root: string, kill: () => Promise<boolean>) => Promise<boolean>,
): Promise<number> {
  for (let killAt = 1; ; killAt += 2) {
    const attempts = [killAt, killAt + 1].map(async (at) => {
      const root = temporaryFolder('kill')
      await prepareFolders(fs, root)
      return tryOne(root, () => killedAt(root, work, at))
    })
    const wereKilled = await Promise.all(attempts)
    if (wereKilled.includes(false)) return killAt - 1 + wereKilled.filter((wasKilled) => wasKilled).length
  }
}

const visible = (folder: string) =>
  readdirSync(folder, { withFileTypes: true })
    .filter((one) => one.isFile() && !one.name.startsWith('.'))
    .map(({ name }) => name)

function assertWholeOrAbsent(folder: string): void {
  for (const name of visible(folder)) assert.deepEqual(readFileSync(path.join(folder, name)), PAYMENT_FILE)
}

for (const transport of ['leaves the file', 'moves the file'] as const) {
  test(`a payment file is handed over once, wherever its writer was killed; the transport ${transport}`, async () => {
    const count = await atEveryOperation('send', async (root, kill) => {
      const { out, taken, kept } = foldersOf(root)
      const wasKilled = await kill()
      for (const folder of [out, kept]) assertWholeOrAbsent(folder)
      if (transport === 'moves the file')
        for (const name of visible(out)) renameSync(path.join(out, name), path.join(taken, name))
      const before = [...visible(out), ...visible(taken)]
      const { result } = await sendFile(fs, root)
      assert.equal(result, before.length === 0 ? 'handed_over' : 'already_handed_over')
      for (const folder of [out, kept]) await removeLeftParts(fs, folder, new Date(Date.now() + 2 * HOUR_MS))
      assert.deepEqual([...visible(out), ...visible(taken)], [`${MESSAGE_ID}.xml`])
      assert.deepEqual(
        [...readdirSync(out).filter((name) => name !== 'taken'), ...readdirSync(taken)],
        [`${MESSAGE_ID}.xml`],
      )
      assert.deepEqual(readdirSync(kept), [`${MESSAGE_ID}.xml`])
      for (const folder of [out, taken, kept]) assertWholeOrAbsent(folder)
      return wasKilled
    })
    assert.ok(count > 15, `${count} operations`)
  })
}

test('an incoming file is applied once and put away, wherever its reader was killed', async () => {
  const count = await atEveryOperation('take', async (root, kill) => {
    const folders = foldersOf(root)
    writeFileSync(path.join(folders.in, 'a.xml'), 'first')
    writeFileSync(path.join(folders.in, 'b.xml'), `${BAD} content`)
    writeFileSync(path.join(folders.in, 'c.xml'), 'first')
    const wasKilled = await kill()
    await takeFiles(fs, root)
    assert.equal(journalOf(root).length, 1)
    assert.deepEqual([visible(folders.in), visible(folders.working)], [[], []])
    const done = visible(folders.done).map((name) => name.replace(/^[0-9a-f]{64}-/, ''))
    assert.deepEqual(done.sort(), ['a.xml', 'c.xml'])
    const [bad, reason, ...others] = visible(folders.setAside).sort()
    assert.deepEqual([bad?.replace(/^[0-9a-f]{64}-/, ''), others], ['b.xml', []])
    assert.equal(reason, `${bad}.reason.json`)
    assert.equal(JSON.parse(readFileSync(path.join(folders.setAside, reason ?? ''), 'utf8')).sentence, 'It is bad.')
    return wasKilled
  })
  assert.ok(count > 30, `${count} operations`)
})
