// engine: postgres; both in test:long
/** Reports of a bank that changes its mind: no payment that it may be carrying out is paid again. */
import assert from 'node:assert/strict'
import * as fs from 'node:fs/promises'
import { after, test } from 'node:test'
import { fileWaiting } from '../../src/payment-files/filing.ts'
import { payoutAdmin } from '../../src/payouts/admin.ts'
import { markReturned } from '../../src/payouts/record-news.ts'
import { type BankWorld, createBankWorlds } from '../support/bank-world.ts'
import { testEngine } from '../support/database.ts'
import type { BankStatus } from '../support/fake-bank/messages.ts'
import { someBank } from '../support/statements.ts'

const FILE = 'COIN-00000001'
const REJECTED = { code: 'RJCT', reason: 'AC04' }

const worlds = createBankWorlds()
after(() => worlds.close())

/** A payout in a file that the bank has and has not carried out yet. */
async function filed() {
  const world = await worlds.open()
  const bank = someBank({ fateOf: () => 'pending' })
  const { payoutId, endToEndId } = await world.burntRedeem('10')
  await world.payDue()
  await world.file()
  bank.receive(await world.outFile(FILE))
  return {
    world,
    bank,
    payoutId,
    endToEndId,
    /** What the payout is after the bank has said this of its file, at this time of the day, perhaps of another year. */
    async after(status: BankStatus, at = '18:00:00', year?: string): Promise<string> {
      const xml = bank.report(FILE, status).replaceAll(/(\d{4})(-\d\d-\d\dT)18:00:00/g, `${year ?? '$1'}$2${at}`)
      assert.equal((await world.importXml(xml)).taken.result, 'applied')
      return await world.payoutStatus(payoutId)
    },
  }
}

test('a payment that the bank carries out after it has rejected it is on its way again, and paid once', async () => {
  const { world, bank, payoutId, after } = await filed()
  for (const code of ['ACTC', 'PDNG', 'ACSP', 'ACWP', 'ACSC', 'ACCC']) {
    assert.equal(await after(REJECTED), 'rejected')
    assert.equal(await after({ code: 'ACSP' }, '17:59:59'), 'rejected', 'an earlier report says nothing new')
    assert.equal(await after({ code: 'CANC' }), 'rejected', 'an unknown code says nothing')
    assert.equal(await after({ code }), 'sent', code)
    assert.equal(await world.db.transaction((tx) => payoutAdmin.retry(tx, payoutId)), undefined)
    assert.equal(await world.balanceSen('payout_clearing:bank_files'), -1_000n)
    if (code !== 'ACCC') continue
    bank.settlePending()
    await world.importXml(bank.closeDay())
    assert.equal(await world.payoutStatus(payoutId), 'paid')
    assert.equal(await world.balanceSen('payout_clearing:bank_files'), 0n)
  }
})

test('a bank may name a payment by its instruction id alone, of this file, and once', async () => {
  const { world, bank, payoutId, endToEndId } = await filed()
  const rejected = bank.report(FILE).replaceAll('PDNG', 'RJCT')
  const without = rejected.replace(/<OrgnlEndToEndId>.*?<\/OrgnlEndToEndId>/, '<OrgnlEndToEndId/>')
  const named = (id: string) => without.replace(/<MsgId>.*?</, `<MsgId>${id}<`)
  const becomes = async (xml: string) => {
    const { taken } = await world.importXml(xml)
    return taken.result === 'refused' ? taken.refusal.code : taken.result
  }
  const [one = ''] = /<TxInfAndSts>.*?<\/TxInfAndSts>/s.exec(without) ?? []
  const other = one.replace('<OrgnlEndToEndId/>', `<OrgnlEndToEndId>${endToEndId}</OrgnlEndToEndId>`)
  const twice = (xml: string) => xml.replace(one, one + other).replace(/<NbOfTxsPerSts>.*?<\/NbOfTxsPerSts>/s, '')
  const counted = (xml: string) => xml.replace(/<OrgnlNbOfTxs>.*?<\/OrgnlNbOfTxs>/s, '')
  assert.equal(await becomes(counted(twice(named('R1')))), 'duplicated_id')
  assert.equal(
    await becomes(named('R2').replace(`<OrgnlInstrId>${FILE}-1-1<`, `<OrgnlInstrId>${FILE}-1-9<`)),
    'foreign',
  )
  assert.equal(await world.payoutStatus(payoutId), 'sent')
  assert.equal(await becomes(named('R3')), 'applied')
  assert.equal(await world.payoutStatus(payoutId), 'rejected')
})

test('which of two reports is the later one is said by the bank, whatever the clock of the process that reads them', async (t) => {
  const { after } = await filed()
  assert.equal(await after(REJECTED), 'rejected')
  if (testEngine === 'postgres') t.mock.timers.enable({ apis: ['Date'], now: Date.now() - 30 * 86_400_000 })
  assert.equal(await after({ code: 'ACSP' }, '18:30:00'), 'sent')
  t.mock.timers.reset()
})

test('a report of a time to come is one of now: another one after it counts', async () => {
  const { after } = await filed()
  assert.equal(await after(REJECTED, '18:00:00', '2199'), 'rejected')
  assert.equal(await after({ code: 'ACSP' }, '18:00:00', '2198'), 'sent')
})

test('what the bank says later is heard also where the clock of the database was set back in between', async () => {
  const { world, payoutId, bank } = await filed()
  const [clock] = await world.db.query<{ at: Date }>(`select now() + interval '50 minutes' as at`)
  const at = clock?.at ?? assert.fail()
  const said = async (code: string, minutesLater: number) => {
    const created = new Date(at.getTime() + minutesLater * 60_000).toISOString().slice(0, 19)
    const xml = bank.report(FILE).replace(/<CreDtTm>[^<]*</, `<CreDtTm>${created}Z<`)
    const named = xml.replace(/<MsgId>.*?</, `<MsgId>${code}${minutesLater}<`).replaceAll('PDNG', code)
    assert.equal((await world.importXml(named)).taken.result, 'applied')
    return await world.payoutStatus(payoutId)
  }
  assert.equal(await said('ACSP', 0), 'sent')
  // As it was stored when the clock had not been set back yet.
  await world.db.query('update filed_payments set reported_at = $1', [at])
  assert.equal(await said('RJCT', 5), 'rejected')
  assert.equal(await said('ACSP', -1), 'rejected', 'what was said before that says nothing new')
})

test('a rejected payment that the bank carries out after all takes the place of one that was not asked for yet', async () => {
  const { world, payoutId, after } = await filed()
  assert.equal(await after(REJECTED), 'rejected')
  await world.db.transaction((tx) => payoutAdmin.retry(tx, payoutId))
  assert.equal(await world.payoutStatus(payoutId), 'queued')
  assert.equal(await after({ code: 'ACSP' }), 'sent')
  assert.equal(await world.payDue(), 0)
})

test('beside one that the bank has already, it is an extra payment, which somebody sees', async () => {
  const { world, payoutId, after } = await filed()
  assert.equal(await after(REJECTED), 'rejected')
  await world.db.transaction((tx) => payoutAdmin.retry(tx, payoutId))
  await world.payDue()
  assert.equal(await after({ code: 'ACSP' }), 'sent')
  const attempts = await world.db.query(
    'select attempt, status, is_extra from payout_attempts where payout_id = $1 order by attempt',
    [payoutId],
  )
  assert.deepEqual(attempts, [
    { attempt: 1, status: 'sent', is_extra: true },
    { attempt: 2, status: 'sent', is_extra: false },
  ])
})

/** Attempts of a payout, with whether each is extra. */
const attemptsOf = async (world: BankWorld, payoutId: string) =>
  (
    await world.db.query<{ shown: string }>(
      `select status || case when is_extra then ' extra' else '' end as shown from payout_attempts where payout_id = $1 order by attempt`,
      [payoutId],
    )
  ).map(({ shown }) => shown)

test('what the bank carries out after all while its successor waits for a file settles the payout, and the other one never leaves', async () => {
  for (const isStored of [false, true]) {
    const { world, bank, payoutId, after } = await filed()
    assert.equal(await after(REJECTED), 'rejected')
    await world.db.transaction((tx) => payoutAdmin.retry(tx, payoutId))
    await world.payDue()
    const link: typeof fs.link = async () => {
      throw new Error('the disk is full')
    }
    if (isStored) await assert.rejects(fileWaiting(world.filingDeps({ ...fs, link })), /the disk is full/)
    if (isStored) bank.settlePending()
    if (isStored) await world.importXml(bank.closeDay())
    else assert.equal(await after({ code: 'ACSP' }), 'sent')
    const done = isStored ? 'paid' : 'sent'
    assert.deepEqual(await attemptsOf(world, payoutId), [`${done} extra`, 'sent'])
    const { files, withdrawn } = await world.file()
    assert.deepEqual([files, withdrawn.length], [[], isStored ? 1 : 0])
    assert.deepEqual((await world.file()).files, [])
    assert.deepEqual(await attemptsOf(world, payoutId), [done, 'rejected'])
    assert.equal(await world.payoutStatus(payoutId), done)
    const left = isStored ? 0n : -1_000n
    const books = ['payout_clearing:bank_files', 'unallocated:main', `redeem_payable:${world.integrationId}`]
    const opening = isStored ? -100_000_000n : 0n
    assert.deepEqual(await Promise.all(books.map((account) => world.balanceSen(account))), [left, opening, 0n])
  }
})

test('what the bank has called credited is not certainly unpaid because it then calls it rejected', async () => {
  const { world, bank, payoutId, endToEndId, after } = await filed()
  assert.equal(await after({ code: 'ACSC' }), 'sent')
  assert.equal(await after({ code: 'ACCC' }), 'sent')
  for (const _ of [1, 2]) assert.equal(await after(REJECTED), 'sent')
  const [payment] = await world.db.query(
    'select status_code, meaning, status_reason from filed_payments where end_to_end_id = $1',
    [endToEndId],
  )
  assert.deepEqual(payment, {
    status_code: 'RJCT',
    meaning: 'paid',
    status_reason: 'RJCT AC04, after it was reported as credited: ask the bank',
  })
  bank.settlePending()
  await world.importXml(bank.closeDay())
  assert.equal(await world.payoutStatus(payoutId), 'paid')
})

test('what a bank reports and nothing follows from is said, once, with the payment and its words', async () => {
  const { world, endToEndId, after } = await filed()
  const saidOf = async (status: BankStatus, at?: string) => {
    assert.equal(await after(status, at), 'sent')
    return world.errors.splice(0)
  }
  const message = 'a bank reports of a payment what proves nothing: ask it what became of it'
  assert.deepEqual(await saidOf({ code: 'ACSC' }), [])
  assert.deepEqual(await saidOf({ code: 'CANC' }), [{ endToEndId, reported: 'CANC', message }])
  assert.deepEqual(await saidOf({ code: 'RJCT', reason: 'DU01' }), [{ endToEndId, reported: 'RJCT DU01', message }])
  assert.deepEqual(await saidOf({ code: 'CANC' }, '17:00:00'), [], 'a later report has spoken')
  assert.deepEqual(await saidOf({ code: 'ACCC' }), [])
  assert.deepEqual(await saidOf(REJECTED), [{ endToEndId, reported: 'RJCT AC04', message }])
})

test('a rejection of what a statement shows to have left moves nothing and is said; of what came back it is no news', async () => {
  const { world, bank, payoutId, endToEndId, after } = await filed()
  bank.settlePending()
  await world.importXml(bank.closeDay())
  for (const at of ['18:10:00', '18:20:00']) {
    assert.equal(await after(REJECTED, at), 'paid')
    const message = 'a bank reports of a payment what proves nothing: ask it what became of it'
    assert.deepEqual(world.errors.splice(0), [{ endToEndId, reported: 'RJCT AC04', message }])
  }
  const line = { bankAccount: 'main', reference: 'R', effectiveAt: world.clock.now, reason: 'closed' }
  await world.db.transaction((tx) => markReturned(tx, { payoutId, attempt: 1 }, { ...line, isShown: true }))
  assert.equal(await after(REJECTED, '18:30:00'), 'returned')
  assert.deepEqual(world.errors, [])
})

test('of an account number in a bank’s words the last four digits are kept, wherever they are shown', async () => {
  const { world, bank, payoutId } = await filed()
  const said = bank.report(FILE, { ...REJECTED, text: 'Account 8001234567 is closed' })
  assert.match(said, /8001234567 is closed/)
  assert.equal((await world.importXml(said)).taken.result, 'applied')
  assert.equal(await world.payoutStatus(payoutId), 'rejected')
  const [kept] = await world.db.query<{ reason: string; error: string }>(
    `select f.status_reason as reason, p.last_error as error
     from payouts p join filed_payments f using (end_to_end_id) where p.payout_id = $1`,
    [payoutId],
  )
  for (const words of [kept?.reason, kept?.error]) assert.match(words ?? '', /AC04 Account …4567 is closed$/)
})
