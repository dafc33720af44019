import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OtherFolderError } from '../payment-files/right-folder.ts'
import { watchFolder } from './folder-watch.ts'

const denied = Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES', path: '/bank/in' })
const full = Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC', path: '/bank/in' })

test('a folder that cannot be used is said once for each reason, and once when it can be; other errors go on', async () => {
  const said: string[] = []
  const logger = {
    error: ({ err }: { err?: Error }, message: string) => void said.push(`${message}: ${err?.message}`),
    info: (_: object, message: string) => void said.push(message),
  }
  const lost = new Error('connection lost')
  const database = Object.assign(new Error('the disk of the embedded database'), { name: 'ErrnoError', errno: 51 })
  const moved = new OtherFolderError('/bank', 'COIN-00000001')
  const outcomes: (Error | string)[] = ['a', denied, denied, full, lost, database, full, moved, 'b', 'c', denied]
  const round = watchFolder({ folder: '/bank', logger, loop: 'statements' }, async () => {
    const next = outcomes.shift() ?? ''
    if (typeof next !== 'string') throw next
    return next
  })
  const results: (string | undefined)[] = []
  while (outcomes.length > 0) results.push(await round().catch((error: Error) => error.message))
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
