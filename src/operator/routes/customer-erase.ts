/** POST /customers/…/erase: what of a customer no book needs is forgotten. */
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { forgetCustomer } from '../../bank-details/bank-details.sql.ts'
import { findCustomerOfAny, lockCustomer } from '../../customers/customers.sql.ts'
import { eraseCustomer } from '../../customers/erase.sql.ts'
import { saySen } from '../../money.ts'
import { audited } from '../audit.sql.ts'
import { type Open, readOpen } from '../customer-erase.sql.ts'
import type { OperatorDeps } from '../deps.ts'
import { refuseErased } from '../erased.ts'
import { OperatorError } from '../errors.ts'
import { parse, text } from '../parse.ts'
import { knownCustomer } from './customer.ts'

const Erasure = Type.Object({ reason: text(1, 500) }, { additionalProperties: false })

/** What stays, because the law or the books need it, and in which form. */
const KEPT = [
  'orders and payouts, with amounts, addresses and references: the books',
  'lines of statements, payment files, and requests that were approved: sealed',
  'what the audit log says of it: external ids, account numbers by four digits, reasons as operators gave them',
]

type ById = { Params: { customerId: string } }

export function customerEraseRoutes(app: FastifyInstance, { db }: OperatorDeps): void {
  app.post<ById>('/customers/:customerId/erase', async ({ params: { customerId }, body }) => {
    const { reason } = parse(Erasure, body)
    const { erasedAt, accounts } = await audited(
      db,
      async (tx) => {
        await lockCustomer(tx, customerId)
        refuseErased(knownCustomer(await findCustomerOfAny(tx, customerId), customerId))
        refuseOpen(customerId, await readOpen(tx, customerId))
        const at = await eraseCustomer(tx, customerId)
        return { erasedAt: at, accounts: await forgetCustomer(tx, customerId) }
      },
      (done) => ({ action: 'customer.erase', target: customerId, details: { reason, accountsKept: done.accounts } }),
    )
    const kept = accounts === 0 ? KEPT : [`the bank accounts to which it was paid, sealed (${accounts})`, ...KEPT]
    const forgotten = ['bank account', 'name of its holder', 'external id (but for the audit log)', 'verification']
    return { ok: true, customerId, erasedAt: erasedAt.toISOString(), forgotten, kept }
  })
}

const unlisted = (customerId: string, addresses: readonly string[]) =>
  addresses.length === 0 ? '' : `. "coin wallet list --customer ${customerId}" does not have ${addresses.join(', ')}`

function refuseOpen(
  customerId: string,
  { orders, payouts, givenBackUntil, claims, wallets, begun, owedSen }: Open,
): void {
  const open = [
    ...(orders > 0 ? [`${orders} of its orders have not ended: see "coin order find ${customerId}"`] : []),
    ...(payouts > 0
      ? [
          `${payouts} of its payouts have not ended: see "coin payout list", or "coin order find ${customerId}" for those of orders`,
        ]
      : []),
    ...(givenBackUntil === null
      ? []
      : [`the bank may give back what was paid to it until ${givenBackUntil.toISOString()}: try again then`]),
    ...(claims > 0
      ? [`what was paid to it twice is claimed back and has not come back (${claims}): "coin reconcile" names it`]
      : []),
    ...(wallets > 0
      ? [
          `wallets are linked to it, or were about to be (${wallets}): run "coin wallet remove --customer ${customerId} --address ADDRESS" for each${unlisted(customerId, begun)}`,
        ]
      : []),
    ...(owedSen > 0n
      ? [`${saySen(owedSen)} is owed to it: run "coin payout settle-residual --customer ${customerId}"`]
      : []),
  ]
  if (open.length > 0) throw new OperatorError('CONFLICT', `It cannot be erased yet: ${open.join('; ')}.`)
}
