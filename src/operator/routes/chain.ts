/** /chains: what the chains say, and stopping and resuming the coin or settlement alone. */
import type { FastifyInstance } from 'fastify'
import { type Static, Type } from 'typebox'
import { isChainLost, readLostChains } from '../../db/lost-chains.sql.ts'
import { appendAudit } from '../audit.sql.ts'
import { statusOfChains } from '../chain-status.ts'
import { ChainId, chooseChains } from '../choose-chains.ts'
import type { OperatorDeps } from '../deps.ts'
import { endKnown, type Known, parseKnown, requireKnown, viewMovements } from '../known-movements.ts'
import { standing } from '../lost-chain.ts'
import { withThoseNotHere } from '../not-here.ts'
import { onChains } from '../on-chains.ts'
import { Flag, parse, text } from '../parse.ts'
import { refuseIdle } from '../refuse-idle.ts'
import { timelockOf } from '../timelock-view.ts'
import { chainLostRoutes } from './chain-lost.ts'

const strict = { additionalProperties: false }
const choice = { chainId: Type.Optional(ChainId), settlementOnly: Type.Optional(Flag) }
const Pause = Type.Object(choice, strict)
/** `known`: the newest movement of each chain that is called known, as in `known-movements.ts`. */
const Resume = Type.Object({ ...choice, known: Type.Optional(text(1, 1_000)) }, strict)

const CHOICES = { pause: Pause, resume: Resume }

export function chainRoutes(app: FastifyInstance, deps: OperatorDeps): void {
  chainLostRoutes(app, deps)
  app.get('/chains', async () => {
    const [statuses, timelocks, movements] = await Promise.all([
      statusOfChains(deps.chains, await lostChains(deps)),
      Promise.all(deps.chains.map((chain) => timelockOf(deps.db, chain))),
      Promise.all(deps.chains.map(({ config }) => viewMovements(deps.db, config.chainId))),
    ])
    const chains = statuses.map((status, index) => ({
      ...status,
      timelock: timelocks[index] ?? null,
      movements: movements[index] ?? [],
    }))
    return { ok: chains.every(({ ok }) => ok), chains }
  })

  for (const [verb, action] of [
    ['pause', 'pause'],
    ['resume', 'unpause'],
  ] as const) {
    app.post(`/chains/${verb}`, async ({ body }) => {
      const { chainId, settlementOnly = false, known }: Static<typeof Resume> = parse(CHOICES[verb], body)
      // Nothing goes on on one that is lost; what was seen there before can still be called known, also where it is out of the chains file.
      const left = verb === 'resume' ? await lostElsewhere(deps, chainId) : undefined
      const named = left === undefined ? chooseChains(deps.chains, chainId) : []
      const chains = chainId === undefined || verb === 'resume' ? standing({ ...deps, chains: named }) : named
      // First here, or the settler would stop again on chain what is resumed there.
      if (verb === 'resume') {
        const of = left === undefined ? named.map(({ config }) => config.chainId) : [left]
        await acknowledge(deps, of, parseKnown(known))
        await refuseIdle(() => isAnyStopped(chains, settlementOnly), NOT_STOPPED)
      }
      const told = { action: `chain.${verb}`, details: { settlementOnly }, orOnlyLogged: verb === 'pause' }
      const done = await onChains(deps, chains, told, (admin) => admin[action]({ settlementOnly }))
      return verb === 'pause' && chainId === undefined ? await withThoseNotHere(deps, done) : done
    })
  }
}

/** Without the database what this process knows is enough: the chains can still be looked at. */
async function lostChains({ db, chains, isLost = () => false }: OperatorDeps): Promise<ReadonlyMap<number, string>> {
  const known = chains.filter(({ config }) => isLost(config.chainId))
  try {
    const lost = await readLostChains(db)
    return new Map(
      lost.map(({ chainId, lostAt, reason }) => [chainId, `Lost since ${lostAt.toISOString()}: ${reason}`]),
    )
  } catch {
    return new Map(known.map(({ config }) => [config.chainId, 'Lost.']))
  }
}

const NOT_STOPPED =
  'Nothing is stopped there, and nothing was seen that nobody here asked for: there is nothing to resume (see "coin chain status").'

/** @param settlementOnly whether a stop of the coin does not count, which this would not end */
async function isAnyStopped(chains: OperatorDeps['chains'], settlementOnly: boolean): Promise<boolean> {
  const statuses = await Promise.all(chains.map(({ admin }) => admin.status()))
  return statuses.some(({ paused, settlementPaused }) => settlementPaused || (paused && !settlementOnly))
}

/** The named chain, if it is lost and not configured any more. */
async function lostElsewhere({ db, chains }: OperatorDeps, chainId: number | undefined): Promise<number | undefined> {
  if (chainId === undefined || chains.some(({ config }) => config.chainId === chainId)) return undefined
  return (await isChainLost(db, chainId)) ? chainId : undefined
}

/** What was seen on these chains that nobody here asked for is known to the operator who resumes them: all of it, or nothing is resumed. */
async function acknowledge({ db }: OperatorDeps, chainIds: readonly number[], known: Known): Promise<void> {
  await requireKnown(db, chainIds, known)
  for (const chainId of chainIds) {
    await db.transaction(async (tx) => {
      const ended = await endKnown(tx, chainId, known)
      const details = { movements: String(ended.length), known: ended }
      if (ended.length > 0) await appendAudit(tx, { action: 'chain.acknowledge', target: String(chainId), details })
    })
  }
}
