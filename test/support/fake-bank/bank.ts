/**
 * A bank that works by files: it takes pain.001 files and answers with pain.002, camt.054 and camt.053, the same for
 * the same seed. It pays every end-to-end id at most once, as a careful bank does, and remembers who asked twice.
 */

import { addDays } from '../../../src/bank-files/day.ts'
import { type FiledPayment, paymentsOf, totalsOf } from '../../../src/bank-files/payment-file/file.ts'
import type { BankProfile } from '../../../src/bank-files/payment-file/payment.ts'
import { createRandom } from '../random.ts'
import { type ReadPaymentFile, readPaymentFile } from '../read-payment-file.ts'
import {
  type BankLine,
  type BankReport,
  type BankStatus,
  writeNotification,
  writeReport,
  writeStatement,
} from './messages.ts'

/**
 * What becomes of a payment. `pending`: undecided until `settlePending`. `returned`: paid out, then given back by
 * `returnPaid`.
 */
export const FATES = ['paid', 'rejected', 'returned', 'pending'] as const
export type Fate = (typeof FATES)[number]

export type FakeBankOptions = {
  seed: string
  profile: BankProfile
  account: string
  openingSen: bigint
  /** The first banking day. */
  day: string
  /** Overrides chance; undefined leaves it to the seed. */
  fateOf?: (payment: FiledPayment) => Fate | undefined
}

type Order = { payment: FiledPayment; fate: Fate; status: BankStatus; isPaid: boolean; isReturned: boolean }

export type Receipt = 'taken' | 'repeated' | 'refused'

/** Makes a bank; see `FakeBankOptions`. */
export function createFakeBank(options: FakeBankOptions) {
  const { profile, account } = options
  const random = createRandom(options.seed)
  const files = new Map<string, ReadPaymentFile>()
  const orders = new Map<string, Order>()
  const askedTwice: string[] = []
  let lines: BankLine[] = []
  let notified = 0
  let day = options.day
  let openingSen = options.openingSen
  let count = 0

  const nextId = (prefix: string) => {
    count += 1
    return `${prefix}${String(count).padStart(8, '0')}`
  }
  const createdAt = () => `${day}T18:00:00+08:00`
  const book = (line: Omit<BankLine, 'reference' | 'day'>) => void lines.push({ ...line, reference: nextId('TX'), day })

  function carryOut(order: Order): void {
    const { endToEndId, instructionId, amountSen, payee, remittanceText } = order.payment
    order.isPaid = true
    order.status = { code: 'ACSC' }
    const text = remittanceText === '' ? {} : { text: remittanceText }
    book({
      credit: false,
      amountSen,
      endToEndId,
      instructionId,
      party: { name: payee.name, account: payee.account },
      ...text,
    })
  }

  function take(payment: FiledPayment): void {
    if (orders.has(payment.endToEndId)) {
      askedTwice.push(payment.endToEndId)
      return
    }
    const fate = options.fateOf?.(payment) ?? random.pick(['paid', 'paid', 'paid', ...FATES])
    const order: Order = { payment, fate, status: { code: 'PDNG' }, isPaid: false, isReturned: false }
    orders.set(payment.endToEndId, order)
    if (fate === 'rejected') {
      order.status = {
        code: 'RJCT',
        reason: random.pick(['AC01', 'AC04', 'AC06', 'BE01']),
        text: 'Rejected by the bank',
      }
    } else if (fate !== 'pending') carryOut(order)
  }

  return {
    /** Takes a payment file. A message id that it knows is not taken again, whatever the file contains. */
    receive(bytes: Uint8Array): { result: Receipt; messageId: string | null } {
      const file = readPaymentFile(bytes, profile)
      if (!file.ok) return { result: 'refused', messageId: null }
      const { messageId } = file.value
      if (files.has(messageId)) return { result: 'repeated', messageId }
      files.set(messageId, file.value)
      for (const payment of paymentsOf(file.value)) take(payment)
      return { result: 'taken', messageId }
    },

    /**
     * A report on a file: on each payment (`PART` when they differ), or on the `file` alone with one status for
     * everything.
     */
    report(
      messageId: string,
      level: BankStatus | 'payments' = 'payments',
      definition?: 'pain.002.001.03' | 'pain.002.001.10',
    ): string {
      const file = files.get(messageId)
      if (file === undefined) throw new Error(`The bank has no file ${messageId}.`)
      const { count: paymentCount, sumSen } = totalsOf(paymentsOf(file))
      const head = { messageId: nextId('RPT'), createdAt: createdAt(), answers: messageId, count: paymentCount, sumSen }
      if (level !== 'payments') return writeReport({ ...head, status: level, sections: [] }, definition)
      const sections: BankReport['sections'] = file.sections.map((section) => ({
        sectionId: section.sectionId,
        payments: section.payments.map((payment) => ({
          ...payment,
          status: orders.get(payment.endToEndId)?.status ?? { code: 'RJCT' },
        })),
      }))
      const codes = new Set(sections.flatMap(({ payments }) => payments.map(({ status }) => status.code)))
      return writeReport(
        { ...head, status: { code: codes.size === 1 ? ([...codes][0] ?? 'PART') : 'PART' }, sections },
        definition,
      )
    },

    /** Money from outside. */
    deposit(amountSen: bigint, from: { name: string; account: string }, text?: string, isReversal = false): void {
      book({ credit: true, amountSen, party: from, isReversal, ...(text === undefined ? {} : { text }) })
    },

    /** Money that leaves otherwise than by a payment file. */
    withdraw(amountSen: bigint, to: { name: string; account: string }, text?: string): void {
      book({ credit: false, amountSen, party: to, ...(text === undefined ? {} : { text }) })
    },

    /** Takes back what came in, or a part of it; banks say so each in their own way. */
    takeBack(
      amountSen: bigint,
      from: { name: string; account: string },
      said: Pick<BankLine, 'text' | 'endToEndId' | 'isReversal' | 'returnReason'> = {},
    ): void {
      book({ credit: false, amountSen, party: from, ...said })
    },

    /** Carries out what was pending. */
    settlePending(): void {
      for (const order of orders.values()) if (order.fate === 'pending' && !order.isPaid) carryOut(order)
    },

    /** Gives back the payments whose fate is `returned`, naming our end-to-end id. */
    returnPaid(): void {
      for (const order of orders.values()) {
        if (order.fate !== 'returned' || order.isReturned) continue
        order.isReturned = true
        const { amountSen, endToEndId, payee } = order.payment
        book({
          credit: true,
          amountSen,
          endToEndId,
          party: { name: payee.name, account: payee.account },
          returnReason: 'AC04',
        })
      }
    },

    /** A camt.054 of the lines since the last one of this day. */
    notification(): string {
      const told = lines.slice(notified)
      notified = lines.length
      return writeNotification({
        messageId: nextId('NTF'),
        createdAt: createdAt(),
        notificationId: nextId('N'),
        account,
        lines: told,
      })
    },

    /** The day's camt.053; the next day opens with its closing balance. */
    closeDay(definition?: 'camt.053.001.02' | 'camt.053.001.08'): string {
      const closingSen =
        openingSen + lines.reduce((sum, line) => sum + (line.credit ? line.amountSen : -line.amountSen), 0n)
      const ids = { messageId: nextId('STM'), statementId: nextId('S') }
      const balances = { openedOn: day, openingSen, closedOn: day, closingSen }
      const xml = writeStatement({ ...ids, createdAt: createdAt(), account, ...balances, lines }, definition)
      openingSen = closingSen
      lines = []
      notified = 0
      day = addDays(day, 1)
      return xml
    },

    /** A statement about somebody else's account, and a report on a file that nobody sent. */
    foreignStatement(): string {
      const ids = { messageId: nextId('STM'), statementId: nextId('S') }
      const balances = { openedOn: day, openingSen: 5n, closedOn: day, closingSen: 5n }
      return writeStatement({ ...ids, createdAt: createdAt(), account: '999999999999', ...balances, lines: [] })
    },
    foreignReport(): string {
      const head = { messageId: nextId('RPT'), createdAt: createdAt(), answers: 'OTHER-00000001' }
      return writeReport({ ...head, status: { code: 'RJCT', reason: 'AC01' }, sections: [] })
    },

    /** The bank's own records, for assertions. */
    orders: (): ReadonlyMap<string, Readonly<Order>> => orders,
    balanceSen: () =>
      openingSen + lines.reduce((sum, line) => sum + (line.credit ? line.amountSen : -line.amountSen), 0n),
    askedTwice: (): readonly string[] => askedTwice,
    day: () => day,
  }
}

export type FakeBank = ReturnType<typeof createFakeBank>
