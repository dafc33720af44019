/** How everything is now, for whoever looks for what was wrong. */
import type { World } from './world.ts'

const ROWS = `select
  (select jsonb_agg(to_jsonb(b) - 'order_ids' order by batch_id) from batches b) as batches,
  (select jsonb_agg(to_jsonb(a) - 'raw_transaction' order by batch_id, created_at) from batch_attempts a) as attempts,
  (select jsonb_agg(to_jsonb(s)) from signers s) as signers, (select jsonb_agg(to_jsonb(h)) from order_holds h) as held,
  (select jsonb_agg(to_jsonb(h)) from settlement_holds h) as holds, (select jsonb_agg(to_jsonb(l)) from leases l) as leases,
  (select jsonb_agg(to_jsonb(t)) from tag_conflicts t) as conflicts,
  (select jsonb_agg(to_jsonb(i)) from foreign_instructions i) as taken,
  (select jsonb_agg(to_jsonb(p) order by payout_id) from payouts p) as payouts,
  (select jsonb_agg(to_jsonb(l)) from lost_orders l) as lost, (select to_jsonb(now())) as now`

export async function describe({ db, blocks, nodes, states }: World): Promise<string> {
  const { number, baseFee, state } = blocks.newest()
  const { lastBatchId, isCoinPaused, isSettlementPaused, accounts } = state
  const pools = nodes.map(({ label, pool }) => [
    label,
    ...[...pool].map(([key, { hash, maxFee }]) => [key, hash, maxFee]),
  ])
  const [rows] = await db.query(ROWS)
  const said = {
    chain: { number, baseFee, lastBatchId, isCoinPaused, isSettlementPaused },
    accounts: [...accounts],
    pools,
    processes: states(),
    ...rows,
  }
  const plain = (_: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value)
  return Object.entries(said)
    .map(([name, what]) => `${name}: ${JSON.stringify(what, plain)}`)
    .join('\n')
}
