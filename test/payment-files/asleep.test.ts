// engine: postgres
/** A process that slept while it put a payment file out: the database has ended its transaction, and others have gone on without it. */
import assert from 'node:assert/strict'
import * as fs from 'node:fs/promises'
import path from 'node:path'
import { after, test } from 'node:test'
import type { FileOps } from '../../src/bank-files/folder/layout.ts'
import { fileWaiting } from '../../src/payment-files/filing.ts'
import { readBack } from '../../src/payment-files/read-back.ts'
import { type BankWorld, createBankWorlds } from '../support/bank-world.ts'
import { waitFor } from '../support/wait-for.ts'
import { withoutGuards } from '../support/without-guards.ts'
import { setPayout, storedOnly } from './filing.ts'

const worlds = createBankWorlds()
after(() => worlds.close())

/** File operations that do something else once, before a file is begun in a folder. */
function interrupted(folder: string, meanwhile: () => Promise<void>): FileOps {
  let isDone = false
  return {
    ...fs,
    async open(...args) {
      const isThere = args[1] === 'wx' && path.dirname(String(args[0])) === folder
      if (isThere && !isDone) {
        isDone = true
        await meanwhile()
      }
      return await fs.open(...args)
    },
  }
}

/** As the server does with a transaction in which nothing happens for too long. */
async function endIdle({ db }: BankWorld): Promise<void> {
  const ended = await db.query(
    `select pg_terminate_backend(pid, 10000) from pg_stat_activity
     where datname = current_database() and state = 'idle in transaction'`,
  )
  assert.equal(ended.length, 1)
}

for (const where of ['kept', 'out'] as const) {
  test(`who slept for a day before the file was in ${where} does not put it out: others have withdrawn it, and pay with the next`, async () => {
    const world = await worlds.open()
    await world.burntRedeem('20')
    await world.payDue()
    const meanwhile = async () => {
      await endIdle(world)
      world.clock.now = new Date(world.clock.now.getTime() + 3 * 86_400_000)
      const { files, withdrawn } = await world.file()
      assert.deepEqual([files, withdrawn.map(({ messageId }) => messageId)], [['COIN-00000002'], ['COIN-00000001']])
    }
    await assert.rejects(fileWaiting(world.filingDeps(interrupted(world.folders[where], meanwhile))))
    assert.deepEqual(await filesIn(world.folders.out), ['COIN-00000002.xml'])
    assert.deepEqual(await filesIn(world.folders.kept), ['COIN-00000002.xml'])
    assert.deepEqual(await world.file(), { files: [], withdrawn: [], stopped: null })
  })
}

const filesIn = async (folder: string) => (await fs.readdir(folder)).filter((name) => name.endsWith('.xml')).sort()

test('a read-back that finds payments of a file in another one leaves it alone where it is being put out just then', async () => {
  const world = await worlds.open()
  const [first, second] = [await world.burntRedeem('10'), await world.burntRedeem('20')]
  await storedOnly(world)
  // In the history that is lost the second was held, so that the file was withdrawn, and the first went out in the next one.
  await setPayout(world, second.payoutId, `status = 'held', hold_reason = 'by_operator'`)
  assert.deepEqual((await world.file()).files, ['COIN-00000002'])
  const next = path.join(world.folders.out, 'COIN-00000002.xml')
  await fs.rm(path.join(world.folders.kept, path.basename(next)))
  await fs.rename(next, `${next}.aside`)
  await setPayout(world, second.payoutId, `status = 'sent', hold_reason = null`)
  await withoutGuards(world.db, async (tx) => {
    await tx.query(`update filed_payments set message_id = 'COIN-00000001'`)
    await tx.query(`delete from payment_files where message_id = 'COIN-00000002'`)
    await tx.query('update payment_files set withdrawn_at = null, withdrawn_for = null')
  })
  let reading: Promise<unknown> | undefined
  const meanwhile = async () => {
    await fs.rename(`${next}.aside`, next)
    reading = readBack(world.filingDeps())
    await waitFor('the read-back to wait for the file', async () => {
      const waiting = await world.db.query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      )
      return waiting.length > 0
    })
  }
  const filed = await fileWaiting(world.filingDeps(interrupted(world.folders.out, meanwhile)))
  await reading
  assert.deepEqual(filed.files, ['COIN-00000001'])
  assert.deepEqual((await world.file()).files, [])
  const rows = await world.db.query<{ id: string; file: string }>(
    'select end_to_end_id as id, message_id as file from filed_payments order by message_id',
  )
  assert.deepEqual(rows, [
    { id: second.endToEndId, file: 'COIN-00000001' },
    { id: first.endToEndId, file: 'COIN-00000002' },
  ])
})
