/**
 * Instructions of the Settlement contract: how orders become call data, and what identifies a batch and its place in
 * the history.
 */
import {
  type Address,
  bytesToHex,
  concatHex,
  getAddress,
  type Hex,
  hexToBigInt,
  keccak256,
  numberToHex,
  slice,
  zeroAddress,
} from 'viem'
import { hashOfPair, orderTag } from '../values/order-tag.ts'
import { decodeCall, encodeCall } from './call-data.ts'
import { settlementAbi } from './generated/settlement.ts'

/** `enum Kind` of contracts/src/shared/Instruction.sol. */
export const KIND = { MINT: 0, REDEEM: 1, TRANSFER: 2 } as const

/** The on-chain limit that an order of a direction counts towards. */
export const BUCKET = { MINT: 'mint', REDEEM: 'burn', TRANSFER: 'transfer' } as const

export type BucketName = (typeof BUCKET)[keyof typeof BUCKET]

/** The buckets, each at the place that the number of its kind says. */
export const BUCKET_NAMES: readonly BucketName[] = [BUCKET.MINT, BUCKET.REDEEM, BUCKET.TRANSFER]

/** Something of each on-chain limit. */
export function ofEachBucket<T>(make: (name: BucketName) => T): Record<BucketName, T> {
  return { mint: make('mint'), burn: make('burn'), transfer: make('transfer') }
}

/** The most instructions of one batch (`MAX_INSTRUCTIONS` of the coin). */
export const MAX_INSTRUCTIONS = 255

/** The running hash before the first batch. */
export const NO_HISTORY: Hex = `0x${'00'.repeat(32)}`

/**
 * A mint comes from the zero address, a burn goes to it. `amount` is in units of 10⁻⁶ coin, below 2⁶⁴; `tag` names the
 * order in 8 bytes.
 */
export type Instruction = { kind: 0 | 1 | 2; from: Address; to: Address; amount: bigint; tag: Hex }

/** What an instruction needs to know about an order. */
export type Instructable = Instructed & { integrationId: string; referenceId: string }

/** What an instruction does. Wallets as in orders. */
export type Instructed = {
  direction: 'MINT' | 'REDEEM' | 'TRANSFER'
  walletAddress: string
  debitAddress: string | null
  amountMicro: bigint
}

/**
 * The instruction that settles an order.
 * @throws Error when an order that must be debited names no wallet
 */
export function instructionOf(order: Instructable): Instruction {
  return taggedInstruction(order, orderTag(order.integrationId, order.referenceId))
}

/**
 * The instruction that does this under a tag.
 * @throws Error when it must debit and names no wallet
 */
export function taggedInstruction(order: Instructed, tag: Hex): Instruction {
  const { direction, walletAddress, debitAddress, amountMicro: amount } = order
  const wallet = walletAddress as Address
  if (direction === 'MINT') return { kind: KIND.MINT, from: zeroAddress, to: wallet, amount, tag }
  if (debitAddress === null) throw new Error(`a ${direction} without a wallet to debit cannot be settled`)
  const from = debitAddress as Address
  if (direction === 'REDEEM') return { kind: KIND.REDEEM, from, to: zeroAddress, amount, tag }
  return { kind: KIND.TRANSFER, from, to: wallet, amount, tag }
}

/**
 * What no contract carries out, ever: it mints nothing to nobody. A batch of it alone has, by its tag, instructions that no other batch has, so
 * that only what was signed behind it can follow.
 */
export function fenceInstruction(tag: Hex): Instruction {
  return { kind: KIND.MINT, from: zeroAddress, to: zeroAddress, amount: 0n, tag }
}

/**
 * The account that a holder's consent names: keccak256(integrationId ‖ 0x00 ‖ customerId), for a customer of an
 * integration.
 */
export function linkAccount(integrationId: string, customerId: string): Hex {
  return `0x${hashOfPair(integrationId, customerId)}`
}

const HEAD_BYTES = 17
const ADDRESS_BYTES = 20

/**
 * The bytes of a batch, as `PackedInstructions` of contracts/src/shared/Instruction.sol reads them: kind (1), amount (8), tag
 * (8), wallet (20), and in a transfer the recipient (20).
 * @throws Error when an amount does not fit 8 bytes
 */
export function packInstructions(instructions: readonly Instruction[]): Hex {
  return concatHex(
    instructions.flatMap(({ kind, from, to, amount, tag }) => [
      numberToHex(kind, { size: 1 }),
      numberToHex(amount, { size: 8 }),
      tag,
      ...(kind === KIND.MINT ? [to] : kind === KIND.REDEEM ? [from] : [from, to]).map(bytesOf),
    ]),
  )
}

/** @throws Error for anything but 20 bytes: the rest of it would be read as further instructions */
function bytesOf(address: Address): Hex {
  if (!/^0x[0-9a-f]{40}$/i.test(address)) throw new Error('a wallet is not 20 bytes, and nothing with it is signed')
  return address.toLowerCase() as Hex
}

/**
 * The instructions in packed bytes; undefined when the bytes are not instructions and the contract would refuse them.
 */
export function unpackInstructions(packed: Hex): Instruction[] | undefined {
  const bytes = Buffer.from(packed.slice(2), 'hex')
  const instructions: Instruction[] = []
  for (let offset = 0; offset < bytes.length; ) {
    const kind = bytes[offset] as Instruction['kind']
    const next = offset + HEAD_BYTES + ADDRESS_BYTES * (kind === KIND.TRANSFER ? 2 : 1)
    if (kind > KIND.TRANSFER || next > bytes.length) return undefined
    const part = (from: number, length: number): Hex =>
      bytesToHex(bytes.subarray(offset + from, offset + from + length))
    const wallet = getAddress(part(HEAD_BYTES, ADDRESS_BYTES))
    instructions.push({
      kind,
      amount: hexToBigInt(part(1, 8)),
      tag: part(9, 8),
      from: kind === KIND.MINT ? zeroAddress : wallet,
      to:
        kind === KIND.MINT
          ? wallet
          : kind === KIND.REDEEM
            ? zeroAddress
            : getAddress(part(HEAD_BYTES + ADDRESS_BYTES, ADDRESS_BYTES)),
    })
    offset = next
  }
  return instructions.length > 0 && instructions.length <= MAX_INSTRUCTIONS ? instructions : undefined
}

/** What the contract records of a batch: the first 24 bytes of the hash of its packed instructions. */
export function digestOf(packed: Hex): Hex {
  return slice(keccak256(packed), 0, 24)
}

/** The running hash after a batch, which the next one has to name: keccak256(before ‖ digest). */
export function runningHashAfter(before: Hex, digest: Hex): Hex {
  return keccak256(concatHex([before, digest]))
}

/** Call data of `settle(batchId, previous, instructions)`. */
export function encodeSettle(batchId: bigint, previous: Hex, packed: Hex): Hex {
  return encodeCall(settlementAbi, 'settle', [batchId, previous, packed])
}

/** The arguments in call data of `settle`; undefined for any other call. */
export function decodeSettle(data: Hex): { batchId: bigint; previous: Hex; packed: Hex } | undefined {
  try {
    const { functionName, args } = decodeCall(settlementAbi, data)
    if (functionName !== 'settle') return undefined
    const [batchId, previous, packed] = args
    return { batchId, previous, packed }
  } catch {
    return undefined
  }
}
