/** Verification status of customers and corporates; only under a signed data processing agreement. */
import Type, { type Static } from 'typebox'
import { viewCorporate } from '../../customers/corporate.ts'
import { findCorporate } from '../../customers/corporates.sql.ts'
import { viewCustomer } from '../../customers/customer.ts'
import { findCustomer } from '../../customers/customers.sql.ts'
import type { Queryable } from '../../db/database.ts'
import { ApiError, type Refusal, refused } from '../../errors.ts'
import { hasAgreement } from '../authenticate.ts'
import { successBody } from '../envelope.ts'
import type { ReadRoute, RouteDeps } from '../route.ts'
import { Corporate, Customer, EXAMPLE_CORPORATE_ANSWER, EXAMPLE_CUSTOMER_ANSWER } from '../schemas/accounts.ts'

/** Every id has this form; the check keeps what the database cannot store (such as NUL) away from it. */
const PARTY_ID = /^[\x21-\x7e]{1,200}$/

const description =
  'Without a signed data processing agreement on file, every call is refused with SCOPE_DENIED, even with the scope.'

const getCustomer: ReadRoute = {
  kind: 'read',
  operationId: 'getCustomer',
  method: 'GET',
  path: '/customers/{customerId}',
  tag: 'Accounts',
  summary: 'Read the verification status of a customer',
  description,
  parameters: [partyParameter('customerId', EXAMPLE_CUSTOMER_ANSWER.customerId)],
  bucket: 'read',
  scopes: ['account:read'],
  success: {
    status: 200,
    description: 'The customer.',
    schema: Customer,
    examples: { verified: EXAMPLE_CUSTOMER_ANSWER },
  },
  errors: ['NOT_FOUND'],
  handle: (deps) =>
    partyReader(
      deps,
      'customerId',
      findCustomer,
      (customer): Omit<Static<typeof Customer>, 'ok'> => viewCustomer(customer),
    ),
}

const getCorporate: ReadRoute = {
  kind: 'read',
  operationId: 'getCorporate',
  method: 'GET',
  path: '/corporates/{corporateId}',
  tag: 'Accounts',
  summary: 'Read the verification status of a corporate',
  description,
  parameters: [partyParameter('corporateId', EXAMPLE_CORPORATE_ANSWER.corporateId)],
  bucket: 'read',
  scopes: ['account:read'],
  success: {
    status: 200,
    description: 'The corporate.',
    schema: Corporate,
    examples: { verified: EXAMPLE_CORPORATE_ANSWER },
  },
  errors: ['NOT_FOUND'],
  handle: (deps) =>
    partyReader(
      deps,
      'corporateId',
      findCorporate,
      (corporate): Omit<Static<typeof Corporate>, 'ok'> => viewCorporate(corporate),
    ),
}

export const accountRoutes = [getCustomer, getCorporate]

function partyParameter(name: string, example: string) {
  const description = 'Opaque; assigned when the party was linked.'
  return { name, in: 'path' as const, required: true, description, schema: Type.String(), example }
}

const NO_AGREEMENT: Refusal = { code: 'SCOPE_DENIED', detail: 'It needs a signed data processing agreement.' }

function partyReader<Party>(
  { db, nowMs }: RouteDeps,
  parameter: string,
  find: (db: Queryable, integrationId: string, id: string) => Promise<Party | undefined>,
  view: (party: Party) => Record<string, unknown>,
): ReturnType<ReadRoute['handle']> {
  return async ({ key, params }) => {
    if (!hasAgreement(key, nowMs())) throw refused(NO_AGREEMENT)
    const id = params[parameter] ?? ''
    const party = PARTY_ID.test(id) ? await find(db, key.integrationId, id) : undefined
    if (party === undefined) throw new ApiError('NOT_FOUND')
    return successBody(view(party))
  }
}
