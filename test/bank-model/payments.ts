/** What the bank of the model has of our payments: the truth that the books are judged by. */
import { paymentsOf } from '../../src/bank-files/payment-file/file.ts'
import type { Random } from '../support/random.ts'
import type { ReadPaymentFile } from '../support/read-payment-file.ts'

/** `lost`: the bank has its file, and will never carry it out nor say so. */
export type BankPayment = {
  endToEndId: string
  instructionId: string
  payoutId: string
  amountSen: bigint
  messageId: string
  state: 'pending' | 'paid' | 'rejected' | 'lost'
  isReturned: boolean
  /** How often it was debited beyond the first time, and not given back. */
  twice: number
}

const FATES = [
  { state: 'pending', weight: 5 },
  { state: 'rejected', weight: 1 },
  { state: 'lost', weight: 1 },
] as const

/** A payment that the bank should never have been asked for. */
export class PaidTwiceError extends Error {}

export type Payments = ReturnType<typeof createPayments>

/** Whose payment it is; `name`: the same in every run of a seed, unlike ids. */
export type Owner = { payoutId: string; name: string }

/** @param ownerOf whose payment an end-to-end id is, by the service's own word when it was asked for */
export function createPayments(random: Random, ownerOf: (endToEndId: string) => Owner | undefined) {
  const files = new Map<string, ReadPaymentFile>()
  const payments = new Map<string, BankPayment>()
  /** Payout → what was paid and given back otherwise than by a payment file. */
  const byHand = new Map<string, { paid: number; returned: number }>()

  const byHandOf = (payoutId: string) => {
    const { paid, returned } = byHand.get(payoutId) ?? { paid: 0, returned: 0 }
    return paid - returned
  }
  const of = (payoutId: string) => [...payments.values()].filter((payment) => payment.payoutId === payoutId)
  const isWithPayee = ({ state, isReturned }: BankPayment) => state === 'paid' && !isReturned

  function refuseSecond(endToEndId: string, messageId: string): Owner {
    const before = payments.get(endToEndId)
    if (before !== undefined) throw new PaidTwiceError(`${endToEndId} is in ${messageId} and in ${before.messageId}`)
    const owner = ownerOf(endToEndId)
    if (owner === undefined) throw new PaidTwiceError(`${endToEndId} in ${messageId} is of nobody`)
    const { payoutId } = owner
    const other = of(payoutId).find((each) => each.state === 'pending' || isWithPayee(each) || each.twice > 0)
    if (other !== undefined)
      throw new PaidTwiceError(`${payoutId}: ${endToEndId}, although ${other.endToEndId} is ${other.state}`)
    if (byHandOf(payoutId) > 0) throw new PaidTwiceError(`${payoutId}: ${endToEndId}, although it was paid by hand`)
    return owner
  }

  return {
    files: (): ReadonlyMap<string, ReadPaymentFile> => files,
    all: () => [...payments.values()],
    get: (endToEndId: string) => payments.get(endToEndId),
    of,
    byHandOf,
    /** How many times the payee of a payout has its ringgit. */
    timesPaid: (payoutId: string) =>
      of(payoutId).reduce((times, payment) => times + Number(isWithPayee(payment)) + payment.twice, byHandOf(payoutId)),

    /** Takes a file, and decides what becomes of each of its payments. @returns undefined when it had it before */
    receive(file: ReadPaymentFile): BankPayment[] | undefined {
      const known = files.get(file.messageId)
      if (known !== undefined) {
        if (known.identity.contentHash !== file.identity.contentHash)
          throw new PaidTwiceError(`${file.messageId} came with other content`)
        return undefined
      }
      files.set(file.messageId, file)
      const areAllPaid = random.chance(0.3)
      const taken = paymentsOf(file)
        .map((payment) => ({ payment, owner: refuseSecond(payment.endToEndId, file.messageId) }))
        .toSorted((one, other) => (one.owner.name < other.owner.name ? -1 : 1))
        .map(({ payment: { endToEndId, instructionId, amountSen }, owner: { payoutId } }): BankPayment => {
          const state = areAllPaid ? 'pending' : random.weighted(FATES).state
          return {
            endToEndId,
            instructionId,
            payoutId,
            amountSen,
            messageId: file.messageId,
            state,
            isReturned: false,
            twice: 0,
          }
        })
      for (const payment of taken) payments.set(payment.endToEndId, payment)
      return taken
    },

    payByHand(payoutId: string): void {
      const { paid, returned } = byHand.get(payoutId) ?? { paid: 0, returned: 0 }
      byHand.set(payoutId, { paid: paid + 1, returned })
    },
    /** Payouts that were paid by hand, and what was not given back of each. */
    handPaid: () => [...byHand.keys()].filter((payoutId) => byHandOf(payoutId) > 0),
    returnByHand(payoutId: string): void {
      const { paid, returned } = byHand.get(payoutId) ?? { paid: 0, returned: 0 }
      byHand.set(payoutId, { paid, returned: returned + 1 })
    },
  }
}
