/** Two processes read one folder for a while, as when a payer starts before the one that it replaces has ended. */
import assert from 'node:assert/strict'
import { readdirSync, writeFileSync } from 'node:fs'
import * as fs from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { type Taken, takeIncoming } from '../../src/bank-files/folder/incoming.ts'
import { type FileOps, type Folders, prepareFolders } from '../../src/bank-files/folder/layout.ts'
import { temporaryFolder } from '../support/temp.ts'

const BOUNDS = { maxBytes: 1_000, maxFiles: 10, minAgeMs: 0 }

/** A folder in which the bank's first two statements lie. */
async function twoBrought(): Promise<Folders> {
  const folders = await prepareFolders(fs, temporaryFolder('two-readers'))
  for (const name of ['1.xml', '2.xml']) writeFileSync(path.join(folders.in, name), name)
  return folders
}

/** What one reader takes, in its order, each with whether one before it had still to be taken. */
function createReader(folders: Folders, changes: Partial<FileOps> = {}) {
  const seen: [string, boolean][] = []
  const read = (take: (name: string) => Promise<Taken>) =>
    takeIncoming(
      { fs: { ...fs, ...changes }, folders, now: () => new Date(Date.now() + 1_000), bounds: BOUNDS },
      (file, hasLeft) => {
        seen.push([file.name, hasLeft])
        return take(file.name)
      },
    )
  return { seen, read }
}

const applied = async (): Promise<Taken> => ({ result: 'applied' })
const repeated = async (): Promise<Taken> => ({ result: 'repeated' })
const namesIn = (folder: string) =>
  readdirSync(folder)
    .map((name) => name.replace(/^[^-.]*[-.]/, ''))
    .sort()

test('what the other one has in hand, and has not recorded, was left: no account begins with what comes after it', async () => {
  const folders = await twoBrought()
  const held = Promise.withResolvers<void>()
  const isHeld = Promise.withResolvers<void>()
  const other = createReader(folders)
  let otherRead: Promise<unknown> = Promise.resolve()
  const rename: FileOps['rename'] = async (from, to) => {
    // The other one has seen the same files, and claims the first just before this one does.
    if (path.basename(String(from)) === '1.xml') {
      otherRead = other.read(async (name) => {
        isHeld.resolve()
        if (name === '1.xml') await held.promise
        return { result: 'applied' }
      })
      await isHeld.promise
    }
    await fs.rename(from, to)
  }
  const one = createReader(folders, { rename })
  await one.read(applied)
  assert.deepEqual(one.seen, [['2.xml', true]])
  held.resolve()
  await otherRead
  assert.deepEqual(other.seen[0], ['1.xml', false])
})

test('what the other one has claimed before this one looks is taken by both, before what comes after it', async () => {
  const folders = await twoBrought()
  const held = Promise.withResolvers<void>()
  const isHeld = Promise.withResolvers<void>()
  const other = createReader(folders)
  let otherRead: Promise<unknown> | undefined
  // Whichever folder this one lists first, the other one claims the first file just after that.
  const readdir = (async (folder: string) => {
    const names = await fs.readdir(folder)
    if (folder !== folders.setAside) {
      otherRead ??= other.read(async () => {
        isHeld.resolve()
        await held.promise
        return { result: 'applied' }
      })
      await isHeld.promise
    }
    return names
  }) as FileOps['readdir']
  const one = createReader(folders, { readdir })
  await one.read(applied)
  assert.deepEqual(one.seen[0], ['1.xml', false])
  held.resolve()
  await otherRead
})

for (const when of ['is listed', 'is being taken']) {
  test(`a file that the other one moves away while it ${when} is no file that could not be taken in`, async () => {
    const folders = await twoBrought()
    // Killed before it had moved them.
    for (const name of ['1.xml', '2.xml'])
      await fs.rename(path.join(folders.in, name), path.join(folders.working, `u.${name}`))
    const other = createReader(folders)
    let otherRead: Promise<unknown> | undefined
    const readOther = async () => {
      otherRead ??= other.read(applied)
      await otherRead
    }
    const readdir = (async (folder: string) => {
      const names = await fs.readdir(folder)
      if (folder === folders.working && when === 'is listed') await readOther()
      return names
    }) as FileOps['readdir']
    const one = createReader(folders, { readdir })
    const taken = await one.read(async () => {
      await readOther()
      return await repeated()
    })
    assert.deepEqual(
      taken.map(({ name, result }) => [name, result]),
      when === 'is listed' ? [] : [['1.xml', 'repeated']],
    )
    assert.deepEqual(namesIn(folders.done), ['1.xml', '2.xml'])
    assert.deepEqual([namesIn(folders.working), namesIn(folders.setAside)], [[], []])
  })
}
