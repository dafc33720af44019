/** Acceptance over a real database and a chain whose answers a test sets. */

import { hash, randomBytes, randomUUID } from 'node:crypto'
import { ChainUnreadableError } from '../../src/chain-errors.ts'
import type { PolicyConfig } from '../../src/config.ts'
import type { Queryable } from '../../src/db/database.ts'
import { ApiError } from '../../src/errors.ts'
import type { AcceptanceDeps, Answer, Caller } from '../../src/orders/accept/service.ts'
import { createAcceptance } from '../../src/orders/accept/service.ts'
import { checksumAddress } from '../../src/orders/address.ts'
import { giveBank } from './bank-details.ts'
import { believeBurns } from './believed-burns.ts'
import { createTestDatabase, type Engine, type TestDatabase } from './database.ts'

export const MICRO = 1_000_000n
export const CHAIN_ID = 31_337
export const OTHER_CHAIN_ID = 31_338
const TOKEN = checksumAddress(`0x${'c0'.repeat(20)}`)

const POLICY: PolicyConfig = {
  mintFloorMicro: MICRO,
  mintCeilingMicro: 1_000_000_000_000_000n,
  mintDayCapMicro: null,
  redeemCeilingMicro: 1_000_000n * MICRO,
  nonResidentLimitMicro: 100_000n * MICRO,
  monthlyWithdrawalCapMicro: 500_000n * MICRO,
  transferTxCapMicro: 50_000n * MICRO,
  transferDayCapMicro: 250_000n * MICRO,
  feeMicro: { MINT: 0n, REDEEM: 500_000n },
}

export type Operation = 'mint' | 'redeem' | 'transfer' | 'cancelMint'
type Body = Record<string, unknown>
type CallOptions = { idempotencyKey?: string; caller?: Partial<Caller>; referenceId?: string }

export type OrdersFixture = Awaited<ReturnType<typeof createOrdersFixture>>

/**
 * Two of everything, so that a missing condition shows: two integrations of one name, each with two keys and two
 * verified customers, and three wallets for each customer. Everything named here belongs to the first customer of the
 * first integration, whose primary wallet has 1,000,000 coin on the first chain; every other wallet is empty.
 */
export async function createOrdersFixture(engine?: Engine, given?: TestDatabase) {
  const db =
    given ??
    (await createTestDatabase({ ...(engine === undefined ? {} : { engine }), poolSize: 20, believesBurns: true }))
  const chain = {
    /** The balance of the named wallet on the first chain. */
    balanceMicro: 1_000_000n * MICRO,
    /** The balances of the others, by chain and address. */
    balances: new Map<string, bigint>(),
    frozen: new Set<string>(),
    sanctioned: new Set<string>(),
    /** Links that the chain does not show: chain, wallet, integration and customer, with spaces between. All others it does. */
    unlinked: new Set<string>(),
    unreadable: new Set<'balance' | 'linked' | 'frozen' | 'sanctioned'>(),
    /** How far the clock of requests is ahead of this process's. */
    aheadMs: 0,
    /** Awaited between reading a balance and returning it. */
    afterBalance: async (_blockNumber: bigint): Promise<void> => {},
  }
  const accepted: number[] = []
  const { named, neighbours } = await seed(db)
  await believeBurns(db)
  const listeners: ((text: string) => void)[] = []
  const deps: AcceptanceDeps = {
    db: {
      query(text, params) {
        for (const listener of listeners) listener(text)
        return db.query(text, params)
      },
    },
    chains: factsOf([CHAIN_ID, OTHER_CHAIN_ID]),
    defaultChainId: CHAIN_ID,
    policy: POLICY,
    onAccepted: (chainId) => accepted.push(chainId),
    nowMs: () => performance.now() + chain.aheadMs,
    wallets: {
      async balanceAt(chainId, address, blockNumber) {
        if (chain.unreadable.has('balance')) throw new ChainUnreadableError('no node answers')
        const isNamed = chainId === CHAIN_ID && address === named.walletAddress
        const balanceMicro = isNamed ? chain.balanceMicro : (chain.balances.get(`${chainId} ${address}`) ?? 0n)
        await chain.afterBalance(blockNumber)
        return balanceMicro
      },
      async isLinked(chainId, address, { integrationId, customerId }) {
        if (chain.unreadable.has('linked')) throw new ChainUnreadableError('no node answers')
        return !chain.unlinked.has([chainId, address, integrationId, customerId].join(' '))
      },
      async isFrozen(_chainId, address) {
        if (chain.unreadable.has('frozen')) throw new ChainUnreadableError('no node answers')
        return chain.frozen.has(address)
      },
      async isSanctioned(_chainId, address) {
        if (chain.unreadable.has('sanctioned')) throw new ChainUnreadableError('no node answers')
        return chain.sanctioned.has(address)
      },
    },
  }
  const acceptance = createAcceptance(deps)

  const callAs = (fingerprint: string, operation: Operation, body: Body, options: CallOptions = {}): Promise<Answer> =>
    acceptance[operation]({
      caller: { ...named.caller, ...options.caller },
      idempotencyKey: options.idempotencyKey ?? randomUUID(),
      fingerprint,
      body,
      referenceId: options.referenceId ?? '',
    })
  const call = (operation: Operation, body: Body, options: CallOptions = {}): Promise<Answer> =>
    callAs(hash('sha256', JSON.stringify([operation, options.referenceId ?? '', body])), operation, body, options)
  const attempt = async (operation: Operation, body: Body, options?: CallOptions) => {
    try {
      return { answer: await call(operation, body, options), code: undefined, meta: undefined }
    } catch (error) {
      if (error instanceof ApiError) return { answer: undefined, code: error.code, meta: error.meta }
      throw error
    }
  }
  const bodyOf = (direction: 'mint' | 'debit', changes: Body = {}): Body => ({
    referenceId: newReference(),
    ...(direction === 'mint' ? { amountMyr: '100' } : { amountCoin: '100' }),
    walletAddress: named.walletAddress,
    customerId: named.customerId,
    ...changes,
  })

  return {
    db,
    chain,
    accepted,
    ...named,
    neighbours,
    /** Calls `listener` with every statement that acceptance sends. */
    onStatement: (listener: (text: string) => void) => void listeners.push(listener),
    call,
    /** The chain of requests that name none, from now on. */
    moveDefault: (chainId: number) => {
      deps.defaultChainId = chainId
    },
    /** The chains in the configuration, from now on. */
    configure: (chainIds: readonly number[]) => {
      deps.chains = factsOf(chainIds)
    },
    /** A call to which the HTTP layer gave this fingerprint. */
    callAs,
    attempt,
    mintBody: (changes?: Body) => bodyOf('mint', changes),
    redeemBody: (changes?: Body) => bodyOf('debit', changes),
    transferBody: (changes?: Body) => bodyOf('debit', { walletAddress: newAddress(), ...changes }),
    close: () => db.close(),
  }
}

function factsOf(chainIds: readonly number[]): AcceptanceDeps['chains'] {
  return new Map(chainIds.map((chainId) => [chainId, chainFacts(chainId)]))
}

export function newReference(): string {
  return `ref-${randomUUID()}`
}

export function newAddress(): string {
  return checksumAddress(`0x${randomBytes(20).toString('hex')}`)
}

function chainFacts(chainId: number) {
  return {
    chainId,
    network: `Test chain ${chainId}`,
    tokenAddress: TOKEN,
    contracts: [TOKEN],
    hasSanctionsOracle: chainId === OTHER_CHAIN_ID,
  }
}

/** Who posts: a key of an integration, one of its customers and that customer's primary wallet. */
type Party = { integrationId: string; keyId: string; customerId: string; walletAddress: string; caller: Caller }

async function seed(db: Queryable) {
  await db.query(
    `insert into chains (chain_id, coin_address, settlement_address, genesis_hash, observed_block)
     select c, $3, $3, '0x00', b from (values ($1::bigint, 7), ($2::bigint, 9)) as v (c, b)`,
    [CHAIN_ID, OTHER_CHAIN_ID, TOKEN],
  )
  const [ours, theirs] = [await seedIntegration(db), await seedIntegration(db)]
  const party = ({ integrationId, keyIds }: Seeded, place: 0 | 1, { customerId, wallets }: SeededCustomer): Party => ({
    integrationId,
    keyId: keyIds[place],
    customerId,
    walletAddress: wallets.primary,
    caller: callerOf(integrationId, keyIds[place]),
  })
  return {
    named: { ...party(ours, 0, ours.customers[0]), secondaryWallets: ours.customers[0].wallets.secondary },
    neighbours: {
      /** The same integration's other customer, through its other key. */
      colleague: party(ours, 1, ours.customers[1]),
      /** A customer of the other integration. */
      stranger: party(theirs, 0, theirs.customers[0]),
    },
  }
}

type SeededCustomer = { customerId: string; wallets: { primary: string; secondary: readonly string[] } }
type Seeded = { integrationId: string; keyIds: [string, string]; customers: [SeededCustomer, SeededCustomer] }

async function seedIntegration(db: Queryable): Promise<Seeded> {
  const integrationId = `int_${randomBytes(12).toString('hex')}`
  await db.query(`insert into integrations (integration_id, name) values ($1, 'Test')`, [integrationId])
  const keyIds: [string, string] = [randomBytes(8).toString('hex'), randomBytes(8).toString('hex')]
  await db.query(
    `insert into api_keys (key_id, integration_id, environment, secret_sha256, scopes)
     select k, $2, 'sandbox', $3, '{}' from unnest($1::text[]) k`,
    [keyIds, integrationId, 'a'.repeat(64)],
  )
  return {
    integrationId,
    keyIds,
    customers: [await seedCustomer(db, integrationId), await seedCustomer(db, integrationId)],
  }
}

/** The primary wallet is neither the first nor the last of the three, neither in order of insertion nor by address. */
async function seedCustomer(db: Queryable, integrationId: string): Promise<SeededCustomer> {
  const customerId = `cus_${randomBytes(12).toString('hex')}`
  const [low, primary, high] = ['00', '77', 'ff'].map((first) =>
    checksumAddress(`0x${first}${randomBytes(19).toString('hex')}`),
  ) as [string, string, string]
  await db.query(
    `insert into customers (customer_id, integration_id, account_type, verification_status, verification_level,
       verified_at, country_code, is_resident, monthly_cap_micro)
     values ($1, $2, 'RETAIL', 'VERIFIED', 'TIER_2', now(), 'MY', true, $3)`,
    [customerId, integrationId, POLICY.monthlyWithdrawalCapMicro],
  )
  await giveBank(db, { bic: 'MBBEMYKL', account: '1122', name: 'TEST' }, { customerId })
  await db.query(
    `insert into wallets (customer_id, address, is_primary)
     select $1, a, a = $3 from unnest($2::text[]) with ordinality as w (a, place) order by place`,
    [customerId, [low, primary, high], primary],
  )
  return { customerId, wallets: { primary, secondary: [low, high] } }
}

function callerOf(integrationId: string, keyId: string): Caller {
  const scopes = ['mint', 'redeem', 'transfer'].flatMap((name) => [`${name}:create`, `${name}:execute`])
  return {
    integrationId,
    keyId,
    scopes: new Set(scopes),
    transferTxCapMicro: null,
    transferDayCapMicro: null,
    mintDayCapMicro: null,
    capKeyId: null,
  }
}
