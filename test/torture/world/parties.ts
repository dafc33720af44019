/** Who takes part: three integrations with keys, customers, wallets and a webhook receiver each. */
import { privateKeyToAddress } from 'viem/accounts'
import type { Random } from '../../support/random.ts'
import { atLeast, waitFor } from '../../support/wait-for.ts'
import type { Operator } from './operator.ts'

export type Customer = {
  customerId: string
  /** Checksummed. Linked and primary: it pays for transfers. */
  wallet: string
  bankAccount: string
  monthlyCapMicro: bigint | null
}

export type ApiKey = {
  keyId: string
  secret: string
  transferDayCapMicro: bigint | null
  mintDayCapMicro: bigint | null
}

export type Integration = {
  integrationId: string
  keys: ApiKey[]
  customers: Customer[]
  /** Path of its receiver, and the secret that signs what arrives there. */
  hookPath: string
  hookSecret: string
}

export type Parties = {
  integrations: Integration[]
  /** Checksummed wallets that belong to nobody and receive transfers. */
  strangers: string[]
}

const INTEGRATIONS = 3
const CUSTOMERS = 4
const STRANGERS = 3
/** Small enough to be reached: anything above it must be refused, even when many ask at once. */
const LOW_MONTHLY_CAP = '120'
const LOW_DAY_CAP = '90'
const LOW_MINT_CAP = '250'
const MICRO = 1_000_000n
const LINKING_MS = atLeast(60_000)

/** @param receiverUrl where webhooks are received; each integration gets a path of its own */
export async function onboard(operator: Operator, random: Random, receiverUrl: string): Promise<Parties> {
  const integrations: Integration[] = []
  for (let index = 0; index < INTEGRATIONS; index += 1) {
    integrations.push(await onboardIntegration(operator, random, receiverUrl, index))
  }
  return { integrations, strangers: Array.from({ length: STRANGERS }, () => newWallet(random)) }
}

async function onboardIntegration(
  operator: Operator,
  random: Random,
  receiverUrl: string,
  index: number,
): Promise<Integration> {
  const { integrationId } = await operator.post<{ integrationId: string }>('/integrations', {
    name: `Partner ${index}`,
  })
  const keys = [
    await createKey(operator, integrationId, {}),
    await createKey(operator, integrationId, { transferDayCap: LOW_DAY_CAP }),
    await createKey(operator, integrationId, { mintDayCap: LOW_MINT_CAP }),
  ]
  const customers: Customer[] = []
  for (let count = 0; count < CUSTOMERS; count += 1) {
    customers.push(await linkCustomer(operator, random, integrationId, count === 0 ? LOW_MONTHLY_CAP : undefined))
  }
  const hookPath = `/hooks/${index}`
  const { secret } = await operator.post<{ secret: string }>('/webhooks', {
    integrationId,
    url: `${receiverUrl}${hookPath}`,
  })
  return { integrationId, keys, customers, hookPath, hookSecret: secret }
}

async function createKey(
  operator: Operator,
  integrationId: string,
  caps: { transferDayCap?: string; mintDayCap?: string },
): Promise<ApiKey> {
  const { keyId, apiKey } = await operator.post<{ keyId: string; apiKey: string }>('/keys', {
    integrationId,
    scopes: 'all',
    ...caps,
  })
  return {
    keyId,
    secret: apiKey,
    transferDayCapMicro: microOf(caps.transferDayCap),
    mintDayCapMicro: microOf(caps.mintDayCap),
  }
}

async function linkCustomer(
  operator: Operator,
  random: Random,
  integrationId: string,
  monthlyCap: string | undefined,
): Promise<Customer> {
  const bankAccount = String(random.between(1_000_000_000, 1_999_999_999))
  const { customerId } = await operator.post<{ customerId: string }>('/customers', {
    integrationId,
    type: 'RETAIL',
    status: 'VERIFIED',
    level: 'TIER_2',
    country: 'MY',
    bankBic: 'MBBEMYKL',
    bankAccount,
    bankName: 'A Person',
    ...(monthlyCap === undefined ? {} : { monthlyCap }),
  })
  const wallet = newWallet(random)
  // Blocks come fast while a run is set up: on a busy machine nodes can fail to agree on a head in time. Safe to repeat.
  await waitFor(
    `${wallet} to be linked`,
    () => operator.post<{ ok: boolean }>('/wallets', { customerId, address: wallet }),
    {
      timeoutMs: LINKING_MS,
      everyMs: 500,
    },
  )
  return { customerId, wallet, bankAccount, monthlyCapMicro: microOf(monthlyCap) }
}

function microOf(amount: string | undefined): bigint | null {
  return amount === undefined ? null : BigInt(amount) * MICRO
}

function newWallet(random: Random): string {
  const digits = Array.from({ length: 8 }, () => random.between(0, 0xffffffff).toString(16).padStart(8, '0'))
  return privateKeyToAddress(`0x${digits.join('')}`)
}
