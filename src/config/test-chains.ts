/** Chains whose coin is worth nothing. */

/** The local ones of development tools, and public test networks (chainlist.org, `isTestnet`). */
const TEST_CHAIN_IDS: ReadonlySet<number> = new Set([
  1337, 31_337,
  // Ethereum: Sepolia, Holesky, Hoodi.
  11_155_111, 17_000, 560_048,
  // On Sepolia: Base, OP Mainnet, Arbitrum, Scroll, Linea, zkSync, Unichain.
  84_532, 11_155_420, 421_614, 534_351, 59_141, 300, 1_301,
  // Polygon Amoy, BNB, Avalanche Fuji, Gnosis Chiado, Celo Sepolia.
  80_002, 97, 43_113, 10_200, 11_142_220,
])

/** Whether everybody can have as much of this chain's coin as they like. */
export function isTestChain(chainId: number): boolean {
  return TEST_CHAIN_IDS.has(chainId)
}
