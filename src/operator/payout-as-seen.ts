/** What somebody who acts on a payout has seen of it before (`as-seen.ts`). */
import { createHash } from 'node:crypto'
import type { Queryable } from '../db/database.ts'
import type { Payout } from '../payouts/payout.ts'
import { decided } from './approvals/decided.ts'
import { readUnsaid } from './holds.ts'

/**
 * A payout as it is, by what `payout show` says of it: the same status may have come again since; whoever holds it once more changes nothing of that, nor
 * does what has come to speak against paying it.
 */
export async function payoutAsSeen(db: Queryable, payout: Payout): Promise<string> {
  const { payoutId, statusSince, attempt } = payout
  const unsaid = createHash('sha256').update(JSON.stringify(await readUnsaid(db, payout)))
  return `${statusSince.toISOString()} ${attempt} ${(await decided(db, 'payout', payoutId)) ?? 0} ${unsaid.digest('hex')}`
}
