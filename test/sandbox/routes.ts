/** The routes of a sandbox, to look at: nothing stands behind them. */
import { loadConfig } from '../../src/config.ts'
import type { WriteRoute } from '../../src/http/route.ts'
import type { OnDemandDeps } from '../../src/sandbox/on-demand/deps.ts'
import { onDemandRoutes } from '../../src/sandbox/on-demand/routes/index.ts'

/** @param changes what the sandbox has otherwise than one that begins without settings */
export function sandboxRoutes(changes: Record<string, unknown> = {}): WriteRoute[] {
  const chain = { config: { linker: {}, freezer: {} } }
  const control = { holdBlocks() {}, takeBackNextBlock() {}, silence() {} }
  const deps = { chain, control, isBankSimulated: true, policy: loadConfig({}).policy, ...changes }
  return onDemandRoutes(deps as unknown as OnDemandDeps)
}
