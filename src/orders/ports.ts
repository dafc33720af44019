/** What orders needs from the outside world. Implemented by `chain`; orders itself knows no RPC client. */

/** A configured chain, as far as an order shows it. The token address is EIP-55 checksummed. */
export type ChainFacts = { chainId: number; network: string; tokenAddress: string }

/** Reads of the coin on a chain. Every call throws ChainUnreadableError when no node answers in time. */
export type WalletReader = {
  /** The coin balance in micro units as it stood at the end of block `blockNumber`. */
  balanceAt(chainId: number, address: string, blockNumber: bigint): Promise<bigint>
  /** Whether the coin has frozen the address, at the newest block. */
  isFrozen(chainId: number, address: string): Promise<boolean>
  /** Whether the chain's sanctions oracle lists the address; false when no oracle is configured. */
  isSanctioned(chainId: number, address: string): Promise<boolean>
}
