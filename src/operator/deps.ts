/** What the operator API needs, wired by the composition root. */
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import type { Chain } from '../chain/chain.ts'
import type { Config } from '../config.ts'
import type { Database } from '../db/database.ts'
import type { PayoutAdmin } from '../payouts/admin.ts'
import type { WebhookAdmin } from '../webhooks/admin.ts'
import type { Health } from './health.ts'

/** A chain as operators see it. */
export type OperatorChain = Pick<Chain, 'config' | 'admin'> & {
  reader: Pick<Chain['reader'], 'isFrozen' | 'isSanctioned'>
}

export type OperatorDeps = {
  config: Pick<Config, 'environment' | 'policy'>
  db: Database
  chains: readonly OperatorChain[]
  webhooks: WebhookAdmin
  payouts: PayoutAdmin
  logger: Logger
  /** At least 16 characters; every route but the probes and metrics asks for it. */
  token: string
  health: Health
  /** Shown at /metrics; without it that path is not found. */
  metrics?: Registry | undefined
}
