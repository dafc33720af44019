/** What a run over the payment files needs, and what it did. */
import type { FileOps } from '../bank-files/folder/layout.ts'
import type { PaymentSetup } from '../bank-files/setup.ts'
import type { Database } from '../db/database.ts'
import type { SecretBox } from '../secrets/secrets.ts'

export type FilingDeps = {
  db: Database
  secrets: SecretBox
  fs: FileOps
  folder: string
  setup: PaymentSetup
  logger: { info(fields: object, message: string): void; error(fields: object, message: string): void }
  now: () => Date
  databaseNow: () => Promise<Date>
}

/**
 * `files`: the message ids of what was put out by this run; `withdrawn`: of what never will be, and why; `stopped`: why
 * nothing is filed; `waits`: why payments are in no file, where some are in none.
 */
export type Filed = {
  files: string[]
  withdrawn: { messageId: string; reason: string }[]
  stopped: string | null
  waits?: readonly string[]
}

/** One run. `unfenced`: chains of which nobody knew yet, before the run looked for what was minted back, what is lost may execute there. */
export type Run = FilingDeps & { unfenced: readonly number[] }

/** Why payments of a backup wait. */
export const WAITS_FOR_FENCE =
  'Payments of before the database was restored, or another took over, wait until the fence of their chain is final ("coin overview" says "fence" until then): what is lost may have minted their coin back. Where no settler works on that chain any more, run "coin payout mark-unpaid ID --reason …", see that its coin was not minted back, and pay it by hand ("coin payout mark-paid ID --reference …").'
