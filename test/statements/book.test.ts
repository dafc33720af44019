// engine: postgres; both in test:long
/** Lines of statements are matched and booked: payouts, returns, mints, and what nothing explains. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { addRemitter } from '../../src/integrations/remitters.sql.ts'
import { readBalances } from '../../src/ledger/balances.sql.ts'
import { payoutAdmin } from '../../src/payouts/admin.ts'
import { assignLine, type Explanation } from '../../src/statements/assign.ts'
import { readAwaited } from '../../src/statements/awaited.ts'
import { readBankBalances } from '../../src/statements/balances.sql.ts'
import { listUnallocated } from '../../src/statements/lists.sql.ts'
import { TEST_SECRETS } from '../support/bank-details.ts'
import { NOW } from '../support/bank-setup.ts'
import { type BankWorld, createBankWorlds } from '../support/bank-world.ts'
import type { FakeBankOptions } from '../support/fake-bank/bank.ts'
import { someBank } from '../support/statements.ts'

const worlds = createBankWorlds()
const newWorld = () => worlds.open()
after(() => worlds.close())

const PARTNER = { name: 'Partner', account: '70001234567' }

/** The reserve is what the bank says, and every line is somewhere. */
async function assertReserve(world: BankWorld, bank: ReturnType<typeof someBank>) {
  assert.equal(await world.balanceSen('reserve:main'), bank.balanceSen())
  const [balance] = await readBankBalances(world.db)
  assert.equal(balance?.unbookedMicro, 0n)
}

const unallocatedOf = async (world: BankWorld) =>
  (await listUnallocated(world.db, { after: undefined, limit: 100 })).map(({ amountMicro, reason }) => [
    amountMicro / 10_000n,
    reason,
  ])

async function assign(world: BankWorld, amountSen: bigint, explanation: Explanation, now = NOW) {
  const lines = await listUnallocated(world.db, { after: undefined, limit: 100 })
  const line = lines.find(({ amountMicro }) => amountMicro === amountSen * 10_000n)
  return await world.db.transaction((tx) =>
    assignLine({ tx, secrets: TEST_SECRETS }, line?.lineNo ?? 0n, { explanation, reason: 'seen', now }),
  )
}

/** Sends payouts of these amounts through a payment file to a bank that does with them what `fates` says. */
async function sentPayouts(world: BankWorld, fates: Record<string, string>) {
  const payouts = new Map<string, Awaited<ReturnType<BankWorld['burntRedeem']>>>()
  for (const amount of Object.keys(fates)) payouts.set(amount, await world.burntRedeem(amount))
  await world.payDue()
  const { files } = await world.file()
  const byId = new Map([...payouts].map(([amount, { endToEndId }]) => [endToEndId, fates[amount]]))
  const fateOf = ({ endToEndId }: { endToEndId: string }) => byId.get(endToEndId)
  const bank = someBank({ fateOf: fateOf as NonNullable<FakeBankOptions['fateOf']> })
  for (const messageId of files) {
    assert.equal(bank.receive(await world.outFile(messageId)).result, 'taken')
  }
  const statusOf = async (amount: string) => await world.payoutStatus(payouts.get(amount)?.payoutId ?? '')
  return { bank, files, payouts, statusOf }
}

const register = (world: BankWorld, integrationId: string, account: string) =>
  world.db.transaction((tx) => addRemitter(tx, TEST_SECRETS, { integrationId, account }))

test('payouts are paid, rejected, returned and pending as the bank says, and the books follow', async () => {
  const world = await newWorld()
  const { bank, files, statusOf } = await sentPayouts(world, {
    '10': 'paid',
    '20': 'rejected',
    '30': 'returned',
    '40': 'pending',
  })
  assert.deepEqual(files, ['COIN-00000001'])
  for (const amount of ['10', '20', '30', '40']) assert.equal(await statusOf(amount), 'sent')
  assert.equal(await world.balanceSen('payout_clearing:bank_files'), -10_000n)

  const report = bank.report('COIN-00000001')
  assert.equal((await world.importXml(report)).taken.result, 'applied')
  assert.equal(await statusOf('20'), 'rejected')
  assert.equal(await statusOf('40'), 'sent')
  assert.equal(await world.balanceSen('payout_clearing:bank_files'), -8_000n)

  const { matched, unallocated } = await world.importXml(bank.closeDay())
  assert.deepEqual([matched, unallocated], [2, 1])
  assert.equal(await statusOf('10'), 'paid')
  assert.equal(await statusOf('30'), 'paid')
  assert.equal(await world.balanceSen('payout_clearing:bank_files'), -4_000n)
  await assertReserve(world, bank)

  bank.settlePending()
  bank.returnPaid()
  await world.importXml(bank.closeDay())
  assert.equal(await statusOf('30'), 'returned')
  assert.equal(await statusOf('40'), 'paid')
  assert.equal(await world.balanceSen('payout_clearing:bank_files'), 0n)
  assert.equal(await world.balanceSen(`redeem_payable:${world.integrationId}`), -5_000n)
  assert.deepEqual(await unallocatedOf(world), [[100_000_000n, 'What the account held before its first statement.']])
  await assertReserve(world, bank)
  assert.equal((await world.importXml(report)).taken.result, 'repeated')
})

test('a mint is paid by its reference where that stands as the end-to-end id, too', async () => {
  const world = await newWorld()
  const { referenceId } = await world.settledMint('100', { referenceId: 'INV-2026-000123' })
  const bank = someBank()
  bank.deposit(10_000n, PARTNER)
  await world.importXml(bank.closeDay().replace('NOTPROVIDED', referenceId))
  assert.equal(await world.balanceSen(`mint_receivable:${world.integrationId}`), 0n)
  const [line] = await world.db.query(`select matched_kind as kind from bank_lines where end_to_end_id = $1`, [
    referenceId,
  ])
  assert.deepEqual(line, { kind: 'mint' })
  await assertReserve(world, bank)
})

test('mints are paid by their reference, alone or together, and only once', async () => {
  const world = await newWorld()
  const [first, second, third, odd] = [
    await world.settledMint('100'),
    await world.settledMint('50'),
    await world.settledMint('25'),
    await world.settledMint('5.123456'),
  ]
  const bank = someBank()
  bank.deposit(10_000n, PARTNER, `MINT ${first.referenceId}.`)
  bank.deposit(7_500n, PARTNER, `${second.referenceId}, ${third.referenceId}`)
  bank.deposit(513n, PARTNER, odd.referenceId)
  bank.deposit(10_000n, PARTNER, first.referenceId)
  const { matched, unallocated } = await world.importXml(bank.closeDay())
  assert.deepEqual([matched, unallocated], [3, 2])
  const [doubled] = await unallocatedOf(world)
  assert.deepEqual(doubled, [10_000n, `${first.referenceId} was paid before.`])
  // The part of a sen that banks cannot move.
  const [receivable] = await readAwaited(world.db, NOW)
  assert.equal(receivable?.receivable, '-0.006544')
  await assertReserve(world, bank)
})

test('a mint of another amount, one that failed, one of two integrations: all of it is left to an operator', async () => {
  const world = await newWorld()
  const [short, failed] = [await world.settledMint('100'), await world.settledMint('50')]
  const { stranger } = world.neighbours
  const body = world.mintBody({
    customerId: stranger.customerId,
    walletAddress: stranger.walletAddress,
    amountMyr: '7',
  })
  await world.call('mint', body, { caller: stranger.caller })
  await world.db.transaction(async (tx) => {
    await tx.query(`set local session_replication_role = 'replica'`)
    await tx.query(`update orders set status = 'failed', failure_reason = 'instruction_failed' where order_id = $1`, [
      failed.orderId,
    ])
  })
  const bank = someBank({ openingSen: 0n })
  bank.deposit(9_999n, PARTNER, short.referenceId)
  bank.deposit(5_000n, PARTNER, failed.referenceId)
  bank.deposit(10_700n, PARTNER, `${short.referenceId} ${String(body.referenceId)}`)
  bank.deposit(77n, PARTNER)
  await register(world, stranger.integrationId, '123454321')
  bank.deposit(9_000n, { name: 'Stranger', account: '123454321' }, String(body.referenceId))
  await world.importXml(bank.closeDay())
  assert.deepEqual(await unallocatedOf(world), [
    [9_999n, `${short.referenceId}: RM 100.00 is due, not this amount.`],
    [5_000n, `${failed.referenceId} is failed.`],
    [10_700n, `The text names mints of several integrations: ${short.referenceId}, ${String(body.referenceId)}.`],
    [77n, 'A credit without a text.'],
    [9_000n, `${String(body.referenceId)}: RM 7.00 is due, not this amount.`],
  ])
  assert.equal(await world.balanceSen('unallocated:main'), -34_776n)
  await assertReserve(world, bank)
})

test('a plain word that another partner has for a reference neither takes a credit nor holds one up', async () => {
  const world = await newWorld()
  const [first, second] = [await world.settledMint('100'), await world.settledMint('50')]
  await world.settledMint('25')
  const { stranger } = world.neighbours
  const { customerId, walletAddress, caller } = stranger
  const body = { ...world.mintBody({ customerId, walletAddress, amountMyr: '100' }), referenceId: 'SETTLEMENT' }
  await world.call('mint', body, { caller })
  const bank = someBank({ openingSen: 0n })
  bank.deposit(10_000n, PARTNER, 'SETTLEMENT NOV')
  bank.deposit(10_000n, PARTNER, `SETTLEMENT ${first.referenceId}`)
  await world.importXml(bank.closeDay())
  const reason = 'SETTLEMENT may be just a word, and the account that paid is not registered for any partner.'
  assert.deepEqual(await unallocatedOf(world), [[10_000n, reason]])
  await register(world, world.integrationId, PARTNER.account)
  bank.deposit(5_000n, PARTNER, `SETTLEMENT ${second.referenceId}`)
  bank.deposit(2_500n, PARTNER, 'SETTLEMENT')
  await world.importXml(bank.closeDay())
  assert.deepEqual(await unallocatedOf(world), [[10_000n, reason]])
  assert.equal(await world.balanceSen(`mint_receivable:${world.integrationId}`), 0n)
  await assertReserve(world, bank)
})

test('what a registered account pays in is the sum of an integration’s mints', async () => {
  const world = await newWorld()
  for (const amount of ['100', '50', '25']) await world.settledMint(amount)
  await register(world, world.integrationId, PARTNER.account)
  const bank = someBank({ openingSen: 0n })
  bank.deposit(11_000n, PARTNER, 'monday')
  await world.importXml(bank.closeDay())
  assert.deepEqual(await unallocatedOf(world), [])
  const [awaited] = await readAwaited(world.db, new Date(Date.now() + 3 * 86_400_000))
  assert.equal(awaited?.receivable, '65')
  assert.deepEqual(
    awaited?.mints.map(({ amountMyr, openMyr, ageDays }) => [amountMyr, openMyr, ageDays]),
    [
      ['25', '25', 3],
      ['50', '40', 3],
    ],
  )
})

test('money that nothing explains is assigned once, and the books follow', async () => {
  const world = await newWorld()
  await world.settledMint('100')
  const { bank, statusOf } = await sentPayouts(world, { '10': 'rejected', '30': 'rejected' })
  const charged = await world.balanceSen(`fees_receivable:${world.integrationId}`)
  bank.deposit(10_000n, PARTNER, 'no reference')
  bank.deposit(55n, PARTNER, 'fees')
  await world.importXml(bank.closeDay())
  assert.equal((await assign(world, 100_000_000n, { kind: 'own_funds' })).result, 'assigned')
  assert.equal((await assign(world, 10_000n, { kind: 'mints', integrationId: world.integrationId })).result, 'assigned')
  assert.equal((await assign(world, 55n, { kind: 'fees', integrationId: world.integrationId })).result, 'assigned')
  assert.equal((await assign(world, 55n, { kind: 'own_funds' })).result, 'not_unallocated')
  assert.deepEqual(await unallocatedOf(world), [])
  assert.equal(await world.balanceSen('unallocated:main'), 0n)
  assert.equal(await world.balanceSen('own_funds:main'), -100_000_000n)
  assert.equal(await world.balanceSen(`mint_receivable:${world.integrationId}`), 0n)
  assert.equal(await world.balanceSen(`fees_receivable:${world.integrationId}`), charged - 55n)
  assert.equal(await statusOf('10'), 'sent')
  await assertReserve(world, bank)
})

test('a debit without our end-to-end id is assigned to its payout, and a second one is not', async () => {
  const world = await newWorld()
  const { bank, payouts, statusOf } = await sentPayouts(world, { '10': 'paid', '30': 'rejected' })
  const ten = payouts.get('10')
  assert.ok(ten)
  const xml = bank.closeDay().replaceAll(ten.endToEndId, 'NOTPROVIDED')
  world.clock.now = new Date(NOW)
  await world.importXml(xml)
  assert.equal(await statusOf('10'), 'sent')
  const explanation = { kind: 'payout', payoutId: ten.payoutId, attempt: 1, amountSen: 1_000n } as const
  assert.equal((await assign(world, -1_000n, { ...explanation, amountSen: 999n })).result, 'contradiction')
  // It is said two days after the bank has booked it: at no instant between do the books hold another reserve than the bank.
  const said = new Date(NOW.getTime() + 2 * 86_400_000)
  assert.equal((await assign(world, -1_000n, explanation, said)).result, 'assigned')
  for (const hours of [0, 1, 24, 47, 48, 49]) {
    const asOf = new Date(NOW.getTime() + hours * 3_600_000)
    const reserve = (await readBalances(world.db, asOf)).find(
      ({ kind, owner }) => `${kind}:${owner}` === 'reserve:main',
    )
    assert.equal(reserve?.balanceMicro, bank.balanceSen() * 10_000n, `${hours} hours`)
  }
  assert.equal(await statusOf('10'), 'paid')
  assert.equal(await world.balanceSen('payout_clearing:bank_files'), -3_000n)
  assert.equal(await world.balanceSen('unallocated:main'), -100_000_000n)
  await assertReserve(world, bank)
})

test('the debit of a payout that was paid by hand clears it, once', async () => {
  const world = await newWorld()
  const [first, second] = [await world.burntRedeem('10'), await world.burntRedeem('10')]
  await world.payDue()
  await world.file()
  const bank = someBank({ fateOf: ({ endToEndId }) => (endToEndId === first.endToEndId ? 'rejected' : 'paid') })
  bank.receive(await world.outFile('COIN-00000001'))
  await world.importXml(bank.report('COIN-00000001'))
  await world.db.transaction((tx) => payoutAdmin.markPaid(tx, first.payoutId, 'BY HAND'))
  assert.equal(await world.payoutStatus(first.payoutId), 'paid_by_hand')
  await world.importXml(bank.closeDay().replaceAll(second.endToEndId, 'NOTPROVIDED'))
  assert.equal(await world.balanceSen('payout_clearing:by_hand'), -1_000n)
  const explanation = { kind: 'payout', payoutId: first.payoutId, attempt: 1, amountSen: 1_000n } as const
  assert.equal((await assign(world, -1_000n, explanation)).result, 'assigned')
  assert.equal(await world.payoutStatus(first.payoutId), 'paid_by_hand')
  assert.equal(await world.balanceSen('payout_clearing:by_hand'), 0n)
  assert.equal(await world.balanceSen('unallocated:main'), -100_000_000n)
  await assertReserve(world, bank)
})

test('a payment that a statement shows twice, or with another amount, is not taken twice', async () => {
  const world = await newWorld()
  const { bank, payouts, statusOf } = await sentPayouts(world, { '10': 'paid' })
  const first = bank.closeDay()
  await world.importXml(first)
  assert.equal(await statusOf('10'), 'paid')
  const id = payouts.get('10')?.endToEndId ?? ''
  bank.deposit(1_000n, PARTNER, 'x')
  bank.deposit(1_001n, PARTNER, 'y')
  const named = (text: string) => (xml: string) =>
    xml.replace(new RegExp(`NOTPROVIDED(</EndToEndId>[\\s\\S]*?<Ustrd>${text}<)`), `${id}$1`)
  const second = named('y')(named('x')(bank.closeDay()))
  await world.importXml(second)
  assert.equal(await statusOf('10'), 'returned')
  bank.deposit(1_000n, PARTNER, 'z')
  await world.importXml(named('z')(bank.closeDay()))
  const reasons = (await unallocatedOf(world)).map(([amount, reason]) => `${amount} ${reason}`)
  assert.equal(reasons.length, 3)
  assert.match(reasons.join('\n'), /1001 po_.* is a payment of RM 10\.00, not of this amount/)
  assert.match(reasons.join('\n'), /1000 po_.* was returned before, by another line/)
  await assertReserve(world, bank)
})

test('what the bank gives back under its transaction code alone pays no mints of whoever is registered with that account', async () => {
  for (const code of ['RRTN', 'RPCR', 'ARET', 'AREV']) {
    const world = await newWorld()
    await register(world, world.integrationId, PARTNER.account)
    const { bank, payouts, statusOf } = await sentPayouts(world, { '10': 'paid', '20': 'paid' })
    const coded = (xml: string, text: string) =>
      xml.replace(
        new RegExp(`(<Cd>)RCDT(</Cd>\\s*<SubFmlyCd>)DMCT((?:(?!</Ntry>)[\\s\\S])*<Ustrd>${text}<)`),
        `$1ICDT$2${code}$3`,
      )
    await world.importXml(bank.closeDay())
    bank.deposit(1_000n, PARTNER, 'x')
    bank.deposit(2_000n, PARTNER, 'y')
    const xml = coded(coded(bank.closeDay(), 'x'), 'y')
    assert.equal(xml.match(new RegExp(code, 'g'))?.length, 2)
    const id = payouts.get('10')?.endToEndId ?? ''
    await world.importXml(xml.replace(/NOTPROVIDED(<\/EndToEndId>(?:(?!<\/Ntry>)[\s\S])*<Ustrd>x<)/, `${id}$1`))
    const [, ...reasons] = await unallocatedOf(world)
    assert.deepEqual(reasons, [[2_000n, 'The bank gives back a payment that is none of ours.']])
    assert.equal(await statusOf('10'), 'returned')
    assert.equal(await world.balanceSen(`mint_receivable:${world.integrationId}`), 0n)
    await assertReserve(world, bank)
  }
})
