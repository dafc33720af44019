/** What the model's bank does: it takes payment files, carries payments out, gives some back, and books what else happens. */

import type { Random } from '../support/random.ts'
import type { ReadPaymentFile } from '../support/read-payment-file.ts'
import type { Account } from './account.ts'
import type { BankPayment, Payments } from './payments.ts'

export const REGISTERED = { name: 'Partner', account: '70001234567' }
/** What the bank takes for a payment, in one sum with it. */
const CHARGE_SEN = 50n

export type Bank = ReturnType<typeof createBank>

/**
 * `isRich`: it also books in parts, several in one sum, and twice, and reports late what it rejects. `isRicher`: what it books twice, too, it books
 * in parts, and several in one sum, and gives it back so.
 */
export type BankParts = {
  payments: Payments
  account: Account
  say: (what: string) => void
  isRich: boolean
  isRicher: boolean
}

export function createBank(random: Random, { payments, account, say, isRich, isRicher }: BankParts) {
  const ways = random.pick([
    ['named', 'named', 'named', 'named', 'unnamed', 'charged'],
    ['named', 'unnamed', 'unnamed', 'charged'],
  ] as const)
  let groups = 0

  /** Books a payment as banks do: with our id or without, and perhaps with its charge in the same sum. */
  function carryOut(payment: BankPayment): void {
    const { payoutId, endToEndId, amountSen } = payment
    payment.state = 'paid'
    const how = random.pick<'named' | 'unnamed' | 'charged' | 'parts'>(isRich ? [...ways, 'parts'] : ways)
    if (how === 'parts') {
      carryOutInParts(payment)
      return
    }
    const isNamed = how === 'named' || (how === 'charged' && random.chance(0.5))
    const sumSen = how === 'charged' ? amountSen + CHARGE_SEN : amountSen
    account.book(
      { credit: false, amountSen: sumSen, ...(isNamed ? { endToEndId } : {}) },
      { kind: 'payout', payoutId, endToEndId },
    )
    say(`bank pays ${endToEndId}, ${how}`)
  }

  /** Books a payment in two or three debits, all with our id or all without, and perhaps its charge in the last. */
  function carryOutInParts({ payoutId, endToEndId, amountSen }: BankPayment, what = 'pays'): void {
    groups += 1
    const of = random.between(2, 3)
    const named = random.chance(0.5) ? { endToEndId } : {}
    const purpose = { kind: 'part' as const, payoutId, endToEndId, group: groups, of }
    const partSen = amountSen / BigInt(of + 1)
    for (let part = 1; part < of; part += 1) account.book({ credit: false, amountSen: partSen, ...named }, purpose)
    const chargeSen = random.chance(0.3) ? CHARGE_SEN : 0n
    account.book({ credit: false, amountSen: amountSen - partSen * BigInt(of - 1) + chargeSen, ...named }, purpose)
    say(`bank ${what} ${endToEndId} in ${of} parts${'endToEndId' in named ? ', named' : ''}`)
  }

  /** Books payments of several payouts as one sum, and names nothing. */
  function carryOutMerged(due: readonly BankPayment[]): void {
    for (const payment of due) payment.state = 'paid'
    bookMerged(due, false)
    say(`bank pays ${due.map(({ endToEndId }) => endToEndId).join(' and ')} in one sum`)
  }

  function bookMerged(due: readonly BankPayment[], credit: boolean): void {
    const amountSen = due.reduce((sum, payment) => sum + payment.amountSen, 0n)
    account.book({ credit, amountSen, text: 'bulk' }, { kind: 'merged', payments: due })
  }

  /** Debits a payment once more. */
  function payTwice(payment: BankPayment): void {
    const { payoutId, endToEndId, amountSen } = payment
    payment.twice += 1
    const named = random.chance(0.5) ? { endToEndId } : {}
    account.book({ credit: false, amountSen, ...named }, { kind: 'twice', payoutId, endToEndId })
    say(`bank pays ${endToEndId} twice${'endToEndId' in named ? ', named' : ''}`)
  }

  /** Debits a payment once more, or two in one sum. */
  function payTwiceSomehow(payment: BankPayment): void {
    const isOwn = ({ state, isReturned, twice }: BankPayment) => state === 'paid' && !isReturned && twice === 0
    const other = payments.all().find((each) => each.payoutId !== payment.payoutId && isOwn(each))
    const how = random.pick(['alone', 'in parts', 'merged'] as const)
    if (how === 'alone' || (how === 'merged' && other === undefined)) payTwice(payment)
    else if (how === 'in parts' || other === undefined) {
      payment.twice += 1
      carryOutInParts(payment, 'pays twice')
    } else {
      for (const each of [payment, other]) each.twice += 1
      bookMerged([payment, other], false)
      say(`bank pays ${payment.endToEndId} and ${other.endToEndId} twice in one sum`)
    }
  }

  /** Gives back in one sum what it debited once more of two payments. */
  function giveBackTwiceMerged(): void {
    const [one, other] = payments.all().filter(({ twice }) => twice > 0)
    if (one === undefined || other === undefined || one.payoutId === other.payoutId) return
    for (const each of [one, other]) each.twice -= 1
    bookMerged([one, other], true)
    say(`bank gives back what it paid twice of ${one.endToEndId} and ${other.endToEndId} in one sum`)
  }

  /** Gives back what it debited once more. */
  function giveBackTwice(payment: BankPayment): void {
    const { payoutId, endToEndId, amountSen } = payment
    payment.twice -= 1
    const how = random.pick(['named', 'unnamed', 'less'] as const)
    const line = {
      named: { amountSen, endToEndId, returnReason: 'DUPL' },
      unnamed: { amountSen },
      less: { amountSen: amountSen - 20n },
    }[how]
    account.book({ credit: true, ...line }, { kind: 'twice', payoutId, endToEndId })
    say(`bank gives back what it paid twice of ${endToEndId}, ${how}`)
  }

  /** Books all payments of a section as one sum. The file is named only where it has no other section. */
  function carryOutTogether(due: readonly BankPayment[], { messageId, sections }: ReadPaymentFile, sectionId: string) {
    for (const payment of due) payment.state = 'paid'
    const amountSen = due.reduce((sum, payment) => sum + payment.amountSen, 0n)
    const names = sections.length === 1 && random.chance(0.3) ? { messageId } : { sectionId }
    const together = { ...names, count: due.length }
    account.book({ credit: false, amountSen, together }, { kind: 'together', payments: due })
    say(`bank pays ${due.length} of ${messageId} together`)
  }

  function giveBack(payment: BankPayment): void {
    const { payoutId, endToEndId, amountSen } = payment
    payment.isReturned = true
    const how = random.pick(['named', 'named', 'named', 'unnamed', 'less', 'reversal', 'kept'] as const)
    const returned = { credit: true, endToEndId, returnReason: 'AC04' }
    const line = {
      named: { ...returned, amountSen },
      unnamed: { credit: true, amountSen },
      less: { ...returned, amountSen: amountSen - 30n },
      reversal: { credit: true, endToEndId, amountSen, isReversal: true },
      kept: { ...returned, amountSen: amountSen - 25n, keptSen: 25n },
    }[how]
    account.book(line, { kind: 'payout', payoutId, endToEndId })
    say(`bank gives back ${endToEndId}, ${how}`)
  }

  function moveOthers(): void {
    if (random.chance(0.3)) account.book({ credit: true, amountSen: 1_000n, party: REGISTERED }, { kind: 'mints' })
    if (random.chance(0.2)) account.book({ credit: true, amountSen: 1_000n, text: 'hello' }, { kind: 'mints' })
    if (random.chance(0.2)) account.book({ credit: false, amountSen: 35n, text: 'fee' }, { kind: 'own funds' })
  }

  return {
    /** Takes a payment file; of each section it may carry out at once what it will carry out at all. */
    receive(file: ReadPaymentFile): void {
      const taken = payments.receive(file)
      if (taken === undefined) return
      for (const { endToEndId, payoutId, state } of taken) say(`bank has ${endToEndId} of ${payoutId}: ${state}`)
      for (const { sectionId, payments: all } of file.sections) {
        const ids = new Set(all.map(({ endToEndId }) => endToEndId))
        const due = taken.filter(({ endToEndId, state }) => ids.has(endToEndId) && state === 'pending')
        if (!random.chance(0.75)) continue
        // What it has rejected of them it may report later than it books the others.
        const isWhole = taken.every(({ endToEndId, state }) => !ids.has(endToEndId) || state !== 'lost')
        const mayBeOne = isRich
          ? due.length > 0 && all.length > 1 && isWhole
          : due.length > 1 && due.length === all.length
        if (mayBeOne && random.chance(0.5)) carryOutTogether(due, file, sectionId)
        else if (isRich && due.length > 1 && random.chance(0.2)) carryOutMerged(due)
        else for (const payment of due) carryOut(payment)
      }
    },

    /** A day at the bank. */
    move(): void {
      for (const payment of payments.all()) {
        if (payment.state === 'pending' && random.chance(0.3)) carryOut(payment)
        else if (payment.twice > 0 && random.chance(0.4)) giveBackTwice(payment)
        else if (payment.state === 'paid' && !payment.isReturned && random.chance(0.08)) giveBack(payment)
        else if (
          payment.state === 'paid' &&
          !payment.isReturned &&
          payment.twice === 0 &&
          isRich &&
          random.chance(isRicher ? 0.1 : 0.04)
        ) {
          if (isRicher) payTwiceSomehow(payment)
          else payTwice(payment)
        }
      }
      if (isRicher && random.chance(0.3)) giveBackTwiceMerged()
      for (const payoutId of payments.handPaid()) {
        const [first] = payments.of(payoutId)
        if (first === undefined || !random.chance(0.05)) continue
        payments.returnByHand(payoutId)
        account.book({ credit: true, amountSen: first.amountSen }, { kind: 'payout', payoutId })
        say(`bank gives back what was paid by hand for ${payoutId}`)
      }
      moveOthers()
    },

    /** An operator pays the payee of a payout at the bank's counter. */
    payByHand(payoutId: string, amountSen: bigint): void {
      payments.payByHand(payoutId)
      account.book({ credit: false, amountSen, text: 'by hand' }, { kind: 'payout', payoutId })
    },

    /** Carries out whatever waits, and gives back what it paid twice. */
    settlePending(): void {
      for (const payment of payments.all()) {
        if (payment.state === 'pending') carryOut(payment)
        while (payment.twice > 0) giveBackTwice(payment)
      }
    },
  }
}
