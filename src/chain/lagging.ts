/** Which nodes of a chain show older blocks than others: such a one answers everything, and nothing of it is an error. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { RpcNode } from './node.ts'
import { readBlock } from './reads.ts'

/** Both: blocks may come several in a second, or none for minutes. */
const LAG_BLOCKS = 10n
const LAG_SECONDS = 60n
/** Whoever looks waits no longer for a node that does not answer, which shows elsewhere. */
const PATIENCE_MS = 3_000

/** Asks every node for its newest block. @returns one sentence for each that is behind the newest that any shows */
export async function findLaggingNodes(
  { quorum }: { quorum: number },
  nodes: readonly RpcNode[],
  patienceMs: number = PATIENCE_MS,
): Promise<string[]> {
  if (nodes.length < 2) return []
  const asked = nodes.map(async (node) => {
    const block = await readBlock(node, 'latest').catch(() => undefined)
    return block === undefined ? [] : [{ label: node.label, block }]
  })
  const patience = new AbortController()
  const late = sleep(patienceMs, [], { signal: patience.signal, ref: false })
  const heads = (await Promise.all(asked.map((each) => Promise.race([each, late])))).flat()
  patience.abort()
  late.catch(() => {})
  const [newest] = heads.toSorted((a, b) => Number(b.block.number - a.block.number))
  if (newest === undefined) return []
  const lagging = heads.flatMap(({ label, block }) => {
    const [blocks, seconds] = [newest.block.number - block.number, newest.block.timestamp - block.timestamp]
    return blocks > LAG_BLOCKS && seconds > LAG_SECONDS ? [{ label, block, blocks, seconds }] : []
  })
  const isAgreed = heads.length - lagging.length >= quorum
  return lagging.map(
    ({ label, block, blocks, seconds }) =>
      `${label} shows block ${block.number} as its newest, ${blocks} blocks and ${seconds} s behind ${newest.label}: ` +
      (isAgreed
        ? `while fewer than ${quorum} RPC addresses are up to date, nothing newer is seen. ${REPLACE_IT}`
        : sayOpen(quorum)),
  )
}

const REPLACE_IT = 'Where that lasts, replace it in the chains file.'

/** One that shows blocks which there are not would otherwise have all others replaced. */
const sayOpen = (quorum: number): string =>
  `fewer than ${quorum} RPC addresses show so new a block, so that nothing newer is seen, and nobody can tell from here whether there is one. Where that lasts, replace the RPC address in the chains file that no block explorer agrees with.`
