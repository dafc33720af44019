/** A chain of the contracts of the model: its blocks, the branches that it has left, and what its transactions did. No node and no clock. */
import {
  type Address,
  encodeAbiParameters,
  encodeEventTopics,
  type Hex,
  keccak256,
  numberToHex,
  parseTransaction,
  recoverTransactionAddress,
  type TransactionSerializedEIP1559,
  toHex,
} from 'viem'
import { settlementAbi } from '../../src/chain/generated/settlement.ts'
import { decodeSettle, unpackInstructions } from '../../src/chain/instructions.ts'
import {
  type Account,
  accountOf,
  COIN,
  type Contracts,
  copyOf,
  firstState,
  Reverted,
  SETTLEMENT,
  type Settled,
  type State,
  settle,
} from './contracts.ts'

export const MODEL_CHAIN_ID = 31_337

export type Transaction = {
  hash: Hex
  from: Address
  nonce: bigint
  to: Address
  data: Hex
  gas: bigint
  maxFee: bigint
  tip: bigint
}
/** What somebody with another key does: it is in a block as it is, and costs nothing. */
export type Deed = { what: string; do(state: State, block: ModelBlock): void }

export type Log = { address: Address; topics: [Hex, ...Hex[]]; data: Hex }
export type Receipt = { transaction: Transaction; succeeded: boolean; gasUsed: bigint; logs: Log[] }

export type ModelBlock = {
  number: bigint
  hash: Hex
  parentHash: Hex
  timestamp: bigint
  gasLimit: bigint
  baseFee: bigint
  deeds: readonly Deed[]
  receipts: Receipt[]
  state: State
}

const EMPTY_GAS = 21_000n
const SETTLE_GAS = 110_000n
const INSTRUCTION_GAS = 24_000n

/** What a call of `settle` uses, whatever it does. */
export function settleGas(packed: Hex): bigint {
  return SETTLE_GAS + INSTRUCTION_GAS * BigInt(unpackInstructions(packed)?.length ?? 1)
}

/** Reading signed bytes costs milliseconds, and every node reads the same. */
const known = new Map<Hex, Transaction & { chainId: number }>()
export async function readSigned(raw: Hex): Promise<Transaction & { chainId: number }> {
  const before = known.get(raw)
  if (before !== undefined) return before
  const serializedTransaction = raw as TransactionSerializedEIP1559
  const { nonce = 0, to, data = '0x', gas = 0n, maxFeePerGas = 0n, ...rest } = parseTransaction(serializedTransaction)
  const { maxPriorityFeePerGas: tip = 0n, chainId } = rest
  const from = await recoverTransactionAddress({ serializedTransaction })
  const read = { from, nonce: BigInt(nonce), to: to as Address, data, gas, maxFee: maxFeePerGas, tip, chainId }
  const transaction = { hash: keccak256(raw), ...read }
  known.set(raw, transaction)
  return transaction
}

export type Blocks = ReturnType<typeof createBlocks>

/** @param beginsAt the time of its first block, in seconds */
export function createBlocks(
  signers: readonly Address[],
  wei: bigint,
  beginsAt: bigint,
  contracts: Contracts = { coin: COIN, settlement: SETTLEMENT },
) {
  const first: ModelBlock = {
    number: 0n,
    hash: keccak256(toHex('first')),
    parentHash: `0x${'00'.repeat(32)}`,
    timestamp: beginsAt,
    gasLimit: 30_000_000n,
    baseFee: 1_000_000_000n,
    deeds: [],
    receipts: [],
    state: firstState(signers, wei, contracts),
  }
  const canonical = [first]
  /** Every block that ever was. */
  const byHash = new Map<Hex, ModelBlock>([[first.hash, first]])
  let salt = 0

  const newest = () => canonical.at(-1) as ModelBlock

  function run(state: State, block: ModelBlock, transaction: Transaction): Receipt {
    const { from, to, data, gas, maxFee, tip } = transaction
    const account = accountOf(state, from)
    const price = block.baseFee + tip < maxFee ? block.baseFee + tip : maxFee
    const call = to.toLowerCase() === contracts.settlement.toLowerCase() ? decodeSettle(data) : undefined
    const needed = call === undefined ? EMPTY_GAS : settleGas(call.packed)
    const gasUsed = needed > gas ? gas : needed
    const paid: Account = { nonce: account.nonce + 1n, wei: account.wei - gasUsed * price }
    state.accounts.set(from.toLowerCase(), paid)
    if (call === undefined) return { transaction, succeeded: true, gasUsed, logs: [] }
    const tried = copyOf(state)
    try {
      if (needed > gas) throw new Reverted('SettlementPaused')
      const { batchId, failures, digest, bitmap } = settle(tried, { sender: from, ...call }, block)
      Object.assign(state, tried)
      return {
        transaction,
        succeeded: true,
        gasUsed,
        logs: logsOf(contracts.settlement, { batchId, failures, digest, bitmap }),
      }
    } catch (error) {
      if (!(error instanceof Reverted)) throw error
      return { transaction, succeeded: false, gasUsed, logs: [] }
    }
  }

  /** Whether it can be in the next block, behind what is in there. */
  function fits(state: State, block: ModelBlock, { from, nonce, gas, maxFee }: Transaction, gasLeft: bigint): boolean {
    const account = accountOf(state, from)
    return account.nonce === nonce && maxFee >= block.baseFee && gas <= gasLeft && account.wei >= gas * maxFee
  }

  return {
    newest,
    all: (): readonly ModelBlock[] => canonical,
    at: (number: bigint): ModelBlock | undefined => canonical[Number(number)],
    ofHash: (hash: Hex) => byHash.get(hash),
    isCanonical: ({ number, hash }: ModelBlock) => canonical[Number(number)]?.hash === hash,
    /** The blocks up to this one, whatever branch it is on. */
    branchOf(block: ModelBlock): ModelBlock[] {
      const branch: ModelBlock[] = []
      for (let at: ModelBlock | undefined = block; at !== undefined; at = byHash.get(at.parentHash)) branch.unshift(at)
      return branch
    },
    /**
     * Makes the next block, of deeds and of what fits of these transactions, the best paid first.
     * @returns the transactions that are in it
     */
    mine(
      offered: readonly Transaction[],
      { deeds = [], baseFee, gasLimit, seconds = 2n }: { deeds?: readonly Deed[] } & Partial<NextBlock> = {},
    ): Transaction[] {
      const before = newest()
      salt += 1
      const number = before.number + 1n
      const block: ModelBlock = {
        number,
        hash: keccak256(toHex(`${before.hash}/${salt}`)),
        parentHash: before.hash,
        timestamp: before.timestamp + seconds,
        gasLimit: gasLimit ?? before.gasLimit,
        baseFee: baseFee ?? before.baseFee,
        deeds,
        receipts: [],
        state: copyOf(before.state),
      }
      for (const deed of deeds) deed.do(block.state, block)
      const left = [...offered].sort((a, b) => Number(b.tip - a.tip))
      let gasLeft = block.gasLimit
      for (;;) {
        const next = left.find((transaction) => fits(block.state, block, transaction, gasLeft))
        if (next === undefined) break
        left.splice(left.indexOf(next), 1)
        const receipt = run(block.state, block, next)
        gasLeft -= receipt.gasUsed
        block.receipts.push(receipt)
      }
      canonical.push(block)
      byHash.set(block.hash, block)
      return block.receipts.map(({ transaction }) => transaction)
    },
    /** Takes the newest blocks back. @returns them, the oldest first */
    takeBack(count: number): ModelBlock[] {
      return canonical.splice(Math.max(canonical.length - count, 1))
    },
    /** Of the transactions of a branch; of a chain, the canonical one. */
    findReceipt(hash: Hex, branch: readonly ModelBlock[] = canonical) {
      for (const block of branch) {
        const receipt = block.receipts.find(({ transaction }) => transaction.hash === hash)
        if (receipt !== undefined) return { block, receipt }
      }
      return undefined
    },
    /** In any block that ever was, the oldest first. */
    findDead(hash: Hex) {
      return this.findReceipt(
        hash,
        [...byHash.values()].filter((block) => !this.isCanonical(block)),
      )
    },
  }
}

type NextBlock = { baseFee: bigint; gasLimit: bigint; seconds: bigint }

function logsOf(address: Address, { batchId, failures, digest, bitmap }: Settled): Log[] {
  const failed = failures.map(({ index, reason }) => ({
    address,
    topics: encodeEventTopics({
      abi: settlementAbi,
      eventName: 'InstructionFailed',
      args: { batchId, index: BigInt(index) },
    }) as [Hex, ...Hex[]],
    data: numberToHex(reason, { size: 32 }),
  }))
  const settled: Log = {
    address,
    topics: encodeEventTopics({ abi: settlementAbi, eventName: 'BatchSettled', args: { batchId } }) as [Hex, ...Hex[]],
    data: encodeAbiParameters([{ type: 'bytes24' }, { type: 'uint256' }], [digest, bitmap]),
  }
  return [...failed, settled]
}
