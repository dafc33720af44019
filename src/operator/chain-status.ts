/** The state of every configured chain, in the shape that `chain status` prints. */
import type { OperatorChain } from './deps.ts'
import { within } from './within.ts'

/** `missing`: how much a key that is low needs besides, in wei; where it is known. */
type Gas = { gasBalance: string; isLow: boolean; missing?: string }

export type ChainStatusView = {
  chainId: number
  /** Whether the chain can be read and nobody has a power over it without right. */
  ok: boolean
  /** Number of the newest block; null when no RPC address answers. */
  head: number | null
  /** Without credentials, paths and queries. */
  rpcUrls: string[]
  coin: string
  settlement: string
  /** Whether the coin is paused, so that nothing moves. */
  paused: boolean | null
  /** Whether settlement alone is paused. */
  settlementPaused: boolean | null
  /** `gasBalance`: wei of the native currency, as a decimal string; `isLow`: less than a whole batch costs. */
  signers: ({ address: string; nonce: number } & Gas)[]
  /** Keys of operators' commands. `isLow`: less than their dearest use costs, for the pauser a stop at its fee ceiling. */
  keys: ({ name: string; address: string } & Gas)[]
  /** How the contracts differ from what the chains file says about them, one sentence each. */
  findings: { text: string; danger: boolean }[]
  /** Since when, and why, it is called lost; null of others. */
  lost: string | null
  /** A sentence when something must be done. */
  error: string | null
}

/** One node of several that is away takes ten seconds: it is asked for the head, and then for what it calls finalized. */
const PATIENCE_MS = 15_000

const AWAY = 'No RPC address answers: check the node and the address configured for it.'
/** Nobody knows yet how it is. */
export const SLOW =
  'Its RPC addresses answer too slowly to say how it is: check the nodes and the addresses configured for them.'

/**
 * Asks all chains in parallel. One that does not answer, or only after `patienceMs`, is shown as such and does not hide the others.
 * @param lost since when, and why, of those that nobody is asked about
 */
export async function statusOfChains(
  chains: readonly OperatorChain[],
  lost: ReadonlyMap<number, string>,
  patienceMs: number = PATIENCE_MS,
): Promise<ChainStatusView[]> {
  return Promise.all(
    chains.map((chain) => {
      const said = lost.get(chain.config.chainId)
      // Nobody waits for its nodes: it is as it should be.
      if (said !== undefined) return { ...unreadable(chain, null), ok: true, lost: said }
      const status = statusOf(chain).catch(() => unreadable(chain, AWAY))
      return within(patienceMs, status, () => unreadable(chain, SLOW))
    }),
  )
}

async function statusOf({ admin }: OperatorChain): Promise<ChainStatusView> {
  const [{ head, signers, findings, ...status }, keys] = await Promise.all([admin.status(), admin.keyGas()])
  const isUnsafe = findings.some(({ danger }) => danger)
  return {
    chainId: status.chainId,
    ok: !isUnsafe,
    head: Number(head),
    rpcUrls: status.rpcUrls,
    coin: status.coin,
    settlement: status.settlement,
    paused: status.paused,
    settlementPaused: status.settlementPaused,
    signers: signers.map(({ address, nonce, gasBalance, ...gas }) => ({
      address,
      nonce: Number(nonce),
      ...gasOf({ balanceWei: gasBalance, ...gas }),
    })),
    keys: keys
      .filter(({ name }) => name !== 'signer')
      .map(({ name, address, ...gas }) => ({ name, address, ...gasOf(gas) })),
    findings,
    lost: null,
    error: isUnsafe ? 'The contracts are not as the chains file says: find out who changed that.' : null,
  }
}

function gasOf({ balanceWei, neededWei, isLow }: { balanceWei: bigint; neededWei?: bigint; isLow: boolean }): Gas {
  const gas = { gasBalance: balanceWei.toString(), isLow }
  return isLow && neededWei !== undefined ? { ...gas, missing: (neededWei - balanceWei).toString() } : gas
}

function unreadable({ config }: OperatorChain, error: string | null): ChainStatusView {
  return {
    chainId: config.chainId,
    ok: false,
    head: null,
    rpcUrls: config.rpcUrls.map((url) => (URL.canParse(url) ? new URL(url).origin : 'unreadable address')),
    coin: config.coin.address,
    settlement: config.settlement,
    paused: null,
    settlementPaused: null,
    signers: [],
    keys: [],
    findings: [],
    lost: null,
    error,
  }
}
