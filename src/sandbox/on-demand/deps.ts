/** What making outcomes needs, wired by the sandbox. */
import type { Chain } from '../../chain/chain.ts'
import type { PolicyConfig } from '../../config.ts'
import type { Database, Queryable } from '../../db/database.ts'
import type { AcceptanceService } from '../../orders/accept/service.ts'
import type { SecretBox } from '../../secrets/secrets.ts'
import type { ChainControl } from './chain-scenarios.ts'

export type OnDemandDeps = {
  db: Database
  policy: PolicyConfig
  acceptance: AcceptanceService
  /** Seals answers, which may show a key. */
  secrets: SecretBox
  /** The default chain: what is made, is made on it. */
  chain: Pick<Chain, 'config' | 'admin' | 'reader'>
  /** Undefined where the chain is not the sandbox's own. */
  control: ChainControl | undefined
  /** Whether payouts go to the simulated bank. */
  isBankSimulated: boolean
  /** As an operator does it. False where the payout did not come back. @throws OperatorError with what speaks against it */
  refund(tx: Queryable, payoutId: string): Promise<boolean>
  /** Names made from it belong to one request, and nobody can guess them: the same for the same parts, 32 bytes in hex. */
  nameOf: (...parts: string[]) => string
}
