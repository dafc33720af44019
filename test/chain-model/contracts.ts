/** Coin, Settlement and the accounts around them as plain data, and what transactions do to them, as the real contracts do it. */
import { type Abi, type Address, encodeErrorResult, type Hex, zeroAddress } from 'viem'
import { ROLE_IDS } from '../../src/chain/deployment/roles.ts'
import { coinAbi } from '../../src/chain/generated/coin.ts'
import { settlementAbi } from '../../src/chain/generated/settlement.ts'
import {
  digestOf,
  type Instruction,
  KIND,
  MAX_INSTRUCTIONS,
  NO_HISTORY,
  runningHashAfter,
  unpackInstructions,
} from '../../src/chain/instructions.ts'

export const COIN: Address = '0x00000000000000000000000000000000000000C0'
export const SETTLEMENT: Address = '0x00000000000000000000000000000000000000A5'

/** By `enum Reason` of contracts/src/shared/Instruction.sol. */
export const REASON = { none: 0, invalid: 1, barred: 2, frozen: 3, notLinked: 4, insufficient: 5 } as const
export type Reason = (typeof REASON)[keyof typeof REASON]

export type Bucket = { capacity: bigint; refill: bigint; used: bigint; updatedAt: bigint }
export type Wallet = { micro: bigint; isFrozen: boolean; isLinked: boolean }
export type Account = { nonce: bigint; wei: bigint }
export type Record = { digest: Hex; bitmap: bigint; block: bigint }

/** Where they are. */
export type Contracts = { coin: Address; settlement: Address }

/** What exists at the end of a block. Addresses are in lower case. */
export type State = Contracts & {
  accounts: Map<string, Account>
  wallets: Map<string, Wallet>
  supply: bigint
  records: Map<bigint, Record>
  lastBatchId: bigint
  runningHash: Hex
  isCoinPaused: boolean
  isSettlementPaused: boolean
  signers: Set<string>
  /** Of mints, burns and transfers. */
  buckets: readonly [Bucket, Bucket, Bucket]
}

export type Block = { number: bigint; timestamp: bigint }

/** A call that the contracts revert, with what they say. */
export class Reverted extends Error {
  readonly data: Hex
  constructor(errorName: string, args: readonly unknown[] = [], abi: Abi = settlementAbi as Abi) {
    super(`execution reverted: ${errorName}`)
    this.data = encodeErrorResult({ abi, errorName, args } as Parameters<typeof encodeErrorResult>[0])
  }
}

const PLENTY = 10n ** 15n
const fullBucket = (): Bucket => ({ capacity: PLENTY, refill: PLENTY, used: 0n, updatedAt: 0n })

export function firstState(signers: readonly Address[], wei: bigint, contracts: Contracts): State {
  return {
    ...contracts,
    accounts: new Map(signers.map((each) => [each.toLowerCase(), { nonce: 0n, wei }])),
    wallets: new Map(),
    supply: 0n,
    records: new Map(),
    lastBatchId: 0n,
    runningHash: NO_HISTORY,
    isCoinPaused: false,
    isSettlementPaused: false,
    signers: new Set(signers.map((each) => each.toLowerCase())),
    buckets: [fullBucket(), fullBucket(), fullBucket()],
  }
}

/** One that can be changed without changing the other. Its rows are replaced, never written. */
export function copyOf(state: State): State {
  return {
    ...state,
    accounts: new Map(state.accounts),
    wallets: new Map(state.wallets),
    records: new Map(state.records),
    signers: new Set(state.signers),
  }
}

export const accountOf = ({ accounts }: State, address: string): Account =>
  accounts.get(address.toLowerCase()) ?? { nonce: 0n, wei: 0n }
export const walletOf = ({ wallets }: State, address: string): Wallet =>
  wallets.get(address.toLowerCase()) ?? { micro: 0n, isFrozen: false, isLinked: false }
export function setWallet(state: State, address: string, changes: Partial<Wallet>): void {
  state.wallets.set(address.toLowerCase(), { ...walletOf(state, address), ...changes })
}

const usedNow = ({ used, refill, updatedAt }: Bucket, { timestamp }: Block): bigint => {
  const left = used - (timestamp - updatedAt) * refill
  return left < 0n ? 0n : left
}
export const availableIn = (bucket: Bucket, block: Block): bigint => {
  const left = bucket.capacity - usedNow(bucket, block)
  return left < 0n ? 0n : left
}
/** What `setLimit` leaves of a bucket. */
export const limited = (bucket: Bucket, capacity: bigint, refill: bigint, block: Block): Bucket => ({
  capacity,
  refill,
  used: usedNow(bucket, block),
  updatedAt: block.timestamp,
})

export type Failure = { index: number; reason: Reason }
export type Settled = { batchId: bigint; digest: Hex; bitmap: bigint; failures: readonly Failure[] }
type Executed = { bitmap: bigint; failures: Failure[]; sums: [bigint, bigint, bigint] }

/** `Coin.execute`, as the settler of the coin. @throws Reverted; what was changed until then is to be thrown away */
export function execute(state: State, packed: Hex): Executed {
  if (state.isCoinPaused) throw new Reverted('EnforcedPause', [], coinAbi as Abi)
  if (packed === '0x') throw new Reverted('NoInstructions', [], coinAbi as Abi)
  const instructions = unpackInstructions(packed)
  if (instructions === undefined) throw new Reverted('MalformedInstruction', [0n], coinAbi as Abi)
  if (instructions.length > MAX_INSTRUCTIONS) throw new Reverted('TooManyInstructions', [], coinAbi as Abi)
  const done: Executed = { bitmap: 0n, failures: [], sums: [0n, 0n, 0n] }
  for (const [index, instruction] of instructions.entries()) {
    const reason = instruction.amount === 0n ? REASON.invalid : move(state, instruction)
    if (reason !== REASON.none) done.failures.push({ index, reason })
    else {
      done.bitmap |= 1n << BigInt(index)
      done.sums[instruction.kind] += instruction.amount
    }
  }
  state.supply += done.sums[KIND.MINT] - done.sums[KIND.REDEEM]
  return done
}

function move(state: State, instruction: Instruction): Reason {
  const { kind, from, to, amount } = instruction
  const reason = whyNot(state, instruction)
  if (reason !== REASON.none) return reason
  if (kind !== KIND.MINT) setWallet(state, from, { micro: walletOf(state, from).micro - amount })
  if (kind !== KIND.REDEEM) setWallet(state, to, { micro: walletOf(state, to).micro + amount })
  return REASON.none
}

function whyNot(state: State, { kind, from, to, amount }: Instruction): Reason {
  const [debited, credited] = [walletOf(state, from), walletOf(state, to)]
  if (kind !== KIND.REDEEM && to === zeroAddress) return REASON.invalid
  const isBarred = [state.coin, state.settlement].some((each) => each.toLowerCase() === to.toLowerCase())
  if (kind !== KIND.REDEEM && isBarred) return REASON.barred
  if ((kind !== KIND.MINT && debited.isFrozen) || (kind !== KIND.REDEEM && credited.isFrozen)) return REASON.frozen
  if (kind === KIND.MINT) return REASON.none
  if (!debited.isLinked) return REASON.notLinked
  return debited.micro < amount ? REASON.insufficient : REASON.none
}

/** `Settlement.settle`. @throws Reverted; what was changed until then is to be thrown away */
export function settle(
  state: State,
  { sender, batchId, previous, packed }: { sender: Address; batchId: bigint; previous: Hex; packed: Hex },
  block: Block,
): Settled {
  if (!state.signers.has(sender.toLowerCase()))
    throw new Reverted('AccessControlUnauthorizedAccount', [sender, ROLE_IDS.signer])
  if (state.isSettlementPaused) throw new Reverted('SettlementPaused')
  const next = state.lastBatchId + 1n
  if (batchId !== next) throw new Reverted('NotNextBatch', [batchId, next])
  if (previous !== state.runningHash) throw new Reverted('WrongPrevious', [previous, state.runningHash])
  const digest = digestOf(packed)
  const { bitmap, failures, sums } = execute(state, packed)
  const buckets = state.buckets.map((bucket, kind) => {
    const sum = sums[kind] ?? 0n
    if (sum > availableIn(bucket, block)) throw new Reverted('LimitExceeded', [kind, sum, availableIn(bucket, block)])
    return sum === 0n ? bucket : { ...bucket, used: usedNow(bucket, block) + sum, updatedAt: block.timestamp }
  })
  state.buckets = buckets as unknown as State['buckets']
  state.lastBatchId = batchId
  state.runningHash = runningHashAfter(previous, digest)
  state.records.set(batchId, { digest, bitmap, block: block.number })
  return { batchId, digest, bitmap, failures }
}
