/** What a database clock that was ahead for a while left behind. */
import type { Queryable } from '../db/database.ts'

/** So many are changed by one statement: all that wait may be very many, and no statement is to take long. */
const AT_ONCE = 2_000

/** No pause and no claim lasts as long. */
const TOO_FAR = `now() + interval '10 minutes'`
/** What was sent is asked about again after as long as it has been sent for, a day at most (`claimSentPayments`): it may be put off by so much more. */
const TOO_FAR_TO_ASK = `${TOO_FAR} + greatest(interval '0', least(interval '1 day', now() - status_since))`
/** What has come back is looked at for its burn, and asked about after a restore, at least once an hour. */
const TOO_FAR_TO_LOOK = `now() + interval '70 minutes'`

/** What somebody has locked is left to them, or to the next time. */
const QUEUED = `update payouts set next_attempt_at = least(next_attempt_at, now()),
    claimed_until = case when claimed_until > now() then least(claimed_until, now() + $2 * interval '1 millisecond') end, updated_at = now()
  where payout_id = any (array(select payout_id from payouts
    where status = 'queued' and (next_attempt_at > ${TOO_FAR} or claimed_until > ${TOO_FAR}) limit $1::int for update skip locked))
  returning payout_id`
const SENT = `update payouts set next_attempt_at = now()
  where payout_id = any (array(select payout_id from payouts
    where status = 'sent' and next_attempt_at > ${TOO_FAR_TO_ASK} limit $1::int for update skip locked))
  returning payout_id`
const CAME_BACK = `update payouts set next_attempt_at = now()
  where payout_id = any (array(select payout_id from payouts
    where status in ('rejected', 'returned') and next_attempt_at > ${TOO_FAR_TO_LOOK} limit $1::int for update skip locked))
  returning payout_id`

/**
 * Makes due what was put off while the database's clock was ahead: queued payouts, and the next look at those that were sent or came back. Whoever claimed
 * one then may still be asking the rail, so that the claim stays theirs for as long as one that is made now.
 * @returns how many payouts that were
 */
export async function hurryPayouts(db: Queryable, claimMs: number): Promise<number> {
  return (
    (await inParts((atOnce) => db.query(QUEUED, [atOnce, claimMs]))) +
    (await inParts((atOnce) => db.query(SENT, [atOnce]))) +
    (await inParts((atOnce) => db.query(CAME_BACK, [atOnce])))
  )
}

async function inParts(change: (atOnce: number) => Promise<readonly unknown[]>): Promise<number> {
  for (let all = 0; ; ) {
    const { length } = await change(AT_ONCE)
    all += length
    if (length < AT_ONCE) return all
  }
}

/** Has a payout that came back looked at now, for whatever is still to be known of it: while its rail had it, it was asked about ever less often. */
export async function lookAtOnce(tx: Queryable, payoutId: string): Promise<void> {
  await tx.query('update payouts set next_attempt_at = now() where payout_id = $1 and next_attempt_at > now()', [
    payoutId,
  ])
}
