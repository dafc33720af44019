/** /screening: the deny list of wallets and recipients, and what screening says about an address. */
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { allowAddress, denyAddress, findDenial, listDenials } from '../../screening/denials.sql.ts'
import { parseWalletAddress } from '../address.ts'
import { audited } from '../audit.sql.ts'
import type { OperatorDeps } from '../deps.ts'
import { standing } from '../lost-chain.ts'
import { nextOf, PageQuery, pageOf, parse, text } from '../parse.ts'
import { refuseIdle } from '../refuse-idle.ts'

const List = Type.Object(PageQuery, { additionalProperties: false })
const Subject = Type.Object({ address: text(1, 60) }, { additionalProperties: false })

export function screeningRoutes(app: FastifyInstance, deps: OperatorDeps): void {
  const { db } = deps
  for (const [verb, change, denied] of [
    ['deny', denyAddress, true],
    ['allow', allowAddress, false],
  ] as const) {
    app.post(`/screening/${verb}`, async ({ body }) => {
      const address = parseWalletAddress(parse(Subject, body).address)
      const changed = await audited(
        db,
        async (tx) => {
          const isChanged = await change(tx, address)
          await refuseIdle(() => isChanged, `${address} is not on the deny list: there is nothing to allow.`)
          return isChanged
        },
        (wasChanged) => ({ action: `screening.${verb}`, target: address, details: { changed: wasChanged } }),
      )
      return { ok: true, address, denied, changed }
    })
  }

  app.get('/screening', async ({ query }) => {
    const page = pageOf(parse(List, query))
    const denials = await listDenials(db, page)
    return { ok: true, denials, next: nextOf(denials, page, ({ address }) => address) }
  })

  app.get('/screening/check', async ({ query }) => {
    const address = parseWalletAddress(parse(Subject, query).address)
    const deniedSince = (await findDenial(db, address)) ?? null
    const onChain = await Promise.all(
      standing(deps).map(async ({ config, admin }) => {
        const [frozen, sanctioned] = await Promise.all([admin.isFrozen(address), admin.isSanctioned(address)])
        return { chainId: config.chainId, frozen, sanctioned }
      }),
    )
    const permitted = deniedSince === null && onChain.every(({ frozen, sanctioned }) => !frozen && !sanctioned)
    return { ok: true, address, permitted, denied: deniedSince !== null, deniedSince, chains: onChain }
  })
}
