/**
 * Looks, before a rail is told to pay: what a lost history may have had, whether that has had it paid by another payment, or its coin minted back; and what
 * is paid once more, whether its rail has carried out a payment that it had refused.
 * Its place: docs/ARCHITECTURE.md, "A payout's path".
 */
import type { Queryable } from '../db/database.ts'
import { UNFENCED } from './from-before.sql.ts'
import type { Rail, RailAnswer, RailStatus } from './rail.ts'
import { findRefused } from './refused.sql.ts'
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

/** An earlier payment that its rail had refused, and has all the same. */
export type CarriedOut = {
  attempt: number
  endToEndId: string
  status: Extract<RailStatus, { result: 'accepted' | 'paid' | 'returned' }>
}

/** `isBeside`: the rail has the payment that is to be made as well. */
export type AllCarriedOut = { carriedOut: readonly CarriedOut[]; isBeside: boolean }

/**
 * The earlier payments of a payout which its rail had refused, at once or after it had accepted them, and calls accepted, paid or given back by now: another
 * one would pay its payee twice. Or why nobody can say that yet. Of what people have called unpaid it is not asked: they know that, whatever it says.
 * Undefined where there are none, or the rail cannot be asked.
 */
export async function findCarriedOut(
  { db, rail: { name, status } }: { db: Queryable; rail: Pick<Rail, 'name' | 'status'> },
  { payoutId, attempt, endToEndId }: { payoutId: string; attempt: number; endToEndId: string },
): Promise<AllCarriedOut | Extract<RailStatus, { result: 'unknown' }> | undefined> {
  if (attempt === 1 || status === undefined) return undefined
  const refused = await findRefused(db, { payoutId, before: attempt, rail: name })
  const asked = await Promise.all(
    refused.map(async (each) => ({ ...each, status: await status({ payoutId, endToEndId: each.endToEndId }) })),
  )
  const carriedOut = asked.flatMap((each) => (isThere(each.status) ? [{ ...each, status: each.status }] : []))
  if (carriedOut.length === 0) return whyUnsaid(asked)
  const own = await status({ payoutId, endToEndId })
  return own.result === 'unknown' ? own : { carriedOut, isBeside: isThere(own) }
}

const isThere = (status: RailStatus): status is CarriedOut['status'] =>
  status.result !== 'none' && status.result !== 'refused' && status.result !== 'unknown'

function whyUnsaid(asked: readonly { endToEndId: string; status: RailStatus }[]) {
  for (const { endToEndId, status } of asked)
    if (status.result === 'unknown') return { ...status, reason: sayAskedFirst(endToEndId, status.reason) }
  return undefined
}

const sayAskedFirst = (endToEndId: string, reason: string): string =>
  `Its rail is asked first what became of ${endToEndId}, which it had refused: ${reason}`

/** Why the new payment is not made. */
export const sayCarriedOut = ([first]: readonly CarriedOut[]): string =>
  `Its rail has ${first?.endToEndId} after all, which it had refused: this payment was not made.`
