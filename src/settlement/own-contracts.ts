/**
 * The contracts that a database belongs to, since a settler first worked with their chain. With others in its chains file a process would tell
 * partners of another coin, on orders that it accepts for ever, and refuse their debits for balances and links that are not there.
 */
import type { ChainConfig } from '../config.ts'
import { DatabaseUnsuitableError, type Queryable } from '../db/database.ts'
import { type OwnContracts, readOwnContracts } from './tables/contracts.sql.ts'

type Configured = Pick<ChainConfig, 'chainId' | 'coin' | 'settlement'>

/** Undefined when these are the ones. */
export function otherContracts({ chainId, coin, settlement }: Configured, own: OwnContracts): string | undefined {
  if (own.coinAddress === coin.address && own.settlementAddress === settlement) return undefined
  return (
    `The chains file has the contracts ${coin.address} and ${settlement} for chain ${chainId}, and this database belongs to ` +
    `${own.coinAddress} and ${own.settlementAddress}: correct the chains file.`
  )
}

/**
 * Compares what is configured with the database; a chain that no settler has worked with yet has nothing to compare with.
 * @throws DatabaseUnsuitableError
 */
export async function requireOwnContracts(db: Queryable, chains: readonly { config: Configured }[]): Promise<void> {
  const known = await readOwnContracts(db)
  for (const { config } of chains) {
    const own = known.get(config.chainId)
    const problem = own && otherContracts(config, own)
    if (problem !== undefined) throw new DatabaseUnsuitableError(problem)
  }
}
