// engine: postgres; both in test:long
/** A bank lowers its limits, merges or renames its rails, and the bank profile with it, while files are there that were written before. */
import assert from 'node:assert/strict'
import * as fs from 'node:fs/promises'
import { after, test } from 'node:test'
import { parseBankList } from '../../src/bank-files/banks.ts'
import { RAIL_RULES, railRulesWith } from '../../src/bank-files/rails.ts'
import type { PaymentSetup } from '../../src/bank-files/setup.ts'
import { applyReport } from '../../src/payment-files/apply-report.ts'
import { fileWaiting } from '../../src/payment-files/filing.ts'
import { readBack } from '../../src/payment-files/read-back.ts'
import { findTogether } from '../../src/payment-files/together.ts'
import { importFile } from '../../src/statements/import.ts'
import { TEST_SECRETS } from '../support/bank-details.ts'
import { accepted, bytesOf, PROFILE } from '../support/bank-files.ts'
import { PAYMENTS, SILENT } from '../support/bank-setup.ts'
import { createBankWorlds } from '../support/bank-world.ts'
import { someBank } from '../support/statements.ts'
import { withoutGuards } from '../support/without-guards.ts'

const worlds = createBankWorlds()
after(() => worlds.close())

const FILE = 'COIN-00000001'
const { duitnow, ...others } = RAIL_RULES
const { residency } = PROFILE
const banks = accepted(
  parseBankList(JSON.stringify({ banks: [{ bic: 'MBBEMYKL', name: 'Maybank', accountDigits: [12] }] })),
)
const CHANGES: Record<string, Partial<PaymentSetup['profile']>> = {
  limit: { rails: railRulesWith({ ...others, duitnow: { ...duitnow, maxSen: 999n } }) },
  word: { rails: railRulesWith({ ...others, duitnow: { ...duitnow, localInstrument: 'RPP' } }) },
  banks: { banks },
  residency: { residency: { ...residency, resident: 'YES', nonResident: 'NO' } },
}

/** A payout of RM 10, and its rail and its bank as they are once the profile has changed. */
async function payoutThen(change: Partial<PaymentSetup['profile']>) {
  const world = await worlds.open()
  const setup = { ...PAYMENTS, profile: { ...PROFILE, ...change } }
  const place = { secrets: TEST_SECRETS, fs, folder: world.folder }
  const { payoutId } = await world.burntRedeem('10')
  await world.payDue()
  return {
    world,
    bank: someBank({ fateOf: () => 'pending' }),
    deps: { ...world.filingDeps(), setup },
    status: () => world.payoutStatus(payoutId),
    async given(xml: string) {
      const { taken } = await importFile(
        {
          ...world.importDeps,
          applyReport: (tx, report) => applyReport({ tx, ...place, logger: SILENT }, setup, report),
          findTogether: (tx, debit) => findTogether({ tx, ...place }, setup, debit),
        },
        { name: 'file.xml', bytes: bytesOf(xml) },
      )
      assert.deepEqual(taken, { result: 'applied' })
    },
  }
}

for (const [what, change] of Object.entries(CHANGES)) {
  test(`what a bank says of a file is heard after its ${what} changed: a rejection, and a debit of the whole`, async () => {
    const rejected = await payoutThen(change)
    const paid = await payoutThen(change)
    for (const { world, bank } of [rejected, paid]) {
      await world.file()
      bank.receive(await world.outFile(FILE))
    }
    await rejected.given(rejected.bank.report(FILE, { code: 'RJCT', reason: 'AC04' }))
    assert.equal(await rejected.status(), 'rejected')
    paid.bank.settlePending()
    const whole = `<NtryDtls><Btch><MsgId>${FILE}</MsgId></Btch></NtryDtls>`
    await paid.given(paid.bank.closeDay().replace(/<NtryDtls>[\s\S]*?<\/NtryDtls>/, whole))
    assert.equal(await paid.status(), 'paid')
  })

  test(`a file is read back after the ${what} changed, and its payment is not made again`, async () => {
    const { world, deps, status } = await payoutThen(change)
    await world.file()
    await withoutGuards(world.db, async (tx) => {
      await tx.query('delete from filed_payments')
      await tx.query('delete from payment_files')
    })
    assert.deepEqual(await readBack(deps), { files: [{ messageId: FILE, payments: 1, wentOut: true }], problems: [] })
    assert.deepEqual((await fileWaiting(deps)).files, [])
    assert.equal(await status(), 'sent')
  })

  test(`a file whose day has passed is not put out after the ${what} changed`, async () => {
    const { world, deps } = await payoutThen(change)
    const full = { ...deps, setup: PAYMENTS, fs: { ...fs, link: () => Promise.reject(new Error('the disk is full')) } }
    await assert.rejects(fileWaiting(full), /the disk is full/)
    const later = new Date(world.clock.now.getTime() + 7 * 86_400_000)
    const { files, withdrawn } = await fileWaiting({ ...deps, now: () => later, databaseNow: async () => later })
    assert.deepEqual(
      withdrawn.map(({ messageId }) => messageId),
      [FILE],
    )
    assert.ok(!files.includes(FILE))
  })
}

test('payments that no rail carries any more keep none behind them out of the next file, however many they are', async () => {
  const world = await worlds.open()
  const rails = railRulesWith({ ...others, duitnow: { ...duitnow, maxSen: 999n } })
  const setup: PaymentSetup = { ...PAYMENTS, rails: ['duitnow'], profile: { ...PROFILE, rails } }
  for (const amount of ['10', '11', '12', '5', '6', '13', '7']) {
    await world.burntRedeem(amount)
    await world.payDue()
  }
  const deps = { ...world.filingDeps(), setup }
  const sumsIn = async (messageId: string) =>
    (
      await world.db.query<{ sen: bigint }>(
        'select amount_sen as sen from filed_payments where message_id = $1 order by 1',
        [messageId],
      )
    ).map(({ sen }) => sen)
  const first = await fileWaiting(deps, 2)
  assert.deepEqual([first.files, first.waits?.length], [[FILE], 3])
  assert.deepEqual(await sumsIn(FILE), [500n, 600n])
  const second = await fileWaiting(deps, 2)
  assert.deepEqual([second.files, second.waits?.length], [['COIN-00000002'], 4])
  assert.deepEqual(await sumsIn('COIN-00000002'), [700n])
  assert.deepEqual((await fileWaiting(deps, 2)).files, [])
})

test('nor where they are more than a run looks at: they come after the others from then on, in turn', async () => {
  const world = await worlds.open()
  const limited = (maxSen: bigint): PaymentSetup => {
    const rails = railRulesWith({ ...others, duitnow: { ...duitnow, maxSen } })
    return { ...PAYMENTS, rails: ['duitnow'], profile: { ...PROFILE, rails } }
  }
  for (const amount of [...Array.from({ length: 21 }, (_, more) => String(10 + more)), '5', '6']) {
    await world.burntRedeem(amount)
    await world.payDue()
  }
  const runs: (number | undefined)[] = []
  const run = async (maxSen: bigint) => {
    const { files } = await fileWaiting({ ...world.filingDeps(), setup: limited(maxSen) }, 2)
    const [row] = await world.db.query<{ payments: bigint }>(
      'select count(*) as payments from filed_payments where message_id = any ($1::text[])',
      [files],
    )
    runs.push(Number(row?.payments))
  }
  for (const _ of [1, 2, 3]) await run(999n)
  assert.deepEqual(runs, [0, 2, 0])
  // A rail carries one of them again: it is among those that come last.
  for (const _ of Array(12)) await run(1_000n)
  assert.equal(
    runs.reduce<number>((sum, each) => sum + (each ?? 0), 0),
    3,
  )
})

/** Runs that look at two payments at a time, ten times, and the amounts that they have filed. */
async function runsByTwo() {
  const world = await worlds.open()
  const setupOf = (maxSen: bigint): PaymentSetup => {
    const rails = railRulesWith({ ...others, duitnow: { ...duitnow, maxSen } })
    return { ...PAYMENTS, rails: ['duitnow'], profile: { ...PROFILE, rails } }
  }
  return {
    world,
    async accept(amounts: readonly number[]) {
      for (const amount of amounts) {
        await world.burntRedeem(String(amount))
        await world.payDue()
      }
    },
    async run(maxSen: bigint, times: number) {
      for (const _ of Array(times)) await fileWaiting({ ...world.filingDeps(), setup: setupOf(maxSen) }, 2)
    },
    filed: async () =>
      (
        await world.db.query<{ sen: bigint }>(
          'select amount_sen as sen from filed_payments where message_id is not null order by 1',
        )
      ).map(({ sen }) => sen),
  }
}
const from = (first: number) => Array.from({ length: 21 }, (_, more) => first + more)

test('those of before come in turn also where the clock of the database was ahead when they were passed over', async () => {
  const { world, accept, run, filed } = await runsByTwo()
  await accept(from(10))
  await run(999n, 1)
  await withoutGuards(world.db, (tx) =>
    tx.query(`update filed_payments set passed_over_at = passed_over_at + interval '1 year'`),
  )
  await accept(from(40))
  await run(999n, 2)
  assert.deepEqual(await filed(), [])
  await run(1_000n, 30)
  assert.deepEqual(await filed(), [1_000n])
})

test('and where more than a run looks at are between, whose payees do not open', async () => {
  const { world, accept, run, filed } = await runsByTwo()
  await accept([50, 51, 52])
  await withoutGuards(world.db, (tx) =>
    tx.query(`update bank_details set sealed = left(sealed, -8) || 'AAAAAAAA' where payment is not null`),
  )
  await run(9_999n, 1)
  await accept(from(10))
  await run(999n, 2)
  assert.deepEqual(await filed(), [])
  await run(1_000n, 20)
  assert.deepEqual(await filed(), [1_000n])
})

test('no look at waiting payments names those of the looks before: with 100,000 of them PostgreSQL compared each with all', async () => {
  const world = await worlds.open()
  for (const amount of ['10', '11', '12', '13', '5']) {
    await world.burntRedeem(amount)
    await world.payDue()
  }
  const rails = railRulesWith({ ...others, duitnow: { ...duitnow, maxSen: 999n } })
  const setup: PaymentSetup = { ...PAYMENTS, rails: ['duitnow'], profile: { ...PROFILE, rails } }
  const looks: readonly unknown[][] = []
  const db: typeof world.db = {
    ...world.db,
    transaction: (work) =>
      world.db.transaction((tx) =>
        work({
          ...tx,
          query: (text, params = []) => {
            if (/from filed_payments[\s\S]*for update/.test(text)) (looks as unknown[][]).push([...params])
            return tx.query(text, params)
          },
        }),
      ),
  }
  assert.deepEqual((await fileWaiting({ ...world.filingDeps(), db, setup }, 2)).files, [FILE])
  assert.equal(looks.length, 3)
  assert.ok(!looks.flat().some((each) => Array.isArray(each) && each.length > 0))
})
