/** Who has stopped what a command would let go on, when and why: whoever decides about its end is to know. */
import type { Queryable } from '../../db/database.ts'
import { parseAddress } from '../../orders/address.ts'
import { readNewestOf } from '../audit.sql.ts'
import type { Asked } from './asked.ts'
import { DECISIONS } from './decided.ts'

/** `decisions`: of its kind, the stop first; after another one than the stop, that is over. */
type Stop = {
  decisions: readonly string[]
  of: (asked: Asked) => { target?: string; details?: Record<string, string> }
}

const STOPS: Readonly<Record<string, Stop>> = {
  'integration resume': {
    decisions: DECISIONS.integration,
    of: ({ params: { integrationId = '' } }) => ({ target: integrationId }),
  },
  'order release': {
    decisions: DECISIONS.order,
    of: ({ params: { integrationId = '', referenceId = '' } }) => ({ target: `${integrationId}/${referenceId}` }),
  },
  'payout release': {
    decisions: DECISIONS.payout,
    of: ({ params: { payoutId = '' } }) => ({ target: payoutId }),
  },
  'wallet unfreeze': {
    decisions: ['wallet.freeze', 'wallet.unfreeze'],
    of: ({ body }) => ({ details: { walletAddress: parseAddress(String(body.address ?? ''), 'optional') ?? '' } }),
  },
  'chain resume': {
    decisions: ['chain.pause', 'chain.resume'],
    of: ({ body: { chainId } }) => (typeof chainId === 'number' ? { target: String(chainId) } : {}),
  },
}

/** Undefined where the command ends no stop, or where no operator has stopped it. */
export async function describeStop(db: Queryable, command: string, asked: Asked): Promise<string | undefined> {
  const stop = STOPS[command]
  if (stop === undefined) return undefined
  const newest = await readNewestOf(db, stop.decisions, stop.of(asked))
  if (newest === undefined || newest.action !== stop.decisions[0]) return undefined
  const { reason } = newest.details
  return `By ${newest.actor} at ${newest.at.toISOString()}, ${typeof reason === 'string' ? `because: ${reason}` : 'without a reason'}.`
}
