/** The month's incoming money and statements: one a day, one of them lost for a while, and what operators say about what nothing explains. */
import assert from 'node:assert/strict'
import { formatAmount, SEN_IN_MICRO } from '../../src/money.ts'
import { bookLines } from '../../src/statements/book.ts'
import type { Payments, Payout } from './payments.ts'
import type { MonthWorld } from './world.ts'

const ELSEWHERE = { name: 'Somebody', account: '61112223334' }
const OPENING_SEN = 5_000_000n

type Statement = { xml: string; effects: (() => void)[] }
type Unexplained = {
  amountSen: bigint
  assignment: Record<string, unknown>
  account: string
  then: () => void
}

export type Statements = ReturnType<typeof createStatements>

export function createStatements(world: MonthWorld, payments: Payments) {
  const { bank, expected, service, ask } = world
  let effects: (() => void)[] = []
  const waiting: Statement[] = []
  const unexplained: Unexplained[] = []

  const line = (amountSen: bigint, account?: string) => void effects.push(() => expected.line(amountSen, account))
  const strange = (amountSen: bigint, account: string, assignment: Record<string, unknown>, then = () => {}) => {
    line(amountSen)
    effects.push(() => unexplained.push({ amountSen, account, assignment, then }))
  }

  async function take(xml: string): Promise<void> {
    assert.equal((await service.importXml(xml)).taken.result, 'applied')
  }

  /** What is applied is booked; from now on the books know of it. */
  async function book(statements: readonly Statement[]): Promise<void> {
    while (await bookLines(service.importDeps));
    for (const tell of statements.flatMap((each) => each.effects)) tell()
  }

  /** Says of each line that nothing explains what it is, as far as that is known. */
  async function assign(): Promise<void> {
    const { lines } = await ask('GET', '/bank/unallocated?limit=100')
    // What comes back is assigned after what it gives back: several days may be taken in at once.
    const isCredit = ({ amountMyr }: { amountMyr: string }) => Number(!amountMyr.startsWith('-'))
    const debitsFirst = (lines as { lineId: string; amountMyr: string }[]).toSorted((a, b) => isCredit(a) - isCredit(b))
    for (const { lineId, amountMyr } of debitsFirst) {
      const place = unexplained.findIndex(({ amountSen }) => formatAmount(amountSen * SEN_IN_MICRO) === amountMyr)
      const [found] = place < 0 ? [] : unexplained.splice(place, 1)
      assert.ok(found, `RM ${amountMyr} is unallocated, and nobody knows why`)
      await ask('POST', `/bank/unallocated/${lineId}/assign`, { ...found.assignment, reason: 'a letter' })
      expected.assigned(found.amountSen, found.account)
      found.then()
    }
    assert.deepEqual(unexplained, [])
  }

  const giveBack = (payout: Payout) => {
    bank.deposit(payout.amountSen, ELSEWHERE, 'RETURNED')
    const name = { payout: payout.payoutId }
    strange(payout.amountSen, 'payout_clearing:by_hand', name, () => payments.handedBack(payout))
  }

  return {
    /** Those that were taken in and wait for the lost one, as reconcile names them. */
    waiting: (): string[] => waiting.slice(1).map(({ xml }) => `main/${/<Stmt>\s*<Id>([^<]+)/.exec(xml)?.[1]}`),
    /** What the account holds at first. */
    open: () => strange(OPENING_SEN, 'own_funds:main', { ownFunds: true }),

    /** Partners pay for what was minted: one mint by its reference, the others as a sum. One mint of the month nobody pays. */
    deposit(
      minted: readonly { integrationId: string; referenceId: string; amountMicro: bigint }[],
      keepBack: boolean,
    ): void {
      for (const from of world.accounts) {
        const own = minted.filter(({ integrationId }) => integrationId === from.integrationId)
        const [first, ...rest] = keepBack ? own.slice(1) : own
        const account = `mint_receivable:${from.integrationId}`
        if (first !== undefined) {
          bank.deposit(first.amountMicro / SEN_IN_MICRO, ELSEWHERE, `payment ${first.referenceId}`)
          line(first.amountMicro / SEN_IN_MICRO, account)
        }
        const sumSen = rest.reduce((sum, { amountMicro }) => sum + amountMicro, 0n) / SEN_IN_MICRO
        if (sumSen === 0n) continue
        bank.deposit(sumSen, from, 'settlement')
        line(sumSen, account)
      }
    },

    /** Fees that partners pay, and charges of the bank: lines that nothing explains until an operator does. */
    feesAndCharges(): void {
      for (const { integrationId } of world.accounts) {
        const owedSen = expected.balance(`fees_receivable:${integrationId}`) / SEN_IN_MICRO
        if (owedSen === 0n) continue
        bank.deposit(owedSen, ELSEWHERE, 'fees')
        strange(owedSen, `fees_receivable:${integrationId}`, { integration: integrationId, fees: true })
      }
      bank.withdraw(1_550n, ELSEWHERE, 'CHARGES')
      strange(-1_550n, 'own_funds:main', { ownFunds: true })
    },

    /** The bank closes its day. A lost statement stays away, and those behind it wait, until `arrives`. */
    async endDay({ lost, arrives }: { lost: boolean; arrives: boolean }): Promise<void> {
      for (const payout of payments.givingBack.filter((each) => !payments.paidByHand.includes(each))) {
        payments.givingBack.splice(payments.givingBack.indexOf(payout), 1)
        giveBack(payout)
      }
      for (const payout of payments.paidByHand.splice(0))
        strange(-payout.amountSen, 'payout_clearing:by_hand', { payout: payout.payoutId })
      const statement = { xml: bank.closeDay(), effects: [...effects, ...payments.news()] }
      effects = []
      const [first] = waiting
      if (arrives && first !== undefined) {
        await take(first.xml)
        await book(waiting.splice(0))
      }
      if (!lost) await take(statement.xml)
      if (lost || waiting.length > 0) waiting.push(statement)
      else await book([statement])
      await assign()
    },
  }
}
