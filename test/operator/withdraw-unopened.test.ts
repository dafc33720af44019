// engine: postgres
/** Payment files that no key opens are set aside by two people who see what is in them: none of them goes out, and what is in them does, once. */
// Runbook: Payments are not put out
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { access, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, it } from 'node:test'
import { prepareFolders } from '../../src/bank-files/folder/layout.ts'
import { readAlarms } from '../../src/operator/overview.sql.ts'
import { findFile, insertFile } from '../../src/payment-files/files.sql.ts'
import { fileWaiting } from '../../src/payment-files/filing.ts'
import { readFilingSeconds } from '../../src/payment-files/late.sql.ts'
import { findUnknown, readBack } from '../../src/payment-files/read-back.ts'
import { createSecretBox } from '../../src/secrets/secrets.ts'
import { idsIn, storedOnly } from '../payment-files/filing.ts'
import { type BankWorld, createBankWorld } from '../support/bank-world.ts'
import { type OperatorFixture, type Person, startOperator } from './fixture.ts'

const LOST = createSecretBox(randomBytes(32))

let world: BankWorld
let api: OperatorFixture
/** The same database, in a process that has no folder of payment files. */
let elsewhere: OperatorFixture
/** And in one whose folder is another one: its disk is not mounted. */
let unmounted: OperatorFixture
let emptyFolder: string
let one: Person
let two: Person
before(async () => {
  world = await createBankWorld()
  const { db } = world
  const deps = world.filingDeps()
  const open = await startOperator({ db })
  ;[one, two] = [await open.person('treasury', 'Aminah'), await open.person('treasury', 'Bala')]
  await open.close()
  api = await startOperator({
    db,
    fourEyes: true,
    paymentFiles: {
      place: deps,
      write: () => fileWaiting(deps),
      findUnknown: (tx) => findUnknown(tx, deps),
      readBack: (also, first) => readBack(deps, also, first),
    },
  })
  elsewhere = await startOperator({ db, fourEyes: true })
  emptyFolder = await mkdtemp(path.join(tmpdir(), 'coin-unmounted-'))
  const other = { ...deps, folder: emptyFolder }
  await prepareFolders(other.fs, emptyFolder)
  unmounted = await startOperator({
    db,
    fourEyes: true,
    paymentFiles: {
      place: other,
      write: () => fileWaiting(other),
      findUnknown: (tx) => findUnknown(tx, other),
      readBack: (also, first) => readBack(other, also, first),
    },
  })
})
after(async () => {
  await unmounted.close()
  await rm(emptyFolder, { recursive: true })
  await elsewhere.close()
  await api.close()
  await world.close()
})

const by =
  (who: () => Person, at: () => OperatorFixture = () => api) =>
  (method: 'GET' | 'POST', target: string, body?: object, headers = {}) =>
    at().call(method, target, body, { authorization: `Bearer ${who().token}`, ...headers })
const asOne = by(() => one)
const asTwo = by(() => two)

const PATH = '/bank/withdraw-unopened'
const BODY = { reason: 'the login of a payer was stolen' }

async function asked(): Promise<string> {
  const { body } = await asOne('POST', PATH, BODY)
  assert.equal(body.status, 'waiting', JSON.stringify(body))
  return body.approvalId
}

async function approved(): Promise<{ id: string; about: Record<string, string> }> {
  const id = await asked()
  const { approval } = (await asTwo('GET', `/approvals/${id}`)).body
  assert.equal((await asTwo('POST', `/approvals/${id}/approve`, {})).status, 200)
  return { id, about: approval.about }
}

const run = (id: string) => asOne('POST', PATH, BODY, { 'x-approval': id })

/** What a thief with the login of a payer can store. */
async function plant(): Promise<string> {
  const [row] = await world.db.query<{ next: number }>(
    'select 1 + coalesce(max(file_number), 0) as next from payment_files',
  )
  const fileNumber = row?.next ?? 1
  const messageId = `COIN-${String(fileNumber).padStart(8, '0')}`
  const content = { prefix: 'COIN', fileNumber, messageId, content: 'x', contentHash: '0'.repeat(64) }
  await world.db.transaction((tx) => insertFile(tx, LOST, content))
  return messageId
}

/** A file of this service, under a key that is lost since. */
async function sealAnew(messageId: string): Promise<void> {
  await world.db.query('update payment_files set content = $2 where message_id = $1', [
    messageId,
    LOST.seal('x', messageId),
  ])
}

it('shows the files and what is in them; then none of them rings any more, and their payments go out once', async () => {
  const { endToEndId } = await world.burntRedeem('10')
  await storedOnly(world)
  await sealAnew('COIN-00000001')
  const planted = await plant()
  assert.deepEqual((await world.file()).files, [])
  await world.db.query(`update payment_files set created_at = created_at - interval '9 minutes'`)
  const { paymentsNotOpened, paymentsNotPutOut } = await readAlarms(world.db)
  assert.deepEqual([paymentsNotOpened, paymentsNotPutOut], [2, 2])
  const kept = path.join(world.folders.kept, 'COIN-00000001.xml')
  await writeFile(kept, 'our copy, which may have gone out as far as a restore knows')
  const { id, about } = await approved()
  await access(kept)
  assert.equal(
    about.files,
    `COIN-00000001: 1 payment of RM 10.00, ${planted}: no payment; a file that this service made has some`,
  )
  assert.match(about.would ?? '', /^2 files would never go out\. 1 payment in them would go into the next file/)
  const { status, body } = await run(id)
  assert.equal(status, 200, JSON.stringify(body))
  assert.deepEqual(body.files, [
    { messageId: 'COIN-00000001', payments: 1 },
    { messageId: planted, payments: 0 },
  ])
  await access(`${kept}.withdrawn`)
  assert.deepEqual((await world.file()).files, ['COIN-00000003'])
  assert.deepEqual(await idsIn(world, 'COIN-00000003'), [endToEndId])
  for (const messageId of ['COIN-00000001', planted])
    await assert.rejects(world.outFile(messageId), { code: 'ENOENT' }, messageId)
  const alarms = await readAlarms(world.db)
  assert.deepEqual([alarms.paymentsNotOpened, alarms.paymentsNotPutOut, await readFilingSeconds(world.db)], [0, 0, 0])
  const { entries } = (await asTwo('GET', `/audit?target=${planted}`)).body
  assert.deepEqual(
    [entries[0].action, entries[0].details.files, entries[0].details.reason],
    ['bank.withdraw-unopened', ['COIN-00000001', planted], BODY.reason],
  )
})

it('is asked for where there is something to withdraw, and not of what opens or went out', async () => {
  const refused = async () => {
    const { status, body } = await asOne('POST', PATH, BODY)
    assert.deepEqual([status, body.error?.code], [409, 'CONFLICT'], JSON.stringify(body))
    return body.error.message as string
  }
  assert.match(await refused(), /^No payment file waits because no key opens it/)
  // It waits, and opens.
  await world.burntRedeem('20')
  await storedOnly(world)
  await world.db.query(
    'update payment_files set not_opened_since = now() where put_out_at is null and withdrawn_at is null',
  )
  await refused()
  // It does not open, and the process ended between the folder and the database.
  await sealAnew('COIN-00000004')
  const place = path.join(world.folders.out, 'COIN-00000004.xml')
  await writeFile(place, 'as it went out')
  await refused()
  await rm(place)
  assert.equal((await findFile(world.db, 'COIN-00000004'))?.isPutOut, false)
})

it('is void when another file does not open by then', async () => {
  const first = await plant()
  await world.db.query('update payment_files set not_opened_since = now() where message_id = $1', [first])
  const { id } = await approved()
  const second = await plant()
  await world.db.query('update payment_files set not_opened_since = now() where message_id = $1', [second])
  const { status, body } = await run(id)
  assert.deepEqual([status, /is void: what it concerns has changed/.test(body.error.message)], [409, true])
  const again = await approved()
  const withdrawn = (await run(again.id)).body.files.map((file: { messageId: string }) => file.messageId)
  assert.deepEqual(withdrawn.slice(-2), [first, second])
})

it('leaves a file with payments where no folder is known, in which it may have gone out', async () => {
  const { payoutId } = await world.burntRedeem('30')
  await storedOnly(world)
  const [filed] = await world.db.query<{ name: string }>(
    'select message_id as name from filed_payments where payout_id = $1',
    [payoutId],
  )
  await sealAnew(filed?.name ?? '')
  const without = by(
    () => one,
    () => elsewhere,
  )
  const { status, body } = await without('POST', PATH, BODY)
  assert.deepEqual([status, /BANK_PROFILE with "payments"/.test(body.error.message)], [409, true])
  await plant()
  assert.equal((await without('POST', PATH, BODY)).body.status, 'waiting')
})

it('withdraws nothing where the folder is not that of before: what went out would not be seen in it', async () => {
  await world.db.query(
    'update payment_files set not_opened_since = now() where put_out_at is null and withdrawn_at is null',
  )
  const there = by(
    () => one,
    () => unmounted,
  )
  const { status, body } = await there('POST', PATH, BODY)
  assert.deepEqual([status, body.error?.code], [409, 'CONFLICT'], JSON.stringify(body))
  assert.match(
    body.error.message,
    /does not hold COIN-00000003, which was put out, or of which a bank has reported: is its disk mounted/,
  )
  const { id } = await approved()
  const { about } = (await there('GET', `/approvals/${id}`)).body.approval
  assert.match(about.would, /does not hold COIN-00000003/)
  assert.equal((await there('POST', PATH, BODY, { 'x-approval': id })).status, 409)
  assert.equal((await run(id)).status, 200)
})
