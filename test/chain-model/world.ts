/** What a life is made of, as the judge sees it. */
import type { ChainConfig } from '../../src/config.ts'
import type { Database } from '../../src/db/database.ts'
import type { Blocks } from './blocks.ts'
import type { ModelNode } from './nodes.ts'
import type { Orders } from './orders.ts'
import type { Line, Settlers } from './settlers.ts'
import type { Torn } from './torn.ts'

export type World = {
  db: Database
  config: ChainConfig
  blocks: Blocks
  nodes: readonly ModelNode[]
  orders: Orders
  /** Warnings, errors and worse of all settlers. */
  lines: readonly Line[]
  traits: { hasDeep: boolean; hasRestores: boolean; isFickle: boolean; isPaid: boolean }
  /** In lives in which people put right what a restore has left. */
  torn: Torn | undefined
  /** By order and batch, since when nothing has become of it; and how often in a row something waited long and nobody said why. */
  waiting: { since: Map<string, number>; unexplained: number }
  nowMs: () => number
  states: Settlers['states']
  wokeLately: Settlers['wokeLately']
}
