/** Which payouts a rail is asked about next: integrations take turns, so that nobody waits until all payouts of another one are asked for. */

import { IS_QUEUED } from './moves.ts'

/** The condition of the index `payouts_due`: what may be asked for at its time. */
export const QUEUED = `${IS_QUEUED} and (burn is not null or order_id is null)`
/** Whose a payout is, as that index has it. */
export const OWNER = `coalesce(integration_id, '')`
/** Whether a rail may have been asked about it before, as that index has it. */
const ASKED = 'least(times_asked, 1)'

/**
 * SQL, parts of a `with recursive`: `next` has the payouts that are claimed next, in turn: twice as many, because others may be claiming some of them. Those of which
 * no rail was asked yet, and the others, have places of their own. Integrations are found by stepping through the index, one probe each; each offers its oldest few,
 * and every integration's first comes before any one's second, so that a backlog of one neither costs nor delays the others. What is asked about already counts as
 * turns that it had.
 * @param due which payouts `p`
 * @param params how many are claimed, and how many of these a rail may have been asked about before · integrations, and about how many payouts of each a rail is asked now
 */
export const inTurn = (
  due: string,
  { limit, again, integrations, open }: { limit: string; again: string; integrations: string; open: string },
): string => `
  waiting as (
    (select ${OWNER} as owner from payouts where ${QUEUED} order by ${OWNER} limit 1)
    union all
    select (select ${OWNER} from payouts where ${QUEUED} and ${OWNER} > w.owner order by ${OWNER} limit 1)
    from waiting w where w.owner is not null),
  open as (select * from unnest(${integrations}::text[], ${open}::int[]) as f (owner, count)),
  offered as (
    select o.*, row_number() over (partition by o.asked order by o.turn, o.next_attempt_at, o.payout_id) as place from (
      select n.payout_id, n.next_attempt_at, n.asked,
        coalesce(f.count, 0) + row_number() over (partition by w.owner order by n.next_attempt_at) as turn
      from waiting w left join open f on f.owner = w.owner cross join lateral (
        ${oldest(due, 0, `2 * ${limit}`)} union all ${oldest(due, 1, again)}) n
      where w.owner is not null) o),
  next as (
    select payout_id, turn, next_attempt_at from offered where asked = 0 or place <= ${again} order by turn, next_attempt_at limit 2 * ${limit}::int)`

/** SQL: the oldest due payouts of the integration `w.owner`; `asked`: 1 of those that a rail may have been asked about before. */
export const oldest = (due: string, asked: number, most: string): string =>
  `(select payout_id, next_attempt_at, ${asked} as asked from payouts p where ${OWNER} = w.owner and ${ASKED} = ${asked} and ${due}
          order by next_attempt_at limit ${most}::int)`
