/** Chains that the chains file does not name, or that are lost, and on which there is something: coin, or orders that nobody settles. */
import type { Database } from '../../db/database.ts'
import { formatAmount } from '../../money.ts'
import { type ChainCoins, readCoinsElsewhere } from '../../reserves/elsewhere.ts'
import type { Difference } from './difference.ts'
import { type ChainOrders, findOrdersElsewhere, MOST_COUNTED } from './elsewhere.sql.ts'

type Named = readonly { config: { chainId: number } }[]

/** One difference for each of these chains, and for each lost one on which something has not ended. @param chains those that are named there, and not lost */
export async function findElsewhere(db: Database, chains: Named, lost: readonly number[]): Promise<Difference[]> {
  const known = chains.map(({ config }) => config.chainId)
  const counted = [...chains, ...lost.map((chainId) => ({ config: { chainId } }))]
  const [coins, orders] = await Promise.all([readCoinsElsewhere(db, counted), findOrdersElsewhere(db, known)])
  const withCoins = new Set(coins.map(({ chainId }) => chainId))
  const open = orders.filter(({ chainId }) => !withCoins.has(chainId))
  return [...coins.map(unknownChain), ...open.map((each) => abandoned(each, lost.includes(each.chainId)))]
}

function unknownChain({ chainId, coinsMicro }: ChainCoins): Difference {
  return {
    kind: 'chain_unreadable',
    subject: String(chainId),
    message:
      coinsMicro < 0n
        ? `The books have ${formatAmount(-coinsMicro)} coin less than none on chain ${chainId}, which the chains file does not name: it was written past the service, unless others had made coin there. "coin ledger entries --account coins:${chainId}" has how.`
        : `The books have ${formatAmount(coinsMicro)} coin on chain ${chainId}, which the chains file does not name: nothing was compared there. Put the chain back into the file.`,
  }
}

function abandoned({ chainId, orders }: ChainOrders, isLost: boolean): Difference {
  const many = orders === MOST_COUNTED ? `${orders} orders or more` : orders === 1 ? '1 order' : `${orders} orders`
  const [have, wait] = orders === 1 ? ['has', 'waits'] : ['have', 'wait']
  return {
    kind: 'chain_unreadable',
    subject: String(chainId),
    message: isLost
      ? `On chain ${chainId}, which is lost, ${many} ${have} not ended: a settler ends it within seconds. See that a process with the role settler runs, and what it logs.`
      : `${many} ${wait} on chain ${chainId}, which the chains file does not name: nobody settles there. Put the chain back into the file until they have ended.`,
  }
}
