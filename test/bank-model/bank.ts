/** What the model's bank does: it takes payment files, carries payments out, gives some back, and books what else happens. */
import type { ReadPaymentFile } from '../../src/bank-files/payment-file/read.ts'
import type { Random } from '../support/random.ts'
import type { Account } from './account.ts'
import type { BankPayment, Payments } from './payments.ts'

export const REGISTERED = { name: 'Partner', account: '70001234567' }
/** What the bank takes for a payment, in one sum with it. */
const CHARGE_SEN = 50n

export type Bank = ReturnType<typeof createBank>

/** `isRich`: it also books in parts, several in one sum, and twice, and reports late what it rejects. */
export type BankParts = { payments: Payments; account: Account; say: (what: string) => void; isRich: boolean }

export function createBank(random: Random, { payments, account, say, isRich }: BankParts) {
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
    account.book({ credit: false, amountSen: sumSen, ...(isNamed ? { endToEndId } : {}) }, { kind: 'payout', payoutId })
    say(`bank pays ${endToEndId}, ${how}`)
  }

  /** Books a payment in two or three debits, all with our id or all without, and perhaps its charge in the last. */
  function carryOutInParts({ payoutId, endToEndId, amountSen }: BankPayment): void {
    groups += 1
    const of = random.between(2, 3)
    const named = random.chance(0.5) ? { endToEndId } : {}
    const purpose = { kind: 'part' as const, payoutId, group: groups, of }
    const partSen = amountSen / BigInt(of + 1)
    for (let part = 1; part < of; part += 1) account.book({ credit: false, amountSen: partSen, ...named }, purpose)
    const chargeSen = random.chance(0.3) ? CHARGE_SEN : 0n
    account.book({ credit: false, amountSen: amountSen - partSen * BigInt(of - 1) + chargeSen, ...named }, purpose)
    say(`bank pays ${endToEndId} in ${of} parts${'endToEndId' in named ? ', named' : ''}`)
  }

  /** Books payments of several payouts as one sum, and names nothing. */
  function carryOutMerged(due: readonly BankPayment[]): void {
    for (const payment of due) payment.state = 'paid'
    const amountSen = due.reduce((sum, payment) => sum + payment.amountSen, 0n)
    const payoutIds = due.map(({ payoutId }) => payoutId)
    account.book({ credit: false, amountSen, text: 'bulk' }, { kind: 'merged', payoutIds })
    say(`bank pays ${due.map(({ endToEndId }) => endToEndId).join(' and ')} in one sum`)
  }

  /** Debits a payment once more. */
  function payTwice(payment: BankPayment): void {
    const { payoutId, endToEndId, amountSen } = payment
    payment.twice += 1
    const named = random.chance(0.5) ? { endToEndId } : {}
    account.book({ credit: false, amountSen, ...named }, { kind: 'twice', payoutId })
    say(`bank pays ${endToEndId} twice${'endToEndId' in named ? ', named' : ''}`)
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
    account.book({ credit: true, ...line }, { kind: 'twice', payoutId })
    say(`bank gives back what it paid twice of ${endToEndId}, ${how}`)
  }

  /** Books all payments of a section as one sum. The file is named only where it has no other section. */
  function carryOutTogether(due: readonly BankPayment[], { messageId, sections }: ReadPaymentFile, sectionId: string) {
    for (const payment of due) payment.state = 'paid'
    const amountSen = due.reduce((sum, payment) => sum + payment.amountSen, 0n)
    const names = sections.length === 1 && random.chance(0.3) ? { messageId } : { sectionId }
    const payoutIds = due.map(({ payoutId }) => payoutId)
    const together = { ...names, count: due.length }
    account.book({ credit: false, amountSen, together }, { kind: 'together', payoutIds })
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
    account.book(line, { kind: 'payout', payoutId })
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
          random.chance(0.04)
        )
          payTwice(payment)
      }
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
