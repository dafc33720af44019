/** POST /chains/lost and /chains/found: a chain is gone for good, or is there after all. */
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { whoActs } from '../../operators/acting.ts'
import { findChainAgain, loseChain } from '../../settlement/lost/lose.ts'
import { audited } from '../audit.sql.ts'
import { ChainId, chooseChain } from '../choose-chains.ts'
import type { OperatorDeps } from '../deps.ts'
import { OperatorError } from '../errors.ts'
import { describeLostChain, requireSight, requireSilence, sayNotLost } from '../lost-chain.ts'
import { parse, text } from '../parse.ts'

const Body = Type.Object({ chainId: ChainId, reason: text(1, 300) }, { additionalProperties: false })

export function chainLostRoutes(app: FastifyInstance, { db, chains }: OperatorDeps): void {
  app.post('/chains/lost', async ({ body }) => {
    const { chainId, reason } = parse(Body, body)
    await requireSilence(chains.find(({ config }) => config.chainId === chainId))
    const there = await audited(
      db,
      async (tx) => {
        const found = await describeLostChain(tx, chainId)
        const done = await loseChain(tx, { chainId, reason, lostBy: whoActs().actor })
        if ('refused' in done) {
          throw new OperatorError(done.refused === 'unknown' ? 'NOT_FOUND' : 'CONFLICT', sayNotLost(chainId, done))
        }
        return found
      },
      (found) => ({ action: 'chain.lost', target: String(chainId), details: { reason, ...found } }),
    )
    return { ok: true, chainId, ...there }
  })

  app.post('/chains/found', async ({ body }) => {
    const { chainId, reason } = parse(Body, body)
    await requireSight(db, chooseChain(chains, chainId))
    await audited(
      db,
      async (tx) => {
        if (await findChainAgain(tx, chainId)) return
        throw new OperatorError('CONFLICT', `Chain ${chainId} is not called lost: see "coin chain status".`)
      },
      () => ({ action: 'chain.found', target: String(chainId), details: { reason } }),
    )
    return { ok: true, chainId }
  })
}
