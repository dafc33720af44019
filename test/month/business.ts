/** A day of partners: mints, redeems and transfers through the statements that accept them. */
import { formatAmount } from '../../src/money.ts'
import { newAddress, type Operation } from '../support/orders.ts'
import type { MonthWorld } from './world.ts'

/** Posted at the same time. */
const AT_ONCE = 40

type Post = { operation: Operation; body: Record<string, unknown>; caller: object }

/** Posts so many orders, which are all accepted; some with parts of a sen. */
export async function placeOrders(world: MonthWorld, day: number, count: number): Promise<void> {
  world.showChains()
  const spendable = new Map<string, bigint>(
    world.chains.flatMap(({ chainId, balances }) =>
      world.parties.map(
        ({ walletAddress }) => [`${chainId} ${walletAddress}`, balances.get(walletAddress) ?? 0n] as const,
      ),
    ),
  )
  const posts = Array.from({ length: count }, (_, index) =>
    postOf(world, spendable, `ref-7777-${day}-${10_000 + index}`),
  )
  for (let first = 0; first < posts.length; first += AT_ONCE) {
    await Promise.all(
      posts
        .slice(first, first + AT_ONCE)
        .map(({ operation, body, caller }) => world.service.call(operation, body, { caller })),
    )
  }
  // Some mints are said to be paid only later; those behind them go on.
  for (const { operation, body, caller } of posts.filter(({ body }) => body.fiatConfirmed === false)) {
    await world.service.call(operation, { ...body, fiatConfirmed: true }, { caller })
  }
}

/** A debit where the wallet has enough for it, otherwise a mint. */
function postOf({ random, parties, chains }: MonthWorld, spendable: Map<string, bigint>, referenceId: string): Post {
  const { walletAddress, customerId, caller } = random.pick(parties)
  const chainId = random.weighted(
    chains.map((chain, index) => ({ chainId: chain.chainId, weight: index === 0 ? 4 : 1 })),
  ).chainId
  const wanted = random.weighted([
    { operation: 'mint' as const, weight: 45 },
    { operation: 'redeem' as const, weight: 35 },
    { operation: 'transfer' as const, weight: 20 },
  ]).operation
  const micro = BigInt(random.between(1_000_000, 40_000_000))
  const amountMicro = random.chance(0.3) && wanted === 'redeem' ? micro : (micro / 10_000n) * 10_000n
  const key = `${chainId} ${walletAddress}`
  const left = spendable.get(key) ?? 0n
  const amount = formatAmount(amountMicro)
  const common = { referenceId, customerId, chainId }
  if (wanted === 'mint' || left < amountMicro)
    return {
      operation: 'mint',
      caller,
      body: {
        ...common,
        walletAddress,
        amountMyr: formatAmount((micro / 10_000n) * 10_000n),
        fiatConfirmed: !random.chance(0.05),
      },
    }
  spendable.set(key, left - amountMicro)
  const to = wanted === 'transfer' ? newAddress() : walletAddress
  return { operation: wanted, caller, body: { ...common, walletAddress: to, amountCoin: amount } }
}
