/** Instructions of the Settlement contract: how orders become call data, and the digest that names them. */
import { type Address, encodeAbiParameters, encodeFunctionData, type Hex, keccak256, zeroAddress } from 'viem'
import { settlementAbi } from './generated/settlement.ts'

/** `enum Kind` of contracts/src/shared/Instruction.sol. */
export const KIND = { MINT: 0, REDEEM: 1, TRANSFER: 2 } as const

/** The most instructions of one batch (`MAX_INSTRUCTIONS` of Settlement.sol). */
export const MAX_INSTRUCTIONS = 255

export type Instruction = { kind: 0 | 1 | 2; from: Address; to: Address; amount: bigint }

/** What an instruction needs to know of an order. */
export type Instructable = {
  direction: 'MINT' | 'REDEEM' | 'TRANSFER'
  walletAddress: string
  debitAddress: string | null
  amountMicro: bigint
}

/**
 * The instruction that settles an order: a mint comes from the zero address, a burn goes to it.
 * @throws Error when an order that must be debited names no wallet
 */
export function instructionOf(order: Instructable): Instruction {
  const { direction, walletAddress, debitAddress, amountMicro: amount } = order
  const wallet = walletAddress as Address
  if (direction === 'MINT') return { kind: KIND.MINT, from: zeroAddress, to: wallet, amount }
  if (debitAddress === null) throw new Error(`a ${direction} without a wallet to debit cannot be settled`)
  const from = debitAddress as Address
  if (direction === 'REDEEM') return { kind: KIND.REDEEM, from, to: zeroAddress, amount }
  return { kind: KIND.TRANSFER, from, to: wallet, amount }
}

const INSTRUCTIONS_TYPE = [
  {
    type: 'tuple[]',
    components: [
      { name: 'kind', type: 'uint8' },
      { name: 'from', type: 'address' },
      { name: 'to', type: 'address' },
      { name: 'amount', type: 'uint256' },
    ],
  },
] as const

/** `keccak256(abi.encode(instructions))`: what the contract records of a batch. */
export function digestOf(instructions: readonly Instruction[]): Hex {
  return keccak256(encodeAbiParameters(INSTRUCTIONS_TYPE, [instructions]))
}

/** Call data of `settle(batchId, instructions)`. */
export function encodeSettle(batchId: bigint, instructions: readonly Instruction[]): Hex {
  return encodeFunctionData({ abi: settlementAbi, functionName: 'settle', args: [batchId, instructions] })
}
