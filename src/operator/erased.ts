/** Of a customer that was erased nothing is changed any more. */
import type { Customer } from '../customers/customer.ts'
import { OperatorError } from './errors.ts'

/** @throws OperatorError CONFLICT when it was erased: then nothing of it is changed any more */
export function refuseErased({ customerId, erasedAt }: Pick<Customer, 'customerId' | 'erasedAt'>): void {
  if (erasedAt === null) return
  throw new OperatorError(
    'CONFLICT',
    `${customerId} was erased on ${erasedAt.toISOString()}: nothing of it can be changed.`,
  )
}
