/** The sandbox's bank: it moves no money, but keeps a book and is as strict about end-to-end ids as a real one. */
import type { Queryable } from '../../db/database.ts'
import type { PayoutInstruction, Rail } from '../rail.ts'
import { bookPayment, findPayment } from './simulated-book.sql.ts'

/** Account numbers that bring about what a bank does otherwise, so that it can be tried out. */
const REFUSED_ACCOUNT = /^0+$/
/** Accepted, and then given back. */
const RETURNED_ACCOUNT = /^0+1$/
/** Accepted, and then not carried out. */
const REJECTED_ACCOUNT = /^0+2$/
/** Without an answer for a while. */
const SLOW_ACCOUNT = /^0+3$/
const SLOW_MS = 10_000

/** Makes the simulated rail over the service's own database. */
export function createSimulatedRail(db: Queryable): Rail {
  return {
    name: 'simulated',
    async initiate(instruction) {
      if (REFUSED_ACCOUNT.test(instruction.account)) {
        return { result: 'refused', reason: 'The simulated bank refuses accounts that are all zeros.' }
      }
      const booked = await bookPayment(db, instruction)
      if (!isSame(booked, instruction)) {
        return { result: 'refused', reason: 'This end-to-end id was used for another payment.' }
      }
      return SLOW_ACCOUNT.test(instruction.account) && booked.ageMs < SLOW_MS
        ? { result: 'unknown', reason: 'The simulated bank takes its time with accounts like 0003.' }
        : { result: 'accepted', railReference: `SIM-${instruction.endToEndId}` }
    },
    async status({ endToEndId }) {
      const booked = await findPayment(db, endToEndId)
      if (booked === undefined) return { result: 'none' }
      const { account, bookedAt: effectiveAt } = booked
      if (REJECTED_ACCOUNT.test(account)) {
        return { result: 'refused', reason: 'The simulated bank does not carry out payments to accounts like 0002.' }
      }
      if (RETURNED_ACCOUNT.test(account)) {
        const reason = 'The simulated bank gives back payments to accounts like 0001.'
        return { result: 'returned', reference: `SIM-R-${endToEndId}`, reason, effectiveAt }
      }
      return { result: 'accepted', railReference: `SIM-${endToEndId}` }
    },
  }
}

function isSame(one: PayoutInstruction, other: PayoutInstruction): boolean {
  return (['payoutId', 'endToEndId', 'amountSen', 'bic', 'account', 'name', 'reference'] as const).every(
    (field) => one[field] === other[field],
  )
}
