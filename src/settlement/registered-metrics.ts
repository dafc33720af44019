/** The metrics of settlement as Prometheus reads them. */
import { Counter, Gauge, type Registry } from 'prom-client'
import { createChainGauges } from './chain-gauges.ts'
import { HOLD_REASONS, type SettlementMetrics } from './metrics.ts'
import { MOVEMENT_KINDS } from './tables/movements.sql.ts'

/** Registers the settlement metrics, each labelled by chain. */
export function createSettlementMetrics(registry: Registry): SettlementMetrics {
  const { forget, ...states } = createStates(registry)
  const { showFromZero, ...happenings } = createHappenings(registry)
  const leading = new Gauge({
    name: 'settlement_leading',
    help: '1 when this process settles the chain',
    labelNames: ['chain'],
    registers: [registry],
  })
  const leads = new Set<number>()
  return {
    ...states,
    ...happenings,
    // Nobody waits for a node's answer: it may come when this process has stopped settling the chain.
    node: (chain, node, lag) => void (leads.has(chain) && states.node(chain, node, lag)),
    leading(chain, leadsNow) {
      if (leadsNow) leads.add(chain)
      else leads.delete(chain)
      if (!leadsNow) forget(chain)
      leading.set({ chain }, leadsNow ? 1 : 0)
      showFromZero(chain)
    },
    lost(chain) {
      leads.delete(chain)
      forget(chain)
      leading.remove({ chain })
    },
  }
}

/** What is the case now; `forget` takes back all that is said of a chain. */
type States = Pick<
  SettlementMetrics,
  | 'inFlight'
  | 'oldestPendingSeconds'
  | 'headLag'
  | 'finalLag'
  | 'oversizedOrders'
  | 'held'
  | 'oldestUnminedSeconds'
  | 'oldestByIntegration'
  | 'node'
  | 'timelockUnread'
> & { forget(chain: number): void }

function createStates(registry: Registry): States {
  const { gauge, forget } = createChainGauges(registry)
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
  return {
    forget,
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
      nodeUp.set(chain, lag === undefined ? 0 : 1, node)
      if (lag !== undefined) nodeLag.set(chain, lag, node)
    },
    timelockUnread: (chain, blocks) => unread.set(chain, blocks),
  }
}

/** What has happened, counted. */
type Happenings = Pick<
  SettlementMetrics,
  | 'formed'
  | 'finalized'
  | 'bumped'
  | 'handedOver'
  | 'reorganised'
  | 'reverted'
  | 'vanished'
  | 'foreign'
  | 'foreignMovement'
> & {
  /** An increase is only seen of what was shown before it. */
  showFromZero(chain: number): void
}

function createHappenings(registry: Registry): Happenings {
  const counter = (name: string, help: string, ...labels: string[]) =>
    new Counter({ name: `settlement_${name}_total`, help, labelNames: ['chain', ...labels], registers: [registry] })
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
    showFromZero(chain) {
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
    foreignMovement: (chain, kind) => movements.inc({ chain, kind }),
  }
}
