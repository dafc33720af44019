/** What the demo reads from the chain itself, without asking the service. */
import { type Address, createPublicClient, type Hex, http, isAddressEqual, parseEventLogs, zeroAddress } from 'viem'
import { coinAbi } from '../../chain/generated/coin.ts'

export type Movement = { from: Address; to: Address; amountMicro: bigint }

export type ChainView = {
  head(): Promise<bigint>
  /** Coin in existence, micro units. */
  supplyMicro(): Promise<bigint>
  balanceMicro(address: string): Promise<bigint>
  /** The coin movements of a mined transaction and its gas; undefined while it is not mined. */
  movementsOf(txHash: string): Promise<{ movements: Movement[]; gasUsed: bigint } | undefined>
}

/** Reads `coin` on the chain behind `rpcUrl`. */
export function createChainView(rpcUrl: string, coin: Address): ChainView {
  const client = createPublicClient({ transport: http(rpcUrl), cacheTime: 0 })
  const contract = { address: coin, abi: coinAbi } as const
  return {
    head: () => client.getBlockNumber(),
    supplyMicro: () => client.readContract({ ...contract, functionName: 'totalSupply' }),
    balanceMicro: (address) =>
      client.readContract({ ...contract, functionName: 'balanceOf', args: [address as Address] }),
    async movementsOf(txHash) {
      const receipt = await client.getTransactionReceipt({ hash: txHash as Hex }).catch(() => undefined)
      if (receipt === undefined) return undefined
      const transfers = parseEventLogs({ abi: coinAbi, logs: receipt.logs, eventName: 'Transfer' })
      const movements = transfers
        .filter((log) => isAddressEqual(log.address, coin))
        .map(({ args: { from, to, value } }) => ({ from, to, amountMicro: value }))
      return { movements, gasUsed: receipt.gasUsed }
    },
  }
}

/** Names a movement as people do. */
export function describeMovement({ from, to }: Movement): string {
  if (isAddressEqual(from, zeroAddress)) return `minted to ${to}`
  if (isAddressEqual(to, zeroAddress)) return `burned from ${from}`
  return `moved from ${from} to ${to}`
}
