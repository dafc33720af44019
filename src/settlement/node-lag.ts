/** How far each RPC address is behind the furthest one. */
import { readBlock } from '../chain/reads.ts'
import type { Work } from './work.ts'

const EVERY_MS = 15_000

/** Counts the lag of each node now and then, beside everything else: a node that never answers holds nothing up. */
export function countNodeLag({ chain, memory, metrics, nowMs }: Work): void {
  if (memory.lag.isUnderWay || nowMs() - memory.lag.countedAtMs < EVERY_MS) return
  memory.lag = { isUnderWay: true, countedAtMs: nowMs() }
  const { nodes, config } = chain
  void Promise.allSettled(nodes.map((node) => readBlock(node, 'latest')))
    .then((answers) => {
      const heads = answers.map((answer) => (answer.status === 'fulfilled' ? answer.value?.number : undefined))
      const furthest = heads.reduce<bigint>((most, head) => (head !== undefined && head > most ? head : most), 0n)
      for (const [index, { label }] of nodes.entries()) {
        const head = heads[index]
        metrics.node(config.chainId, label, head === undefined ? undefined : Number(furthest - head))
      }
    })
    .finally(() => {
      memory.lag.isUnderWay = false
    })
}
