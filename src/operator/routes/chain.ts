/** /chains: what the chains say, and stopping and resuming the coin or settlement alone. */
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { statusOfChains } from '../chain-status.ts'
import { ChainId, chooseChains } from '../choose-chains.ts'
import type { OperatorDeps } from '../deps.ts'
import { onChains } from '../on-chains.ts'
import { Flag, parse } from '../parse.ts'

const Choice = Type.Object(
  { chainId: Type.Optional(ChainId), settlementOnly: Type.Optional(Flag) },
  { additionalProperties: false },
)

export function chainRoutes(app: FastifyInstance, deps: OperatorDeps): void {
  app.get('/chains', async () => {
    const chains = await statusOfChains(deps.chains)
    return { ok: chains.every(({ ok }) => ok), chains }
  })

  for (const [verb, action] of [
    ['pause', 'pause'],
    ['resume', 'unpause'],
  ] as const) {
    app.post(`/chains/${verb}`, async ({ body }) => {
      const { chainId, settlementOnly = false } = parse(Choice, body)
      const told = { action: `chain.${verb}`, details: { settlementOnly }, orOnlyLogged: verb === 'pause' }
      return await onChains(deps, chooseChains(deps.chains, chainId), told, (admin) =>
        admin[action]({ settlementOnly }),
      )
    })
  }
}
