import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ClocksApartError } from '../payment-files/one-time.ts'
import { OtherFolderError } from '../payment-files/right-folder.ts'
import { watchFolder } from './folder-watch.ts'

const denied = Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES', path: '/bank/in' })
const full = Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC', path: '/bank/in' })

/** What a loop logs over rounds that end so. */
async function watched(outcomes: (Error | string)[]) {
  const said: string[] = []
  const logger = {
    error: ({ err }: { err?: Error }, message: string) => void said.push(`${message}: ${err?.message}`),
    info: (_: object, message: string) => void said.push(message),
  }
  const round = watchFolder({ folder: '/bank', logger, loop: 'statements' }, async () => {
    const next = outcomes.shift() ?? ''
    if (typeof next !== 'string') throw next
    return next
  })
  const results: (string | undefined)[] = []
  while (outcomes.length > 0) results.push(await round().catch((error: Error) => error.message))
  return { said, results }
}

test('a folder that cannot be used is said once for each reason, and once when it can be; other errors go on', async () => {
  const lost = new Error('connection lost')
  const database = Object.assign(new Error('the disk of the embedded database'), { name: 'ErrnoError', errno: 51 })
  const moved = new OtherFolderError('/bank', 'COIN-00000001')
  const outcomes: (Error | string)[] = ['a', denied, denied, full, lost, database, full, moved, 'b', 'c', denied]
  const { said, results } = await watched(outcomes)
  assert.deepEqual(results, [
    'a',
    undefined,
    undefined,
    undefined,
    lost.message,
    database.message,
    undefined,
    undefined,
    'b',
    'c',
    undefined,
  ])
  const away = 'the folder of the bank cannot be used; it is tried again, and said when it can be'
  assert.deepEqual(said, [
    `${away}: ${denied.message}`,
    `${away}: ${full.message}`,
    `${away}: ${moved.message}`,
    'the folder of the bank can be used again',
    `${away}: ${denied.message}`,
  ])
})

test('clocks that differ are said once however far they drift, and once when they agree, as what they are', async () => {
  const [one, later] = [new ClocksApartError(3_660_000), new ClocksApartError(3_720_000)]
  const { said, results } = await watched([one, later, later, denied, one, 'a'])
  assert.deepEqual(results, [undefined, undefined, undefined, undefined, undefined, 'a'])
  const apart =
    'no payment file is written while the clocks of the database and this process differ; it is tried again, and said when they do not'
  const away = 'the folder of the bank cannot be used; it is tried again, and said when it can be'
  assert.deepEqual(said, [
    `${apart}: ${one.message}`,
    `${away}: ${denied.message}`,
    `${apart}: ${one.message}`,
    'the clocks of the database and this process agree again',
  ])
})
