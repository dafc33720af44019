/** /customers: parties that integrations onboarded. */
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { hasWords } from '../../bank-details/bank-details.ts'
import type { BankAccount } from '../../customers/bank-account.ts'
import { type Customer, viewCustomer } from '../../customers/customer.ts'
import {
  findCustomerOfAny,
  findCustomers,
  insertCustomer,
  listCustomers,
  lockCustomer,
  newCustomerId,
  updateCustomer,
} from '../../customers/customers.sql.ts'
import { listWallets } from '../../customers/wallets.sql.ts'
import { findIntegration } from '../../integrations/integrations.sql.ts'
import { parseAddress } from '../../orders/address.ts'
import { appendAudit, audited } from '../audit.sql.ts'
import { isChanged, openBanks, withBank } from '../customer-bank.ts'
import { readKept } from '../customer-export.sql.ts'
import type { OperatorDeps } from '../deps.ts'
import { refuseErased } from '../erased.ts'
import { found, OperatorError } from '../errors.ts'
import { nextOf, PageQuery, pageOf, parse, text } from '../parse.ts'
import { CustomerLink, CustomerSet, changedCustomer, newCustomer } from '../party-input.ts'
import { refuseIdle } from '../refuse-idle.ts'
import { describeCustomer, maskedAccount } from '../subjects.ts'

const Search = Type.Object({ text: text(1, 200) }, { additionalProperties: false })
/** More than one person looks through. */
const MOST_FOUND = 50

const Query = Type.Object({ ...PageQuery, integrationId: text(1, 100) }, { additionalProperties: false })

type ById = { Params: { customerId: string } }

export function customerRoutes(app: FastifyInstance, deps: OperatorDeps): void {
  changeRoutes(app, deps)
  readRoutes(app, deps)
  lookRoutes(app, deps)
}

function changeRoutes(app: FastifyInstance, deps: OperatorDeps): void {
  const { db, config, secrets } = deps
  app.post('/customers', async ({ body }) => {
    const input = parse(CustomerLink, body)
    const { integrationId } = input
    const details = newCustomer(input, config.policy.monthlyWithdrawalCapMicro)
    const customer = await audited(
      db,
      async (tx) => {
        found(await findIntegration(tx, integrationId), 'integration', integrationId, 'integration list')
        const customerId = newCustomerId()
        const wanted = await withBank(tx, deps, { customerId, details, changes: input })
        await insertCustomer(tx, integrationId, wanted, customerId)
        return knownCustomer(await findCustomerOfAny(tx, customerId), customerId)
      },
      (linked) => ({
        action: 'customer.link',
        target: linked.customerId,
        details: { integrationId, ...describeCustomer(linked) },
      }),
    )
    return { ok: true, customerId: customer.customerId }
  })

  app.post<ById>('/customers/:customerId/set', async ({ params: { customerId }, body }) => {
    const changes = parse(CustomerSet, body)
    if (Object.keys(changes).length === 0) throw new OperatorError('BAD_REQUEST', 'Name at least one thing to change.')
    const customer = await audited(
      db,
      async (tx) => {
        await lockCustomer(tx, customerId)
        const known = knownCustomer(await findCustomerOfAny(tx, customerId), customerId)
        refuseErased(known)
        const wanted = await withBank(tx, deps, { customerId, details: changedCustomer(known, changes), changes })
        await refuseIdle(
          () => isChanged(tx, secrets, known, wanted),
          `${customerId} is so already: there is nothing to set.`,
        )
        await updateCustomer(tx, customerId, wanted)
        return knownCustomer(await findCustomerOfAny(tx, customerId), customerId)
      },
      (changed) => ({
        action: 'customer.set',
        target: customerId,
        details: { changed: Object.keys(changes).sort(), ...describeCustomer(changed) },
      }),
    )
    const [shown] = await showCustomers({ db, secrets }, [customer])
    return { ok: true, customer: shown }
  })
}

function readRoutes(app: FastifyInstance, { db, secrets }: Pick<OperatorDeps, 'db' | 'secrets'>): void {
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
      customers: await showCustomers({ db, secrets }, customers),
      next: nextOf(customers, page, (item) => item.customerId),
    }
  })

  app.get<ById>('/customers/:customerId', async ({ params: { customerId } }) => {
    const customer = knownCustomer(await findCustomerOfAny(db, customerId), customerId)
    const wallets = await listWallets(db, customerId)
    await appendAudit(db, { action: 'customer.show', target: customerId })
    const [shown] = await showCustomers({ db, secrets }, [customer])
    return { ok: true, customer: { ...shown, wallets } }
  })
}

/** Looks that show more than one needs every day; each is recorded, but not what was looked for. */
function lookRoutes(app: FastifyInstance, { db, secrets }: Pick<OperatorDeps, 'db' | 'secrets'>): void {
  app.post('/customers/find', async ({ body }) => {
    const { text: wanted } = parse(Search, body)
    const address = parseAddress(wanted, 'optional')
    const customers = await db.transaction((tx) =>
      findCustomers(tx, secrets, { text: wanted, address, limit: MOST_FOUND }),
    )
    await appendAudit(db, {
      action: 'customer.find',
      target: null,
      details: { shown: customers.map((each) => each.customerId) },
    })
    return { ok: true, customers: await showCustomers({ db, secrets }, customers), isByName: hasWords(wanted) }
  })

  app.get<ById>('/customers/:customerId/export', async ({ params: { customerId } }) => {
    const customer = knownCustomer(await findCustomerOfAny(db, customerId), customerId)
    await appendAudit(db, { action: 'customer.export', target: customerId })
    const { payouts, accounts, ...kept } = await readKept(db, customerId)
    const banks = await openBanks(db, secrets, [customer, ...payouts, ...accounts])
    const bank = banks.get(customer.bankId ?? '') ?? null
    return {
      ok: true,
      customer: { ...showCustomer(customer, bank), bank },
      ...kept,
      accounts: accounts.map(({ bankId, createdAt }) => ({ ...banks.get(bankId), createdAt })),
      payouts: payouts.map(({ bankId, ...payout }) => {
        const { bic, account, name } = banks.get(bankId ?? '') ?? { bic: null, account: null, name: null }
        return { ...payout, bankBic: bic, bankAccount: account, bankName: name }
      }),
    }
  })
}

/** The customer, or the refusal that there is none. */
export function knownCustomer(customer: Customer | undefined, customerId: string): Customer {
  return found(customer, 'customer', customerId, 'customer list --integration ID')
}

async function showCustomers({ db, secrets }: Pick<OperatorDeps, 'db' | 'secrets'>, customers: readonly Customer[]) {
  const banks = await openBanks(db, secrets, customers)
  return customers.map((customer) => showCustomer(customer, banks.get(customer.bankId ?? '') ?? null))
}

/** What the partner sees, and what only operators see. */
function showCustomer(customer: Customer, opened: BankAccount | null) {
  const { integrationId, canMint, canRedeem, canTransfer } = customer
  const bank = opened && { ...opened, account: maskedAccount(opened.account) }
  return {
    ...viewCustomer(customer),
    integrationId,
    externalId: customer.externalId ?? null,
    erasedAt: customer.erasedAt?.toISOString() ?? null,
    switches: { canMint, canRedeem, canTransfer },
    bank,
  }
}
