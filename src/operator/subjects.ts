/**
 * What a command changes, as the audit log keeps it before and after. Of people, no names; of accounts, the last four
 * digits; nothing that is secret.
 */
import { hash } from 'node:crypto'
import { findCorporateOfAny } from '../customers/corporates.sql.ts'
import type { Customer, CustomerDetails } from '../customers/customer.ts'
import { findCustomerOfAny, lockCustomer } from '../customers/customers.sql.ts'
import { listWallets } from '../customers/wallets.sql.ts'
import type { Queryable } from '../db/database.ts'
import { findKey } from '../integrations/api-keys.sql.ts'
import { findIntegration } from '../integrations/integrations.sql.ts'
import { listRemitters } from '../integrations/remitters.sql.ts'
import { readPeriods } from '../ledger/periods.sql.ts'
import { formatAmount } from '../money.ts'
import type { Acting } from '../operators/acting.ts'
import { findApproval } from '../operators/approvals.sql.ts'
import { CHANGES, type Subject } from '../operators/changes.ts'
import { findOperator } from '../operators/operators.sql.ts'
import { findPayout } from '../payouts/payouts.sql.ts'
import { readResidual } from '../payouts/residual.sql.ts'
import { findDenial } from '../screening/denials.sql.ts'
import { findStatement } from '../statements/withdraw.sql.ts'
import { findEndpoint } from '../webhooks/endpoints/endpoints.sql.ts'
import type { Asked } from './approvals/asked.ts'
import { findBatch } from './batches/batches.sql.ts'
import { describeKeySettings } from './key-settings.ts'
import { sayLost } from './orders/lost.ts'
import { orderNamed } from './orders/name.ts'
import { findOrderWithFacts } from './orders/orders.sql.ts'
import { findLineState, lockSubject } from './subjects.sql.ts'

type Facts = Record<string, unknown>
type Look = (tx: Queryable, id: string) => Promise<Facts | undefined>

/** The last four digits of an account number. */
export const maskedAccount = (account: string) => `…${account.slice(-4)}`

/** A customer without a name, and with only the last four digits of the account number. */
export function describeCustomer(details: CustomerDetails & Pick<Customer, 'bank' | 'erasedAt'>) {
  const { bank } = details
  return {
    externalId: details.externalId ?? null,
    accountType: details.accountType,
    status: details.status,
    level: details.level,
    countryCode: details.countryCode,
    isResident: details.isResident,
    monthlyCap: formatAmount(details.monthlyCapMicro),
    canMint: details.canMint,
    canRedeem: details.canRedeem,
    canTransfer: details.canTransfer,
    ...(details.erasedAt === null ? {} : { erased: true }),
    bankBic: bank?.bic ?? null,
    bankAccount: bank === null ? null : maskedAccount(bank.accountEnding ?? ''),
  }
}

const LOOKS: Readonly<Record<Subject, Look>> = {
  async address(tx, address) {
    return { deniedSince: (await findDenial(tx, address)) ?? null }
  },
  async approval(tx, approvalId) {
    const found = await findApproval(tx, approvalId)
    return found && { status: found.status, decidedBy: found.decidedByName, reason: found.reason }
  },
  'bank line': (tx, lineNo) => findLineState(tx, lineNo),
  async batch(tx, id) {
    const [chainId = '', batchId = ''] = id.split('/')
    const found = await findBatch(tx, Number(chainId), BigInt(batchId))
    return found && { status: found.status, explanation: found.explanation, unmatched: found.unmatched }
  },
  async books(tx) {
    return { closedThrough: (await readPeriods(tx)).closedThrough }
  },
  async corporate(tx, corporateId) {
    const found = await findCorporateOfAny(tx, corporateId)
    if (found === undefined) return undefined
    const { companyName, status, stage, countryCode, industry, canMint, canRedeem, canPayroll } = found
    return { companyName, status, stage, countryCode, industry, canMint, canRedeem, canPayroll }
  },
  async customer(tx, customerId) {
    const found = await findCustomerOfAny(tx, customerId)
    return found && describeCustomer(found)
  },
  // Of the address, what cannot carry a secret, and a digest that shows whether the rest changed.
  async endpoint(tx, endpointId) {
    const found = await findEndpoint(tx, endpointId)
    if (found === undefined) return undefined
    const { url, eventTypes, status, disabledReason, rotating } = found
    return { origin: new URL(url).origin, urlSha256: hash('sha256', url), eventTypes, status, disabledReason, rotating }
  },
  async integration(tx, integrationId) {
    const found = await findIntegration(tx, integrationId)
    if (found === undefined) return undefined
    const remitters = (await listRemitters(tx, integrationId)).map(maskedAccount)
    return { name: found.name, status: found.status, dpaSignedOn: found.dpaSignedOn, remitters }
  },
  async key(tx, keyId) {
    const found = await findKey(tx, keyId)
    return found && { ...describeKeySettings(found), revokedAt: found.revokedAt }
  },
  async operator(tx, operatorId) {
    const found = await findOperator(tx, operatorId)
    return found && { name: found.name, role: found.role, disabledAt: found.disabledAt, signedInAt: found.signedInAt }
  },
  async order(tx, id) {
    const named = orderNamed(id)
    const found = named && (await findOrderWithFacts(tx, named.integrationId, named.referenceId))
    if (found === undefined) return undefined
    const { held, hasTagConflict: conflict, lost } = found.facts
    return {
      status: found.order.status,
      held,
      conflict,
      ...(lost !== undefined && { lost: sayLost(found.order, lost) }),
    }
  },
  async payout(tx, payoutId) {
    const found = await findPayout(tx, payoutId)
    if (found === undefined) return undefined
    const { status, holdReason, owner, rail, attempt, endToEndId, railReference, accountEnding } = found
    const account = accountEnding === null ? null : maskedAccount(accountEnding)
    const refund = found.refundOrder === null ? {} : { refundOrder: found.refundOrder }
    return { status, holdReason, owner, rail, attempt, endToEndId, railReference, bankAccount: account, ...refund }
  },
  // The customer is locked before what they are owed, as a refund does it: two that wait for each other would not end.
  async residual(tx, customerId) {
    await lockCustomer(tx, customerId)
    return { owedMyr: formatAmount((await readResidual(tx, customerId)).owedMicro) }
  },
  async statement(tx, statementNo) {
    const found = await findStatement(tx, BigInt(statementNo))
    return found && { state: found.state, withdrawnFor: found.withdrawnFor }
  },
  async wallets(tx, customerId) {
    const listed = await listWallets(tx, customerId)
    return { wallets: listed.map(({ address, isPrimary }) => (isPrimary ? `${address} primary` : address)) }
  },
}

/** The id of a subject that exists before the command, from what was asked; undefined for one that it makes. */
function namedBy(subject: Subject, { params, body }: Asked): string | undefined {
  if (subject === 'books') return ''
  if (subject === 'address') return typeof body.address === 'string' ? body.address : undefined
  if (subject === 'wallets' || subject === 'residual')
    return typeof body.customerId === 'string' ? body.customerId : undefined
  const named = Object.values(params).filter((value) => value !== undefined)
  return named.length === 0 ? undefined : named.join('/')
}

/** What a command would change, as it is now; undefined where it makes it. */
export async function describeSubject(db: Queryable, command: string, asked: Asked): Promise<Facts | undefined> {
  const subject = CHANGES[command]
  const id = typeof subject === 'string' ? namedBy(subject, asked) : undefined
  return typeof subject === 'string' && id !== undefined ? await LOOKS[subject](db, id) : undefined
}

/**
 * The look that `audited` takes before and after a command; undefined where there is nothing to compare. What cannot be
 * looked at, such as an id that is none, the command itself refuses.
 */
export function lookOf(command: string, asked: Asked): Acting['look'] {
  const subject = CHANGES[command]
  if (typeof subject !== 'string') return undefined
  const named = namedBy(subject, asked)
  return async (tx, target) => {
    const id = named ?? target
    if (id === null) return undefined
    await lockSubject(tx, `${subject} ${id}`)
    return await LOOKS[subject](tx, id)
  }
}
