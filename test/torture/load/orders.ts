/**
 * What a client may want next: intents with amounts that no other order has, so that they can be recognised on chain.
 */

import type { Random } from '../../support/random.ts'
import type { Direction, Intent } from '../judge/evidence.ts'
import type { ApiKey, Customer, Integration, Parties } from '../world/parties.ts'

export type Wanted = { intent: Intent; secret: string; body: Record<string, unknown>; path: string }

const DIRECTIONS: readonly { direction: Direction; weight: number }[] = [
  { direction: 'MINT', weight: 45 },
  { direction: 'REDEEM', weight: 25 },
  { direction: 'TRANSFER', weight: 30 },
]
const CONFIRMED_AT_ONCE = 0.75
const MICRO = 1_000_000n
/** Steps of a prime over a range: distinct amounts that look like any others. Mints are larger, so that wallets fill up. */
const STEP = 777_767n
const DEBIT_RANGE = 8_999_993n
const MINT_RANGE = 29_999_999n
const OPENING_MICRO = 200n * MICRO

/** @param serial a number that no other order of the run has */
export function wantNext(parties: Parties, serial: number, random: Random): Wanted {
  const integration = random.pick(parties.integrations)
  const customer = random.pick(integration.customers)
  const key = random.pick(integration.keys)
  const { direction } = random.weighted(DIRECTIONS)
  const reference = `torture-${direction.toLowerCase()}-${serial}`
  const common = { parties, integration, customer, key, reference, serial: BigInt(serial), random }
  if (direction === 'MINT') return mint(common)
  return direction === 'REDEEM' ? redeem(common) : transfer(common)
}

/** What every wallet begins with, so that there is something to redeem and transfer from the first second. */
export function wantOpenings(parties: Parties, random: Random): Wanted[] {
  const pairs = parties.integrations.flatMap((integration) =>
    integration.customers.map((customer) => ({ integration, customer })),
  )
  return pairs.map(({ integration, customer }, index) => {
    const key = random.pick(integration.keys.filter(({ mintDayCapMicro }) => mintDayCapMicro === null))
    const reference = `torture-opening-${index}`
    return mint({ parties, integration, customer, key, reference, serial: 0n, random }, OPENING_MICRO)
  })
}

type Common = {
  parties: Parties
  integration: Integration
  customer: Customer
  key: ApiKey
  reference: string
  serial: bigint
  random: Random
}

function intentOf({ integration, customer, key, reference }: Common, rest: Pick<Intent, 'direction' | 'amountMicro'>) {
  const { integrationId } = integration
  const { customerId, wallet } = customer
  return { reference, integrationId, keyId: key.keyId, customerId, wallet: wallet.toLowerCase(), ...rest }
}

function mint(common: Common, openingMicro?: bigint): Wanted {
  const { customer, reference, serial, random, key } = common
  const amountMicro = openingMicro ?? 5n * MICRO + ((serial * STEP) % MINT_RANGE)
  const confirmed = openingMicro !== undefined || random.chance(CONFIRMED_AT_ONCE)
  const { customerId, wallet } = customer
  return {
    intent: { ...intentOf(common, { direction: 'MINT', amountMicro }), debited: null, confirmed },
    secret: key.secret,
    path: '/mints',
    body: {
      referenceId: reference,
      amountMyr: decimal(amountMicro),
      walletAddress: wallet,
      customerId,
      fiatConfirmed: confirmed,
    },
  }
}

function redeem(common: Common): Wanted {
  const { customer, reference, serial, key } = common
  const amountMicro = MICRO + ((serial * STEP) % DEBIT_RANGE)
  const { customerId, wallet } = customer
  const intent = intentOf(common, { direction: 'REDEEM', amountMicro })
  return {
    intent: { ...intent, debited: intent.wallet, confirmed: true },
    secret: key.secret,
    path: '/redeems',
    body: {
      referenceId: reference,
      amountCoin: decimal(amountMicro),
      walletAddress: wallet,
      customerId,
      bankReference: reference,
    },
  }
}

function transfer(common: Common): Wanted {
  const { parties, customer, reference, serial, random, key } = common
  const amountMicro = MICRO + ((serial * STEP) % DEBIT_RANGE)
  const others = parties.integrations.flatMap(({ customers }) => customers.map(({ wallet }) => wallet))
  const recipient = random.pick([...others, ...parties.strangers].filter((wallet) => wallet !== customer.wallet))
  const intent = intentOf(common, { direction: 'TRANSFER', amountMicro })
  return {
    intent: { ...intent, wallet: recipient.toLowerCase(), debited: customer.wallet.toLowerCase(), confirmed: true },
    secret: key.secret,
    path: '/transfers',
    body: {
      referenceId: reference,
      amountCoin: decimal(amountMicro),
      walletAddress: recipient,
      customerId: customer.customerId,
    },
  }
}

function decimal(amountMicro: bigint): string {
  const fraction = (amountMicro % MICRO).toString().padStart(6, '0').replace(/0+$/, '')
  return fraction === '' ? `${amountMicro / MICRO}` : `${amountMicro / MICRO}.${fraction}`
}
