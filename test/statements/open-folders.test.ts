/** Whoever may write into the bank's folder speaks for the bank: the reader says at its start where everybody may. */
import assert from 'node:assert/strict'
import { chmod, mkdir } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { startReader } from '../../src/roles/bank.ts'
import type { Closers, Parts } from '../../src/roles/parts.ts'
import { TEST_SECRETS } from '../support/bank-details.ts'
import { SILENT } from '../support/bank-setup.ts'
import { SETUP } from '../support/statements.ts'
import { temporaryFolder } from '../support/temp.ts'
import { waitFor } from '../support/wait-for.ts'

test('the reader warns at its start of a folder of the bank into which every user may write', async (t) => {
  const folder = temporaryFolder('open-folders')
  const closers: Closers = []
  t.after(async () => {
    for (const close of closers) await close()
  })
  await mkdir(path.join(folder, 'in'))
  await chmod(path.join(folder, 'in'), 0o777)
  const warned: string[] = []
  const warn = (fields: { folder: string }, message: string) => void warned.push(`${fields.folder} ${message}`)
  // Nothing is read: there is no database.
  const reading = { before: () => Promise.reject(new Error('not in this test')) }
  const bank = { setup: { ...SETUP, folder }, reading }
  startReader({ logger: { ...SILENT, warn }, secrets: TEST_SECRETS, bank } as unknown as Parts, closers)
  await waitFor('a warning', () => warned.length > 0)
  assert.match(warned.join('\n'), /^\S+\/in every user of this machine may write to a folder of the bank[^\n]*$/)
})
