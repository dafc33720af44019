/** Acceptance over a real database and a chain whose answers a test sets. */
import { randomBytes, randomUUID } from 'node:crypto'
import type { PolicyConfig } from '../../src/config.ts'
import { ApiError } from '../../src/errors.ts'
import type { Answer, Caller } from '../../src/orders/accept/service.ts'
import { createAcceptance } from '../../src/orders/accept/service.ts'
import { checksumAddress } from '../../src/orders/address.ts'
import { ChainUnreadableError } from '../../src/orders/ports.ts'
import { createTestDatabase, type Engine, type TestDatabase } from './database.ts'

export const MICRO = 1_000_000n
export const CHAIN_ID = 31_337
const TOKEN = checksumAddress(`0x${'c0'.repeat(20)}`)

const POLICY: PolicyConfig = {
  mintFloorMicro: MICRO,
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

/** One integration with one key, one verified customer and its primary wallet of 1,000,000 coin. */
export async function createOrdersFixture(engine?: Engine) {
  const db = await createTestDatabase({ ...(engine === undefined ? {} : { engine }), poolSize: 20 })
  const chain = {
    balanceMicro: 1_000_000n * MICRO,
    frozen: new Set<string>(),
    sanctioned: new Set<string>(),
    unreadable: new Set<'balance' | 'frozen' | 'sanctioned'>(),
    /** Awaited between reading a balance and answering it. */
    afterBalance: async (_blockNumber: bigint): Promise<void> => {},
  }
  const accepted: number[] = []
  const customer = await seed(db)
  const acceptance = createAcceptance({
    db,
    chains: new Map([[CHAIN_ID, { chainId: CHAIN_ID, network: 'Test chain', tokenAddress: TOKEN }]]),
    defaultChainId: CHAIN_ID,
    policy: POLICY,
    onAccepted: (chainId) => accepted.push(chainId),
    wallets: {
      async balanceAt(_chainId, _address, blockNumber) {
        if (chain.unreadable.has('balance')) throw new ChainUnreadableError('no node answers')
        const { balanceMicro } = chain
        await chain.afterBalance(blockNumber)
        return balanceMicro
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
  })

  const call = (operation: Operation, body: Body, options: CallOptions = {}): Promise<Answer> => {
    const referenceId = options.referenceId ?? ''
    return acceptance[operation]({
      caller: { ...customer.caller, ...options.caller },
      idempotencyKey: options.idempotencyKey ?? randomUUID(),
      fingerprint: JSON.stringify([operation, referenceId, body]),
      body,
      referenceId,
    })
  }
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
    walletAddress: customer.walletAddress,
    customerId: customer.customerId,
    ...changes,
  })

  return {
    db,
    chain,
    accepted,
    ...customer,
    call,
    attempt,
    mintBody: (changes?: Body) => bodyOf('mint', changes),
    redeemBody: (changes?: Body) => bodyOf('debit', changes),
    transferBody: (changes?: Body) => bodyOf('debit', { walletAddress: newAddress(), ...changes }),
    close: () => db.close(),
  }
}

export function newReference(): string {
  return `ref-${randomUUID()}`
}

export function newAddress(): string {
  return checksumAddress(`0x${randomBytes(20).toString('hex')}`)
}

async function seed(db: TestDatabase) {
  const integrationId = `int_${randomBytes(12).toString('hex')}`
  const keyId = randomBytes(8).toString('hex')
  const customerId = `cus_${randomBytes(12).toString('hex')}`
  const walletAddress = newAddress()
  await db.query(`insert into integrations (integration_id, name) values ($1, 'Test')`, [integrationId])
  await db.query(
    `insert into api_keys (key_id, integration_id, environment, secret_sha256, scopes)
     values ($1, $2, 'sandbox', $3, '{}')`,
    [keyId, integrationId, 'a'.repeat(64)],
  )
  await db.query(
    `insert into customers (customer_id, integration_id, account_type, verification_status, verification_level,
       verified_at, country_code, is_resident, monthly_cap_micro, bank_bic, bank_account, bank_name)
     values ($1, $2, 'RETAIL', 'VERIFIED', 'TIER_2', now(), 'MY', true, $3, 'MBBEMYKL', '1122', 'TEST')`,
    [customerId, integrationId, POLICY.monthlyWithdrawalCapMicro],
  )
  await db.query('insert into wallets (customer_id, address, is_primary) values ($1, $2, true)', [
    customerId,
    walletAddress,
  ])
  await db.query(
    `insert into chains (chain_id, coin_address, settlement_address, genesis_hash, observed_block)
     values ($1, $2, $2, '0x00', 7)`,
    [CHAIN_ID, TOKEN],
  )
  const scopes = ['mint', 'redeem', 'transfer'].flatMap((name) => [`${name}:create`, `${name}:execute`])
  const caller: Caller = {
    integrationId,
    keyId,
    scopes: new Set(scopes),
    transferTxCapMicro: null,
    transferDayCapMicro: null,
  }
  return { integrationId, keyId, customerId, walletAddress, caller }
}
