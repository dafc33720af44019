/** Settlement in numbers, for operators. */
import { Counter, Gauge, type Registry } from 'prom-client'
import { createChainGauges } from './chain-gauges.ts'
import { MOVEMENT_KINDS } from './tables/movements.sql.ts'

/** Why nothing is formed although orders wait, or the first batch under way is in no block; `none` when nothing is held. */
export const HOLD_REASONS = [
  'none',
  'paused',
  'reserve',
  'mint-limit',
  'burn-limit',
  'transfer-limit',
  'gas-price',
  'gas-balance',
  'batch-conflict',
  'other-chain-unread',
  'signer-without-role',
  'settlement-without-role',
  'simulation-failed',
  'signer-unavailable',
  'batch-not-mined',
  'batch-undecided',
  'batch-not-found',
  'chain-behind',
  'chain-mismatch',
  'round-failed',
  'foreign-movement',
  'sanctions-oracle',
] as const
export type HoldReason = (typeof HOLD_REASONS)[number]

export type SettlementMetrics = {
  inFlight(chainId: number, status: 'signed' | 'mined', count: number): void
  oldestPendingSeconds(chainId: number, seconds: number): void
  /** How far the nodes' head is behind what the database has seen. */
  headLag(chainId: number, blocks: number): void
  /** How many blocks below the head are not final. */
  finalLag(chainId: number, blocks: number): void
  oversizedOrders(chainId: number, count: number): void
  /** @param blocked reasons that hold one kind of order while the others go on */
  held(chainId: number, reason: HoldReason, blocked?: readonly HoldReason[]): void
  oldestUnminedSeconds(chainId: number, seconds: number): void
  /** Of the integrations that wait longest. */
  oldestByIntegration(chainId: number, seconds: ReadonlyMap<string, number>): void
  /** @param lag blocks behind the furthest node; undefined when it did not answer */
  node(chainId: number, node: string, lag: number | undefined): void
  /** Whoever does not lead, or no longer does, shows nothing else of the chain: what it knew is somebody else's to say. */
  leading(chainId: number, leads: boolean): void
  formed(chainId: number, orders: number): void
  finalized(chainId: number, orders: number): void
  bumped(chainId: number): void
  handedOver(chainId: number, batches: number): void
  reorganised(chainId: number): void
  reverted(chainId: number): void
  vanished(chainId: number): void
  /** Batches that this database did not make. */
  foreign(chainId: number, batches: number): void
  /** Something on chain that nobody here asked for. */
  foreignMovement(chainId: number, kind: string): void
  /** Final blocks whose timelock operations were not read yet. */
  timelockUnread(chainId: number, blocks: number): void
}

/** Metrics that count nothing. */
export const noMetrics: SettlementMetrics = {
  inFlight() {},
  oldestPendingSeconds() {},
  headLag() {},
  finalLag() {},
  oversizedOrders() {},
  held() {},
  oldestUnminedSeconds() {},
  oldestByIntegration() {},
  node() {},
  leading() {},
  formed() {},
  finalized() {},
  bumped() {},
  handedOver() {},
  reorganised() {},
  reverted() {},
  vanished() {},
  foreign() {},
  foreignMovement() {},
  timelockUnread() {},
}

/** Registers the settlement metrics, each labelled by chain. */
export function createSettlementMetrics(registry: Registry): SettlementMetrics {
  const registers = [registry]
  const { gauge, forget } = createChainGauges(registry)
  const counter = (name: string, help: string, ...labels: string[]) =>
    new Counter({ name: `settlement_${name}_total`, help, labelNames: ['chain', ...labels], registers })

  const leading = new Gauge({
    name: 'settlement_leading',
    help: '1 when this process settles the chain',
    labelNames: ['chain'],
    registers,
  })
  const leads = new Set<number>()
  const inFlight = gauge('batches_in_flight', 'Batches not decided yet', 'status')
  const oldest = gauge('oldest_pending_seconds', 'Age of the oldest accepted order that waits for a batch')
  const lag = gauge('head_lag_blocks', 'Blocks that the RPC addresses are behind what was seen before')
  const notFinal = gauge('final_lag_blocks', 'Blocks below the head that are not final')
  const oversized = gauge('oversized_orders', 'Orders larger than the on-chain limit they need')
  const held = gauge('held', '1 for the reason why no batch is formed', 'reason')
  const unmined = gauge('oldest_unmined_seconds', 'Age of the oldest batch that no block has')
  const byIntegration = gauge(
    'oldest_order_seconds',
    'Age of the oldest waiting order, of 20 integrations',
    'integration',
  )
  const nodeLag = gauge('node_lag_blocks', 'Blocks that an RPC address is behind the furthest one', 'node')
  const nodeUp = gauge('node_up', '1 when an RPC address answered lately', 'node')
  const unread = gauge(
    'timelock_unread_blocks',
    'Final blocks in which nobody has looked for operations of the timelock',
  )
  const formed = counter('orders_submitted', 'Orders put into batches')
  const finalized = counter('orders_decided', 'Orders decided at full depth')
  const bumped = counter('fee_bumps', 'Replacements with a higher fee')
  const handedOver = counter(
    'handed_over_batches',
    'Batches that another signer signed, because theirs could not carry them',
  )
  const reorganised = counter('reorganised_batches', 'Batches that a reorganisation took out of their block')
  const reverted = counter('reverted_batches', 'Nonces used up without an outcome')
  const vanished = counter('vanished_batches', 'Final batches that the chain no longer has')
  const foreign = counter('foreign_batches', 'Batches on chain that this database did not make')
  const movements = counter('foreign_movements', 'What happened on chain that nobody here asked for', 'kind')
  const perChain = [formed, finalized, bumped, handedOver, reorganised, reverted, vanished, foreign]

  return {
    inFlight: (chain, status, count) => inFlight.set(chain, count, status),
    oldestPendingSeconds: (chain, seconds) => oldest.set(chain, seconds),
    headLag: (chain, blocks) => lag.set(chain, blocks),
    finalLag: (chain, blocks) => notFinal.set(chain, blocks),
    oversizedOrders: (chain, count) => oversized.set(chain, count),
    held(chain, reason, blocked = []) {
      for (const known of HOLD_REASONS) held.set(chain, known === reason || blocked.includes(known) ? 1 : 0, known)
    },
    oldestUnminedSeconds: (chain, seconds) => unmined.set(chain, seconds),
    oldestByIntegration(chain, seconds) {
      byIntegration.forget(chain)
      for (const [integration, age] of seconds) byIntegration.set(chain, age, integration)
    },
    node(chain, node, lag) {
      // Nobody waits for a node's answer: it may come when this process has stopped settling the chain.
      if (!leads.has(chain)) return
      nodeUp.set(chain, lag === undefined ? 0 : 1, node)
      if (lag !== undefined) nodeLag.set(chain, lag, node)
    },
    leading(chain, leadsNow) {
      if (leadsNow) leads.add(chain)
      else leads.delete(chain)
      if (!leadsNow) forget(chain)
      leading.set({ chain }, leadsNow ? 1 : 0)
      // From zero on: an increase is only seen of what was shown before it.
      for (const each of perChain) each.inc({ chain }, 0)
      for (const kind of MOVEMENT_KINDS) movements.inc({ chain, kind }, 0)
    },
    formed: (chain, orders) => formed.inc({ chain }, orders),
    finalized: (chain, orders) => finalized.inc({ chain }, orders),
    bumped: (chain) => bumped.inc({ chain }),
    handedOver: (chain, batches) => handedOver.inc({ chain }, batches),
    reorganised: (chain) => reorganised.inc({ chain }),
    reverted: (chain) => reverted.inc({ chain }),
    vanished: (chain) => vanished.inc({ chain }),
    foreign: (chain, batches) => foreign.inc({ chain }, batches),
    timelockUnread: (chain, blocks) => unread.set(chain, blocks),
    foreignMovement: (chain, kind) => movements.inc({ chain, kind }),
  }
}
