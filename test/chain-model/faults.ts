/** What is wrong with nodes and processes at a time. */
import type { Random } from '../support/random.ts'
import { GWEI, type Network } from './network.ts'
import type { Fault, ModelNode } from './nodes.ts'
import type { Mishap } from './process.ts'

const LIES = ['branch', 'nonceOff', 'outcomes', 'inventsHead', 'chainId', 'tip', 'estimates', 'isPoor'] as const
const isLying = ({ fault }: ModelNode) => fault.receipts === 'none' || LIES.some((lie) => fault[lie] !== undefined)

/** Whether a node has no part in finding the head. */
export const isAway = ({ fault }: ModelNode) =>
  [fault.lag, fault.branch, fault.isDown, fault.failsOneIn].some((each) => each !== undefined)

const shown = ({ fault: { branch, ...fault } }: ModelNode) =>
  branch === undefined
    ? JSON.stringify(fault, (_, value) => (typeof value === 'bigint' ? String(value) : value))
    : 'on a branch'

export function createFaults(
  { nodes, blocks }: Network,
  random: Random,
  { troubles, mishaps }: { troubles: number; mishaps: number },
  say: (what: string) => void,
) {
  /** What any number of nodes may have at a time. */
  function trouble(): Fault {
    const broadcast = random.pick([
      ...(['takes and does not answer', 'swallows', 'does not answer', 'already known', 'nonce too low'] as const),
      'replacement transaction underpriced',
      'insufficient funds for gas * price + value',
      'internal error',
    ] as const)
    return random.weighted<{ weight: number; fault: Fault }>([
      { weight: 10, fault: {} },
      { weight: 2, fault: { isDown: true } },
      { weight: 2, fault: { failsOneIn: random.between(2, 9) } },
      { weight: 3, fault: { lag: random.between(1, 6) } },
      { weight: 8, fault: { broadcast } },
      { weight: 1, fault: { isPruned: true } },
      { weight: 3, fault: { receipts: 'of dead branches' } },
      { weight: 1, fault: { takesOnlyMineable: true } },
      {
        weight: 1,
        fault: {
          refuses: [random.pick(['eth_call', 'eth_getTransactionReceipt', 'eth_estimateGas', 'eth_getBalance'])],
        },
      },
    ]).fault
  }

  /** What only one node at a time says, because two of three would be believed. */
  function lie(): Fault {
    return random.pick<Fault>([
      { branch: blocks.newest() },
      { receipts: 'none' },
      { nonceOff: random.pick([-2n, -1n, 1n, 3n]) },
      { outcomes: random.pick(['unsettled', 'all failed', 'all succeeded', 'of another digest'] as const) },
      { inventsHead: true },
      { chainId: 1 },
      { tip: 10_000n * GWEI },
      { estimates: random.pick(['revert', 'low', 'high'] as const) },
      { isPoor: true },
    ])
  }

  return {
    change(): void {
      if (!random.chance(troubles)) return
      const liar = random.chance(0.5) ? random.pick(nodes) : undefined
      for (const node of nodes) {
        if (node !== liar && random.chance(0.4)) continue
        node.fault = node === liar ? lie() : isLying(node) || random.chance(0.6) ? trouble() : node.fault
      }
      const liars = nodes.filter(isLying)
      for (const node of liars) if (node !== (liar ?? liars[0])) node.fault = {}
      say(`nodes: ${nodes.map(shown).join(' ')}`)
    },
    mendAll(): void {
      for (const node of nodes) node.fault = {}
    },
    /** Of a process in its next round. */
    mishap(): Mishap | undefined {
      if (!random.chance(mishaps)) return undefined
      const deaths = ['killed', 'killed', 'killed after', 'commit lost'] as const
      const what = random.pick([...deaths, 'commit unanswered', 'sleeps'] as const)
      return { at: random.between(1, random.pick([20, 60, 150])), what }
    },
  }
}
