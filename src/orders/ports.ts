/** What `orders` needs from the outside world. `chain` implements it; `orders` itself knows no RPC client. */

/**
 * A configured chain, as far as orders are concerned. Addresses are EIP-55 checksummed; `contracts` are those of the service,
 * which hold coin for nobody. Where it has no sanctions oracle, the chain is not read for a mint.
 */
export type ChainFacts = {
  chainId: number
  network: string
  tokenAddress: string
  contracts: readonly string[]
  hasSanctionsOracle: boolean
}

/** The customer of an integration to whom a wallet is linked. */
export type WalletOwner = { integrationId: string; customerId: string }

/** Reads of the coin on a chain. Every call throws ChainUnreadableError when no node answers in time. */
export type WalletReader = {
  /** The coin balance in micro units at the end of block `blockNumber`. */
  balanceAt(chainId: number, address: string, blockNumber: bigint): Promise<bigint>
  /** Whether the wallet is linked to its owner on the chain at the newest block, and so may be debited. */
  isLinked(chainId: number, address: string, owner: WalletOwner): Promise<boolean>
  /** Whether the coin has frozen the address, at the newest block. */
  isFrozen(chainId: number, address: string): Promise<boolean>
  /** Whether the chain's sanctions oracle lists the address; false when no oracle is configured. */
  isSanctioned(chainId: number, address: string): Promise<boolean>
}
