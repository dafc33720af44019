/** The routes by which partners bring about outcomes. Only a sandbox registers them. */
import type { WriteRoute } from '../../../http/route.ts'
import { createAtOnce } from '../at-once.ts'
import type { OnDemandDeps } from '../deps.ts'
import { chainRoute, payoutRoute, webhookRoute } from './disturbing.ts'
import { customerRoute, keyRoute } from './making.ts'

/** The routes, without those about the chain and the bank where these are not the sandbox's own. Only so many requests are carried out at once. */
export function onDemandRoutes(deps: OnDemandDeps): WriteRoute[] {
  const { control, isBankSimulated } = deps
  const atOnce = createAtOnce()
  const routes = [
    customerRoute(deps),
    keyRoute(deps),
    webhookRoute(deps),
    ...(isBankSimulated ? [payoutRoute(deps)] : []),
    ...(control ? [chainRoute(deps, control)] : []),
  ]
  return routes.map((route) => ({
    ...route,
    handle: (routeDeps) => {
      const carryOut = route.handle(routeDeps)
      return (call) => atOnce(call.key.integrationId, () => carryOut(call))
    },
  }))
}
