// engine: postgres
/** Random lives of lines: whatever operators, rails and banks say, and in whichever order, the books say of each line what it belongs to. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { addDays } from '../../src/bank-files/day.ts'
import { addRemitter } from '../../src/integrations/remitters.sql.ts'
import { readBalances } from '../../src/ledger/balances.sql.ts'
import { closeDays } from '../../src/ledger/periods.sql.ts'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { checkBooks } from '../../src/operator/reconcile/turns.ts'
import { payoutAdmin } from '../../src/payouts/admin.ts'
import { markPaid, markRejected, markReturned, markSent } from '../../src/payouts/record-news.ts'
import { allocateLines } from '../../src/statements/allocate.ts'
import { assignLine, type Explanation } from '../../src/statements/assign.ts'
import { findStatementTroubles } from '../../src/statements/compare.ts'
import { replaceLine } from '../../src/statements/replace.ts'
import { findPaymentShown } from '../../src/statements/shown.sql.ts'
import { takeLineBack } from '../../src/statements/take-back.ts'
import { whyMaybePaid } from '../../src/statements/unshown.sql.ts'
import { TEST_SECRETS } from '../support/bank-details.ts'
import { DEBTOR } from '../support/bank-files.ts'
import { createBankWorld } from '../support/bank-world.ts'
import { type BankLine, writeStatement } from '../support/fake-bank/messages.ts'
import { sealBooks } from '../support/seal-books.ts'
import { withoutGuards } from '../support/without-guards.ts'
import { checkLines, checkPast } from './books-of-lines.ts'

const RUNS = 6
const STEPS = 45
const DAY_MS = 86_400_000
const REGISTERED = { name: 'Partner', account: '70001234567' }
const STRANGER = { name: 'Somebody', account: '70009999999' }
const ACCOUNTS = { main: DEBTOR.account, second: '514099999999' } as const
type AccountKey = keyof typeof ACCOUNTS
const OTHER = { main: 'second', second: 'main' } as const

const nat = fc.nat(1_000)
const line = fc.record({
  credit: fc.boolean(),
  amountSen: fc.constantFrom(1_000n, 1_000n, 1_050n, 990n, 2_000n, 2_000n),
  names: fc.constantFrom('nothing' as const, 'nothing' as const, 'payment' as const, 'mint' as const),
  from: fc.constantFrom('registered' as const, 'stranger' as const, 'stranger' as const, 'own' as const),
  of: nat,
})
/** @param of how many payouts it paid, or gave back, `twice` how many once more, and `others` how many lines beside the first */
function allocation(
  of: fc.UniqueArrayConstraints<number, number>,
  twice: fc.UniqueArrayConstraints<number, number>,
  others = 2,
) {
  return fc.record({
    kind: fc.constant('allocate' as const),
    line: nat,
    others: fc.array(nat, { maxLength: others }),
    of: fc.uniqueArray(fc.nat(2), of),
    twice: fc.uniqueArray(fc.nat(2), twice),
  })
}
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('day' as const),
      of: fc.constantFrom<AccountKey>('main', 'main', 'second'),
      lines: fc.array(line, { maxLength: 3 }),
    }),
  },
  {
    weight: 7,
    arbitrary: fc.record({
      kind: fc.constant('assign' as const),
      line: nat,
      to: fc.constantFrom('mints' as const, 'fees' as const, 'own' as const, 'payout' as const, 'payout' as const),
      of: nat,
    }),
  },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('claim' as const), line: nat, of: nat }) },
  { weight: 4, arbitrary: allocation({ minLength: 1, maxLength: 3 }, { maxLength: 0 }) },
  { weight: 3, arbitrary: allocation({ maxLength: 1 }, { minLength: 1, maxLength: 2 }) },
  { weight: 4, arbitrary: allocation({ minLength: 2, maxLength: 2 }, { maxLength: 0 }, 0) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('takeBack' as const), line: nat }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('replace' as const), line: nat, by: nat }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('rail' as const),
      says: fc.constantFrom('sent' as const, 'paid' as const, 'returned' as const, 'rejected' as const),
      of: nat,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('payout' as const),
      does: fc.constantFrom('retry' as const, 'markPaid' as const, 'markUnpaid' as const, 'pay' as const),
      of: nat,
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('close' as const), day: nat }) },
)
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

/** Ends the transaction of what is refused, as the API does. */
const REFUSED = new Error('refused')

/** What the bank has kept, or gave, where the rest of a line is a payment. */
function chargesOf(restMicro: bigint) {
  if (restMicro === 0n) return {}
  return restMicro < 0n ? { chargesSen: -restMicro / 10_000n } : { surplusSen: restMicro / 10_000n }
}

async function newLife() {
  const world = await createBankWorld()
  const { db, integrationId } = world
  const others = await db.query<{ integration_id: string }>(
    'select integration_id from integrations where integration_id <> $1 order by 1',
    [integrationId],
  )
  const partners = [integrationId, others[0]?.integration_id ?? '']
  await db.transaction((tx) => addRemitter(tx, TEST_SECRETS, { integrationId, account: REGISTERED.account }))
  const mint = await world.settledMint('10')
  await world.burntRedeem('10')
  await world.burntRedeem('10')
  await world.burntRedeem('20')
  // Days that are over, so that they can be closed.
  const first = new Date(Date.now() - 60 * DAY_MS).toISOString().slice(0, 10)
  await withoutGuards(db, (tx) => tx.query(`update payouts set created_at = now() - interval '61 days'`))
  await world.payDue()
  const state = {
    main: { day: first, closingSen: 500_000n },
    second: { day: first, closingSen: 100_000n },
  }
  /** What the bank itself says of the end of each day of which the books were open when its statement came. */
  const closings: { of: AccountKey; day: string; closingSen: bigint }[] = []
  let serial = 0
  let closedThrough = ''
  const done = new Map<string, number>()
  const count = (what: string) => void done.set(what, (done.get(what) ?? 0) + 1)

  /** Runs a command as the API does: what is refused is rolled back. */
  async function command(
    name: string,
    run: (tx: Parameters<Parameters<typeof db.transaction>[0]>[0]) => Promise<boolean>,
  ) {
    try {
      await db.transaction(async (tx) => {
        if (!(await run(tx))) throw REFUSED
      })
      count(name)
    } catch (error) {
      if (error !== REFUSED) throw error
    }
  }
  const linesIn = async (states: readonly string[]) =>
    await db.query<{ line_no: bigint; amount_micro: bigint; bank_account: string }>(
      'select line_no, amount_micro, bank_account from bank_lines where state = any ($1) and entry > 0 order by line_no',
      [states],
    )
  const payoutsOf = async () =>
    await db.query<{ payout_id: string; attempt: number; amount_sen: bigint; end_to_end_id: string; status: string }>(
      'select payout_id, attempt, amount_sen, end_to_end_id, status from payouts order by payout_id',
    )
  /** Payouts that a line has paid; or of which another one is claimed. */
  async function claimable({ amount_micro }: { amount_micro: bigint }) {
    const shown = await db.query<{ of: string }>(
      `select distinct split_part(matched_to, '/', 1) as of from bank_lines where amount_micro < 0
         and matched_kind = any ($1)`,
      [amount_micro < 0n ? ['payout', 'extra_payout'] : ['claim']],
    )
    return (await payoutsOf()).filter(({ payout_id }) => shown.some(({ of }) => of === payout_id))
  }
  const attemptsOf = async () =>
    await db.query<{ payout_id: string; attempt: number; end_to_end_id: string }>(
      'select payout_id, attempt, end_to_end_id from payout_attempts order by payout_id, attempt',
    )
  const pick = <T>(from: readonly T[], of: number): T | undefined => from[of % Math.max(from.length, 1)]
  const now = () => world.clock.now

  return {
    world,
    db,
    done,
    closings,
    async run(each: Step) {
      serial += 1
      // Later than the day of whichever statement is the newest.
      const newest = state.main.day > state.second.day ? state.main.day : state.second.day
      world.clock.now = new Date(Date.parse(`${newest}T02:00:00Z`) + serial * 1_000)
      if (each.kind === 'day') {
        const at = state[each.of]
        const lines: BankLine[] = []
        for (const [index, said] of each.lines.entries()) {
          const { credit, amountSen, names, from, of } = said
          const attempt = pick(await attemptsOf(), of)
          const party =
            from === 'own'
              ? { name: 'Issuer', account: ACCOUNTS[OTHER[each.of]] }
              : from === 'registered'
                ? REGISTERED
                : STRANGER
          lines.push({
            reference: `T${serial}-${index}`,
            credit,
            amountSen,
            day: at.day,
            party,
            ...(names === 'payment' && attempt !== undefined ? { endToEndId: attempt.end_to_end_id } : {}),
            ...(names === 'mint' ? { text: `for ${mint.referenceId}` } : {}),
          })
        }
        const moved = lines.reduce((sum, { credit, amountSen }) => sum + (credit ? amountSen : -amountSen), 0n)
        const closingSen = at.closingSen + moved
        const xml = writeStatement({
          messageId: `M${serial}`,
          statementId: `${each.of}-${at.day}`,
          createdAt: `${at.day}T18:00:00+08:00`,
          account: ACCOUNTS[each.of],
          openedOn: at.day,
          openingSen: at.closingSen,
          closedOn: at.day,
          closingSen,
          lines,
        })
        world.clock.now = new Date(Date.parse(`${addDays(at.day, 1)}T02:00:00Z`) + serial * 1_000)
        const imported = await world.importXml(xml, `${serial}.xml`)
        assert.equal(imported.taken.result, 'applied', JSON.stringify(imported))
        if (at.day > closedThrough) closings.push({ of: each.of, day: at.day, closingSen })
        state[each.of] = { day: addDays(at.day, 1), closingSen }
        count(each.kind)
      } else if (each.kind === 'assign') {
        const chosen = pick(await linesIn(['unallocated']), each.line)
        const payout = pick(await payoutsOf(), each.of)
        if (chosen === undefined || payout === undefined) return
        const sen = chosen.amount_micro / 10_000n
        const moved = sen < 0n ? -sen : sen
        const beyond = sen < 0n ? moved - payout.amount_sen : payout.amount_sen - moved
        const charges = beyond > 0n ? { chargesSen: beyond } : beyond < 0n ? { surplusSen: -beyond } : {}
        const explanation: Explanation =
          each.to === 'own'
            ? { kind: 'own_funds' }
            : each.to === 'payout'
              ? {
                  kind: 'payout',
                  payoutId: payout.payout_id,
                  attempt: payout.attempt,
                  amountSen: payout.amount_sen,
                  ...charges,
                }
              : { kind: each.to, integrationId: pick(partners, each.of) ?? '' }
        await command(`assign ${each.to} ${payout.status}`, async (tx) => {
          const given = { explanation, reason: 'seen', now: now() }
          return (await assignLine({ tx, secrets: TEST_SECRETS }, chosen.line_no, given)).result === 'assigned'
        })
      } else if (each.kind === 'claim') {
        const chosen = pick(await linesIn(['unallocated']), each.line)
        if (chosen === undefined) return
        const payout = pick(await claimable(chosen), each.of)
        if (payout === undefined) return
        const { payout_id: payoutId, attempt, amount_sen: amountSen } = payout
        const owedMicro = (chosen.amount_micro < 0n ? -amountSen : amountSen) * 10_000n
        const charges = chargesOf(chosen.amount_micro - owedMicro)
        const explanation: Explanation = { kind: 'claim', payoutId, attempt, amountSen, ...charges }
        await command(`claim ${chosen.amount_micro < 0n ? 'opened' : 'closed'}`, async (tx) => {
          const given = { explanation, reason: 'twice', now: now() }
          return (await assignLine({ tx, secrets: TEST_SECRETS }, chosen.line_no, given)).result === 'assigned'
        })
      } else if (each.kind === 'allocate') {
        const paymentsOf = (of: readonly number[], among: typeof payouts) =>
          [...new Set(of.flatMap((index) => pick(among, index) ?? []))].map(
            ({ payout_id: payoutId, attempt, amount_sen: amountSen }) => ({ payoutId, attempt, amountSen }),
          )
        const free = await linesIn(['unallocated'])
        const payouts = await payoutsOf()
        const payments = paymentsOf(each.of, payouts)
        const paidSen = payments.reduce((sum, { amountSen }) => sum + amountSen, 0n)
        const fitting = free.filter(({ amount_micro }) => amount_micro === -paidSen * 10_000n)
        const first = pick(each.others.length === 0 && fitting.length > 0 ? fitting : free, each.line)
        if (first === undefined) return
        const same = free.filter(
          (other) => other.amount_micro > 0n === first.amount_micro > 0n && other.bank_account === first.bank_account,
        )
        const chosen = [...new Set([first, ...each.others.flatMap((of) => pick(same, of) ?? [])])]
        const claims = paymentsOf(each.twice, await claimable(first))
        const sumMicro = chosen.reduce((sum, { amount_micro }) => sum + amount_micro, 0n)
        const owedMicro = [...payments, ...claims].reduce((sum, { amountSen }) => sum + amountSen * 10_000n, 0n)
        const charges = chargesOf(sumMicro - (sumMicro < 0n ? -owedMicro : owedMicro))
        const what = `${chosen.length > 1 ? 'several' : 'one'}${claims.length > 0 ? ' of what was paid twice' : ''}`
        await command(`allocate ${what}`, async (tx) => {
          const allocating = { lineNos: chosen.map(({ line_no }) => line_no), payments, claims, ...charges }
          const given = { reason: 'together', now: now() }
          return (await allocateLines({ tx, secrets: TEST_SECRETS }, allocating, given)).result === 'allocated'
        })
      } else if (each.kind === 'takeBack') {
        const chosen = pick(await linesIn(['matched', 'assigned']), each.line)
        if (chosen === undefined) return
        await command(each.kind, async (tx) => {
          const why = { reason: 'a mistake', now: now() }
          return (await takeLineBack({ tx, secrets: TEST_SECRETS }, chosen.line_no, why)).result === 'taken_back'
        })
      } else if (each.kind === 'replace') {
        const rows = await db.query<{ line_no: bigint; amount_micro: bigint; amount_sen: bigint }>(
          `select l.line_no, l.amount_micro, p.amount_sen from bank_lines l join payouts p on p.payout_id = split_part(l.matched_to, '/', 1)
           where l.matched_kind in ('payout', 'extra_payout') order by 1`,
        )
        const chosen = pick(rows, each.line)
        const free = (await linesIn(['unallocated'])).filter(
          ({ amount_micro }) => chosen !== undefined && amount_micro > 0n === chosen.amount_micro > 0n,
        )
        const by = pick(free, each.by)
        if (chosen === undefined || by === undefined) return
        const sen = by.amount_micro / 10_000n
        const beyond = sen < 0n ? -sen - chosen.amount_sen : chosen.amount_sen - sen
        const charges = beyond > 0n ? { chargesSen: beyond } : beyond < 0n ? { surplusSen: -beyond } : {}
        await command(each.kind, async (tx) => {
          const replacement = { lineNo: by.line_no, ...charges }
          const given = { replacement, reason: 'the other', now: now() }
          return (await replaceLine({ tx, secrets: TEST_SECRETS }, chosen.line_no, given)).result === 'taken_back'
        })
      } else if (each.kind === 'rail') {
        const key = pick(await attemptsOf(), each.of)
        if (key === undefined) return
        const payment = { payoutId: key.payout_id, attempt: key.attempt }
        const told = { bankAccount: 'http', reference: `H${serial}`, effectiveAt: now(), reason: 'because' }
        await command(`rail ${each.says}`, async (tx) => {
          if (each.says === 'sent') await markSent(tx, payment, { railReference: 'R', effectiveAt: now() })
          else if (each.says === 'paid') await markPaid(tx, payment, told)
          else if (each.says === 'returned') await markReturned(tx, payment, told)
          else await markRejected(tx, payment, told)
          return true
        })
      } else if (each.kind === 'payout') {
        if (each.does === 'pay') {
          await world.payDue()
          return
        }
        const payout = pick(await payoutsOf(), each.of)
        if (payout === undefined) return
        const { payout_id: payoutId } = payout
        await command(`${each.does} ${payout.status}`, async (tx) => {
          if (each.does === 'retry') return (await payoutAdmin.retry(tx, payoutId)) !== undefined
          if (each.does === 'markPaid') return (await payoutAdmin.markPaid(tx, payoutId, 'BY HAND')) !== undefined
          if ((await findPaymentShown(tx, payoutId)) !== undefined) return false
          if ((await whyMaybePaid(tx, payoutId)) !== undefined) return false
          return (await payoutAdmin.markUnpaid(tx, payoutId, 'the bank says so')) !== undefined
        })
      } else {
        const day = addDays(first, each.day % 12)
        await db.transaction((tx) => closeDays(tx, day))
        if (day > closedThrough) closedThrough = day
        count(each.kind)
      }
    },
  }
}

test('whatever is said of lines, the books say of each what it belongs to, now and of every day that was', async () => {
  const done = new Map<string, number>()
  const areAllDone = () => (['takeBack', 'replace', 'allocate one'] as const).every((what) => (done.get(what) ?? 0) > 0)
  const lives = fc.asyncProperty(fc.array(step, { minLength: STEPS, maxLength: STEPS }), async (steps) => {
    const life = await newLife()
    try {
      await checkLines(life.db)
      for (const [index, each] of steps.entries()) {
        const told = `step ${index} of ${JSON.stringify(steps.slice(0, index + 1), (_, value) => (typeof value === 'bigint' ? Number(value) : value))}`
        try {
          await life.run(each)
          await checkLines(life.db)
        } catch (error) {
          throw new Error(`${told}: ${error instanceof Error ? error.message : error}`, { cause: error })
        }
      }
      await checkPast(life.db)
      await checkClosings(life)
      const troubles = await findStatementTroubles(life.db, TEST_SECRETS)
      assert.deepEqual(
        troubles.filter(({ kind }) => kind !== 'payout_twice'),
        [],
      )
      assert.deepEqual(
        (await checkBooks(life.db)).filter(({ what }) => what === 'payable' || what === 'sent'),
        [],
      )
      while ((await sealBooks(life.db, 50)).sealed > 0);
      assert.equal((await verifyLedger(life.db)).firstBad, null)
      for (const [what, times] of life.done) done.set(what, (done.get(what) ?? 0) + times)
    } finally {
      await life.world.close()
    }
  })
  // Six lives need not have them all.
  for (let round = 0; round === 0 || (round < 10 && !areAllDone()); round += 1)
    await fc.assert(lives, { numRuns: RUNS, endOnFailure: true })
  console.error(JSON.stringify(Object.fromEntries(done)))
  assert.ok(areAllDone())
})

/** At the end of each day that was open when its statement came, each account of the books is what the bank said. */
async function checkClosings({ db, closings }: Awaited<ReturnType<typeof newLife>>): Promise<void> {
  for (const { of, day, closingSen } of closings) {
    const end = new Date(Date.parse(`${addDays(day, 1)}T00:00:00+08:00`) - 1)
    const balance = (await readBalances(db, end)).find(({ kind, owner }) => kind === 'reserve' && owner === of)
    assert.equal((balance?.balanceMicro ?? 0n) / 10_000n, closingSen, `${of} at the end of ${day}`)
  }
}
