/**
 * Mints as they usually are: new, of a verified resident, to a wallet that nobody denies. Their decision is taken on these facts before any
 * is read, and the statement that records them proves each, so they cost one round trip instead of two. All others read their facts first.
 */
import { isDatabaseAway, type Queryable } from '../../db/database.ts'
import { createSharedCalls } from '../../db/shared-calls.ts'
import { eventOf } from '../../events/event.ts'
import type { NewOrder } from '../order.ts'
import type { PostCall } from './call.ts'
import type { Terms } from './checks.ts'
import { decideMint } from './decide-mint.ts'
import type { MintFacts } from './facts.ts'
import { PATIENCE_MS, TOGETHER_LIMITS } from './lane.ts'
import type { NewRecord } from './record.sql.ts'
import type { MintRequest } from './request.ts'
import { recordUsualMints, type UsualWritten } from './usual.sql.ts'

/** A recorded order, or undefined when nothing was recorded and its facts must be read. */
export type Usual = { order: NewOrder; deliveriesDue: boolean } | undefined

/** After a mint was not as usual, mints of the same integration for the same customer read their facts first for this long. */
const UNUSUAL_FOR_MS = 10_000
const MAX_UNUSUAL = 10_000
/** After a statement failed, all mints do so for this long: one that loses a race makes the others of its statement fail, too. */
const PAUSE_MS = 1_000
/** The statement dates the order. */
const UNDATED = new Date(0)

/**
 * Makes a function that records a mint if it is as usual. Nothing that it assumes can make it accept what facts would refuse.
 * @param nowMs a clock that never goes back
 * @throws DatabaseUnavailableError (the function)
 */
export function createUsualMints(db: Queryable, nowMs: () => number = () => performance.now()) {
  const unusualUntilMs = new Map<string, number>()
  let pausedUntilMs = 0

  const record = createSharedCalls<NewRecord, UsualWritten | 'failed'>({
    ...TOGETHER_LIMITS,
    async call(records) {
      try {
        return await recordDistinct(db, records)
      } catch (error) {
        if (isDatabaseAway(error)) throw error
        pausedUntilMs = nowMs() + PAUSE_MS
        return records.map(() => 'failed')
      }
    },
  })

  const isUnusual = (asked: string): boolean => {
    const untilMs = unusualUntilMs.get(asked)
    if (untilMs === undefined) return false
    if (untilMs > nowMs()) return true
    unusualUntilMs.delete(asked)
    return false
  }

  const remember = (asked: string): void => {
    if (unusualUntilMs.size >= MAX_UNUSUAL) unusualUntilMs.clear()
    unusualUntilMs.set(asked, nowMs() + UNUSUAL_FOR_MS)
  }

  return async (call: PostCall, request: MintRequest, terms: Terms): Promise<Usual> => {
    const { customerId } = request
    // By who asks, too: no partner slows another one's mints, or learns by the time of a 404 what another one has asked.
    const asked = `${call.caller.integrationId} ${customerId}`
    if (customerId === undefined || pausedUntilMs > nowMs() || isUnusual(asked)) return undefined
    const decision = decideMint(request, usualMintFacts(customerId), terms)
    if (decision.kind !== 'accept' || decision.acceptance.usage !== undefined) return undefined
    const { acceptance } = decision
    const written = await record({ call, acceptance, event: eventOf(acceptance.order, UNDATED) })
    if (written === 'failed') return undefined
    if (written === undefined) {
      remember(asked)
      return undefined
    }
    const { createdAt, deliveriesDue } = written
    return { order: { ...acceptance.order, createdAt }, deliveriesDue }
  }
}

/** What is assumed about a mint. What a decision without a cap does not look at has the value that admits least. */
function usualMintFacts(customerId: string): MintFacts {
  return {
    now: UNDATED,
    usedKey: undefined,
    existing: undefined,
    customer: {
      customerId,
      verificationStatus: 'VERIFIED',
      isResident: true,
      monthlyCapMicro: 0n,
      canMint: true,
      canRedeem: false,
      canTransfer: false,
      hasBankAccount: false,
    },
    chainLimitMicro: undefined,
    settledBefore: 'no',
    ownChainId: undefined,
    walletDenied: false,
    committedTodayMicro: 0n,
  }
}

/** Of mints with the same reference or key only the first is recorded: together they would violate a constraint, and none would be. */
async function recordDistinct(db: Queryable, records: readonly NewRecord[]): Promise<UsualWritten[]> {
  if (!mayRepeat(records)) return recordUsualMints(db, records, PATIENCE_MS)
  const names = new Set<string>()
  const firsts = records.filter(({ call, acceptance: { order } }) => {
    const own = [`r ${order.integrationId} ${order.referenceId}`, `k ${order.integrationId} ${call.idempotencyKey}`]
    if (own.some((name) => names.has(name))) return false
    for (const name of own) names.add(name)
    return true
  })
  const written = await recordUsualMints(db, firsts, PATIENCE_MS)
  const places = new Map(firsts.map((record, place) => [record, place]))
  return records.map((one) => written[places.get(one) ?? -1])
}

/** Whether a reference or a key comes twice, of whatever integration. */
function mayRepeat(records: readonly NewRecord[]): boolean {
  const references = new Set(records.map(({ acceptance }) => acceptance.order.referenceId))
  const keys = new Set(records.map(({ call }) => call.idempotencyKey))
  return references.size < records.length || keys.size < records.length
}
