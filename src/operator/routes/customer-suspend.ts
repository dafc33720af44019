/** /customers/…/suspend: what anybody who sees that something is wrong can do to a customer at once. */
import type { FastifyInstance } from 'fastify'
import { findCustomerOfAny, lockCustomer, updateCustomer } from '../../customers/customers.sql.ts'
import { audited } from '../audit.sql.ts'
import type { OperatorDeps } from '../deps.ts'
import { refuseErased } from '../erased.ts'
import { OperatorError } from '../errors.ts'
import { Nothing, parse } from '../parse.ts'
import { knownCustomer } from './customer.ts'

type ById = { Params: { customerId: string } }

export function customerSuspendRoute(app: FastifyInstance, { db }: Pick<OperatorDeps, 'db'>): void {
  app.post<ById>('/customers/:customerId/suspend', async ({ params: { customerId }, body }) => {
    parse(Nothing, body)
    await audited(
      db,
      async (tx) => {
        await lockCustomer(tx, customerId)
        const known = knownCustomer(await findCustomerOfAny(tx, customerId), customerId)
        refuseErased(known)
        // It stops the same, and whoever lets go of it must see that it was rejected.
        if (known.status === 'REJECTED') {
          throw new OperatorError('CONFLICT', `${customerId} is REJECTED: its orders are stopped already.`)
        }
        await updateCustomer(tx, customerId, { ...known, status: 'SUSPENDED' })
      },
      () => ({ action: 'customer.suspend', target: customerId }),
    )
    return { ok: true, customerId, status: 'SUSPENDED' }
  })
}
