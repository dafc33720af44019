/** What a command that waits would change, as it is now: nobody can approve what they do not see. Of accounts, the last four digits. */
import { findCustomerOfAny } from '../../customers/customers.sql.ts'
import { findHolders, findOtherHolder } from '../../customers/wallets.sql.ts'
import type { Queryable } from '../../db/database.ts'
import { findKey } from '../../integrations/api-keys.sql.ts'
import { formatAmount } from '../../money.ts'
import type { Approval } from '../../operators/approval.ts'
import { parseAddress } from '../../orders/address.ts'
import { findPayout } from '../../payouts/payouts.sql.ts'
import { readResidual } from '../../payouts/residual.sql.ts'
import type { OperatorDeps } from '../deps.ts'
import { OperatorError } from '../errors.ts'
import { describeLostChain } from '../lost-chain.ts'
import { describeLost } from '../lost-key.ts'
import { type Suspended, sumHeldBySuspension } from '../orders/held-by-suspension.sql.ts'
import { sayAccount } from '../pays-to.ts'
import { findWrong, type Named, sayRecounted } from '../reconcile/counters.ts'
import { describeSubject } from '../subjects.ts'
import { describeLine, describeStatement } from './about-bank.ts'
import { describeBatch } from './about-batch.ts'
import { describeChains } from './about-chains.ts'
import { describeHeldFor, describeOrder } from './about-order.ts'
import { describeKeys, withIntegration } from './about-partner.ts'
import { describePayout } from './about-payout.ts'
import { describeReadBack } from './about-read-back.ts'
import { describeStop } from './about-stop.ts'
import { describeUnopened } from './about-unopened.ts'
import { type Asked, askedAgain } from './asked.ts'

type Deps = Pick<OperatorDeps, 'secrets' | 'paymentFiles'>
type Facts = Record<string, unknown>
type Requested = Pick<Approval, 'command' | 'method' | 'path'>

/** @returns facts as text, for people; undefined where there is nothing yet, as for what the command creates */
export async function showSubject(
  db: Queryable,
  deps: Deps,
  { command, method, path }: Requested,
  body: unknown,
): Promise<Facts | undefined> {
  const asked = askedAgain({ command, method, path }, body)
  const found = await (BY_NOUN[command.split(' ')[0] ?? ''] ?? describe)(db, deps, command, asked)
  const stopped = await describeStop(db, command, asked)
  const shown = stopped === undefined ? found : { ...found, stopped }
  return shown && Object.fromEntries(Object.entries(shown).map(([name, value]) => [name, asText(value)]))
}

type Describe = (db: Queryable, deps: Deps, command: string, asked: Asked) => Promise<Facts | undefined>

const describe: Describe = (db, _deps, command, asked) => describeSubject(db, command, asked)

const BY_NOUN: Readonly<Record<string, Describe>> = {
  async payout(db, deps, command, { params: { payoutId = '' }, body }) {
    const payout = await findPayout(db, payoutId)
    if (payout === undefined) return await owed(db, deps, String(body.customerId ?? ''))
    return await describePayout(db, deps.secrets, command, payout, await withCustomer(db, deps, payout.customerId))
  },
  async bank(db, deps, command, asked) {
    if (command === 'bank read-back') return await describeReadBack(db, deps)
    if (command === 'bank withdraw-unopened') return await describeUnopened(db, deps)
    const isStatement = asked.params.statementNo !== undefined
    return await (isStatement ? describeStatement(db, command, asked) : describeLine(db, deps.secrets, command, asked))
  },
  secrets: (db, { secrets }, _command, { body }) => describeLost(db, secrets, String(body.secretsKey ?? '')),
  counter: (db, _deps, _command, { body }) => describeCounter(db, body),
  batch: (db, _deps, _command, asked) => describeBatch(db, asked),
  chain: (db, _deps, command, asked) =>
    command === 'chain resume' ? describeChains(db, asked) : describeLostChain(db, Number(asked.body.chainId)),
  order: (db, _deps, command, asked) => describeOrder(db, command, asked),
  async key(db, deps, command, asked) {
    const integrationId = (await findKey(db, asked.params.keyId ?? ''))?.integrationId ?? asked.body.integrationId
    return { ...(await withIntegration(db, integrationId)), ...(await describe(db, deps, command, asked)) }
  },
  async integration(db, deps, command, asked) {
    const { integrationId = '' } = asked.params
    if (command === 'integration release-orders')
      return { ...(await withIntegration(db, integrationId)), ...(await describeHeld(db, { integrationId })) }
    if (command === 'integration reject-orders')
      return {
        ...(await withIntegration(db, integrationId)),
        ...(await describeHeldFor(db, { integrationId, held: String(asked.body.held ?? '') })),
      }
    const { sameName } = (await withIntegration(db, integrationId)) ?? {}
    const keys = command === 'integration resume' ? { wouldWorkAgain: await describeKeys(db, integrationId) } : {}
    return { ...(await describe(db, deps, command, asked)), ...(sameName !== undefined && { sameName }), ...keys }
  },
  async customer(db, deps, command, asked) {
    if (command === 'customer link') return await withIntegration(db, asked.body.integrationId)
    const { customerId = '' } = asked.params
    if (command === 'customer release-orders')
      return { ...(await withCustomer(db, deps, customerId)), ...(await describeHeld(db, { customerId })) }
    return await describe(db, deps, command, asked)
  },
  async screening(db, deps, command, asked) {
    const address = parseAddress(String(asked.body.address ?? ''), 'optional')
    const found = await describe(db, deps, command, asked)
    return address === undefined ? found : { ...found, linkedTo: await sayHolders(db, address) }
  },
  async wallet(db, deps, command, asked) {
    const customerId = String(asked.body.customerId ?? '')
    const address = parseAddress(String(asked.body.address ?? ''), 'optional')
    const found = { ...(await withCustomer(db, deps, customerId)), ...(await describe(db, deps, command, asked)) }
    if (address === undefined) return found
    if (command === 'wallet unfreeze') return { ...found, linkedTo: await sayHolders(db, address) }
    // Each of two customers with one wallet could spend the other's coin.
    if (command !== 'wallet add') return found
    return { ...found, alsoOf: (await findOtherHolder(db, customerId, address)) ?? null }
  },
}

async function sayHolders(db: Queryable, address: string): Promise<string> {
  const holders = await findHolders(db, address)
  return holders.length === 0 ? 'no customer' : holders.join('; ')
}

/** What it would be set to, as it is now; or that it is right, as after the command. */
async function describeCounter(db: Queryable, { kind, subject }: Asked['body']): Promise<Facts> {
  try {
    return { found: sayRecounted(await findWrong(db, { kind, subject } as Named)) }
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
    return { found: error.message }
  }
}

async function describeHeld(db: Queryable, of: Suspended): Promise<Facts> {
  const { orders, amountMicro } = await sumHeldBySuspension(db, of)
  return { orders: String(orders), amount: formatAmount(amountMicro) }
}

/** What a customer is owed without a payout. */
async function owed(db: Queryable, deps: Deps, customerId: string): Promise<Facts | undefined> {
  const customer = await withCustomer(db, deps, customerId)
  return customer && { owedMyr: formatAmount((await readResidual(db, customerId)).owedMicro), ...customer }
}

/** The customer, and the account to which a payment would go now. */
async function withCustomer(db: Queryable, { secrets }: Deps, customerId: string): Promise<Facts | undefined> {
  const customer = await findCustomerOfAny(db, customerId)
  if (customer === undefined) return undefined
  const customerAccount = await sayAccount(db, secrets, customer.bankId)
  return { customerId, customerStatus: customer.status, customerAccount }
}

function asText(value: unknown): string | null {
  if (value === null || value === undefined) return null
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (Array.isArray(value)) return value.map(asText).join(', ')
  if (value instanceof Date) return value.toISOString()
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
