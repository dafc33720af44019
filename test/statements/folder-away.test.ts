// engine: postgres; both in test:long
/** The folder of the bank cannot be read: that stands among what waits, and lines that came otherwise are booked all the same. */
import assert from 'node:assert/strict'
import * as fs from 'node:fs/promises'
import { after, test } from 'node:test'
import { readFolder } from '../../src/statements/import.ts'
import { listLeft } from '../../src/statements/left.sql.ts'
import { recordFile } from '../../src/statements/record.ts'
import { bytesOf } from '../support/bank-files.ts'
import { ALL_OVER, SILENT } from '../support/bank-setup.ts'
import { createBankWorlds } from '../support/bank-world.ts'
import { someBank } from '../support/statements.ts'

const worlds = createBankWorlds()
after(() => worlds.close())

test('while the folder is away its place is named, what else waits stays named, and lines are booked', async () => {
  const world = await worlds.open()
  const bank = someBank()
  bank.deposit(55n, { name: 'Somebody', account: '8001234567' }, 'a gift')
  // Brought by an operator, in whose process the lines were not booked any more.
  await recordFile(world.importDeps, { name: 'statement.xml', bytes: bytesOf(bank.closeDay()) })
  await world.db.query(`insert into bank_left (file_key, name, reason) values ('x', 'earlier.xml', 'it waits')`)
  const reader = { ...world.importDeps, logger: SILENT, folder: world.folder, minAgeMs: 0, now: () => ALL_OVER }
  const { in: incoming } = world.folders
  await fs.rename(incoming, `${incoming}.aside`)
  await fs.writeFile(incoming, '')
  await assert.rejects(readFolder(reader), /EEXIST|ENOTDIR/)
  assert.equal(await world.balanceSen('reserve:main'), bank.balanceSen())
  const named = async () => (await listLeft(world.db)).map(({ name }) => name).toSorted()
  assert.deepEqual(await named(), [world.folder, 'earlier.xml'].toSorted())
  const [since] = (await listLeft(world.db)).filter(({ name }) => name === world.folder)
  await assert.rejects(readFolder(reader))
  assert.deepEqual(
    (await listLeft(world.db)).filter(({ name }) => name === world.folder),
    [since],
  )
  await fs.rm(incoming)
  await fs.rename(`${incoming}.aside`, incoming)
  await readFolder(reader)
  assert.deepEqual(await named(), [])
})
