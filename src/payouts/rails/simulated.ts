/** The sandbox's bank: it moves no money, but keeps a book and is as strict about end-to-end ids as a real one. */
import type { Queryable } from '../../db/database.ts'
import type { PayoutInstruction, Rail } from '../rail.ts'
import { bookPayment, findPayment } from './simulated-book.sql.ts'

/** Payouts to an account number that is all zeros are refused, so that refusals can be tried out. */
const REFUSED_ACCOUNT = /^0+$/

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
      return { result: 'accepted', railReference: `SIM-${instruction.endToEndId}` }
    },
    async status({ endToEndId }) {
      const booked = await findPayment(db, endToEndId)
      return booked === undefined ? { result: 'none' } : { result: 'accepted', railReference: `SIM-${endToEndId}` }
    },
  }
}

function isSame(one: PayoutInstruction, other: PayoutInstruction): boolean {
  return (['payoutId', 'endToEndId', 'amountSen', 'bic', 'account', 'name', 'reference'] as const).every(
    (field) => one[field] === other[field],
  )
}
