/** What every role is made of, wired once by the composition root. */
import type { AddressInfo } from 'node:net'
import type { Logger } from 'pino'
import type { BankSetup } from '../bank-files/setup.ts'
import type { Chain } from '../chain/chain.ts'
import type { Config } from '../config.ts'
import type { Database } from '../db/database.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { SecretBox } from '../secrets/secrets.ts'
import type { LostWatch } from '../settlement/lost/lost-watch.ts'
import { StartError } from '../start/start-failure.ts'
import type { WorkLoop } from '../work-loop.ts'

/** The issuer's bank accounts. */
export type Bank = {
  setup: BankSetup
  /** Only in the sandbox, whose bank writes its statement before each reading. */
  reading?: { before: () => Promise<void>; everyMs: number; minAgeMs: number }
}

export type Parts = {
  config: Config
  logger: Logger
  db: Database
  chains: readonly Chain[]
  /** Which of them are gone for good. */
  lost: Pick<LostWatch, 'isLost' | 'offered'>
  defaultChainId: number
  /** Undefined where no role of this process seals or opens anything: what is not there cannot be stolen. */
  secrets: SecretBox | undefined
  metrics: Metrics
  /** Undefined where no bank profile is configured: then no statement is read. */
  bank: Bank | undefined
  /** Aborted when the service begins to stop. */
  stopping: AbortSignal
}

/** Run in reverse when the service stops. */
export type Closers = (() => Promise<unknown>)[]

/** Starts something that works by itself until the service stops. */
export function startWorking(worker: Pick<WorkLoop, 'start' | 'stop'>, closers: Closers): void {
  worker.start()
  closers.push(() => worker.stop())
}

/**
 * What seals and opens secrets at rest.
 * @throws StartError when the settings have no key for it
 */
export function secretsOf({ secrets }: Pick<Parts, 'secrets'>): SecretBox {
  if (secrets === undefined) throw new StartError('Set SECRETS_KEY: the roles payer, courier and operator need it.')
  return secrets
}

/** The origin of a server that listens at `address`. */
export function originOf({ address, family, port }: AddressInfo): string {
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}
