// engine: postgres; both in test:long
/** Payments of which the rail has spoken before a statement did, and lines that the bank has lessened by its charges. */
import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { checkBooks } from '../../src/operator/reconcile/turns.ts'
import { payoutAdmin } from '../../src/payouts/admin.ts'
import type { News } from '../../src/payouts/news.sql.ts'
import { recordNews } from '../../src/payouts/record-news.ts'
import { readReserveFacts } from '../../src/reserves/facts.sql.ts'
import { readReserveFactsAsOf } from '../../src/reserves/past.sql.ts'
import { assignLine, type Explanation } from '../../src/statements/assign.ts'
import { findStatementTroubles } from '../../src/statements/compare.ts'
import { listUnallocated } from '../../src/statements/lists.sql.ts'
import { findPaymentShown } from '../../src/statements/shown.sql.ts'
import { TEST_SECRETS } from '../support/bank-details.ts'
import { DEBTOR } from '../support/bank-files.ts'
import { NOW } from '../support/bank-setup.ts'
import { createBankWorlds } from '../support/bank-world.ts'
import { type BankLine, writeStatement } from '../support/fake-bank/messages.ts'
import { SETUP } from '../support/statements.ts'
import { refuse } from './refuse.ts'

const worlds = createBankWorlds()
afterEach(() => worlds.close())

const SAID = { bankAccount: 'http', reference: 'R', effectiveAt: NOW }
const PAID: News = { kind: 'paid', ...SAID }
const RETURNED: News = { kind: 'returned', reason: 'closed', ...SAID }
const RETRY = 'retry'

/** A payout of RM 10 that the rail has accepted, and the statements of one day for each account. */
async function sentPayout() {
  const world = await worlds.open()
  const { payoutId, endToEndId } = await world.burntRedeem('10')
  await world.payDue()
  const { db } = world
  const line = (amountSen: bigint, named = true): BankLine => ({
    reference: `X${amountSen}`,
    credit: amountSen > 0n,
    amountSen: amountSen < 0n ? -amountSen : amountSen,
    day: '2026-11-20',
    ...(named ? { endToEndId } : {}),
  })
  let closing = new Map<string, bigint>()
  let told = 0
  return {
    world,
    db,
    payoutId,
    line,
    says: (news: News, attempt = 1) =>
      db.transaction((tx) =>
        news.kind === 'rejected'
          ? refuse(tx, { payoutId, attempt }, news)
          : recordNews(tx, { payoutId, attempt }, news),
      ),
    status: () => world.payoutStatus(payoutId),
    /** A statement of one of our accounts, from zero. */
    async shows(lines: readonly BankLine[], key = 'main'): Promise<void> {
      const account = SETUP.accounts.find((each) => each.key === key)?.account ?? DEBTOR.account
      const openingSen = closing.get(key) ?? 0n
      const closingSen = lines.reduce((sum, one) => sum + (one.credit ? one.amountSen : -one.amountSen), openingSen)
      closing = new Map(closing).set(key, closingSen)
      const id = `S${key}${openingSen}-${closingSen}-${lines.length}`
      const days = { openedOn: '2026-11-20', closedOn: '2026-11-20', openingSen, closingSen }
      const head = { messageId: `M${id}`, createdAt: '2026-11-20T18:00:00+08:00', statementId: id, account }
      told += 1
      const own = lines.map((each) => ({ ...each, reference: `${told}${each.reference}` }))
      const { taken } = await world.importXml(writeStatement({ ...head, ...days, lines: own }))
      assert.equal(taken.result, 'applied')
    },
    async assign(amountSen: bigint, chargesSen = 0n, surplusSen = 0n) {
      const lines = await listUnallocated(db, { after: undefined, limit: 100 })
      const found = lines.find(({ amountMicro }) => amountMicro === amountSen * 10_000n)
      assert.ok(found, `a line of ${amountSen} sen`)
      const [row] = await db.query<{ attempt: number }>('select attempt from payouts where payout_id = $1', [payoutId])
      const explanation = {
        kind: 'payout',
        payoutId,
        attempt: row?.attempt ?? 1,
        amountSen: 1_000n,
        chargesSen,
        surplusSen,
      } as const
      return await db
        .transaction(async (tx) => {
          const how = { explanation, reason: 'a call', now: NOW }
          const result = await assignLine({ tx, secrets: TEST_SECRETS }, found.lineNo, how)
          if (result.result !== 'assigned') throw result
          return result
        })
        .catch((result: Awaited<ReturnType<typeof assignLine>>) => result)
    },
    /** Balances of these accounts in sen; the books agree with the bank and with the payouts. */
    async books(...accounts: string[]): Promise<bigint[]> {
      assert.deepEqual(await findStatementTroubles(db, TEST_SECRETS), [])
      assert.deepEqual(
        (await checkBooks(db)).filter(({ what }) => what === 'payable' || what === 'sent'),
        [],
      )
      return await Promise.all(accounts.map((account) => world.balanceSen(account)))
    },
  }
}

test('of a payment that the rail called paid, a statement may show the return before the debit', async () => {
  const s = await sentPayout()
  await s.says(PAID)
  await s.shows([s.line(1_000n), s.line(-1_000n)])
  assert.equal(await s.status(), 'returned')
  assert.deepEqual(await s.books('reserve:main', 'reserve:http'), [0n, 0n])
})

test('paid from one account and given back to another, in any order, with or without the rail’s word', async () => {
  for (const said of [[], [PAID], [PAID, RETURNED], [RETURNED]]) {
    for (const [first, then] of [
      ['main', 'second'],
      ['second', 'main'],
    ] as const) {
      const s = await sentPayout()
      for (const news of said) await s.says(news)
      for (const key of [first, then]) await s.shows([s.line(key === 'main' ? -1_000n : 1_000n)], key)
      assert.equal(await s.status(), 'returned')
      const reserves = await s.books('reserve:main', 'reserve:second', 'reserve:http')
      assert.deepEqual(reserves, [-1_000n, 1_000n, 0n], `${said.map(({ kind }) => kind)}, ${first} first`)
    }
  }
})

test('what a rail says came back after a statement has shown the debit stands with the rail until one shows it, too', async () => {
  const s = await sentPayout()
  await s.shows([s.line(-1_000n)])
  await s.says(RETURNED)
  const accounts = ['reserve:main', 'reserve:http', 'reserve:http/returned']
  assert.deepEqual(await s.books(...accounts), [-1_000n, 0n, 1_000n])
  await s.shows([s.line(1_000n)])
  assert.deepEqual(await s.books(...accounts), [0n, 0n, 0n])
})

test('what a rail says came back never makes up for another payment that it says was made, as far as statements show', async () => {
  for (const says of [[RETURNED], [PAID, RETURNED]]) {
    const s = await sentPayout()
    const other = await s.world.burntRedeem('7')
    await s.world.payDue()
    await s.db.transaction((tx) => recordNews(tx, { payoutId: other.payoutId, attempt: 1 }, PAID))
    const onItsWaySen = async () => (await readReserveFacts(s.db)).clearingMicro / 10_000n
    if (says.length === 1) await s.shows([s.line(-1_000n)])
    for (const news of says) await s.says(news)
    assert.equal(await onItsWaySen(), 700n)
    if (says.length === 2) await s.shows([s.line(-1_000n)])
    assert.equal(await s.status(), 'returned')
    const accounts = ['reserve:main', 'reserve:http', 'reserve:http/returned']
    assert.deepEqual(await s.books(...accounts), [-1_000n, -700n, 1_000n])
    assert.equal(await onItsWaySen(), 700n, 'it has not come back yet')
    await s.shows([s.line(1_000n)])
    assert.deepEqual(await s.books(...accounts), [0n, -700n, 0n])
    assert.equal(await onItsWaySen(), 700n)
  }
})

test('a line without our id is assigned to a payment of which the rail has spoken', async () => {
  const s = await sentPayout()
  await s.says(PAID)
  await s.shows([s.line(-1_000n, false)])
  assert.equal((await s.assign(-1_000n)).result, 'assigned')
  assert.deepEqual(await s.books('reserve:main', 'reserve:http', 'unallocated:main'), [-1_000n, 0n, 0n])
  await s.says(RETURNED)
  await s.shows([s.line(1_000n, false)])
  assert.equal((await s.assign(1_000n)).result, 'assigned')
  assert.equal(await s.status(), 'returned')
  assert.deepEqual(await s.books('reserve:main', 'reserve:http', 'unallocated:main'), [0n, 0n, 0n])
})

test('what was paid once too often from one account and came back to another leaves nothing unexplained', async () => {
  const s = await sentPayout()
  await s.says({ kind: 'rejected', reason: 'closed', effectiveAt: NOW })
  await s.db.transaction((tx) => payoutAdmin[RETRY](tx, s.payoutId))
  await s.world.payDue()
  await s.shows([s.line(-1_000n)])
  assert.deepEqual(await s.books('unallocated:main'), [1_000n])
  await s.shows([s.line(1_000n)], 'second')
  assert.deepEqual(await s.books('unallocated:main', 'unallocated:second'), [0n, 0n])
  assert.deepEqual(await s.books('reserve:main', 'reserve:second'), [-1_000n, 1_000n])
})

test('a payment that came back less charges is the customer’s again in full, once the charges are said to the sen', async () => {
  for (const named of [true, false]) {
    const s = await sentPayout()
    await s.shows([s.line(-1_000n), s.line(985n, named)])
    assert.equal(await s.status(), 'paid')
    const refused = await s.assign(985n)
    assert.match(
      refused.result === 'contradiction' ? refused.sentence : '',
      /the charges of the bank would be RM 0\.15/,
    )
    for (const wrong of [14n, 16n, 985n]) assert.equal((await s.assign(985n, wrong)).result, 'contradiction')
    assert.equal((await s.assign(985n, 15n)).result, 'assigned')
    assert.equal(await s.status(), 'returned')
    const accounts = ['reserve:main', 'unallocated:main', 'own_funds:main', `redeem_payable:${s.world.integrationId}`]
    assert.deepEqual(await s.books(...accounts), [-15n, 0n, 15n, -1_000n])
    assert.equal((await s.assign(985n, 15n).catch(() => ({ result: 'gone' }))).result, 'gone')
  }
})

test('a debit with charges on top pays the payout, and no more of a line than it is can be charges', async () => {
  const s = await sentPayout()
  await s.shows([s.line(-1_050n), s.line(1_001n, false)])
  assert.equal((await s.assign(-1_050n)).result, 'contradiction')
  assert.equal((await s.assign(1_001n, 1n)).result, 'contradiction')
  assert.equal((await s.assign(-1_050n, 50n)).result, 'assigned')
  assert.equal(await s.status(), 'paid')
  assert.deepEqual(await s.books('reserve:main', 'own_funds:main', 'payout_clearing:bank_files'), [-49n, 50n, 0n])
})

test('what came back on top of a payment is our own, once it is said to the sen; a debit of less pays nothing', async () => {
  const s = await sentPayout()
  await s.shows([s.line(-1_000n), s.line(1_020n), s.line(-999n, false)])
  assert.equal(await s.status(), 'paid')
  const refused = await s.assign(1_020n)
  assert.match(refused.result === 'contradiction' ? refused.sentence : '', /the surplus would be RM 0\.20\./)
  for (const wrong of [19n, 21n]) assert.equal((await s.assign(1_020n, 0n, wrong)).result, 'contradiction')
  assert.equal((await s.assign(1_020n, 0n, 20n)).result, 'assigned')
  assert.equal(await s.status(), 'returned')
  const accounts = ['own_funds:main', `redeem_payable:${s.world.integrationId}`, 'unallocated:main']
  assert.deepEqual(await s.books(...accounts), [-20n, -1_000n, 999n])
  const less = await s.assign(-999n, 0n, 1n)
  assert.match(less.result === 'contradiction' ? less.sentence : '', /the line is of another amount\.$/)
})

test('a line that names an earlier payment is about that one, whatever its charges are', async () => {
  const s = await sentPayout()
  await s.says({ kind: 'rejected', reason: 'closed', effectiveAt: NOW })
  await s.db.transaction((tx) => payoutAdmin[RETRY](tx, s.payoutId))
  await s.world.payDue()
  await s.shows([s.line(-1_050n)])
  assert.equal((await s.assign(-1_050n, 50n)).result, 'assigned')
  const attempts = await s.db.query<{ shown: string }>(
    `select status || ' ' || is_extra as shown from payout_attempts where payout_id = $1 order by attempt`,
    [s.payoutId],
  )
  assert.deepEqual(
    attempts.map(({ shown }) => shown),
    ['paid true', 'sent false'],
  )
})

test('a line that names a payment is not assigned to another payout, nor that payment called unpaid, whatever the line was taken for', async () => {
  const s = await sentPayout()
  const other = await s.world.burntRedeem('10')
  await s.world.payDue()
  await s.shows([s.line(-1_050n)])
  const [line] = await listUnallocated(s.db, { after: undefined, limit: 1 })
  const assign = (explanation: Explanation) =>
    s.db.transaction(async (tx) => {
      const how = { explanation, reason: 'a slip', now: NOW }
      return await assignLine({ tx, secrets: TEST_SECRETS }, line?.lineNo ?? 0n, how)
    })
  const { payoutId } = other
  const wrong = await assign({ kind: 'payout', payoutId, attempt: 1, amountSen: 1_000n, chargesSen: 50n })
  const names = wrong.result === 'contradiction' ? wrong.sentence : wrong.result
  assert.match(names, new RegExp(`^The line names another payment, ${s.payoutId}/1: `))
  assert.equal((await assign({ kind: 'own_funds' })).result, 'assigned')
  const shown = await s.db.transaction((tx) => findPaymentShown(tx, s.payoutId))
  assert.match(shown ?? 'called unpaid', /^main\/S.*\/1\.1$/)
  assert.equal(await s.db.transaction((tx) => findPaymentShown(tx, payoutId)), undefined)
})

test('a payment too many that the bank has taken is on its way out as any other, until a statement shows it or it fails', async () => {
  const s = await sentPayout()
  const onItsWaySen = async () => (await readReserveFacts(s.db)).clearingMicro / 10_000n
  await s.says({ kind: 'rejected', reason: 'closed', effectiveAt: NOW })
  await s.db.transaction((tx) => payoutAdmin[RETRY](tx, s.payoutId))
  await s.world.payDue()
  assert.equal(await onItsWaySen(), 1_000n)
  const taken: News = { kind: 'sent', railReference: 'R', effectiveAt: NOW }
  assert.equal((await s.says(taken))?.outcome, 'extra')
  assert.equal(await onItsWaySen(), 2_000n)
  assert.equal((await readReserveFactsAsOf(s.db, new Date())).clearingMicro, 20_000_000n)
  await s.says({ kind: 'rejected', reason: 'closed', effectiveAt: NOW })
  assert.equal(await onItsWaySen(), 1_000n)
  await s.says(taken)
  await s.shows([s.line(-1_000n)])
  assert.equal(await onItsWaySen(), 1_000n)
})

test('a debit that came back says nothing of the payment by hand that followed', async () => {
  const s = await sentPayout()
  await s.shows([s.line(-1_000n), s.line(1_000n)])
  await s.db.transaction((tx) => payoutAdmin.markPaid(tx, s.payoutId, 'BY HAND'))
  assert.equal(await s.status(), 'paid_by_hand')
  assert.equal(await s.db.transaction((tx) => findPaymentShown(tx, s.payoutId)), undefined)
})

test('charges of a payment by hand are our own, too', async () => {
  const s = await sentPayout()
  await s.says({ kind: 'rejected', reason: 'closed', effectiveAt: NOW })
  await s.db.transaction((tx) => payoutAdmin.markPaid(tx, s.payoutId, 'BY HAND'))
  await s.shows([s.line(-1_020n, false), s.line(970n, false)])
  assert.equal((await s.assign(-1_020n, 20n)).result, 'assigned')
  assert.equal((await s.assign(970n, 30n)).result, 'assigned')
  assert.equal(await s.status(), 'returned')
  const accounts = ['reserve:main', 'own_funds:main', 'payout_clearing:by_hand', 'unallocated:main']
  assert.deepEqual(await s.books(...accounts), [-50n, 50n, 0n, 0n])
})

test('what a statement shows to have come back, and none to have left, stands with its rail until one does', async () => {
  for (const key of ['main', 'second']) {
    const { shows, line, books, status, db } = await sentPayout()
    await shows([{ ...line(5_000n, false), reference: 'opening' }])
    await shows([line(1_000n)], key)
    assert.equal(await status(), 'returned')
    assert.deepEqual(await books(`reserve:${key}`, 'reserve:bank_files'), [key === 'main' ? 6_000n : 1_000n, -1_000n])
    // What came counts, and what has yet to be shown to leave is taken off.
    assert.equal((await readReserveFacts(db)).clearingMicro, 10_000_000n)
    await shows([line(-1_000n)])
    assert.deepEqual(await books('reserve:main', 'reserve:bank_files'), [key === 'main' ? 5_000n : 4_000n, 0n])
    assert.equal((await readReserveFacts(db)).clearingMicro, 0n)
  }
})

test('a debit without our id is that of the payment that a statement shows to have come back, and not of the one made after it', async () => {
  const { shows, line, books, status, db, payoutId, assign, world } = await sentPayout()
  await shows([{ ...line(5_000n, false), reference: 'opening' }])
  await shows([line(-1_000n, false), line(1_000n)])
  await db.transaction((tx) => payoutAdmin[RETRY](tx, payoutId))
  assert.equal((await assign(-1_000n)).result, 'assigned')
  // The new payment was not made by that, and is made.
  assert.equal(await status(), 'queued')
  await world.payDue()
  assert.equal(await status(), 'sent')
  assert.deepEqual(await books('reserve:main', 'reserve:bank_files', 'unallocated:main'), [5_000n, 0n, -5_000n])
  // Its own debit, without our id again, is its own.
  await shows([line(-1_000n, false)])
  assert.equal((await assign(-1_000n)).result, 'assigned')
  assert.equal(await status(), 'paid')
  assert.deepEqual(await books('reserve:main', 'reserve:bank_files'), [4_000n, 0n])
})
