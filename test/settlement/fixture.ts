/** A deployed chain, its configuration, and orders as acceptance would have written them. */

import { pino } from 'pino'
import { type Address, type Hex, toHex } from 'viem'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { deployContracts } from '../../src/chain/deployment/deploy.ts'
import type { BucketLimit, NewTimelock } from '../../src/chain/deployment/plan.ts'
import { type BucketName, linkAccount } from '../../src/chain/instructions.ts'
import { connectNode } from '../../src/chain/node.ts'
import type { ChainConfig } from '../../src/config.ts'
import type { Database } from '../../src/db/database.ts'
import { phaseOf } from '../../src/orders/life/phase.ts'
import type { Direction } from '../../src/orders/order.ts'
import { BATCH_OF_ORDER, ORDER_COLUMNS, type OrderRow, orderFromRow } from '../../src/orders/row.sql.ts'
import { waitFor } from '../support/wait-for.ts'
import { PARTIES, type Party } from './parties.ts'

export { seedParties } from './parties.ts'

export const silent = pino({ level: process.env.TEST_LOG ?? 'silent' })

/** The well-known development keys of anvil, funded on every local chain. */
const KEYS = {
  deployer: '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80',
  signer: '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d',
  linker: '0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a',
  pauser: '0x7c852118294e51e653712a81e05800f419141751be58f605c371e15141b007a6',
  freezer: '0x47e179ec197488593b187f80a00eb0da91f1b9d0b13f8733639f19c30a34926a',
  second: '0x8b3a350cf5c34c9194ca85829a2df0ec3153be0318b5e2d3348e872092edffba',
  unpauser: '0x92db14e403b83dfe3df233f83dfa3a0d7096f21ca9b0d6d6b8d88b2b4ec1564e',
  limiter: '0x4bbbf85ce3377467afe5d46f804f221813b2bb87f24d81f60f1fcdbf7cbf4356',
} as const satisfies Record<string, Hex>

const accounts = new Map<Hex, PrivateKeyAccount>()

/** Made once: its address takes milliseconds, and most tests ask for a dozen. */
function accountOf(privateKey: Hex): PrivateKeyAccount {
  const known = accounts.get(privateKey) ?? privateKeyToAccount(privateKey)
  accounts.set(privateKey, known)
  return known
}

export const account = (name: keyof typeof KEYS) => accountOf(KEYS[name])

export const keyOf = (name: keyof typeof KEYS) => ({ type: 'key', privateKey: KEYS[name] }) as const

export type Limits = Partial<Record<BucketName, BucketLimit>>

export const PLENTY: BucketLimit = { capacityMicro: 10n ** 15n, refillPerSecondMicro: 10n ** 9n }
/** The ceiling to which the limiter may raise every limit. */
const CEILING: BucketLimit = { capacityMicro: 10n ** 18n, refillPerSecondMicro: 10n ** 18n }

type DeployOptions = {
  limits?: Limits
  /** Whether a wallet is linked only with its holder's signature; if not, the linker alone decides. */
  consentRequired?: boolean
  /** The admin; without it, the deployer is. */
  timelock?: NewTimelock
}

/** Deploys the contracts and returns the configuration of the chain, with everything that tests may want to change. */
export async function deployChain(
  rpcUrl: string,
  overrides: Partial<ChainConfig> = {},
  { limits = {}, consentRequired = false, timelock }: DeployOptions = {},
): Promise<ChainConfig> {
  const chainId = overrides.chainId ?? 31337
  const roles = {
    signers: [account('signer').address, account('second').address],
    limiters: [account('limiter').address],
    linkers: [account('linker').address],
    freezers: [account('freezer').address],
    pausers: [account('pauser').address],
    unpausers: [account('unpauser').address],
  }
  const unsafe = { admin: timelock === undefined, linkWithoutConsent: !consentRequired }
  const limit = (kind: BucketName) => ({ limit: limits[kind] ?? PLENTY, ceiling: CEILING })
  const { coin, settlement, admin } = await deployContracts({
    rpcUrl,
    chainId,
    deployer: account('deployer'),
    roles: { ...roles, admin: timelock ?? account('deployer').address },
    token: { name: 'Coin', symbol: 'COIN' },
    limits: { mint: limit('mint'), burn: limit('burn'), transfer: limit('transfer') },
    maximum: CEILING,
    unsafe,
    pollingIntervalMs: 20,
  })
  return {
    key: 'local',
    name: 'Local',
    chainId,
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    explorerBaseUrl: 'http://localhost',
    explorerAddressUrl: 'http://localhost/address/',
    explorerTxUrl: 'http://localhost/tx/',
    confirmations: 1,
    finality: 'depth',
    rpcUrls: [rpcUrl],
    quorum: 1,
    pollIntervalMs: 25,
    bumpAfterBlocks: 1_000,
    maxFeePerGasWei: 500_000_000_000n,
    maxPriorityFeePerGasWei: 50_000_000_000n,
    stopMaxFeePerGasWei: 5_000_000_000_000n,
    coin: { address: coin, name: 'Coin', symbol: 'COIN' },
    settlement,
    signers: [keyOf('signer')],
    linker: keyOf('linker'),
    freezer: keyOf('freezer'),
    pauser: keyOf('pauser'),
    unpauser: keyOf('unpauser'),
    deployment: { roles: { ...roles, admin }, ceilings: { mint: CEILING, burn: CEILING, transfer: CEILING }, unsafe },
    sanctionsOracle: undefined,
    ...overrides,
  }
}

/** The link of a wallet to the account of the first party's customer. */
export function linkOf(address: string) {
  const [{ integrationId, customerId }] = PARTIES
  return { wallet: address as Address, account: linkAccount(integrationId, customerId) }
}

/** One JSON-RPC request to a node. */
export const rpc = (rpcUrl: string, method: string, ...params: unknown[]) => connectNode(rpcUrl).request(method, params)

/** `referenceId`: by default numbered by its integration. */
export type TestOrder = {
  direction: Direction
  amountMicro: bigint
  to?: string
  from?: string
  party?: Party
  referenceId?: string
}

/**
 * Inserts accepted orders with the earmark and usage that acceptance takes; returns their ids in the same sequence.
 * They belong to the two parties in turn, unless they say to which; both give their orders the same references.
 */
export async function placeOrders(db: Database, chain: ChainConfig, orders: readonly TestOrder[]): Promise<bigint[]> {
  const ids: bigint[] = []
  for (const [index, order] of orders.entries()) {
    ids.push(await placeOrder(db, chain, order.party ?? PARTIES[index % 2] ?? PARTIES[0], order))
  }
  return ids
}

async function placeOrder(db: Database, chain: ChainConfig, party: Party, order: TestOrder): Promise<bigint> {
  const { direction, amountMicro, to, from } = order
  const wallet = direction === 'REDEEM' ? from : to
  const debit = direction === 'MINT' ? null : (from ?? null)
  const [row] = await db.query<{ order_id: bigint }>(
    `insert into orders (integration_id, reference_id, direction, status, chain_id, network, token_address,
       wallet_address, debit_address, customer_id, key_id, amount_micro)
     select $1, coalesce($11, 'order-' || to_char(count(*), 'FM000000')), $2, 'pending', $3::bigint, $4, $5, $6, $7, $8, $9,
       $10::bigint from orders where integration_id = $1
     returning order_id`,
    [
      party.integrationId,
      direction,
      chain.chainId,
      chain.name,
      chain.coin.address,
      wallet ?? '',
      debit,
      party.customerId,
      party.keyId,
      amountMicro,
      order.referenceId ?? null,
    ],
  )
  if (debit !== null) await takeEarmarkAndUsage(db, { chainId: chain.chainId, party, direction, debit, amountMicro })
  return row?.order_id ?? 0n
}

type Taken = { chainId: number; party: Party; direction: Direction; debit: string; amountMicro: bigint }

async function takeEarmarkAndUsage(db: Database, { chainId, party, direction, debit, amountMicro }: Taken) {
  await db.query(
    `insert into wallet_earmarks (chain_id, address, earmarked_micro) values ($1, $2, $3)
     on conflict (chain_id, address) do update set earmarked_micro = wallet_earmarks.earmarked_micro + excluded.earmarked_micro`,
    [chainId, debit, amountMicro],
  )
  const [table, owner, id, period] =
    direction === 'TRANSFER'
      ? ['transfer_usage', 'key_id', party.keyId, 'day']
      : ['withdrawal_usage', 'customer_id', party.customerId, 'month']
  await db.query(
    `insert into ${table} (${owner}, ${period}, committed_micro, cap_micro)
     values ($1, date_trunc('${period}', now() at time zone 'utc')::date, $2, 1000000000000000)
     on conflict (${owner}, ${period}) do update set committed_micro = ${table}.committed_micro + excluded.committed_micro`,
    [id ?? '', amountMicro],
  )
}

export type OrderState = {
  status: string
  phase: string
  tx_hash: string | null
  block_number: bigint | null
  failure_reason: string | null
}

export async function orderState(db: Database, orderId: bigint): Promise<OrderState> {
  const [row] = await db.query<OrderRow>(
    `select ${ORDER_COLUMNS} from orders o ${BATCH_OF_ORDER} where o.order_id = $1`,
    [orderId],
  )
  if (row === undefined) throw new Error(`no order ${orderId}`)
  const order = orderFromRow(row)
  const { status, txHash, blockNumber, failureReason } = order
  return {
    status,
    phase: phaseOf(order),
    tx_hash: txHash,
    block_number: blockNumber,
    failure_reason: failureReason,
  }
}

/** A checksummed address whose key nobody has. */
export function wallet(seed: number): Address {
  return accountOf(toHex(BigInt(seed) + 1_000n, { size: 32 })).address
}

/**
 * Has a node wait with these bytes and no others. A settler that works may send its own of the same nonce once more in between, so it may take several
 * attempts.
 */
export async function sendAlone(
  ask: (method: string, ...params: unknown[]) => Promise<unknown>,
  raw: unknown,
): Promise<void> {
  await waitFor('a node to take the bytes', async () => {
    await ask('anvil_dropAllTransactions')
    return await ask('eth_sendRawTransaction', raw)
  })
}
