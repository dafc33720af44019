/** From a world at rest to the judge's evidence. */
import type { Evidence } from './judge/evidence.ts'
import { readChain } from './judge/read-chain.ts'
import { readOrders } from './judge/read-orders.ts'
import { readBooks, readTables } from './judge/tables.ts'
import type { Load } from './load/load.ts'
import { readAudit, reconcile } from './world/operator.ts'
import type { World } from './world/world.ts'

/** Reads everything, then stops the processes, because how they stop is evidence too. */
export async function gather(
  world: World,
  { intents, attempts }: Load,
  known: Pick<Evidence, 'unsettled' | 'frozenWallets' | 'moments'>,
): Promise<Evidence> {
  const { parties, processes, chain, bank, receiver, database, operator } = world
  const { integrations } = parties
  const [origin = ''] = processes.apiUrls
  const orders = await Promise.all(
    integrations.map(({ integrationId, keys }) => readOrders(origin, { integrationId, secret: keys[0]?.secret ?? '' })),
  )
  const wallets = intents.flatMap(({ wallet, debited }) => (debited === null ? [wallet] : [wallet, debited]))
  const read = {
    chain: await readChain(chain.rpc, chain.coin, wallets),
    tables: await readTables(database.query),
    books: await readBooks(database.query),
    reconciliation: await reconcile(operator),
    audit: await readAudit(operator),
    commands: operator.commands(),
  }
  const lastExits = await processes.stopAll()
  return {
    ...read,
    customers: integrations.flatMap(({ customers }) => customers),
    keys: integrations.flatMap(({ keys }) =>
      keys.map(({ keyId, transferDayCapMicro, mintDayCapMicro }) => ({ keyId, transferDayCapMicro, mintDayCapMicro })),
    ),
    intents,
    attempts,
    orders: orders.flat(),
    bank: bank.book(),
    hooks: receiver.hooks(parties),
    processes: { deaths: processes.deaths, fatals: processes.fatals(), lastExits },
    ...known,
  }
}
