/** Settlement in numbers, for operators. */

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
  'other-chain-unfenced',
  'signer-without-role',
  'settlement-without-role',
  'simulation-failed',
  'signer-unavailable',
  'batch-not-mined',
  'batch-undecided',
  'batch-not-found',
  'fence',
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
  /** Nobody settles a chain that is gone for good, and nothing is shown of it. */
  lost(chainId: number): void
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
  lost() {},
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
