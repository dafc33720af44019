/** Looks, before a rail is told to pay what a lost history may have had, whether that has had it paid by another payment, or its coin minted back. */
import type { Queryable } from '../db/database.ts'
import { UNFENCED } from './from-before.sql.ts'
import type { Rail, RailAnswer, RailStatus } from './rail.ts'
import { findReminted, sayReminted } from './reminted.sql.ts'
import { type MaybeHad, sayRetried } from './unretried.sql.ts'

const NONE: RailStatus = { result: 'none' }

type Unpaid = Exclude<RailAnswer, { result: 'accepted' }>

/**
 * Why a payment is not made: its payout was retried in a history that is lost, and its rail has that payment, or its coin was minted back there; or nobody can say that yet.
 * Undefined where neither is so, where its rail cannot be asked, or knows the payment itself, of which its word counts.
 * @param payment.isUnknown the rail has just said that it knows nothing of the payment itself
 */
export async function whyNotPaid(
  { db, rail: { status } }: { db: Queryable; rail: Pick<Rail, 'status'> },
  { payoutId, endToEndId, isUnknown }: { payoutId: string; endToEndId: string; isUnknown: boolean },
  { laterIds, isUnfenced }: MaybeHad,
): Promise<Unpaid | undefined> {
  if (status === undefined) return undefined
  const ask = (id: string) => status({ payoutId, endToEndId: id })
  const [own, ...later] = await Promise.all([isUnknown ? NONE : ask(endToEndId), ...laterIds.map(ask)])
  if (own?.result !== 'none' && own?.result !== 'unknown') return undefined
  const unsaid = [own, ...later].find((each) => each.result === 'unknown')
  if (unsaid?.result === 'unknown') return unsaid
  if (isUnfenced) return { result: 'unknown', reason: UNFENCED }
  const reminted = await findReminted(db, payoutId)
  if (reminted !== undefined && !reminted.isExplained) return { result: 'refused', reason: sayReminted(reminted) }
  const place = later.findIndex((each) => each.result !== 'none')
  return place === -1 ? undefined : { result: 'refused', reason: sayRetried(laterIds[place] ?? '', payoutId) }
}
