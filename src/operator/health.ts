/** Whether this process works: for /livez and /readyz. */
import type { Database } from '../db/database.ts'
import { within } from './within.ts'

/** `lowKeys`: names of keys with too little gas money; only where there are any. `lost`: it is gone for good, and nobody asks it. */
export type ChainHealth = { chainId: number; readable: boolean; lowKeys?: string[]; lost?: true }
export type HealthReport = {
  /** False: send no work here. A chain that cannot be read delays settlement but not acceptance, so it does not count. */
  ready: boolean
  database: boolean
  chains: ChainHealth[]
  /** Present where this process has the settler role. */
  settler?: { running: boolean }
}

export type Health = () => Promise<HealthReport>

export type HealthDeps = {
  db: Pick<Database, 'query'>
  chains: readonly { config: { chainId: number }; reader: { head(): Promise<unknown> } }[]
  /** Whether the settler's loops run; given only where this process has that role. */
  settlerRunning?: (() => boolean) | undefined
  /** Whether partners are answered; given only where this process has the role api, whose port opens after this one. */
  isAnswering?: (() => boolean) | undefined
  /** Whether the process has been told to end, so that load balancers send it nothing more. */
  isStopping?: () => boolean
  /** The names of a chain's keys that have too little gas money. It takes nothing out of service. */
  lowKeys?: (chainId: number) => string[]
  /** Whether a chain is gone for good. */
  isLost?: (chainId: number) => boolean
  timeoutMs?: number
}

const TIMEOUT_MS = 3_000
/** What a node answers costs money, and is only shown. */
const CHAIN_KEPT_MS = 1_000

/**
 * Makes the check. Its parts run in parallel, and each counts as failed after `timeoutMs` (default 3,000). However many ask, the database is asked once at
 * a time, and each chain once a second: whoever reaches the port may ask, and the connections and nodes are those by which partners are answered.
 */
export function createHealth(deps: HealthDeps): Health {
  const { db, chains, settlerRunning, isAnswering = () => true, isStopping = () => false } = deps
  const { lowKeys = () => [], isLost = () => false, timeoutMs = TIMEOUT_MS } = deps
  const askDatabase = forAll(() => databaseAnswers(db, timeoutMs), 0)
  const askChains = chains.map(({ config: { chainId }, reader }) =>
    forAll(async () => !isLost(chainId) && (await succeeds(() => reader.head(), timeoutMs)), CHAIN_KEPT_MS),
  )
  return async () => {
    const [database, readable] = await Promise.all([askDatabase(), Promise.all(askChains.map((ask) => ask()))])
    const settler = settlerRunning === undefined ? undefined : { running: settlerRunning() }
    return {
      ready: database && settler?.running !== false && isAnswering() && !isStopping(),
      database,
      chains: chains.map(({ config: { chainId } }, index) => {
        if (isLost(chainId)) return { chainId, readable: false, lost: true }
        const low = lowKeys(chainId)
        return { chainId, readable: readable[index] === true, ...(low.length === 0 ? {} : { lowKeys: low }) }
      }),
      ...(settler === undefined ? {} : { settler }),
    }
  }
}

/** Whoever asks meanwhile, and for `keptMs` after the answer, gets the same one. @param ask never throws */
function forAll<T>(ask: () => Promise<T>, keptMs: number): () => Promise<T> {
  let asked: Promise<T> | undefined
  const forget = () => {
    asked = undefined
  }
  return () => {
    asked ??= ask().finally(() => setTimeout(forget, keptMs).unref())
    return asked
  }
}

/** Whether the database answers within `timeoutMs`. Never throws. */
export function databaseAnswers(db: Pick<Database, 'query'>, timeoutMs = TIMEOUT_MS): Promise<boolean> {
  return succeeds(() => db.query('select 1'), timeoutMs)
}

async function succeeds(probe: () => Promise<unknown>, timeoutMs: number): Promise<boolean> {
  const hasSucceeded = probe().then(
    () => true,
    () => false,
  )
  return await within(timeoutMs, hasSucceeded, () => false)
}
