/** The account at the model's bank: what it books, and for what each line is, as a person at the bank would say if asked. */
import { addDays } from '../../src/bank-files/day.ts'
import { DEBTOR } from '../support/bank-files.ts'
import {
  type BankLine,
  type BankStatement,
  writeNotification,
  writeReport,
  writeStatement,
} from '../support/fake-bank/messages.ts'
import type { Random } from '../support/random.ts'
import type { Payments } from './payments.ts'

/**
 * `together`: a debit for these payments, which names their file. `merged`: one that names nothing. `part`: one of `of` debits of a payment, all of
 * the same group. `twice`: another debit of a payment that was debited already, or what gives it back.
 */
/** `endToEndId`: of which payment of the payout; undefined of one by hand. */
export type Whose = { payoutId: string; endToEndId?: string }

export type Purpose =
  | ({ kind: 'payout' | 'twice' } & Whose)
  | { kind: 'merged'; payments: readonly Whose[] }
  | { kind: 'together'; payments: readonly Whose[] }
  | ({ kind: 'part'; group: number; of: number } & Whose)
  | { kind: 'mints' }
  | { kind: 'own funds' }

/** A file for us, and the step of the life in which it comes. */
export type Paper = { name: string; text: string; due: number }

export const FIRST_DAY = '2026-10-05'
const OPENING_SEN = 9_000_000_000n
const VERSIONS = ['02', '04', '06', '07', '08', '12'] as const
const REPORT_VERSIONS = ['03', '10', '12'] as const

export type Account = ReturnType<typeof createAccount>

/** @param again where it also tells of days before they are over, and of two days in one statement, whenever that comes: by what it chooses then */
export function createAccount(random: Random, payments: Payments, again?: Random) {
  const purposes = new Map<string, Purpose>()
  const outbox: Paper[] = []
  let lines: BankLine[] = []
  let day = FIRST_DAY
  let openingSen = OPENING_SEN
  let serial = 0
  const nextId = (prefix: string) => {
    serial += 1
    return `${prefix}${String(serial).padStart(6, '0')}`
  }
  // Reports on the same file are told apart by when they were written.
  const createdAt = () => new Date(Date.parse(`${day}T10:00:00Z`) + serial * 1_000).toISOString()
  const balanceSen = () =>
    lines.reduce((sum, { credit, amountSen }) => sum + (credit ? amountSen : -amountSen), openingSen)
  const send = (text: string, id: string, due: number) => void outbox.push({ name: `${id}.xml`, text, due })
  const told = new Map<string, BankStatement>()
  const tell = (statement: BankStatement, due: number, definition?: Parameters<typeof writeStatement>[1]) => {
    told.set(statement.statementId, statement)
    send(writeStatement(statement, definition), statement.messageId, due)
  }
  let before: { day: string; openingSen: bigint; lines: BankLine[] } | undefined

  /** The beginning of a day, perhaps all of it, told by itself or with the day before. */
  function tellAgain(by: Random, step: number): void {
    const days = [{ day, openingSen, lines }]
    if (before !== undefined && by.chance(0.3)) days.unshift(before)
    const some = [...days.slice(0, -1).flatMap((each) => each.lines), ...lines.slice(0, by.between(1, lines.length))]
    const first = days[0] ?? { day, openingSen }
    const closingSen = some.reduce(
      (sum, { credit, amountSen }) => sum + (credit ? amountSen : -amountSen),
      first.openingSen,
    )
    const id = `AGAIN${step}`
    const balances = { openedOn: first.day, openingSen: first.openingSen, closedOn: day, closingSen }
    const statement = { createdAt: createdAt(), account: DEBTOR.account, lines: some, ...balances }
    tell({ ...statement, messageId: id, statementId: id }, step + by.pick([0, 0, 1, 2, 3]))
  }

  return {
    balanceSen,
    day: () => day,
    purposeOf: (reference: string) => purposes.get(reference),
    book(line: Omit<BankLine, 'reference' | 'day'>, purpose: Purpose): void {
      const reference = nextId('TX')
      lines.push({ ...line, reference, day })
      purposes.set(reference, purpose)
    },

    /** Says of each payment of a file what has become of it. One that is lost is never rejected, and never paid. */
    report(messageId: string, step: number): void {
      const file = payments.files().get(messageId)
      if (file === undefined) return
      const codeOf = (endToEndId: string) => {
        const state = payments.get(endToEndId)?.state
        if (state === 'rejected') return { code: 'RJCT', reason: 'AC01' }
        return { code: random.pick(state === 'paid' ? ['ACSC', 'ACCC', 'ACSP'] : ['PDNG', 'ACSP', 'ACTC']) }
      }
      const sections = file.sections.map((section) => ({
        sectionId: section.sectionId,
        payments: section.payments.map((payment) => ({ ...payment, status: codeOf(payment.endToEndId) })),
      }))
      const id = nextId('RPT')
      const report = { messageId: id, createdAt: createdAt(), answers: messageId, sections }
      send(writeReport(report, `pain.002.001.${random.pick(REPORT_VERSIONS)}`), id, step + random.between(0, 4))
    },

    /** Ends the day: a notification of its lines perhaps, and its statement, in whichever order they come. */
    closeDay(step: number): void {
      const version = random.pick(VERSIONS)
      const written = { createdAt: createdAt(), account: DEBTOR.account, lines }
      if (lines.length > 0 && random.chance(0.4)) {
        const id = nextId('N')
        const notification = { ...written, messageId: id, notificationId: id }
        send(writeNotification(notification, `camt.054.001.${version}`), id, step + random.between(0, 1))
      }
      const id = nextId('S')
      const closingSen = balanceSen()
      const balances = { openedOn: day, openingSen, closedOn: day, closingSen }
      const statement = { ...written, ...balances, messageId: id, statementId: id }
      // The first opens the account, so that it is the first to come.
      const due = step === 0 ? 0 : step + random.pick([0, 0, 0, 1, 2, 4])
      if (again?.chance(0.5) && step > 0 && lines.length > 0) tellAgain(again, step)
      tell(statement, due, `camt.053.001.${version}`)
      before = { day, openingSen, lines }
      openingSen = closingSen
      lines = []
      day = addDays(day, 1)
    },

    /** Sends a statement once more, in a file of its own, because people ask for it. */
    sendAgain(statementId: string): void {
      const statement = told.get(statementId)
      if (statement !== undefined) tell({ ...statement, messageId: nextId('ASKED') }, 0)
    },

    /** What comes in this step; it is not sent again. */
    takeDue(step: number): Paper[] {
      const due = outbox.filter((paper) => paper.due <= step)
      for (const paper of due) outbox.splice(outbox.indexOf(paper), 1)
      return due
    },
  }
}
