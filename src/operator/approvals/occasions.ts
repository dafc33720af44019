/** Whether this very request has to be approved first. */
import type { PolicyConfig } from '../../config.ts'
import { findCorporateOfAny } from '../../customers/corporates.sql.ts'
import type { Customer } from '../../customers/customer.ts'
import { findCustomerOfAny } from '../../customers/customers.sql.ts'
import type { Queryable } from '../../db/database.ts'
import { findKey } from '../../integrations/api-keys.sql.ts'
import { parseAmount } from '../../money.ts'
import type { Occasion } from '../../operators/concerns.ts'
import type { Asked } from './asked.ts'

type Deps = { db: Queryable; config: { policy: PolicyConfig } }

const BANK_FIELDS = ['bankBic', 'bankAccount', 'bankName', 'removeBank']

/**
 * The occasions of the table of commands. Whatever cannot be understood waits: the route itself says what is wrong with it.
 */
export const OCCASIONS: Readonly<Record<Occasion, (deps: Deps, asked: Asked) => Promise<boolean>>> = {
  always: async () => true,
  "another's token": async (_, { params, operatorId }) => params.operatorId !== operatorId,
  'executes or creates': async ({ db }, { params, body }) => {
    const { keyId } = params
    const scopes =
      keyId === undefined ? String(body.scopes).split(',') : [...((await findKey(db, keyId))?.scopes ?? [])]
    return scopes.some((scope) => /^all$|:(create|execute)$/.test(scope.trim()))
  },
  'raised cap': async ({ config }, { body }) => isAbove(body.monthlyCap, config.policy.monthlyWithdrawalCapMicro),
  'bank account, limit or stop': async ({ db }, { params, body }) => {
    if (BANK_FIELDS.some((field) => body[field] !== undefined)) return true
    const customer = await findCustomerOfAny(db, params.customerId ?? '')
    if (customer === undefined) return false
    const becomesResident = body.resident === true && !customer.isResident
    return becomesResident || endsStop(customer, body) || isAbove(body.monthlyCap, customer.monthlyCapMicro)
  },
  'end of a stop': async ({ db }, { params, body }) => {
    const corporate = await findCorporateOfAny(db, params.corporateId ?? '')
    return corporate !== undefined && endsStop(corporate, body)
  },
}

const SWITCHES = ['canMint', 'canRedeem', 'canTransfer', 'canPayroll']

/** Whether a request lets a party go on that was stopped, or with what was switched off. */
function endsStop(known: Pick<Customer, 'status'>, body: Asked['body']): boolean {
  const switches = new Map<string, unknown>(Object.entries(known))
  const isSwitchedOn = SWITCHES.some((name) => body[name] === true && switches.get(name) === false)
  return isSwitchedOn || (body.status !== undefined && isStopped(known.status) && !isStopped(body.status))
}

/** Whether a party with this status does nothing: orders of such a customer are held. */
export function isStopped(status: unknown): boolean {
  return status === 'SUSPENDED' || status === 'REJECTED'
}

function isAbove(given: unknown, limitMicro: bigint): boolean {
  if (given === undefined) return false
  if (given === '0') return false
  const amount = typeof given === 'string' ? parseAmount(given) : undefined
  return amount?.ok !== true || amount.amountMicro > limitMicro
}
