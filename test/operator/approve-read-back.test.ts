// engine: postgres
/** Whoever decides about a read-back sees which payments would count as sent; another file that comes to lie there voids what was approved. */
import assert from 'node:assert/strict'
import { rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { after, before, beforeEach, it } from 'node:test'
import { foldersOf } from '../../src/bank-files/folder/layout.ts'
import { readStop, stopFiling } from '../../src/payment-files/files.sql.ts'
import { fileWaiting } from '../../src/payment-files/filing.ts'
import { findUnknown, readBack } from '../../src/payment-files/read-back.ts'
import { type BankWorld, createBankWorld } from '../support/bank-world.ts'
import { withoutGuards } from '../support/without-guards.ts'
import { type OperatorFixture, type Person, startOperator } from './fixture.ts'

let world: BankWorld
let api: OperatorFixture
let one: Person
let two: Person
/** Where a file lies: for the bank, and what is kept of it. */
let placesOf: (messageId: string) => string[]
before(async () => {
  world = await createBankWorld()
  const deps = world.filingDeps()
  api = await startOperator({
    db: world.db,
    paymentFiles: {
      place: deps,
      write: () => fileWaiting(deps),
      findUnknown: (tx) => findUnknown(tx, deps),
      readBack: (also, first) => readBack(deps, also, first),
    },
    fourEyes: true,
  })
  const open = await startOperator({ db: world.db })
  ;[one, two] = await Promise.all(
    ['Aminah', 'Bala'].map(async (name) => {
      const person = await open.person('treasury', name)
      const call: Person['call'] = (method, target, body, headers = {}) =>
        api.call(method, target, body, { authorization: `Bearer ${person.token}`, ...headers })
      return { ...person, call }
    }) as [Promise<Person>, Promise<Person>],
  )
  await open.close()
  for (const amount of ['10', '20.50']) await world.burntRedeem(amount)
  await world.payDue()
  await world.file()
  await world.burntRedeem('30')
  await world.payDue()
  await world.file()
  const { out, kept } = foldersOf(deps.folder)
  placesOf = (messageId) => [out, kept].map((folder) => path.join(folder, `${messageId}.xml`))
})
after(async () => {
  await api.close()
  await world.close()
})

/** What a backup of before the newest file does not know. */
async function forget(messageId: string): Promise<void> {
  await withoutGuards(world.db, async (tx) => {
    await tx.query('delete from filed_payments where message_id = $1', [messageId])
    await tx.query('delete from payment_files where message_id = $1', [messageId])
  })
}

const BODY = { reason: 'a restore' }
const asked = async () => {
  const { body } = await one.call('POST', '/bank/read-back', BODY)
  assert.equal(body.status, 'waiting', JSON.stringify(body))
  return body.approvalId as string
}
const shown = async (id: string) => (await two.call('GET', `/approvals/${id}`)).body.approval.about
const approve = async (id: string) => assert.equal((await two.call('POST', `/approvals/${id}/approve`, {})).status, 200)
const run = (id: string) => one.call('POST', '/bank/read-back', BODY, { 'x-approval': id })
const [FIRST, SECOND] = ['COIN-00000001', 'COIN-00000002']

beforeEach(async () => {
  for (const messageId of [FIRST, SECOND]) await forget(messageId)
})

it('shows each file with its payments and sum, and is executed as it was seen', async () => {
  const id = await asked()
  const { files, would } = await shown(id)
  assert.match(
    files,
    /^COIN-00000001: 2 payments of RM 30\.50, SHA-256 [0-9a-f]{64}, COIN-00000002: 1 payment of RM 30\.00/,
  )
  assert.match(would, /^2 files of 3 payments and RM 60\.50 in all would count as sent/)
  await approve(id)
  const { status, body } = await run(id)
  assert.equal(status, 200, JSON.stringify(body))
  assert.deepEqual(body.files, [
    { messageId: FIRST, payments: 2, wentOut: true },
    { messageId: SECOND, payments: 1, wentOut: true },
  ])
  const again = await one.call('POST', '/bank/read-back', BODY)
  assert.deepEqual([again.status, again.body.error?.code], [409, 'CONFLICT'], 'nobody is asked')
  assert.match(
    again.body.error.message,
    /^The database knows every payment file in the folder, .* nothing to read back/,
  )
})

it('is asked for where files are stopped, although the folder has none that the database does not know', async () => {
  for (const place of [...placesOf(FIRST), ...placesOf(SECOND)]) await rename(place, `${place}.aside`)
  await world.db.transaction((tx) => stopFiling(tx, 'COIN-00000009 lay in the folder.'))
  const id = await asked()
  assert.match((await shown(id)).would, /^No file is there that the database does not know/)
  await approve(id)
  assert.deepEqual((await run(id)).body.files, [])
  assert.equal(await readStop(world.db), undefined)
  for (const place of [...placesOf(FIRST), ...placesOf(SECOND)]) await rename(`${place}.aside`, place)
})

it('is void when another file came to lie there since it was asked for, and records nothing', async () => {
  for (const place of placesOf(SECOND)) await rename(place, `${place}.aside`)
  const id = await asked()
  assert.match((await shown(id)).would, /^1 file of 2 payments and RM 30\.50/)
  await approve(id)
  for (const place of placesOf(SECOND)) await rename(`${place}.aside`, place)
  const { status, body } = await run(id)
  assert.deepEqual([status, /is void: what it concerns has changed/.test(body.error.message)], [409, true])
  assert.equal((await world.db.query('select from payment_files')).length, 0)
})

it('says of a file that was only kept that the bank may not have it', async () => {
  const [place = ''] = placesOf(SECOND)
  await rename(place, `${place}.aside`)
  const { files } = await shown(await asked())
  await rename(`${place}.aside`, place)
  assert.match(files, /^COIN-00000001: [^;]+, COIN-00000002: [^;]+; it was kept and is in neither out nor out\/taken/)
})

it('is refused where the folder is not that of before, and files stay stopped', async () => {
  const id = await asked()
  await approve(id)
  assert.equal((await run(id)).status, 200)
  for (const place of [...placesOf(FIRST), ...placesOf(SECOND)]) await rename(place, `${place}.aside`)
  await world.db.transaction((tx) => stopFiling(tx, 'COIN-00000009 lay in the folder.'))
  const { status, body } = await one.call('POST', '/bank/read-back', BODY)
  assert.equal(status, 409)
  assert.match(
    body.error.message,
    /does not hold COIN-00000002, which was put out, or of which a bank has reported: is its disk mounted/,
  )
  assert.notEqual(await readStop(world.db), undefined)
  assert.match((await shown(id)).would, /does not hold COIN-00000002/)
  for (const place of [...placesOf(FIRST), ...placesOf(SECOND)]) await rename(`${place}.aside`, place)
  const again = await asked()
  await approve(again)
  assert.equal((await run(again)).status, 200)
  assert.equal(await readStop(world.db), undefined)
})

it('says what stands in its way, and that nothing would be read back', async () => {
  for (const place of placesOf(SECOND)) await writeFile(place, '<Dokument/>')
  assert.match((await shown(await asked())).would, /^Nothing would be read back: COIN-00000002: /)
})
