/** Looks, before a rail is told to pay what a lost history may have had paid, whether it has a later payment of that. */
import type { Rail, RailAnswer } from './rail.ts'
import { sayRetried } from './unretried.sql.ts'

/**
 * Why a payment is not made: its payout was retried in a history that is lost, and its rail has that payment; or does not say whether it has. Undefined where it has none,
 * cannot be asked, or knows the payment itself, of which its word counts.
 * @param laterIds of the payments that retries would make
 */
export async function whyRetried(
  { status }: Pick<Rail, 'status'>,
  { payoutId, endToEndId }: { payoutId: string; endToEndId: string },
  laterIds: readonly string[],
): Promise<Exclude<RailAnswer, { result: 'accepted' }> | undefined> {
  if (status === undefined || laterIds.length === 0) return undefined
  const [own, ...later] = await Promise.all([endToEndId, ...laterIds].map((id) => status({ payoutId, endToEndId: id })))
  if (own?.result !== 'none' && own?.result !== 'unknown') return undefined
  const unsaid = [own, ...later].find((each) => each.result === 'unknown')
  if (unsaid?.result === 'unknown') return unsaid
  const place = later.findIndex((each) => each.result !== 'none')
  return place === -1 ? undefined : { result: 'refused', reason: sayRetried(laterIds[place] ?? '', payoutId) }
}
