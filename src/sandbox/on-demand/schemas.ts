/** Requests and answers of the routes that only a sandbox has. */
import Type, { type TSchema } from 'typebox'
import { ERRORS, type ErrorCode } from '../../errors.ts'
import { Ok, oneOf } from '../../http/schemas/values.ts'
import { PHASES, STATUSES } from '../../orders/order.ts'

const Expected = Type.Object(
  {
    status: Type.Integer({ description: 'Of the answer; 0: the connection ends without one.' }),
    code: Type.Optional(oneOf(Object.keys(ERRORS) as ErrorCode[], 'Its `error.code`; none: a success.')),
    reason: Type.Optional(Type.String({ description: '`meta.reason` of a `POLICY_REJECTED`.' })),
    order: Type.Optional(
      Type.Object(
        {
          status: oneOf(STATUSES, 'Its `status` then.'),
          phase: oneOf([...PHASES], 'Its `phase` then.'),
          withinSeconds: Type.Integer({ description: 'The sandbox takes no longer, if nothing disturbs its chain.' }),
        },
        { description: 'What becomes of the order, read again within so many seconds.' },
      ),
    ),
  },
  { description: 'What is answered.' },
)

const Attempt = Type.Object({
  says: Type.String({ description: 'What it is, for people.' }),
  method: oneOf(['GET', 'POST'], 'To send it with.'),
  path: Type.String({ description: 'Below the host: it begins with `/v1`.' }),
  idempotencyKey: Type.Optional(
    Type.Union([Type.String(), Type.Null()], { description: 'null: leave the header out.' }),
  ),
  body: Type.Optional(Type.Unknown({ description: 'To send as JSON; none: send no body.' })),
  add: Type.Optional(
    Type.Object(
      {
        to: oneOf(['body', 'headers'], 'What to make longer.'),
        bytes: Type.Integer({ description: 'By how much.' }),
      },
      { description: 'Add so many blanks to the body, or so many characters to a header of your own.' },
    ),
  ),
  repeat: Type.Optional(Type.Integer({ description: 'Send it up to so many times; one of them is answered so.' })),
  expect: Expected,
})

/** What to send, and what is answered. */
const TryIt = Type.Array(Attempt, {
  description: 'What to send now, in this order, with `apiKey` where it is there and not null; and what is answered.',
})

type Rows = Readonly<Record<string, { says: string }>>

/** The field that names a scenario. */
export function scenarioField(rows: Rows): TSchema {
  return oneOf(Object.keys(rows), 'What to show.')
}

/** A paragraph about each scenario. @param subject what it says something about */
export function scenarioTexts(subject: string, rows: Rows): string {
  return Object.entries(rows)
    .map(([name, { says }]) => `\`${name}\`: ${subject} ${says}.`)
    .join('\n\n')
}

/** A whole number from 1. */
export function count(maximum: number, description: string) {
  return Type.Optional(Type.Integer({ minimum: 1, maximum, description: `${description} From 1 to ${maximum}.` }))
}

/** The scenario, as an answer repeats it. */
export const Scenario = Type.String({ description: 'As asked for.' })

export const MadeCustomer = Type.Object({
  ok: Ok,
  scenario: Scenario,
  customerId: Type.String({ description: 'Linked to your integration.' }),
  walletAddress: Type.String({ description: 'Checksummed (EIP-55). Nobody has its key.' }),
  apiKey: Type.Union([Type.String(), Type.Null()], {
    description: 'A key to try it with, where the scenario needs one: for an hour, shown once.',
  }),
  tryIt: TryIt,
})

export const MadeKey = Type.Object({
  ok: Ok,
  scenario: Scenario,
  keyId: Type.String({ description: 'The third part of the key; safe to quote to support.' }),
  apiKey: Type.String({ description: 'The whole key, shown once.' }),
  scopes: Type.Array(Type.String(), { description: 'Never more than the calling key has.' }),
  expiresAt: Type.String({ description: 'ISO 8601 in UTC. Never later than the calling key.' }),
  tryIt: TryIt,
})
