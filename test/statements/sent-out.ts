/** Payouts that went out, the statements that a bank makes of them line by line, and what operators say of its lines. */
import assert from 'node:assert/strict'
import { checkBooks } from '../../src/operator/reconcile/turns.ts'
import { type Allocating, allocateLines } from '../../src/statements/allocate.ts'
import { assignLine, type Explanation } from '../../src/statements/assign.ts'
import type { SaidCharges } from '../../src/statements/charges.ts'
import { findStatementTroubles } from '../../src/statements/compare.ts'
import { findPaymentOf } from '../../src/statements/facts.sql.ts'
import { listUnallocated } from '../../src/statements/lists.sql.ts'
import { takeLineBack } from '../../src/statements/take-back.ts'
import { TEST_SECRETS } from '../support/bank-details.ts'
import { DEBTOR } from '../support/bank-files.ts'
import { NOW } from '../support/bank-setup.ts'
import { createBankWorlds } from '../support/bank-world.ts'
import { type BankLine, writeStatement } from '../support/fake-bank/messages.ts'
import { checkLines } from './books-of-lines.ts'

const OPENING_SEN = 100_000_000n
export const why = { reason: 'as the bank says', now: NOW }

/** Worlds in which payouts went out in a payment file, and what a bank says of them. */
export function createSentOut() {
  const worlds = createBankWorlds()
  return { sent: (...amounts: readonly string[]) => sent(worlds, ...amounts), close: () => worlds.close() }
}

/** Payouts of these amounts that went out in a payment file. */
async function sent(worlds: ReturnType<typeof createBankWorlds>, ...amounts: readonly string[]) {
  const world = await worlds.open()
  const { db } = world
  const payouts: Awaited<ReturnType<typeof world.burntRedeem>>[] = []
  for (const amount of amounts) payouts.push(await world.burntRedeem(amount))
  await world.payDue()
  await world.file()
  let day = 20
  let balanceSen = OPENING_SEN
  const said = async (...lines: readonly Partial<BankLine>[]) => {
    const on = `2026-11-${day}`
    const all = lines.map((line, index) => ({
      reference: `${on}.${index}`,
      credit: false,
      amountSen: 1n,
      day: on,
      ...line,
    }))
    const change = all.reduce((sum, { credit, amountSen }) => sum + (credit ? amountSen : -amountSen), 0n)
    await world.importXml(
      writeStatement({
        messageId: `M${day}`,
        createdAt: `${on}T23:00:00+08:00`,
        statementId: `S${day}`,
        account: DEBTOR.account,
        openedOn: on,
        openingSen: balanceSen,
        closedOn: on,
        closingSen: balanceSen + change,
        lines: all,
      }),
    )
    day += 1
    balanceSen += change
    return (await unallocated()).slice(-lines.length).map(({ lineNo }) => lineNo)
  }
  const unallocated = async () =>
    (await listUnallocated(db, { after: undefined, limit: 100 })).filter(({ entry }) => entry > 0)
  const paymentOf = async (payoutId: string) => (await findPaymentOf(db, payoutId)) ?? assert.fail(payoutId)
  /**
   * Rolled back where it is refused, as the API does.
   * @param claimed of which payouts it is what was paid twice
   * @returns why it was refused, or the numbers of the lines that were made
   */
  async function allocate(
    lineNos: readonly bigint[],
    whose: readonly number[],
    { claimed = [], ...charges }: { claimed?: readonly number[] } & SaidCharges = {},
  ) {
    const of = (indexes: readonly number[]) =>
      Promise.all(indexes.map((index) => paymentOf(payouts[index]?.payoutId ?? '')))
    return await allocatePayments(lineNos, await of(whose), { claims: await of(claimed), ...charges })
  }
  /** The same of payments of any payout. */
  async function allocatePayments(
    lineNos: readonly bigint[],
    payments: Allocating['payments'],
    others: Omit<Allocating, 'lineNos' | 'payments'> = {},
  ) {
    const refused = new Error('refused')
    let sentence = ''
    const made = await db
      .transaction(async (tx) => {
        const done = await allocateLines({ tx, secrets: TEST_SECRETS }, { lineNos, payments, ...others }, why)
        if (done.result === 'allocated') return done.parts.map(({ lineNo }) => lineNo)
        sentence = done.result === 'contradiction' ? done.sentence : `not unallocated: ${done.lineNo}`
        throw refused
      })
      .catch((error: unknown) => {
        if (error !== refused) throw error
        return []
      })
    return sentence === '' ? made : sentence
  }
  /** Says what a line is. @returns why it was refused; undefined when it was not */
  async function assign(lineNo: bigint, explanation: Explanation): Promise<string | undefined> {
    const refused = new Error('refused')
    let sentence: string | undefined
    await db
      .transaction(async (tx) => {
        const done = await assignLine({ tx, secrets: TEST_SECRETS }, lineNo, { explanation, ...why })
        if (done.result === 'assigned') return
        sentence = done.result === 'contradiction' ? done.sentence : done.result
        throw refused
      })
      .catch((error: unknown) => {
        if (error !== refused) throw error
      })
    return sentence
  }
  const takeBack = (lineNo: bigint) => db.transaction((tx) => takeLineBack({ tx, secrets: TEST_SECRETS }, lineNo, why))
  return {
    world,
    db,
    payouts,
    said,
    unallocated,
    paymentOf,
    allocate,
    allocatePayments,
    assign,
    takeBack,
    statuses: () => Promise.all(payouts.map(({ payoutId }) => world.payoutStatus(payoutId))),
    /** The books are right among themselves and against the bank, and nothing differs. */
    /** @param differ what differs all the same */
    async check(differ: readonly string[] = []) {
      await checkLines(db)
      assert.deepEqual(
        (await checkBooks(db)).filter(({ what }) => what !== 'unsealed'),
        [],
      )
      const troubles = await findStatementTroubles(db, TEST_SECRETS)
      assert.deepEqual(
        troubles.map(({ kind, subject }) => `${kind} ${subject}`),
        differ,
      )
      assert.equal(await world.balanceSen('reserve:main'), balanceSen)
    },
  }
}
