/** /customers: parties that integrations onboarded. */
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { type Customer, customerProblems, viewCustomer } from '../../customers/customer.ts'
import {
  findCustomerOfAny,
  findCustomers,
  insertCustomer,
  listCustomers,
  lockCustomer,
  updateCustomer,
} from '../../customers/customers.sql.ts'
import { listWallets } from '../../customers/wallets.sql.ts'
import { findIntegration } from '../../integrations/integrations.sql.ts'
import { parseAddress } from '../../orders/address.ts'
import { appendAudit, audited } from '../audit.sql.ts'
import { readKept } from '../customer-export.sql.ts'
import type { OperatorDeps } from '../deps.ts'
import { found, OperatorError } from '../errors.ts'
import { nextOf, PageQuery, pageOf, parse, text } from '../parse.ts'
import { CustomerLink, CustomerSet, changedCustomer, newCustomer, refuseProblems } from '../party-input.ts'
import { describeCustomer, maskedAccount } from '../subjects.ts'

const Search = Type.Object({ text: text(1, 200) }, { additionalProperties: false })
/** More than one person looks through. */
const MOST_FOUND = 50

const Query = Type.Object({ ...PageQuery, integrationId: text(1, 100) }, { additionalProperties: false })

type ById = { Params: { customerId: string } }

export function customerRoutes(app: FastifyInstance, { db, config }: OperatorDeps): void {
  lookRoutes(app, db)
  app.post('/customers', async ({ body }) => {
    const input = parse(CustomerLink, body)
    const { integrationId } = input
    const details = newCustomer(input, config.policy.monthlyWithdrawalCapMicro)
    refuseProblems(customerProblems(details))
    const customerId = await audited(
      db,
      async (tx) => {
        found(await findIntegration(tx, integrationId), 'integration', integrationId, 'integration list')
        return insertCustomer(tx, integrationId, details)
      },
      (target) => ({ action: 'customer.link', target, details: { integrationId, ...describeCustomer(details) } }),
    )
    return { ok: true, customerId }
  })

  app.get('/customers', async ({ query }) => {
    const { integrationId, ...rest } = parse(Query, query)
    const page = pageOf(rest)
    found(await findIntegration(db, integrationId), 'integration', integrationId, 'integration list')
    const customers = await listCustomers(db, { integrationId, ...page })
    // Names and parts of accounts are shown: who looked at them is recorded.
    const target = integrationId
    await appendAudit(db, { action: 'customer.list', target, details: { shown: customers.length } })
    return {
      ok: true,
      customers: customers.map(showCustomer),
      next: nextOf(customers, page, (item) => item.customerId),
    }
  })

  app.get<ById>('/customers/:customerId', async ({ params: { customerId } }) => {
    const customer = knownCustomer(await findCustomerOfAny(db, customerId), customerId)
    const wallets = await listWallets(db, customerId)
    await appendAudit(db, { action: 'customer.show', target: customerId })
    return { ok: true, customer: { ...showCustomer(customer), wallets } }
  })

  app.post<ById>('/customers/:customerId/set', async ({ params: { customerId }, body }) => {
    const changes = parse(CustomerSet, body)
    if (Object.keys(changes).length === 0) throw new OperatorError('BAD_REQUEST', 'Name at least one thing to change.')
    const customer = await audited(
      db,
      async (tx) => {
        await lockCustomer(tx, customerId)
        const details = changedCustomer(knownCustomer(await findCustomerOfAny(tx, customerId), customerId), changes)
        refuseProblems(customerProblems(details))
        await updateCustomer(tx, customerId, details)
        return knownCustomer(await findCustomerOfAny(tx, customerId), customerId)
      },
      (changed) => ({
        action: 'customer.set',
        target: customerId,
        details: { changed: Object.keys(changes).sort(), ...describeCustomer(changed) },
      }),
    )
    return { ok: true, customer: showCustomer(customer) }
  })
}

/** Looks that show more than one needs every day; each is recorded, but not what was looked for. */
function lookRoutes(app: FastifyInstance, db: OperatorDeps['db']): void {
  app.post('/customers/find', async ({ body }) => {
    const { text: wanted } = parse(Search, body)
    const address = parseAddress(wanted, 'optional')
    const customers = await findCustomers(db, { text: wanted, address, limit: MOST_FOUND })
    await appendAudit(db, {
      action: 'customer.find',
      target: null,
      details: { shown: customers.map((each) => each.customerId) },
    })
    return { ok: true, customers: customers.map(showCustomer) }
  })

  app.get<ById>('/customers/:customerId/export', async ({ params: { customerId } }) => {
    const customer = knownCustomer(await findCustomerOfAny(db, customerId), customerId)
    await appendAudit(db, { action: 'customer.export', target: customerId })
    const kept = await readKept(db, customerId)
    return { ok: true, customer: { ...showCustomer(customer), bank: customer.bank }, ...kept }
  })
}

/** The customer, or the refusal that there is none. */
export function knownCustomer(customer: Customer | undefined, customerId: string): Customer {
  return found(customer, 'customer', customerId, 'customer list --integration ID')
}

/** What the partner sees, and what only operators see. */
function showCustomer(customer: Customer) {
  const { integrationId, canMint, canRedeem, canTransfer } = customer
  const bank = customer.bank && { ...customer.bank, account: maskedAccount(customer.bank.account) }
  return {
    ...viewCustomer(customer),
    integrationId,
    externalId: customer.externalId ?? null,
    switches: { canMint, canRedeem, canTransfer },
    bank,
  }
}
