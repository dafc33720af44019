/** Chains that the chains file does not name, and on which there is something: coin, or orders that nobody settles. */
import type { Database } from '../../db/database.ts'
import { formatAmount } from '../../money.ts'
import { type ChainCoins, readCoinsElsewhere } from '../../reserves/elsewhere.ts'
import type { Difference } from './difference.ts'
import { type ChainOrders, findOrdersElsewhere, MOST_COUNTED } from './elsewhere.sql.ts'

/** One difference for each of these chains. @param chains those that are named there, or lost */
export async function findElsewhere(
  db: Database,
  chains: readonly { config: { chainId: number } }[],
): Promise<Difference[]> {
  const known = chains.map(({ config }) => config.chainId)
  const [coins, orders] = await Promise.all([readCoinsElsewhere(db, chains), findOrdersElsewhere(db, known)])
  const withCoins = new Set(coins.map(({ chainId }) => chainId))
  return [...coins.map(unknownChain), ...orders.filter(({ chainId }) => !withCoins.has(chainId)).map(abandoned)]
}

function unknownChain({ chainId, coinsMicro }: ChainCoins): Difference {
  return {
    kind: 'chain_unreadable',
    subject: String(chainId),
    message: `The books have ${formatAmount(coinsMicro)} coin on chain ${chainId}, which the chains file does not name: nothing was compared there. Put the chain back into the file.`,
  }
}

function abandoned({ chainId, orders }: ChainOrders): Difference {
  const many = orders === 1 ? '1 order waits' : `${orders === MOST_COUNTED ? `${orders} or more` : orders} orders wait`
  return {
    kind: 'chain_unreadable',
    subject: String(chainId),
    message: `${many} on chain ${chainId}, which the chains file does not name: nobody settles there. Put the chain back into the file until they have ended.`,
  }
}
