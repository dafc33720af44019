/** /chains: what the chains say, and stopping and resuming the coin. */
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { appendAudit } from '../audit.sql.ts'
import { statusOfChains } from '../chain-status.ts'
import type { OperatorChain, OperatorDeps } from '../deps.ts'
import { OperatorError } from '../errors.ts'
import { parse } from '../parse.ts'

const Choice = Type.Object(
  { chainId: Type.Optional(Type.Integer({ minimum: 1, description: 'a chain id' })) },
  { additionalProperties: false },
)

export function chainRoutes(app: FastifyInstance, { db, chains }: OperatorDeps): void {
  app.get('/chains', async () => ({ ok: true, chains: await statusOfChains(chains) }))

  for (const [verb, action, paused] of [
    ['pause', 'pause', true],
    ['resume', 'unpause', false],
  ] as const) {
    // A database transaction cannot undo what happens on a chain, so the action is recorded before and after it.
    app.post(`/chains/${verb}`, async ({ body }) => {
      const chosen = choose(chains, parse(Choice, body).chainId)
      const results: { chainId: number; paused: boolean; txHash: string | null }[] = []
      for (const { config, admin } of chosen) {
        const target = String(config.chainId)
        await appendAudit(db, { action: `chain.${verb}.begun`, target })
        const txHash = (await admin[action]()) ?? null
        await appendAudit(db, { action: `chain.${verb}`, target, details: { txHash } })
        results.push({ chainId: config.chainId, paused, txHash })
      }
      return { ok: true, chains: results }
    })
  }
}

function choose(chains: readonly OperatorChain[], chainId: number | undefined): readonly OperatorChain[] {
  if (chainId === undefined) return chains
  const chosen = chains.filter(({ config }) => config.chainId === chainId)
  if (chosen.length > 0) return chosen
  const known = chains.map(({ config }) => config.chainId).join(', ')
  throw new OperatorError('NOT_FOUND', `The chain ${chainId} is not configured. Configured: ${known}.`)
}
