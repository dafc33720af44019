// engine: postgres; both in test:long
/** What a lost history had refused before it was in any payment file, and had paid by a retry, is not paid a second time under its first id. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { endToEndIdOf } from '../../src/bank-files/end-to-end-id.ts'
import { fileWaiting } from '../../src/payment-files/filing.ts'
import { endMintedBack } from '../../src/payment-files/minted-back.ts'
import { createBankFilesRail } from '../../src/payment-files/rail.ts'
import { readBack } from '../../src/payment-files/read-back.ts'
import { payoutAdmin } from '../../src/payouts/admin.ts'
import { findPayout } from '../../src/payouts/payouts.sql.ts'
import { refundTag } from '../../src/values/order-tag.ts'
import { giveBank, TEST_SECRETS } from '../support/bank-details.ts'
import { SILENT } from '../support/bank-setup.ts'
import { type BankWorld, createBankWorlds } from '../support/bank-world.ts'
import { addBatchRow } from '../support/batch-rows.ts'
import { CHAIN_ID } from '../support/orders.ts'
import { payDue } from '../support/pay-due.ts'
import { someBank } from '../support/statements.ts'
import { withoutGuards } from '../support/without-guards.ts'
import { forgetSent, idsIn, storedOnly } from './filing.ts'

const worlds = createBankWorlds()
after(() => worlds.close())

const GOOD = { bic: 'CIBBMYKL', account: '8001234567', name: 'Aminah binti Ahmad' }
/** No bank profile takes it. */
const BAD = { ...GOOD, bic: 'NOWHEREX' }

async function pay(world: BankWorld): Promise<void> {
  const rail = createBankFilesRail(world.filingDeps())
  await world.db.query('update payouts set next_attempt_at = now(), claimed_until = null')
  await payDue({ db: world.db, rail, secrets: TEST_SECRETS, logger: SILENT as never })
}

const retry = (world: BankWorld, payoutId: string) => world.db.transaction((tx) => payoutAdmin.retry(tx, payoutId))

/** A copy of the time at which its batch was signed: `how` that is known here. */
async function restoreBefore(world: BankWorld, how: string): Promise<void> {
  const firstId = await idOf(world, 1)
  await withoutGuards(world.db, async (tx) => {
    await forgetSent(tx)
    await tx.query(
      `update payouts set bank_id = null, attempt = 1, retries = 0, end_to_end_id = $1, last_error = null`,
      [firstId],
    )
    await tx.query(how)
    await tx.query('update chains set fenced_on = database_timeline()')
  })
}

const idOf = async (world: BankWorld, attempt: number, payoutId?: string) => {
  const [order] = await world.db.query<{ reference_id: string }>(
    'select o.reference_id from payouts p join orders o using (order_id) where $1::text is null or p.payout_id = $1',
    [payoutId ?? null],
  )
  return endToEndIdOf({ integrationId: world.integrationId, referenceId: order?.reference_id ?? '', attempt })
}

/** What a file that a backup had as stored is kept back for, too. */
test('a file of the backup that was not put out, with a payment whose coin the lost history has minted back, is withdrawn', async () => {
  const world = await worlds.open()
  const [{ payoutId }, other] = [await world.burntRedeem('10'), await world.burntRedeem('20')]
  await storedOnly(world)
  await withoutGuards(world.db, async (tx) => {
    await tx.query(`update payouts set made_on = 'before'`)
    await tx.query(`update payout_attempts set asked_on = 'before'`)
    await tx.query('update chains set fenced_on = null')
  })
  assert.deepEqual((await world.file()).files, [], 'not before the fence')
  await world.db.query('update chains set fenced_on = database_timeline()')
  await addMintedBack(world, payoutId)
  const { files, withdrawn } = await world.file()
  assert.deepEqual([files, withdrawn.map(({ messageId }) => messageId)], [['COIN-00000002'], ['COIN-00000001']])
  assert.deepEqual(await idsIn(world, 'COIN-00000002'), [other.endToEndId])
})

for (const [isStored, where] of [
  [true, 'a file of it that is stored'],
  [false, 'the next file'],
] as const)
  test(`what is read of the chain, and its fence, while a run is under way is looked at by the next one: ${where}`, async () => {
    const world = await worlds.open()
    const { payoutId } = await world.burntRedeem('10')
    await (isStored ? storedOnly(world) : pay(world))
    await withoutGuards(world.db, async (tx) => {
      await tx.query(`update payouts set made_on = 'before'`)
      await tx.query(`update payout_attempts set asked_on = 'before'`)
      await tx.query('update chains set fenced_on = null')
    })
    const { db } = world
    // A settler reads what the lost history has minted, and its fence is final, once the run has looked for that.
    const query: typeof db.query = async (text, values) => {
      const rows = await db.query(text, values)
      if (text.includes('as w (wallet)')) {
        await addMintedBack(world, payoutId)
        await db.query('update chains set fenced_on = database_timeline()')
      }
      return rows as never
    }
    const during = await fileWaiting({ ...world.filingDeps(), db: { ...db, query } })
    assert.deepEqual(during.files, [])
    assert.match(during.waits?.join() ?? '', /wait until the fence of their chain is final/)
    assert.deepEqual((await world.file()).files, [])
    assert.equal(await world.payoutStatus(payoutId), 'rejected')
  })

test('what the rail had stored and no payer had recorded when it was backed up goes into no file either', async () => {
  const world = await worlds.open()
  const { payoutId } = await world.burntRedeem('10')
  await world.payDue(false)
  assert.equal(await world.payoutStatus(payoutId), 'queued')
  await withoutGuards(world.db, async (tx) => {
    await tx.query(`update payouts set made_on = 'before'`)
    await tx.query(`update payout_attempts set asked_on = 'before'`)
    await tx.query('update chains set fenced_on = database_timeline()')
  })
  await addMintedBack(world, payoutId)
  assert.deepEqual((await world.file()).files, [])
  assert.equal(await world.payoutStatus(payoutId), 'rejected')
  assert.match((await findPayout(world.db, payoutId))?.lastError ?? '', /^Its coin was minted back in a batch/)
  // What its rail has stored counts here no more than the answer that nobody heard.
  await pay(world)
  assert.deepEqual([await world.payoutStatus(payoutId), (await world.file()).files], ['rejected', []])
})

const BEFORE: Record<string, string> = {
  'its payout as queued': `update payouts set made_on = 'before'`,
  'its batch as signed': `update batches set signed_on = 'before'`,
}

for (const [had, how] of Object.entries(BEFORE))
  test(`where the backup had ${had}`, async () => {
    const world = await worlds.open()
    const bank = someBank()
    await giveBank(world.db, BAD)
    const { payoutId } = await world.burntRedeem('10')
    await pay(world)
    assert.equal(await world.payoutStatus(payoutId), 'rejected')
    await giveBank(world.db, GOOD)
    await retry(world, payoutId)
    await pay(world)
    await world.file()
    assert.deepEqual(await idsIn(world, 'COIN-00000001'), [await idOf(world, 2)])
    bank.receive(await world.outFile('COIN-00000001'))

    await restoreBefore(world, how)
    assert.deepEqual((await readBack(world.filingDeps())).problems, [])
    // The account of then was made again, as the runbook says.
    await pay(world)
    assert.deepEqual((await world.file()).files, [])
    const payout = await findPayout(world.db, payoutId)
    assert.equal(payout?.status, 'rejected')
    assert.match(payout?.lastError ?? '', new RegExp(`${await idOf(world, 2)} .* Run "coin payout retry"`))
    await retry(world, payoutId)
    await pay(world)
    assert.equal(await world.payoutStatus(payoutId), 'sent')
    assert.deepEqual((await world.file()).files, [])
    await world.importXml(bank.closeDay())
    assert.equal(await world.payoutStatus(payoutId), 'paid')
    assert.equal(await world.balanceSen('payout_clearing:bank_files'), 0n)
  })

for (const [isFenced, status] of [
  [true, 'rejected'],
  [false, 'queued'],
] as const)
  test(`what the folder's stop kept from being asked for when it was backed up, and whose coin the lost history has minted back, ${isFenced ? 'is not paid' : 'waits for the fence'}`, async () => {
    const world = await worlds.open()
    const { payoutId } = await world.burntRedeem('10')
    await world.db.query(`insert into payment_file_stop (reason) values ('the disk is full')`)
    await pay(world)
    assert.equal(await world.payoutStatus(payoutId), 'queued')
    await world.db.query('delete from payment_file_stop')
    await withoutGuards(world.db, async (tx) => {
      await tx.query(`update payouts set made_on = 'before'`)
      await tx.query(`update payout_attempts set asked_on = 'before'`)
      await tx.query(`update chains set fenced_on = ${isFenced ? 'database_timeline()' : 'null'}`)
    })
    if (isFenced) await addMintedBack(world, payoutId)
    await pay(world)
    assert.deepEqual((await world.file()).files, [])
    const payout = await findPayout(world.db, payoutId)
    assert.equal(payout?.status, status)
    assert.match(payout?.lastError ?? '', isFenced ? /^Its coin was minted back in a batch/ : /fence/)
  })

for (const [isFenced, status] of [
  [true, 'rejected'],
  [false, 'sent'],
] as const)
  test(`what waited for a payment file when it was backed up, and whose coin the lost history has minted back, ${isFenced ? 'goes into none' : 'waits for the fence'}`, async () => {
    const world = await worlds.open()
    const { payoutId } = await world.burntRedeem('10')
    await pay(world)
    assert.equal(await world.payoutStatus(payoutId), 'sent')
    await withoutGuards(world.db, async (tx) => {
      await tx.query(`update payouts set made_on = 'before'`)
      await tx.query(`update payout_attempts set asked_on = 'before'`)
      await tx.query(`update chains set fenced_on = ${isFenced ? 'database_timeline()' : 'null'}`)
    })
    const fresh = await world.burntRedeem('20')
    await pay(world)
    if (isFenced) await addMintedBack(world, payoutId)
    const { files, waits } = await world.file()
    assert.deepEqual(files, ['COIN-00000001'])
    assert.match(waits?.join() ?? '', isFenced ? /^$/ : /wait until the fence of their chain is final/)
    assert.deepEqual(await idsIn(world, 'COIN-00000001'), [fresh.endToEndId])
    const payout = await findPayout(world.db, payoutId)
    assert.equal(payout?.status, status)
    if (!isFenced) {
      await world.db.query('update chains set fenced_on = database_timeline()')
      await world.file()
      return assert.deepEqual(await idsIn(world, 'COIN-00000002'), [await idOf(world, 1, payoutId)])
    }
    assert.match(payout?.lastError ?? '', /^Its coin was minted back in a batch/)
    assert.equal(await world.balanceSen('payout_clearing:bank_files'), -2_000n)
    await world.db.transaction((tx) => payoutAdmin.refund(tx, payoutId))
    assert.equal((await findPayout(world.db, payoutId))?.isBeingRefunded, true)
  })

test('what waited for a payment file when it was backed up, and was called unpaid and paid by a retry since, goes into none under its first id', async () => {
  const world = await worlds.open()
  const bank = someBank()
  const { payoutId, endToEndId } = await world.burntRedeem('10')
  await pay(world)
  await world.db.query('create table backed_up as select * from filed_payments')
  const unpaid = (tx: Parameters<typeof giveBank>[0]) => payoutAdmin.markUnpaid(tx, payoutId, 'no rail carries it')
  await world.db.transaction(unpaid)
  await retry(world, payoutId)
  await pay(world)
  assert.deepEqual((await world.file()).files, ['COIN-00000001'])
  assert.deepEqual(await idsIn(world, 'COIN-00000001'), [await idOf(world, 2)])
  bank.receive(await world.outFile('COIN-00000001'))
  await restoreBefore(world, `update payouts set made_on = 'before'`)
  // As the backup had it.
  await world.file().catch(() => {})
  await readBack(world.filingDeps())
  await withoutGuards(world.db, async (tx) => {
    await tx.query('insert into filed_payments select * from backed_up')
    await tx.query(
      `insert into payout_attempts (payout_id, attempt, end_to_end_id, rail, status, asked_on) values ($1, 1, $2, 'bank_files', 'sent', 'before')`,
      [payoutId, endToEndId],
    )
    await tx.query(`update payouts set status = 'sent', rail = 'bank_files', rail_reference = 'R'`)
  })
  assert.deepEqual((await world.file()).files, [])
  assert.equal(await world.payoutStatus(payoutId), 'rejected')
  assert.match((await findPayout(world.db, payoutId))?.lastError ?? '', /COIN-00000001.* Run "coin payout retry"/)
  await retry(world, payoutId)
  await pay(world)
  assert.deepEqual([await world.payoutStatus(payoutId), (await world.file()).files], ['sent', []])
})

test('what others have done is read once for all payments, and not once for each of them', async () => {
  const world = await worlds.open()
  for (const amount of ['10', '11', '12', '13', '14']) await world.burntRedeem(amount)
  await pay(world)
  await addBatchRow(world.db, { chainId: CHAIN_ID, batchId: 900n, status: 'final', isForeign: true, orderIds: [] })
  await withoutGuards(world.db, async (tx) => {
    await tx.query(`update payouts set made_on = 'before'`)
    await tx.query(`update payout_attempts set asked_on = 'before'`)
    await tx.query(
      `insert into foreign_instructions (chain_id, batch_id, instruction_index, tag, direction, wallet_address, amount_micro, succeeded)
       select $1, 900, n, '0x' || encode(sha256(n::text::bytea), 'hex'), 'MINT', '0x' || lpad(to_hex(n), 40, '0'), 1, true from generate_series(0, 4999) n`,
      [CHAIN_ID],
    )
  })
  await world.db.query('analyze')
  const looks: number[] = []
  const query: typeof world.db.query = async (text, values) => {
    if (text.includes('foreign_instructions')) looks.push(await rowsReadOfOthers(world, text, values))
    return await world.db.query(text, values)
  }
  await endMintedBack({ db: { ...world.db, query }, logger: SILENT })
  assert.ok(looks.length > 0)
  assert.ok(
    looks.every((rows) => rows <= 5_000),
    `rows read: ${looks}`,
  )
})

type Plan = Record<string, unknown> & { Plans?: Plan[] }

/** How many instructions of others a statement reads. */
async function rowsReadOfOthers(
  world: BankWorld,
  text: string,
  values?: Parameters<BankWorld['db']['query']>[1],
): Promise<number> {
  const [row] = await world.db.transaction(async (tx) => {
    // As of a million, which fit into no memory either.
    await tx.query(`set local work_mem = '64kB'`)
    return await tx.query<Record<string, [{ Plan: Plan }]>>(`explain (analyze, format json) ${text}`, values)
  })
  const count = (plan: Plan): number => {
    const read = Number(plan['Actual Rows']) + Number(plan['Rows Removed by Filter'] ?? 0)
    const own = plan['Relation Name'] === 'foreign_instructions' ? read * Number(plan['Actual Loops']) : 0
    return own + (plan.Plans ?? []).reduce((sum, each) => sum + count(each), 0)
  }
  const plan = row?.['QUERY PLAN']?.[0].Plan
  if (plan === undefined) throw new Error('no plan')
  return count(plan)
}

/** A refund of the lost history, in a batch that is read as that of others. */
async function addMintedBack(world: BankWorld, payoutId: string): Promise<void> {
  await addBatchRow(world.db, { chainId: CHAIN_ID, batchId: 900n, status: 'final', isForeign: true, orderIds: [] })
  await withoutGuards(world.db, (tx) =>
    tx.query(
      `insert into foreign_instructions (chain_id, batch_id, instruction_index, tag, direction, wallet_address, amount_micro, succeeded)
       select o.chain_id, 900, 0, $2, 'MINT', o.wallet_address, o.amount_micro, true from payouts p join orders o using (order_id) where p.payout_id = $1`,
      [payoutId, refundTag(payoutId)],
    ),
  )
}
