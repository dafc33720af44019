/** /wallets/freeze and /wallets/unfreeze: an address moves nothing, on every chain. */
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { parseWalletAddress } from '../address.ts'
import type { OperatorDeps } from '../deps.ts'
import { standing } from '../lost-chain.ts'
import { withThoseNotHere } from '../not-here.ts'
import { onChains } from '../on-chains.ts'
import { parse, text } from '../parse.ts'
import { refuseIdle } from '../refuse-idle.ts'

const Subject = Type.Object({ address: text(1, 60) }, { additionalProperties: false })

export function walletFreezeRoutes(app: FastifyInstance, deps: OperatorDeps): void {
  for (const verb of ['freeze', 'unfreeze'] as const) {
    app.post(`/wallets/${verb}`, async ({ body }) => {
      const walletAddress = parseWalletAddress(parse(Subject, body).address)
      const isFrozen = () => Promise.all(standing(deps).map(({ admin }) => admin.isFrozen(walletAddress)))
      await refuseIdle(
        async () => (await isFrozen()).some(Boolean),
        `${walletAddress} is frozen on no chain: there is nothing to unfreeze.`,
      )
      const told = { action: `wallet.${verb}`, details: { walletAddress } }
      const done = await onChains(deps, standing(deps), told, (admin) => admin[verb](walletAddress))
      const results = verb === 'freeze' ? await withThoseNotHere(deps, done) : done
      return { ...results, walletAddress }
    })
  }
}
