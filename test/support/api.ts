/** The partner API on a free port over a real database, for tests that are not about the chain. */

import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { Writable } from 'node:stream'
import { pino } from 'pino'
import type { Chain } from '../../src/chain/chain.ts'
import { linkAccount } from '../../src/chain/instructions.ts'
import { ChainUnreadableError } from '../../src/chain-errors.ts'
import type { ChainConfig, PolicyConfig, RateConfig } from '../../src/config.ts'
import type { BankAccount } from '../../src/customers/bank-account.ts'
import type { CustomerDetails } from '../../src/customers/customer.ts'
import { insertCustomer } from '../../src/customers/customers.sql.ts'
import type { Queryable } from '../../src/db/database.ts'
import { type AppDeps, createApp } from '../../src/http/app.ts'
import { createMemoryRateCounter } from '../../src/http/rate-counter.ts'
import { generateApiKey, SCOPES, type Scope } from '../../src/integrations/api-key.ts'
import { insertKey, type NewKey } from '../../src/integrations/api-keys.sql.ts'
import { createIntegration } from '../../src/integrations/integrations.sql.ts'
import { createAcceptance } from '../../src/orders/accept/service.ts'
import { checksumAddress } from '../../src/orders/address.ts'
import type { WalletReader } from '../../src/orders/ports.ts'
import type { LostWatch } from '../../src/settlement/lost/lost-watch.ts'
import { giveBank } from './bank-details.ts'
import { believeBurns } from './believed-burns.ts'
import { asRole, createTestDatabase, type TestDatabase } from './database.ts'
import { checkAgainstDocument } from './openapi-check.ts'

export const CHAIN_ID = 31337
export const OTHER_CHAIN_ID = 31338
const COIN = '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359'

const POLICY: PolicyConfig = {
  mintFloorMicro: 1_000_000n,
  mintCeilingMicro: 1_000_000_000_000_000n,
  mintDayCapMicro: null,
  redeemCeilingMicro: 1_000_000_000_000n,
  nonResidentLimitMicro: 100_000_000_000n,
  monthlyWithdrawalCapMicro: 500_000_000_000n,
  transferTxCapMicro: 50_000_000_000n,
  transferDayCapMicro: 250_000_000_000n,
  feeMicro: { MINT: 0n, REDEEM: 0n },
}

const VERIFIED: CustomerDetails = {
  accountType: 'RETAIL',
  status: 'VERIFIED',
  level: 'TIER_2',
  countryCode: 'MY',
  isResident: true,
  monthlyCapMicro: POLICY.monthlyWithdrawalCapMicro,
  canMint: true,
  canRedeem: true,
  canTransfer: true,
  bankId: null,
}
const BANK: BankAccount = { bic: 'MBBEMYKL', account: '112233445566', name: 'TEST CUSTOMER' }

export type Answer = { status: number; headers: Headers; text: string; body: Record<string, unknown> }

export type CallOptions = {
  /** The whole key; null: no Authorization header. Default: the key with every scope. */
  key?: string | null
  /** Default: a new one for every POST; null: none. */
  idempotencyKey?: string | null
  body?: unknown
  /** Sent as it is, instead of `body`. */
  raw?: string | Uint8Array
  headers?: Record<string, string>
}

export type TestApi = Awaited<ReturnType<typeof startTestApi>>

export type TestApiOptions = Partial<Pick<AppDeps, 'rateCounter' | 'timeouts' | 'acceptance' | 'clock'>> & {
  config?: Partial<AppDeps['config']>
  rates?: Partial<RateConfig>
  policy?: Partial<PolicyConfig>
  /** Default: two chains whose answers the test sets. A real one is registered by its settler. */
  realChain?: Chain
  /** Default: kept in `logLines`. */
  logger?: AppDeps['logger']
  metrics?: AppDeps['metrics']
  onAccepted?: (chainId: number) => void
  /** Which chains are not lost; default: all. */
  offered?: LostWatch['offered']
  /** Default: a database of its own, closed with the API. */
  db?: TestDatabase
}

/** What a test's chain answers. Balances are by checksummed address; every other address has none. */
export type FakeChain = {
  balances: Map<string, bigint>
  frozen: Set<string>
  /** Wallets that are linked to nobody on the chain; all others are linked to whoever is asked about. */
  unlinked: Set<string>
  sanctioned: Set<string>
  unreadable: boolean
  /** The block to which a node had to have come that was asked last for a newest balance. */
  reached?: bigint
}

/**
 * Starts the API, with rate limits out of reach by default. Beside the named integration there is another of the same
 * name, each with customers and wallets that no test asks about, so that a missing condition on the integration shows.
 */
export async function startTestApi(options: TestApiOptions = {}) {
  const db = options.db ?? (await createTestDatabase({ believesBurns: options.realChain === undefined }))
  // What a test wraps or shares is used as it is.
  const asApi = options.db ?? (await asRole(db, 'api'))
  const chain: FakeChain = {
    balances: new Map(),
    frozen: new Set(),
    unlinked: new Set(),
    sanctioned: new Set(),
    unreadable: false,
  }
  const logLines: string[] = []
  const logger = options.logger ?? pino({ level: 'debug' }, collectorOf(logLines))
  const { realChain, offered = (all) => all } = options
  if (realChain === undefined) await believeBurns(db)
  const configs = realChain === undefined ? [CHAIN_ID, OTHER_CHAIN_ID].map(chainConfig) : [realChain.config]
  const chains = new Map(configs.map((config) => [config.chainId, config]))
  const keyUses: { keyId: string; address: string }[] = []
  const app = createApp({
    noteUse: (keyId, address) => void keyUses.push({ keyId, address }),
    config: {
      publicOrigin: undefined,
      environment: 'sandbox',
      rates: { read: 1_000_000, write: 1_000_000, balances: 1_000_000, ...options.rates },
      trustedProxies: [],
      sunsetDate: undefined,
      ...options.config,
    },
    db: asApi,
    acceptance:
      options.acceptance ??
      createAcceptance({
        db: asApi,
        chains: offered(factsOf(chains)),
        defaultChainId: CHAIN_ID,
        policy: { ...POLICY, ...options.policy },
        wallets: realChain === undefined ? walletReader(chain) : realWalletReader(realChain),
        ...(options.onAccepted === undefined ? {} : { onAccepted: options.onAccepted }),
      }),
    chains: offered(
      new Map([...chains].map(([id, config]) => [id, { config, reader: realChain?.reader ?? balanceReader(chain) }])),
    ),
    defaultChainId: CHAIN_ID,
    rateCounter: options.rateCounter ?? createMemoryRateCounter(),
    logger,
    ...(options.metrics === undefined ? {} : { metrics: options.metrics }),
    ...(options.clock === undefined ? {} : { clock: options.clock }),
    ...(options.timeouts === undefined ? {} : { timeouts: options.timeouts }),
  })
  if (realChain === undefined) await insertChains(db, [...chains.keys()])
  await addNeighbours(db)
  const { integrationId } = await createIntegration(db, { name: 'Test' })
  await addCustomer(db, integrationId)
  const baseUrl = await app.listen({ port: 0, host: '127.0.0.1' })
  const fullKey = await makeKeyFor(db, integrationId)

  const call = async (method: string, path: string, callOptions: CallOptions = {}): Promise<Answer> => {
    const response = await fetch(`${baseUrl}${path}`, requestOf(method, callOptions, fullKey))
    const text = await response.text()
    const answer = { status: response.status, headers: response.headers, text, body: parse(text) }
    if (method !== 'HEAD') checkAgainstDocument({ method, path, ...answer })
    return answer
  }

  return {
    app,
    baseUrl,
    port: Number(new URL(baseUrl).port),
    db,
    chain,
    logLines,
    /** Every use of a key that was noted, in order. */
    keyUses,
    integrationId,
    fullKey,
    call,
    get: (path: string, callOptions?: CallOptions) => call('GET', path, callOptions),
    post: (path: string, body: unknown, callOptions?: CallOptions) => call('POST', path, { body, ...callOptions }),
    makeIntegration: async () => (await createIntegration(db, { name: 'Test' })).integrationId,
    makeKey: (key: Partial<NewKey> = {}) => makeKeyFor(db, key.integrationId ?? integrationId, key),
    makeCustomer: (details: NewCustomer = {}, owner = integrationId) => addCustomer(db, owner, details),
    makeWallet: (customerId: string, balanceMicro = 0n, isPrimary = true) =>
      addWallet(db, chain, customerId, balanceMicro, isPrimary),
    async close() {
      await app.close()
      if (options.db !== undefined) return
      await asApi.close()
      await db.close()
    },
  }
}

/** Asserts that an answer is a refusal with this code and status. */
export function assertRefused(answer: Answer, status: number, code: string): Record<string, unknown> | undefined {
  const error = answer.body.error as { code: string; message: string; meta?: Record<string, unknown> } | undefined
  assert.deepEqual([answer.status, error?.code], [status, code], answer.text)
  return error?.meta
}

/** A reference that nobody else uses. */
export function newReference(): string {
  return `ref-${randomUUID()}`
}

/** A random EIP-55 address, with its first byte when given. */
export function newAddress(firstByte = randomBytes(1).toString('hex')): string {
  return checksumAddress(`0x${firstByte}${randomBytes(19).toString('hex')}`)
}

function requestOf(method: string, options: CallOptions, fullKey: string): RequestInit {
  const headers = new Headers()
  const key = options.key === undefined ? fullKey : options.key
  if (key !== null) headers.set('authorization', `Bearer ${key}`)
  if (method === 'POST') {
    headers.set('content-type', 'application/json')
    if (options.idempotencyKey !== null) headers.set('idempotency-key', options.idempotencyKey ?? randomUUID())
  }
  for (const [name, value] of Object.entries(options.headers ?? {})) headers.set(name, value)
  const body = options.raw ?? (options.body === undefined ? undefined : JSON.stringify(options.body))
  return { method, headers, ...(body === undefined ? {} : { body: body as string | Uint8Array<ArrayBuffer> }) }
}

function parse(text: string): Record<string, unknown> {
  return text === '' ? {} : (JSON.parse(text) as Record<string, unknown>)
}

async function makeKeyFor(db: TestDatabase, integrationId: string, key: Partial<NewKey> = {}): Promise<string> {
  const { keyId, apiKey, secretSha256 } = generateApiKey(key.environment ?? 'sandbox')
  await insertKey(db, {
    integrationId,
    environment: 'sandbox',
    scopes: SCOPES as readonly Scope[],
    ipAllowlist: [],
    rates: { read: null, write: null, balances: null },
    transferTxCapMicro: null,
    transferDayCapMicro: null,
    mintDayCapMicro: null,
    expiresAt: null,
    ...key,
    keyId,
    secretSha256,
  })
  return apiKey
}

/** A primary wallet lies between two others of its customer, both in order of insertion and by address. */
async function addWallet(
  db: TestDatabase,
  chain: Pick<FakeChain, 'balances'>,
  customerId: string,
  balanceMicro: bigint,
  isPrimary: boolean,
) {
  const [before, address, after] = ['00', '77', 'ff'].map((first) => newAddress(first)) as [string, string, string]
  await db.query(
    `insert into wallets (customer_id, address, is_primary)
     select $1, a, a = $3 and $4 from unnest($2::text[]) with ordinality as w (a, place) order by place`,
    [customerId, isPrimary ? [before, address, after] : [address], address, isPrimary],
  )
  chain.balances.set(address, balanceMicro)
  return address
}

type NewCustomer = Partial<CustomerDetails> & { bank?: BankAccount | null }

async function addCustomer(db: Queryable, integrationId: string, { bank = BANK, ...details }: NewCustomer = {}) {
  const customerId = await insertCustomer(db, integrationId, { ...VERIFIED, ...details })
  await giveBank(db, bank, { customerId })
  return customerId
}

/** An integration with a key and two customers, each with wallets. */
async function addNeighbours(db: TestDatabase): Promise<void> {
  const { integrationId } = await createIntegration(db, { name: 'Test' })
  await makeKeyFor(db, integrationId)
  for (const customerId of [await addCustomer(db, integrationId), await addCustomer(db, integrationId)]) {
    await addWallet(db, { balances: new Map() }, customerId, 0n, true)
  }
}

async function insertChains(db: TestDatabase, chainIds: readonly number[]): Promise<void> {
  for (const chainId of chainIds) {
    await db.query(
      `insert into chains (chain_id, coin_address, settlement_address, genesis_hash, observed_block)
       values ($1, $2, $2, '0x00', 1) on conflict do nothing`,
      [chainId, COIN],
    )
  }
}

function walletReader(chain: FakeChain) {
  const whenReadable = async <T>(value: T): Promise<T> => {
    if (chain.unreadable) throw new ChainUnreadableError('no node answers')
    return value
  }
  return {
    balanceAt: (_chainId: number, address: string) => whenReadable(chain.balances.get(address) ?? 0n),
    isLinked: (_chainId: number, address: string) => whenReadable(!chain.unlinked.has(address)),
    isFrozen: (_chainId: number, address: string) => whenReadable(chain.frozen.has(address)),
    isSanctioned: (_chainId: number, address: string) => whenReadable(chain.sanctioned.has(address)),
  }
}

function realWalletReader({ reader }: Chain): WalletReader {
  return {
    balanceAt: async (_chainId, address, blockNumber) => reader.balanceAt(address as `0x${string}`, blockNumber),
    isLinked: async (_chainId, address, { integrationId, customerId }) =>
      reader.isLinkedTo(address, linkAccount(integrationId, customerId)),
    isFrozen: async (_chainId, address) => reader.isFrozen(address as `0x${string}`),
    isSanctioned: async (_chainId, address) => reader.isSanctioned(address as `0x${string}`),
  }
}

function balanceReader(chain: FakeChain) {
  return {
    latestBalance: (address: string, reached: bigint) => {
      chain.reached = reached
      return walletReader(chain).balanceAt(0, address)
    },
  }
}

function factsOf(chains: ReadonlyMap<number, ChainConfig>) {
  return new Map(
    [...chains].map(([chainId, { name, coin, settlement }]) => [
      chainId,
      {
        chainId,
        network: name,
        tokenAddress: coin.address,
        contracts: [coin.address, settlement],
        hasSanctionsOracle: false,
      },
    ]),
  )
}

function chainConfig(chainId: number): ChainConfig {
  const signer = { type: 'key', privateKey: '0x' } as const
  return {
    key: `test-${chainId}`,
    name: `Test chain ${chainId}`,
    chainId,
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    explorerBaseUrl: 'https://explorer.example',
    explorerAddressUrl: 'https://explorer.example/address/',
    explorerTxUrl: 'https://explorer.example/tx/',
    confirmations: 3,
    finality: 'depth',
    rpcUrls: [],
    quorum: 1,
    pollIntervalMs: 1_000,
    bumpAfterBlocks: 1,
    maxFeePerGasWei: 1n,
    maxPriorityFeePerGasWei: 1n,
    stopMaxFeePerGasWei: 1n,
    coin: { address: COIN, name: 'Coin', symbol: 'COIN' },
    settlement: COIN,
    signers: [signer],
    linker: signer,
    freezer: signer,
    pauser: signer,
    unpauser: signer,
    deployment: undefined,
    sanctionsOracle: undefined,
  }
}

function collectorOf(lines: string[]): Writable {
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(chunk.toString())
      done()
    },
  })
}
