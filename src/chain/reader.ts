/** Reads of the coin for answers and checks: the RPC addresses are tried in turn, one node per read. */
import { type Address, getAddress, type Hex, parseAbi } from 'viem'
import { ChainUnreadableError } from '../chain-errors.ts'
import type { ChainConfig } from '../config.ts'
import { type FinalSupply, readFinalSupply } from './final-supply.ts'
import { coinAbi } from './generated/coin.ts'
import type { RpcNode } from './node.ts'
import { type BlockRef, readBlock, readQuantity, readView } from './reads.ts'

/** Every function throws ChainUnreadableError when no node answers. Amounts are micro units. */
export type ChainReader = {
  /** The balance at the end of a block, by default the newest. */
  balanceAt(address: string, blockNumber?: bigint): Promise<bigint>
  /**
   * The newest balance, of a node that has come to `reached` if there is any: one that stands still answers like all others, and would be
   * asked again and again.
   */
  latestBalance(address: string, reached?: bigint): Promise<bigint>
  isFrozen(address: string): Promise<boolean>
  /** Whether the wallet is linked to an account (`linkAccount`) and so may be debited for it. */
  isLinkedTo(address: string, account: Hex): Promise<boolean>
  /** False when the chain has no sanctions oracle configured. */
  isSanctioned(address: string): Promise<boolean>
  head(): Promise<{ number: bigint; hash: Hex }>
  /** The block with which the chain begins. */
  genesisHash(): Promise<Hex>
  /** The coin in existence at the newest final block, or at `notAbove` where that is lower, as a quorum of nodes says. @throws NoQuorumError */
  finalSupply(notAbove?: bigint): Promise<FinalSupply>
}

const oracleAbi = parseAbi(['function isSanctioned(address) view returns (bool)'])

/** Makes the reader of a chain. */
export function createReader(config: ChainConfig, nodes: readonly RpcNode[]): ChainReader {
  const ask = inTurn(nodes)
  const coin = <T>(functionName: string, args: readonly unknown[], block: BlockRef = 'latest') =>
    ask((node) =>
      readView(node, { address: config.coin.address, abi: coinAbi, functionName, args }, block),
    ) as Promise<T>
  const balanceAt = (address: string, blockNumber?: bigint) =>
    coin<bigint>('balanceOf', [getAddress(address)], blockNumber ?? 'latest')

  return {
    balanceAt,
    async latestBalance(address, reached) {
      if (reached === undefined || nodes.length === 1) return await balanceAt(address)
      const view = {
        address: config.coin.address,
        abi: coinAbi,
        functionName: 'balanceOf',
        args: [getAddress(address)],
      }
      const read = async (node: RpcNode) => {
        const [blockNumber, balance] = await Promise.all([
          readQuantity(node, 'eth_blockNumber'),
          readView(node, view) as Promise<bigint>,
        ])
        return { blockNumber, balance }
      }
      return (await ask(read, ({ blockNumber }) => blockNumber - reached)).balance
    },
    isFrozen: (address) => coin<boolean>('isFrozen', [getAddress(address)]),
    isLinkedTo: (address, account) => coin<boolean>('isLinkedTo', [getAddress(address), account]),
    async isSanctioned(address) {
      const oracle: Address | undefined = config.sanctionsOracle
      if (oracle === undefined) return false
      const view = { address: oracle, abi: oracleAbi, functionName: 'isSanctioned', args: [getAddress(address)] }
      return (await ask((node) => readView(node, view))) as boolean
    },
    async head() {
      const block = await ask((node) => readBlock(node, 'latest'))
      if (block === undefined) throw new ChainUnreadableError('the chain has no blocks')
      return { number: block.number, hash: block.hash }
    },
    async genesisHash() {
      const block = await ask((node) => readBlock(node, 0n))
      if (block === undefined) throw new ChainUnreadableError('no node shows the first block')
      return block.hash
    },
    finalSupply: (notAbove) => readFinalSupply(config, nodes, notAbove),
  }
}

/** How long a node may take before the next one is asked beside it. */
const PATIENCE_MS = 1_000

/**
 * Asks one node after another until one answers, beginning with the one that answered last. One that takes long is waited for, but the next
 * one is asked, too: whoever answers each time just before its time is over would otherwise be asked first for ever, and everybody wait for it.
 * The asker throws ChainUnreadableError when none does.
 * @param ahead (of the asker) how far an answer is ahead of what it must have come to: of answers that are behind, the one that is least so counts
 */
export function inTurn(
  nodes: readonly RpcNode[],
  patienceMs = PATIENCE_MS,
): <T>(read: (node: RpcNode) => Promise<T>, ahead?: (answer: T) => bigint) => Promise<T> {
  let preferred = 0
  return <T>(read: (node: RpcNode) => Promise<T>, ahead: (answer: T) => bigint = () => 0n) =>
    new Promise<T>((resolve, reject) => {
      const left = nodes.map((_, step) => (preferred + step) % nodes.length)
      const failures: string[] = []
      const behind: { value: T; by: bigint }[] = []
      let open = 0
      let isOver = false
      let patience: NodeJS.Timeout | undefined

      const ask = async (index: number, node: RpcNode): Promise<void> => {
        open += 1
        if (left.length > 0) patience = setTimeout(next, patienceMs)
        try {
          const value = await read(node)
          const by = -ahead(value)
          if (by <= 0n) return end(index, value)
          behind.push({ value, by })
        } catch (error) {
          failures.push(error instanceof Error ? error.message : 'failed')
        }
        open -= 1
        next()
      }
      const end = (index: number, value: T): void => {
        clearTimeout(patience)
        if (!isOver) preferred = index
        isOver = true
        resolve(value)
      }
      const next = (): void => {
        clearTimeout(patience)
        if (isOver) return
        const index = left.shift()
        const node = nodes[index ?? nodes.length]
        if (index !== undefined && node !== undefined) return void ask(index, node)
        if (open > 0) return
        const [best] = behind.sort((a, b) => (a.by < b.by ? -1 : 1))
        if (best !== undefined) resolve(best.value)
        else reject(new ChainUnreadableError(`no RPC address answered: ${failures.join('; ')}`))
      }
      next()
    })
}
