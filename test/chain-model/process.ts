/** A settler's process: the real rounds, over a database and nodes that it loses when it is killed, or from which it is kept for a while. */
import type { Logger } from 'pino'
import type { Hex } from 'viem'
import type { Chain } from '../../src/chain/chain.ts'
import type { RpcNode } from '../../src/chain/node.ts'
import { agreedHead } from '../../src/chain/quorum.ts'
import { createReader } from '../../src/chain/reader.ts'
import { readBlock } from '../../src/chain/reads.ts'
import { ofChain } from '../../src/chain/right-chain.ts'
import type { Signer } from '../../src/chain/signer.ts'
import type { ChainConfig } from '../../src/config.ts'
import { type Database, DatabaseUnavailableError, type Queryable, type Row } from '../../src/db/database.ts'
import { createLeader, type Leader } from '../../src/settlement/chain-loop.ts'
import { noMetrics } from '../../src/settlement/metrics.ts'
import { runRound } from '../../src/settlement/round.ts'
import { insertChain } from '../../src/settlement/tables/chains.sql.ts'
import type { SettlementTimes } from '../../src/settlement/work.ts'
import { readSigned } from './blocks.ts'
import { COIN, SETTLEMENT } from './contracts.ts'

export const TIMES: SettlementTimes = {
  leaseMs: 15_000,
  rebroadcastMs: 10_000,
  recheckMs: 60_000,
  behindGraceMs: 15_000,
  retryMs: 500,
}

/** It is dead, and whatever it still tries is in vain. */
export class KilledError extends Error {}

/** Where in a round, counted in statements, requests and steps, something happens; and what. */
export type Mishap = { at: number; what: 'killed' | 'killed after' | 'commit lost' | 'commit unanswered' | 'sleeps' }

export type ProcessDeps = {
  db: Database
  nodes: readonly RpcNode[]
  config: ChainConfig
  signers: readonly Signer[]
  logger: Logger
  name: string
  nowMs: () => number
}

const isRenewal = (text: string) => text.startsWith('update leases set expires_at')

export type Process = ReturnType<typeof createProcess>

/** Only what the database is bound to: contracts are compared by tests of their own. */
async function registerModel(db: Queryable, chain: Chain): Promise<string[]> {
  const { head, nodes } = await agreedHead(chain.nodes, chain.config.quorum)
  const first = await readBlock(nodes[0] as RpcNode, 0n)
  const identity = { coinAddress: COIN, settlementAddress: SETTLEMENT, genesisHash: first?.hash ?? '0x' }
  await insertChain(db, chain.config.chainId, { ...identity, observedBlock: head.number, observedHash: head.hash })
  return []
}

export function createProcess({ db, nodes, config, signers, logger, name, nowMs }: ProcessDeps) {
  let isDead = false
  let isInRound = false
  /** What it wrote although another one had taken over; and what it sent that the database does not have. */
  const intrusions: string[] = []
  const stored = new Set<unknown>()
  let count = 0
  let mishap: Mishap | undefined
  let asleep: PromiseWithResolvers<void> | undefined
  let fallsAsleep = Promise.withResolvers<void>()

  function kill(): never {
    isDead = true
    throw new KilledError(name)
  }
  const isDue = (...what: Mishap['what'][]) => mishap !== undefined && count >= mishap.at && what.includes(mishap.what)

  /** Each thing that the process does outside itself. @param mayBlock whether others would wait for it while it sleeps */
  async function tick(mayBlock: boolean): Promise<void> {
    if (isDead) throw new KilledError(name)
    count += 1
    if (isDue('killed')) kill()
    if (mayBlock || !isDue('sleeps')) return
    mishap = undefined
    asleep = Promise.withResolvers<void>()
    fallsAsleep.resolve()
    await asleep.promise
    asleep = undefined
    if (isDead) throw new KilledError(name)
  }
  async function within<T>(mayBlock: boolean, work: () => Promise<T>): Promise<T> {
    await tick(mayBlock)
    const result = await work()
    if (isDue('killed after')) kill()
    if (isDead) throw new KilledError(name)
    return result
  }

  async function transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T> {
    await tick(false)
    const result = await db.transaction(async (tx) => {
      const done = await work({ query: (text, params) => within(true, () => tx.query(text, params)) })
      const [lease] = await tx.query<{ holder: string }>('select holder from leases')
      if (lease?.holder !== name) intrusions.push(`${name} writes while ${lease?.holder} has the lease`)
      await tick(true)
      // The server went away before it had the commit.
      if (isDue('commit lost')) kill()
      return done
    })
    if (isDue('killed after')) kill()
    if (!isDue('commit unanswered')) return result
    mishap = undefined
    throw new DatabaseUnavailableError('the connection was lost during the commit')
  }

  const own: Database = {
    ...db,
    async query<R extends Row>(...given: Parameters<Queryable['query']>) {
      if (!isRenewal(given[0])) return await within(false, () => db.query<R>(...given))
      // Those by the real clock come at any time; a round begins with its own, where one is due.
      if (isDead || asleep !== undefined || !isInRound || count > 0) throw new KilledError(name)
      return await db.query<R>(...given)
    },
    transaction,
  }
  /** Whoever takes over knows only what is stored of what nodes have. What fills a nonce settles nothing. */
  async function requireStored([raw]: readonly unknown[]): Promise<void> {
    const { to, from, hash } = await readSigned(raw as Hex)
    if (stored.has(raw) || to.toLowerCase() === from.toLowerCase()) return
    stored.add(raw)
    const rows = await db.query('select from batch_attempts where tx_hash = $1 limit 1', [hash])
    if (rows.length === 0) intrusions.push(`${name} sends ${hash}, which is not stored`)
  }
  const reached = nodes.map((node) => {
    const guarded: RpcNode = {
      label: node.label,
      request: (method, params) =>
        within(false, async () => {
          if (method === 'eth_sendRawTransaction') await requireStored(params)
          return await node.request(method, params)
        }),
    }
    return ofChain(guarded, config.chainId, logger, nowMs)
  })
  const chain = { config, nodes: reached, signers, reader: createReader(config, reached) } as unknown as Chain
  const leader: Leader = createLeader(
    {
      db: own,
      chain,
      otherChainIds: [],
      logger,
      metrics: noMetrics,
      onForeignMovement: 'report',
      holder: name,
      times: TIMES,
      onStep: () => tick(false),
    },
    { registerChain: registerModel, runRound, nowMs },
  )
  let underWay: Promise<unknown> | undefined

  return {
    name,
    isDead: () => isDead,
    isAsleep: () => asleep !== undefined,
    intrusions: (): readonly string[] => intrusions,
    state: leader.state,
    /** A round, or what is left of the one under way. @returns how it went wrong; `asleep`: it has not ended */
    async round(next?: Mishap): Promise<unknown> {
      if (isDead || asleep !== undefined) return undefined
      count = 0
      mishap = next
      isInRound = true
      underWay ??= leader
        .round()
        .then(
          () => undefined,
          (error: unknown) => error,
        )
        .finally(() => {
          underWay = undefined
          isInRound = false
        })
      const ended = await Promise.race([underWay, fallsAsleep.promise.then(() => 'asleep')])
      if (isDead) await leader.resign()
      return ended
    },
    /** Goes on with what it was doing. */
    async wake(): Promise<unknown> {
      const round = underWay
      mishap = undefined
      fallsAsleep = Promise.withResolvers()
      asleep?.resolve()
      return await round
    },
    /** Ends it wherever it is. */
    async end(): Promise<void> {
      isDead = true
      const round = underWay
      asleep?.resolve()
      await round
      await leader.resign()
    },
  }
}
