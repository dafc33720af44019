// engine: both
/** What a bank says of a payment file that never went out from here: somebody has brought it, and it must not get it again. */
import assert from 'node:assert/strict'
import { readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { after, test } from 'node:test'
import { createBankWorlds } from '../support/bank-world.ts'
import { someBank } from '../support/statements.ts'
import { setPayout, storedOnly } from './filing.ts'

const FILE = 'COIN-00000001'

const worlds = createBankWorlds()
after(() => worlds.close())

const told = (world: Awaited<ReturnType<typeof worlds.open>>) =>
  world.errors.filter((error) => JSON.stringify(error).includes('never went out from here'))

for (const status of [{ code: 'ACCP' }, { code: 'ACSC' }, { code: 'RJCT', reason: 'AC04' }]) {
  test(`a file that is ${status.code} at the bank and did not leave is said, and does not go out as well`, async () => {
    const world = await worlds.open()
    const bank = someBank({ fateOf: () => 'pending' })
    const redeem = await world.burntRedeem('10')
    await storedOnly(world)
    // Somebody brings the bank our own copy.
    bank.receive(await readFile(path.join(world.folders.kept, `${FILE}.xml`)))
    assert.equal((await world.importXml(bank.report(FILE, status))).taken.result, 'applied')
    assert.equal(told(world).length, 1)
    assert.deepEqual(await world.file(), { files: [], withdrawn: [], stopped: null })
    assert.equal(await world.payoutStatus(redeem.payoutId), status.code === 'RJCT' ? 'rejected' : 'sent')
    // Another word about it is no news.
    await world.importXml(bank.report(FILE, { code: 'ACSP' }))
    assert.equal(told(world).length, 1)
    // What comes after it goes out.
    await world.burntRedeem('20')
    await world.payDue()
    assert.deepEqual((await world.file()).files, ['COIN-00000002'])
  })
}

test('nor do payments of it go out in another one, because one of them was held', async () => {
  const world = await worlds.open()
  const bank = someBank({ fateOf: () => 'pending' })
  const held = await world.burntRedeem('10')
  await world.burntRedeem('20')
  await storedOnly(world)
  bank.receive(await readFile(path.join(world.folders.kept, `${FILE}.xml`)))
  await world.importXml(bank.report(FILE, { code: 'ACSP' }))
  await setPayout(world, held.payoutId, `status = 'held', hold_reason = 'by_operator'`)
  assert.deepEqual(await world.file(), { files: [], withdrawn: [], stopped: null })
})

test('a folder that has no copy of it is not the one of before', async () => {
  const world = await worlds.open()
  const bank = someBank({ fateOf: () => 'pending' })
  const first = await world.burntRedeem('10')
  await storedOnly(world)
  const copy = path.join(world.folders.kept, `${FILE}.xml`)
  bank.receive(await readFile(copy))
  await rm(copy)
  await world.importXml(bank.report(FILE, { code: 'ACSP' }))
  await assert.rejects(world.file(), /does not hold COIN-00000001, which was put out, or of which a bank has reported/)
  // The message names the way on.
  await writeFile(copy, '')
  const redeem = await world.burntRedeem('20')
  await world.payDue()
  assert.deepEqual(await world.file(), { files: ['COIN-00000002'], withdrawn: [], stopped: null })
  assert.equal(await world.payoutStatus(redeem.payoutId), 'sent')
  // What the bank says of its payments later counts.
  await world.importXml(bank.report(FILE, { code: 'RJCT', reason: 'AC04' }))
  assert.equal(await world.payoutStatus(first.payoutId), 'rejected')
})
