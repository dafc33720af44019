/** The sandbox's bank: it moves no money, but keeps a book and is as strict about end-to-end ids as a real one. */
import type { Queryable } from '../../db/database.ts'
import type { PayoutInstruction, Rail } from '../rail.ts'
import { brings, SLOW_MS } from './simulated-accounts.ts'
import { type Booked, bookPayment, findPayment } from './simulated-book.sql.ts'

/** Makes the simulated rail over the service's own database. */
export function createSimulatedRail(db: Queryable): Rail {
  return {
    name: 'simulated',
    async initiate(instruction) {
      if (brings('refused', instruction.account)) {
        return { result: 'refused', reason: 'The simulated bank refuses accounts that are all zeros.' }
      }
      const booked = await bookPayment(db, instruction)
      if (!isSame(booked, instruction)) {
        return { result: 'refused', reason: 'This end-to-end id was used for another payment.' }
      }
      return booked.behaviour === 'slow' && booked.ageMs < SLOW_MS
        ? { result: 'unknown', reason: 'The simulated bank takes its time with accounts like 00003.' }
        : { result: 'accepted', railReference: `SIM-${instruction.endToEndId}` }
    },
    async status({ endToEndId }) {
      const booked = await findPayment(db, endToEndId)
      if (booked === undefined) return { result: 'none' }
      const { behaviour, bookedAt: effectiveAt } = booked
      if (behaviour === 'rejected') {
        return { result: 'refused', reason: 'The simulated bank does not carry out payments to accounts like 00002.' }
      }
      if (behaviour === 'returned') {
        const reason = 'The simulated bank gives back payments to accounts like 00001 and 999….'
        return { result: 'returned', reference: `SIM-R-${endToEndId}`, reason, effectiveAt }
      }
      return { result: 'accepted', railReference: `SIM-${endToEndId}` }
    },
  }
}

function isSame(one: Booked, other: PayoutInstruction): boolean {
  return (['payoutId', 'endToEndId', 'amountSen', 'bankId', 'reference'] as const).every(
    (field) => one[field] === other[field],
  )
}
