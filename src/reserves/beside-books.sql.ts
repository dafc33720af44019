/** SQL: coin that is there, or may be, and that the books do not have; and the contrary. What the reserve has to cover, and what the proof says of a chain that is gone for good. */
import { REMINTS } from '../values/house.ts'

/** Of a foreign instruction `i`: whether somebody has said what its batch was, or that its chain has lost it, so that what it burnt is not gone. */
const IS_EXPLAINED =
  'exists (select from batch_explanations e where e.chain_id = i.chain_id and e.batch_id = i.batch_id)'

/**
 * Rows (chain_id, amount_micro) of what others made, or burnt (negative), for no order: in batches, and outside. What a batch has burnt from a wallet may be a
 * redeem that a restore has lost, and is owed: it counts only once somebody has said what it was. To give a batch up says nothing of that.
 */
const ofOthers = (
  inBatches: string,
  outside: string,
) => `select i.chain_id, case i.direction when 'MINT' then i.amount_micro else -i.amount_micro end as amount_micro
    from foreign_instructions i ${inBatches} and i.succeeded and i.order_id is null and (i.direction = 'MINT'
      or i.direction = 'REDEEM' and exists (select from batch_explanations e where e.chain_id = i.chain_id and e.batch_id = i.batch_id and not e.gives_up))
  union all select m.chain_id, m.amount_micro from foreign_movements m ${outside} and m.kind = 'supply'`

/**
 * What others made. What they burnt counts against that on the same chain, and no further: a settler's word alone would lower what is owed, and coin that
 * is burnt on one chain is still there on another one.
 */
export const madeByOthers = (inBatches: string, outside: string): string => `(select coalesce(sum(greatest(net, 0)), 0)
    from (select sum(amount_micro) as net from (${ofOthers(inBatches, outside)}) each group by chain_id) of_chain)`

/**
 * Of a row `l` of `lost_orders` and its order `o`: there is more coin than the books have. A mint that had failed was executed after all; or the chain
 * has lost a burn that was paid, or minted back. Some of it may count twice where both were lost: rather that than not at all.
 */
const IS_THERE = `case o.direction when 'MINT' then l.executed when 'REDEEM' then not l.executed and o.status in ('completed', 'failed') end`

/** What is there of orders that are not made good. @param open SQL: those of the rows `l` that are not */
export const ofLostOrders = (open: string): string => `(select coalesce(sum(o.amount_micro), 0)
    from lost_orders l cross join lateral (select * from orders where order_id = l.order_id limit 1) o where ${open} and ${IS_THERE})`

/** Of an order `o` and its row `n` of `lost_orders`: an order of the house has minted it again, and that is there. */
const IS_REMINTED = `exists (select from orders r where r.integration_id = '${REMINTS}' and r.order_id > o.order_id and r.status = 'completed'
    and split_part(r.reference_id, '/', 1) = split_part(case o.integration_id when '${REMINTS}' then o.reference_id else n.remint end, '/', 1)
    and not exists (select from lost_orders again where again.order_id = r.order_id and not again.executed and not again.undone))`

/**
 * What batches of ours have done otherwise the second time, and nobody has explained, where that makes more. Of an order of which something was explained
 * before: beyond that, once it was made good; and of a redeem that had left its batch, where the books have its burn by that.
 * @param which SQL: those of the rows `x` of `batch_outcomes` that count
 */
export const unexplained = (which: string): string => `(select coalesce(sum(o.amount_micro), 0)
    from batch_outcomes x join batches b on b.chain_id = x.chain_id and b.batch_id = x.batch_id
      cross join lateral unnest(b.order_ids) with ordinality as p (order_id, position)
      cross join lateral (select * from orders where order_id = p.order_id limit 1) o
      cross join lateral (select p.position - 1 = any (x.executed) as now) does left join lost_orders n on n.order_id = o.order_id
    where x.explained_at is null and ${which} and case
      when o.batch_id is distinct from b.batch_id then not does.now and p.position - 1 = any (x.beside)
      when n.order_id is null then case o.direction when 'MINT' then o.status = 'failed' and does.now
        when 'REDEEM' then not does.now and (o.status = 'completed' or o.status = 'failed' and exists (select from payouts y where y.order_id = o.order_id)) end
      when n.closed_at is not null or n.undone or ${IS_REMINTED} then case o.direction
        when 'MINT' then does.now and n.executed = n.undone when 'REDEEM' then not does.now and n.executed <> n.undone end end)`

/**
 * Coin that is gone from its chain, and for which the books owe nothing yet: what batches of others have burnt, until somebody has said what it was (a redeem,
 * perhaps, that a restore has lost); and mints that a chain has lost, or refused the second time, and redeems that it has burnt although they had failed, until
 * they are made good. The books' coin has it still, which is what counts on a chain that is lost.
 */
export const MISSING = `(select coalesce(sum(amount_micro), 0) from (
    select i.chain_id, i.amount_micro from foreign_instructions i
      where i.succeeded and i.order_id is null and i.direction = 'REDEEM' and not ${IS_EXPLAINED}
    union all select n.chain_id, o.amount_micro
      from lost_orders n cross join lateral (select * from orders where order_id = n.order_id limit 1) o
      where n.closed_at is null and not n.undone and o.integration_id <> '${REMINTS}' and not ${IS_REMINTED}
        and case o.direction when 'MINT' then not n.executed and o.status = 'completed' when 'REDEEM' then n.executed end
    union all select x.chain_id, o.amount_micro
      from batch_outcomes x join batches b on b.chain_id = x.chain_id and b.batch_id = x.batch_id
        cross join lateral unnest(b.order_ids) with ordinality as p (order_id, position)
        cross join lateral (select * from orders where order_id = p.order_id limit 1) o
        cross join lateral (select p.position - 1 = any (x.executed) as now) does
      where x.explained_at is null and o.batch_id = b.batch_id and not exists (select from lost_orders n where n.order_id = o.order_id)
        and case o.direction when 'MINT' then o.status = 'completed' and not does.now
          when 'REDEEM' then o.status = 'failed' and does.now and not exists (select from payouts y where y.order_id = o.order_id) end
  ) gone where not exists (select from lost_chains g where g.chain_id = gone.chain_id))`
