/** What is done on all chains is done on those of this process's chains file: one that it lacks is told, or somebody would believe that it was stopped there, too. */
import type { Database } from '../db/database.ts'
import { readLostChains } from '../db/lost-chains.sql.ts'
import { readCoinsElsewhere } from '../reserves/elsewhere.ts'
import { listSettledBeside } from '../settlement/tables/fences.sql.ts'
import type { OperatorDeps } from './deps.ts'
import type { ChainResults } from './on-chains.ts'
import { within } from './within.ts'

/** The stop waits for no database for long. */
const PATIENCE_MS = 2_000

const NOT_HERE = {
  ok: false,
  txHash: null,
  error:
    'The chains file of this process does not name it: nothing was done there. Run the same where the file does, or put it into the file and restart.',
  isConfigured: false,
} as const

/** Adds the chains on which there is coin, or that a settler works on, and that are not configured here. */
export async function withThoseNotHere(
  { db, chains, logger }: Pick<OperatorDeps, 'db' | 'chains' | 'logger'>,
  done: ChainResults,
): Promise<ChainResults> {
  const unknown = (error?: unknown): number[] => {
    logger.error({ err: error }, 'whether there are chains that the chains file does not name is not known')
    return []
  }
  const found = await within(PATIENCE_MS, findNotHere(db, chains), unknown).catch(unknown)
  if (found.length === 0) return done
  const missing = found.map((chainId) => ({ chainId, ...NOT_HERE }))
  return { ok: false, chains: [...done.chains, ...missing] }
}

async function findNotHere(db: Database, chains: OperatorDeps['chains']): Promise<number[]> {
  const lost = (await readLostChains(db)).map(({ chainId }) => ({ config: { chainId } }))
  const known = [...chains, ...lost]
  const [coins, settled] = await Promise.all([
    readCoinsElsewhere(db, known),
    listSettledBeside(
      db,
      known.map(({ config }) => config.chainId),
    ),
  ])
  return [...new Set([...coins.map(({ chainId }) => chainId), ...settled])].sort((a, b) => a - b)
}
