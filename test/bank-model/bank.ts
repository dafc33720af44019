/** What the model's bank does: it takes payment files, carries payments out, gives some back, and books what else happens. */
import type { ReadPaymentFile } from '../../src/bank-files/payment-file/read.ts'
import type { Random } from '../support/random.ts'
import type { Account } from './account.ts'
import type { BankPayment, Payments } from './payments.ts'

export const REGISTERED = { name: 'Partner', account: '70001234567' }
/** What the bank takes for a payment, in one sum with it. */
const CHARGE_SEN = 50n

export type Bank = ReturnType<typeof createBank>

export function createBank(random: Random, payments: Payments, account: Account, say: (what: string) => void) {
  const ways = random.pick([
    ['named', 'named', 'named', 'named', 'unnamed', 'charged'],
    ['named', 'unnamed', 'unnamed', 'charged'],
  ] as const)

  /** Books a payment as banks do: with our id or without, and perhaps with its charge in the same sum. */
  function carryOut(payment: BankPayment): void {
    const { payoutId, endToEndId, amountSen } = payment
    payment.state = 'paid'
    const how = random.pick<'named' | 'unnamed' | 'charged'>(ways)
    const isNamed = how === 'named' || (how === 'charged' && random.chance(0.5))
    const sumSen = how === 'charged' ? amountSen + CHARGE_SEN : amountSen
    account.book({ credit: false, amountSen: sumSen, ...(isNamed ? { endToEndId } : {}) }, { kind: 'payout', payoutId })
    say(`bank pays ${endToEndId}, ${how}`)
  }

  /** Books all payments of a section as one sum. The file is named only where it has no other section. */
  function carryOutTogether(due: readonly BankPayment[], { messageId, sections }: ReadPaymentFile, sectionId: string) {
    for (const payment of due) payment.state = 'paid'
    const amountSen = due.reduce((sum, payment) => sum + payment.amountSen, 0n)
    const names = sections.length === 1 && random.chance(0.3) ? { messageId } : { sectionId }
    account.book({ credit: false, amountSen, together: { ...names, count: due.length } }, { kind: 'together' })
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
        if (due.length > 1 && due.length === all.length && random.chance(0.5)) carryOutTogether(due, file, sectionId)
        else for (const payment of due) carryOut(payment)
      }
    },

    /** A day at the bank. */
    move(): void {
      for (const payment of payments.all()) {
        if (payment.state === 'pending' && random.chance(0.3)) carryOut(payment)
        else if (payment.state === 'paid' && !payment.isReturned && random.chance(0.08)) giveBack(payment)
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

    /** Carries out whatever waits. */
    settlePending(): void {
      for (const payment of payments.all()) if (payment.state === 'pending') carryOut(payment)
    },
  }
}
