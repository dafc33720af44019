/** The routes by which partners bring about outcomes. Only a sandbox registers them. */
import type { WriteRoute } from '../../../http/route.ts'
import type { OnDemandDeps } from '../deps.ts'
import { chainRoute, webhookRoute } from './disturbing.ts'
import { customerRoute, keyRoute } from './making.ts'

/** The routes, without the one about the chain where it is not the sandbox's own. */
export function onDemandRoutes(deps: OnDemandDeps): WriteRoute[] {
  const { control } = deps
  return [customerRoute(deps), keyRoute(deps), webhookRoute(deps), ...(control ? [chainRoute(deps, control)] : [])]
}
