/** Orders of all kinds as acceptance would have left them: with what they take of wallets, months and days. */
import { randomBytes } from 'node:crypto'
import { getAddress, toHex } from 'viem'
import type { Database } from '../../../src/db/database.ts'
import { PARTIES } from '../../../test/settlement/parties.ts'
import type { BenchChain } from './chains.ts'

const [{ integrationId, customerId, keyId }] = PARTIES
const AMOUNT = 1_000_000n

/** Of ten orders four mint to wallets that have coin, two to fresh ones, two redeem and two transfer. */
const OF_TEN = `case when n % 10 < 6 then 'MINT' when n % 10 < 8 then 'REDEEM' else 'TRANSFER' end`

/** Adds `count` waiting orders to a chain. */
export async function addOrders(db: Database, chain: BenchChain, name: string, count: number): Promise<void> {
  const fresh = Array.from({ length: Math.ceil(count / 5) }, () => getAddress(toHex(randomBytes(20))))
  await insert(db, chain, {
    name,
    count,
    directions: OF_TEN,
    amount: AMOUNT,
    to: 'case when n % 10 in (4, 5) then fresh when n % 10 >= 8 then other else own end',
    wallets: [...chain.holders],
    fresh,
  })
  const debits = (count / 5) * Number(AMOUNT)
  await db.query(
    `insert into withdrawal_usage (customer_id, month, committed_micro, cap_micro)
     values ($1, date_trunc('month', now() at time zone 'utc')::date, $2, 1000000000000000)
     on conflict (customer_id, month) do update set committed_micro = withdrawal_usage.committed_micro + excluded.committed_micro`,
    [customerId, debits],
  )
  await db.query(
    `insert into transfer_usage (key_id, day, committed_micro, cap_micro)
     values ($1, date_trunc('day', now() at time zone 'utc')::date, $2, 1000000000000000)
     on conflict (key_id, day) do update set committed_micro = transfer_usage.committed_micro + excluded.committed_micro`,
    [keyId, debits],
  )
}

/** Coin for the wallets that redeem and send, as mints that wait. */
export async function addFunds(db: Database, chain: BenchChain): Promise<void> {
  const { holders } = chain
  await insert(db, chain, {
    name: 'funds',
    count: holders.length,
    directions: `'MINT'`,
    amount: 10n ** 12n,
    to: 'own',
    wallets: [...holders],
    fresh: [...holders],
  })
}

type Wanted = {
  name: string
  count: number
  directions: string
  to: string
  amount: bigint
  wallets: string[]
  fresh: string[]
}

async function insert(db: Database, { chain, chainId }: BenchChain, wanted: Wanted): Promise<void> {
  const { name, count, directions, to, amount, wallets, fresh } = wanted
  const { coin, name: network } = chain.config
  await db.query(
    `with wanted as (
       select n, ${directions} as direction, ($8::text[])[1 + n % cardinality($8::text[])] as own,
         ($8::text[])[1 + (n + 1) % cardinality($8::text[])] as other,
         ($9::text[])[1 + (n / 5) % cardinality($9::text[])] as fresh
       from generate_series(0, $10::int - 1) n),
     earmarked as (
       insert into wallet_earmarks as w (chain_id, address, earmarked_micro)
       select $3::bigint, own, count(*) * $7::bigint from wanted where direction <> 'MINT' group by own
       on conflict (chain_id, address) do update set earmarked_micro = w.earmarked_micro + excluded.earmarked_micro)
     insert into orders (integration_id, reference_id, direction, status, chain_id, network, token_address,
       wallet_address, debit_address, customer_id, key_id, amount_micro)
     select $1, $6 || '-' || $3::bigint || '-' || lpad(n::text, 6, '0'), direction, 'pending', $3::bigint, $4, $5,
       ${to}, case when direction <> 'MINT' then own end,
       $2, $11, $7::bigint
     from wanted`,
    [integrationId, customerId, chainId, network, coin.address, name, amount, wallets, fresh, count, keyId],
  )
}

/** How many orders wait or are under way, on these chains. */
export async function countOpen(db: Database, chains: readonly BenchChain[]): Promise<number> {
  const [row] = await db.query<{ open: bigint }>(
    `select count(*) as open from orders where status = 'pending' and chain_id = any($1::bigint[])`,
    [chains.map(({ chainId }) => chainId)],
  )
  return Number(row?.open ?? 0n)
}

/** Compares the coin in existence with what orders say. @throws Error when something was lost, settled twice, or refused */
export async function requireSupply(db: Database, { chain, chainId }: BenchChain): Promise<void> {
  const [row] = await db.query<{ supply: string; failed: bigint }>(
    `select sum(case when status = 'failed' then 0 when direction = 'MINT' then amount_micro when direction = 'REDEEM' then -amount_micro
       else 0 end)::text as supply, count(*) filter (where status = 'failed') as failed
     from orders where chain_id = $1`,
    [chainId],
  )
  const supply = await chain.admin.supply()
  if (row?.failed !== 0n || supply !== BigInt(row.supply))
    throw new Error(`chain ${chainId} has ${supply} of coin, orders say ${row?.supply}, and ${row?.failed} failed`)
}
