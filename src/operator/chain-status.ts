/** The state of every configured chain, in the shape that `chain status` prints. */
import type { OperatorChain } from './deps.ts'

export type ChainStatusView = {
  chainId: number
  /** Number of the newest block; null when no RPC address answers. */
  head: number | null
  /** Without credentials, paths and queries. */
  rpcUrls: string[]
  coin: string
  settlement: string
  paused: boolean | null
  /** `gasBalance`: wei of the native currency, as a decimal string. */
  signers: { address: string; nonce: number; gasBalance: string }[]
  /** A sentence when the chain cannot be read. */
  problem?: string
}

/** Asks all chains in parallel. One that does not answer is shown as such and does not hide the others. */
export async function statusOfChains(chains: readonly OperatorChain[]): Promise<ChainStatusView[]> {
  return Promise.all(chains.map((chain) => statusOf(chain).catch(() => unreadable(chain))))
}

async function statusOf({ admin }: OperatorChain): Promise<ChainStatusView> {
  const { head, signers, ...status } = await admin.status()
  return {
    chainId: status.chainId,
    head: Number(head),
    rpcUrls: status.rpcUrls,
    coin: status.coin,
    settlement: status.settlement,
    paused: status.paused,
    signers: signers.map(({ address, nonce, gasBalance }) => ({
      address,
      nonce: Number(nonce),
      gasBalance: gasBalance.toString(),
    })),
  }
}

function unreadable({ config }: OperatorChain): ChainStatusView {
  return {
    chainId: config.chainId,
    head: null,
    rpcUrls: config.rpcUrls.map((url) => (URL.canParse(url) ? new URL(url).origin : 'unreadable address')),
    coin: config.coin.address,
    settlement: config.settlement,
    paused: null,
    signers: [],
    problem: 'No RPC address answers: check the node and the address configured for it.',
  }
}
