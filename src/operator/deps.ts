/** What the operator API needs, wired by the composition root. */
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import type { Chain } from '../chain/chain.ts'
import type { Config } from '../config.ts'
import type { Database } from '../db/database.ts'
import type { PayoutAdmin } from '../payouts/admin.ts'
import type { WebhookAdmin } from '../webhooks/admin.ts'
import type { Authenticate } from './authenticate.ts'
import type { Health } from './health.ts'
import type { WrongTokens } from './wrong-tokens.ts'

/** A chain as operators see it. */
export type OperatorChain = Pick<Chain, 'config' | 'admin'> & {
  reader: Pick<Chain['reader'], 'isFrozen' | 'isSanctioned'>
}

/** What every process needs to serve probes and metrics. */
export type ProbeDeps = {
  logger: Logger
  health: Health
  /** Shown at /metrics; without it that path is not found. */
  metrics?: Registry | undefined
}

export type OperatorDeps = ProbeDeps & {
  config: Pick<Config, 'environment' | 'policy'>
  db: Database
  chains: readonly OperatorChain[]
  webhooks: WebhookAdmin
  payouts: PayoutAdmin
  authenticate: Authenticate
  wrongTokens: WrongTokens
}
