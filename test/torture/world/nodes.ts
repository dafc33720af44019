/** The RPC addresses that the service is given: proxies in front of one chain that misbehave as told. */
import { type Hex, keccak256 } from 'viem'
import { type Fault, type FaultyRpc, startFaultyRpc } from '../../support/faulty-rpc.ts'
import { blockTag, createRpc } from './chain.ts'

/** Faults in which a node is only late or silent. All nodes may have one at the same time. */
export const SILENCES = ['drops answers', 'refuses connections', 'is slow', 'answers errors'] as const
/**
 * Ways in which broadcasts are lost. All nodes may lose them at the same time, for what they say about the chain stays
 * true.
 */
export const LOSSES = ['says nonce too low', 'swallows broadcasts', 'never answers broadcasts'] as const
/** Untrue answers of a node. Only fewer nodes than the quorum may lie at the same time. */
export const LIES = [
  ...LOSSES,
  'tells an old head',
  'is on another branch',
  'has no receipts',
  'estimates too little gas',
  'estimates too much gas',
  'wants a huge tip',
] as const

export type NodeFault = (typeof SILENCES)[number] | (typeof LIES)[number]

export type Nodes = {
  urls: readonly string[]
  /** One fault for each node; undefined: honest. */
  faults: (NodeFault | undefined)[]
  close(): Promise<void>
}

const SHARE = 0.4
const SLOW_MS = 1_200
const LAG_BLOCKS = 3
const HONEST: Fault = { kind: 'none' }

type Request = { method: string; params: unknown[] }

/** Starts `count` proxies to the chain. */
export async function startNodes(rpcUrl: string, count: number, seed: number): Promise<Nodes> {
  const faults: (NodeFault | undefined)[] = Array.from({ length: count }, () => undefined)
  const rpc = createRpc(rpcUrl)
  const proxies: FaultyRpc[] = []
  for (let index = 0; index < count; index += 1) {
    const rules = async (request: Request, random: () => number): Promise<Fault> => {
      const fault = faults[index]
      if (fault === undefined) return HONEST
      return silence(fault, random) ?? (await lie(fault, request, rpc)) ?? HONEST
    }
    proxies.push(await startFaultyRpc(rpcUrl, rules, seed + index))
  }
  return {
    urls: proxies.map(({ url }) => url),
    faults,
    async close() {
      await Promise.all(proxies.map((proxy) => proxy.close()))
    },
  }
}

function silence(fault: NodeFault, random: () => number): Fault | undefined {
  switch (fault) {
    case 'drops answers':
      return random() < SHARE ? { kind: 'drop' } : HONEST
    case 'refuses connections':
      return random() < SHARE ? { kind: 'refuse' } : HONEST
    case 'is slow':
      return { kind: 'delay', ms: random() * SLOW_MS }
    case 'answers errors':
      return random() < SHARE ? { kind: 'error', message: 'internal error' } : HONEST
    default:
      return undefined
  }
}

const isBroadcast = ({ method }: Request): boolean => method === 'eth_sendRawTransaction'

/** Undefined: this request is answered honestly. */
async function lie(fault: NodeFault, request: Request, rpc: ReturnType<typeof createRpc>): Promise<Fault | undefined> {
  const { method, params } = request
  const say = (result: unknown): Fault => ({ kind: 'lie', lie: () => result })
  switch (fault) {
    case 'tells an old head': {
      if (method !== 'eth_blockNumber' && !(method === 'eth_getBlockByNumber' && params[0] === 'latest'))
        return undefined
      const head = Number(await rpc<string>('eth_blockNumber'))
      const old = blockTag(Math.max(0, head - LAG_BLOCKS))
      return say(method === 'eth_blockNumber' ? old : await rpc('eth_getBlockByNumber', old, params[1] ?? false))
    }
    case 'is on another branch':
      return method === 'eth_getBlockByNumber' ? { kind: 'lie', lie: onAnotherBranch } : undefined
    case 'has no receipts':
      return method === 'eth_getTransactionReceipt' ? say(null) : undefined
    case 'says nonce too low':
      return isBroadcast(request) ? { kind: 'error', message: 'nonce too low' } : undefined
    case 'swallows broadcasts':
      return isBroadcast(request) ? { kind: 'pretend', result: keccak256(params[0] as `0x${string}`) } : undefined
    case 'never answers broadcasts':
      return isBroadcast(request) ? { kind: 'hang' } : undefined
    case 'estimates too little gas':
      return method === 'eth_estimateGas' ? say('0x5208') : undefined
    case 'estimates too much gas':
      return method === 'eth_estimateGas' ? say('0x3b9aca00') : undefined
    case 'wants a huge tip':
      return method === 'eth_maxPriorityFeePerGas' ? say(blockTag(10_000n * 10n ** 9n)) : undefined
    default:
      return undefined
  }
}

/** The block that another branch has at that height. */
function onAnotherBranch(block: unknown): unknown {
  if (block === null) return null
  const { hash } = block as { hash: Hex }
  return { ...block, hash: keccak256(hash) }
}
