/** Who has stopped what a command would let go on, when and why: whoever decides about its end is to know. */
import type { Queryable } from '../../db/database.ts'
import { parseAddress } from '../../orders/address.ts'
import { readNewestOf } from '../audit.sql.ts'
import type { Asked } from './asked.ts'
import { listChainStops } from './chain-stops.sql.ts'
import { DECISIONS } from './decided.ts'
import { isStopped } from './occasions.ts'

/** `decisions`: of its kind, the stop first; after another one than the stop, that is over. */
type Stop = { decisions: readonly string[]; targetOf: (asked: Asked) => string | undefined }

const STOPS: Readonly<Record<string, Stop>> = {
  'integration resume': { decisions: DECISIONS.integration, targetOf: ({ params }) => params.integrationId },
  'order release': {
    decisions: DECISIONS.order,
    targetOf: ({ params }) => `${params.integrationId}/${params.referenceId}`,
  },
  'payout release': { decisions: DECISIONS.payout, targetOf: ({ params }) => params.payoutId },
  'screening allow': { decisions: DECISIONS['screened-address'], targetOf: addressOf },
}

type Said = { at: Date; actor: string; reason: unknown }

/** Undefined where the command ends no stop, or where no operator has stopped it. */
export async function describeStop(db: Queryable, command: string, asked: Asked): Promise<string | undefined> {
  if (command === 'chain resume' || command === 'wallet unfreeze') return await describeOnChains(db, command, asked)
  const { customerId, corporateId } = asked.params
  if (command === 'customer set' && customerId !== undefined)
    return await describeSuspension(db, 'customer', customerId)
  if (command === 'corporate set' && corporateId !== undefined)
    return await describeSuspension(db, 'corporate', corporateId)
  const stop = STOPS[command]
  if (stop === undefined) return undefined
  const newest = await readNewestOf(db, stop.decisions, { target: stop.targetOf(asked) ?? '' })
  if (newest === undefined || newest.action !== stop.decisions[0]) return undefined
  return `${say({ ...newest, reason: newest.details.reason })}.`
}

const MOST_SHOWN = 10

function addressOf({ body }: Pick<Asked, 'body'>): string | undefined {
  return parseAddress(String(body.address ?? ''), 'optional')
}

async function describeOnChains(db: Queryable, command: string, { body }: Asked): Promise<string | undefined> {
  const chainId = typeof body.chainId === 'number' ? body.chainId : undefined
  const walletAddress = addressOf({ body }) ?? ''
  const stops = await listChainStops(db, {
    ...(command === 'chain resume'
      ? { action: 'chain.pause', ended: 'chain.resume', chainId }
      : { action: 'wallet.freeze', ended: 'wallet.unfreeze', details: { walletAddress } }),
    limit: MOST_SHOWN,
  })
  if (stops.length === 0) return undefined
  return stops
    .map((each) => `Chain ${each.chainId}${each.settlementOnly ? ', settlement only' : ''}: ${say(each)}.`)
    .join(' ')
}

/** A party is stopped by a new status, a customer also by a command of its own; what else of them is changed meanwhile ends nothing. */
async function describeSuspension(db: Queryable, noun: string, target: string): Promise<string | undefined> {
  const suspended = await readNewestOf(db, [`${noun}.suspend`], { target })
  const set = await readNewestOf(db, [`${noun}.set`], { target, details: { changed: ['status'] } })
  const newest = (set?.auditId ?? 0n) > (suspended?.auditId ?? 0n) ? set : suspended
  if (newest === undefined || (newest !== suspended && !isStopped(newest.details.status))) return undefined
  return `${say({ ...newest, reason: newest.details.reason })}.`
}

function say({ actor, at, reason }: Said): string {
  return `By ${actor} at ${at.toISOString()}, ${typeof reason === 'string' ? `because: ${reason}` : 'without a reason'}`
}
