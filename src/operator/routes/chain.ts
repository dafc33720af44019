/** /chains: what the chains say, and stopping and resuming the coin or settlement alone. */
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { endMovements } from '../../settlement/tables/movements.sql.ts'
import { appendAudit } from '../audit.sql.ts'
import { statusOfChains } from '../chain-status.ts'
import { ChainId, chooseChains } from '../choose-chains.ts'
import type { OperatorDeps } from '../deps.ts'
import { onChains } from '../on-chains.ts'
import { Flag, parse } from '../parse.ts'
import { refuseIdle } from '../refuse-idle.ts'
import { timelockOf } from '../timelock-view.ts'

const Choice = Type.Object(
  { chainId: Type.Optional(ChainId), settlementOnly: Type.Optional(Flag) },
  { additionalProperties: false },
)

export function chainRoutes(app: FastifyInstance, deps: OperatorDeps): void {
  app.get('/chains', async () => {
    const [statuses, timelocks] = await Promise.all([
      statusOfChains(deps.chains),
      Promise.all(deps.chains.map((chain) => timelockOf(deps.db, chain))),
    ])
    const chains = statuses.map((status, index) => ({ ...status, timelock: timelocks[index] ?? null }))
    return { ok: chains.every(({ ok }) => ok), chains }
  })

  for (const [verb, action] of [
    ['pause', 'pause'],
    ['resume', 'unpause'],
  ] as const) {
    app.post(`/chains/${verb}`, async ({ body }) => {
      const { chainId, settlementOnly = false } = parse(Choice, body)
      const chains = chooseChains(deps.chains, chainId)
      // First here, or the settler would stop again on chain what is resumed there.
      if (verb === 'resume') {
        await acknowledge(deps, chains)
        await refuseIdle(() => isAnyStopped(chains, settlementOnly), NOT_STOPPED)
      }
      const told = { action: `chain.${verb}`, details: { settlementOnly }, orOnlyLogged: verb === 'pause' }
      return await onChains(deps, chains, told, (admin) => admin[action]({ settlementOnly }))
    })
  }
}

const NOT_STOPPED =
  'Nothing is stopped there, and nothing was seen that nobody here asked for: there is nothing to resume (see "chain status").'

/** @param settlementOnly whether a stop of the coin does not count, which this would not end */
async function isAnyStopped(chains: OperatorDeps['chains'], settlementOnly: boolean): Promise<boolean> {
  const statuses = await Promise.all(chains.map(({ admin }) => admin.status()))
  return statuses.some(({ paused, settlementPaused }) => settlementPaused || (paused && !settlementOnly))
}

/** What was seen on these chains that nobody here asked for is known to the operator who resumes them. */
async function acknowledge({ db }: OperatorDeps, chains: OperatorDeps['chains']): Promise<void> {
  for (const { config } of chains) {
    await db.transaction(async (tx) => {
      const ended = await endMovements(tx, config.chainId)
      const details = { movements: String(ended) }
      if (ended > 0) await appendAudit(tx, { action: 'chain.acknowledge', target: String(config.chainId), details })
    })
  }
}
