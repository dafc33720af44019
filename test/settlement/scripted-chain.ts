/** A chain of plain data: a test writes its blocks, and nodes answer from them as honest ones do. */
import {
  type Address,
  encodeFunctionResult,
  type Hex,
  keccak256,
  numberToHex,
  pad,
  toEventSelector,
  toHex,
  zeroAddress,
} from 'viem'
import { decodeCall } from '../../src/chain/call-data.ts'
import { ROLE_IDS, type RoleName } from '../../src/chain/deployment/roles.ts'
import { coinAbi } from '../../src/chain/generated/coin.ts'
import { settlementAbi } from '../../src/chain/generated/settlement.ts'
import {
  digestOf,
  encodeSettle,
  type Instruction,
  KIND,
  NO_HISTORY,
  packInstructions,
  runningHashAfter,
} from '../../src/chain/instructions.ts'
import { RpcAnswerError, type RpcNode } from '../../src/chain/node.ts'
import type { FollowedHead } from '../../src/settlement/finality.ts'

export const COIN: Address = '0x00000000000000000000000000000000000000C0'
export const SETTLEMENT: Address = '0x00000000000000000000000000000000000000A5'

export type ScriptedBatch = { batchId: bigint; instructions: readonly Instruction[]; bitmap?: bigint; sender?: Address }

/** What a block adds; powers are those from this block on. */
type Addition = {
  batches?: readonly ScriptedBatch[]
  /** Coin that a transaction outside every batch makes; less than zero: destroys. */
  outsideMicro?: bigint
  powers?: ScriptedPowers
  /** Transactions of these senders that settle nothing. */
  others?: readonly Address[]
}

export type ScriptedPowers = {
  holders?: Partial<Record<`${'coin' | 'settlement'}/${RoleName}`, readonly Address[]>>
  limits?: readonly bigint[]
  ceilings?: readonly bigint[]
  code?: { coin: Address; settlement: Address }
}

type Block = Required<Addition> & { number: bigint; hash: Hex; parentHash: Hex; supplyMicro: bigint }

const CODE = { coin: pad('0x01', { size: 20 }), settlement: pad('0x02', { size: 20 }) }
const NO_POWERS: ScriptedPowers = {}
const NO_BATCH: ScriptedBatch = { batchId: 0n, instructions: [] }
const everything = ({ instructions }: ScriptedBatch): bigint => (1n << BigInt(instructions.length)) - 1n
/** How much more coin exists after a batch. */
const madeBy = (batch: ScriptedBatch): bigint => {
  const executed = batch.instructions.filter(
    (_, index) => ((batch.bitmap ?? everything(batch)) & (1n << BigInt(index))) > 0n,
  )
  const signs = { [KIND.MINT]: 1n, [KIND.REDEEM]: -1n, [KIND.TRANSFER]: 0n }
  return executed.reduce((sum, { kind, amount }) => sum + signs[kind] * amount, 0n)
}
const senderOf = ({ sender = COIN }: ScriptedBatch): Address => sender

/** What is worked out of a batch once, because nodes are asked for it often. */
const known = new WeakMap<ScriptedBatch, { packed: Hex; digest: Hex; input: Hex; hash: Hex }>()
function encoded(batch: ScriptedBatch) {
  const before = known.get(batch)
  if (before !== undefined) return before
  const packed = packInstructions(batch.instructions)
  const input = encodeSettle(batch.batchId, NO_HISTORY, packed)
  const all = { packed, digest: digestOf(packed), input, hash: keccak256(input) }
  known.set(batch, all)
  return all
}

/** The transaction that settles a batch. */
export const transactionOf = (batch: ScriptedBatch): Hex => encoded(batch).hash

export type ScriptedChain = ReturnType<typeof scriptChain>

export function scriptChain(confirmations = 3) {
  let blocks: Block[] = []
  let branch = 0
  /** The contract's running hash, as long as no block was taken back. */
  let history: Hex = NO_HISTORY
  const swapped = new Map<bigint, ScriptedBatch>()
  const hidden = new Set<Hex>()
  /** Every request that reached a node: method, and its first parameter. */
  const asked: [method: string, first: unknown][] = []

  function mine({ batches = [], outsideMicro = 0n, powers, others = [] }: Addition = {}): void {
    const before = blocks.at(-1)
    const number = (before?.number ?? 0n) + 1n
    const made = batches.map(madeBy)
    for (const batch of batches) {
      const { packed, digest } = encoded(batch)
      known.set(batch, { ...encoded(batch), input: encodeSettle(batch.batchId, history, packed) })
      history = runningHashAfter(history, digest)
    }
    blocks.push({
      number,
      hash: keccak256(toHex(`${branch}/${number}`)),
      parentHash: before?.hash ?? NO_HISTORY,
      batches,
      others,
      outsideMicro,
      powers: powers ?? before?.powers ?? NO_POWERS,
      supplyMicro: made.reduce((sum, each) => sum + each, (before?.supplyMicro ?? 0n) + outsideMicro),
    })
  }

  const upTo = (last: Block) => blocks.filter(({ number }) => number <= last.number)
  const batchesOf = (last: Block) =>
    upTo(last).flatMap(({ batches, number }) => batches.map((batch) => ({ batch, number })))

  function call(to: Address, data: Hex, block: Block): Hex {
    if (to === COIN) {
      const { functionName, args } = decodeCall(coinAbi, data)
      if (functionName === 'totalSupply') return numberToHex(block.supplyMicro, { size: 32 })
      return membersOf('coin', args?.[0] as Hex, block)
    }
    const { functionName, args } = decodeCall(settlementAbi, data)
    switch (functionName) {
      case 'head': {
        const last = batchesOf(block).at(-1)?.batch ?? NO_BATCH
        return encodeFunctionResult({ abi: settlementAbi, functionName, result: [last.batchId, NO_HISTORY] })
      }
      case 'outcomeOf': {
        const found = batchesOf(block).find(({ batch }) => batch.batchId === args[0])
        const result = [
          found !== undefined,
          found ? (found.batch.bitmap ?? everything(found.batch)) : 0n,
          found ? encoded(found.batch).digest : pad('0x', { size: 24 }),
          found?.number ?? 0n,
        ] as never
        return encodeFunctionResult({ abi: settlementAbi, functionName, result })
      }
      case 'limitOf':
      case 'ceilingOf': {
        const capacity = block.powers[functionName === 'limitOf' ? 'limits' : 'ceilings']?.[Number(args[0])] ?? 9n
        const result = { capacity, refillPerSecond: 1n, available: capacity, refilledAt: 0n } as never
        return encodeFunctionResult({ abi: settlementAbi, functionName, result })
      }
      default:
        return membersOf('settlement', args?.[0] as Hex, block)
    }
  }

  function membersOf(contract: 'coin' | 'settlement', id: Hex, block: Block): Hex {
    const role = (Object.keys(ROLE_IDS) as RoleName[]).find((name) => ROLE_IDS[name] === id) ?? 'admin'
    const result = [...(block.powers.holders?.[`${contract}/${role}`] ?? [])]
    return encodeFunctionResult({ abi: settlementAbi, functionName: 'getRoleMembers', result })
  }

  function logs({ fromBlock, toBlock, topics }: { fromBlock: Hex; toBlock: Hex; topics: (Hex | Hex[] | null)[] }) {
    const within = blocks.filter(({ number }) => number >= BigInt(fromBlock) && number <= BigInt(toBlock))
    if (Array.isArray(topics[0])) {
      const changed = within.filter(
        ({ number, powers }) => blocks.find((each) => each.number === number - 1n)?.powers !== powers,
      )
      return changed.map(({ number }) => ({
        transactionHash: powerHashOf(number),
        blockNumber: numberToHex(number),
        topics: [],
        data: '0x',
      }))
    }
    if (topics[0] !== TRANSFER) return []
    return within.flatMap(({ number, outsideMicro }) => {
      const isMint = topics[1] !== null
      if (outsideMicro === 0n || isMint !== outsideMicro > 0n) return []
      const [from, to] = isMint ? [zeroAddress, COIN] : [COIN, zeroAddress]
      return {
        transactionHash: outsideHashOf(number),
        blockNumber: numberToHex(number),
        topics: [TRANSFER, pad(from), pad(to)],
        data: numberToHex(isMint ? outsideMicro : -outsideMicro, { size: 32 }),
      }
    })
  }

  function answer(method: string, params: readonly unknown[]): unknown {
    const byHash = (reference: unknown): Block => {
      const found = blocks.find(({ hash }) => hash === (reference as { blockHash?: Hex }).blockHash)
      if (found === undefined)
        throw new RpcAnswerError('scripted', -32000, 'hash is not currently canonical', undefined)
      return found
    }
    switch (method) {
      case 'eth_call': {
        const { to, data } = params[0] as { to: Address; data: Hex }
        return call(to, data, byHash(params[1]))
      }
      case 'eth_getStorageAt': {
        const { code = CODE } = byHash(params[2]).powers
        return pad(params[0] === COIN ? code.coin : code.settlement)
      }
      case 'eth_getTransactionCount': {
        const last =
          typeof params[1] === 'string'
            ? blocks.find(({ number }) => number === BigInt(params[1] as Hex))
            : byHash(params[1])
        const senders =
          last === undefined ? [] : upTo(last).flatMap(({ batches, others }) => [...batches.map(senderOf), ...others])
        return numberToHex(senders.filter((sender) => sender === params[0]).length)
      }
      case 'eth_getBlockByNumber': {
        const isNewest = params[0] === 'latest'
        const block = isNewest ? blocks.at(-1) : blocks.find(({ number }) => number === BigInt(params[0] as Hex))
        if (block === undefined) return null
        const { hash, parentHash, number } = block
        const plain = { hash, parentHash, number: numberToHex(number), timestamp: '0x0', gasLimit: '0x1' }
        const found = block.batches.filter((batch) => !hidden.has(transactionOf(batch)))
        const transactions = found.map((batch) => ({
          hash: transactionOf(batch),
          to: SETTLEMENT,
          from: senderOf(batch),
          nonce: '0x0',
          input: encoded(swapped.get(batch.batchId) ?? batch).input,
        }))
        return { ...plain, transactions }
      }
      case 'eth_getTransactionReceipt': {
        const block = blocks.find(({ batches }) => batches.some((batch) => transactionOf(batch) === params[0]))
        if (block === undefined || hidden.has(params[0] as Hex)) return null
        return { blockNumber: numberToHex(block.number), blockHash: block.hash, status: '0x1' }
      }
      case 'eth_getLogs':
        return logs(params[0] as Parameters<typeof logs>[0])
      default:
        throw new Error(`no script for ${method}`)
    }
  }

  return {
    asked,
    mine,
    /** Takes the last blocks back; those that follow have other hashes. */
    reorganise(count: number): void {
      blocks = blocks.slice(0, -count)
      branch += 1
    },
    /** Nodes show other instructions in the transaction of a batch than the contract recorded. */
    swapTransactionOf: (batchId: bigint, shown: ScriptedBatch) => void swapped.set(batchId, shown),
    /** No node finds this transaction any more, until all are shown again. */
    hide: (txHash: Hex) => void hidden.add(txHash),
    show: () => hidden.clear(),
    /** A node that knows the chain, but for the methods that it refuses. */
    node(refuses: readonly string[] = []): RpcNode {
      return {
        label: 'scripted',
        async request(method, params) {
          asked.push([method, params[0]])
          if (refuses.includes(method)) throw new RpcAnswerError('scripted', -32601, 'not available', undefined)
          return answer(method, params)
        },
      }
    },
    /** The newest block, or one below it, as nodes agree on it. */
    head(nodes: RpcNode[], below = 0): FollowedHead {
      const block = blocks.at(-1 - below)
      if (block === undefined) throw new Error('no block was made')
      const { number, hash, parentHash } = block
      return {
        head: { number, hash, parentHash, timestamp: 0n, gasLimit: 1n, baseFeePerGas: 0n },
        nodes,
        finalBlock: number - BigInt(confirmations) + 1n,
      }
    },
  }
}

const TRANSFER = toEventSelector('Transfer(address,address,uint256)')

/** The transaction that made or destroyed coin outside every batch in a block. */
export const outsideHashOf = (block: bigint): Hex => keccak256(toHex(`outside ${block}`))

/** The transaction that changed powers in a block. The first block changes them too. */
export const powerHashOf = (block: bigint): Hex => keccak256(toHex(`power ${block}`))
