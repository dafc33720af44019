/**
 * The parts of what a node answers, checked before anything works with them: each is what it should be, and no longer. One lying node would
 * otherwise hold up the whole process: to write a number of a million digits, as a comparison of answers does, takes a second.
 */
import { type Hex, hexToBigInt, isHex } from 'viem'
import { type RpcNode, RpcUnreachableError } from './node.ts'

/** `0x` and 32 bytes: no number, hash or topic of a chain is longer. */
const LONGEST_WORD = 66

export function isWord(value: unknown): value is Hex {
  return typeof value === 'string' && value.length <= LONGEST_WORD && isHex(value)
}

/** @throws RpcUnreachableError */
export function quantityOf(node: RpcNode, value: unknown): bigint {
  if (!isWord(value) || value === '0x') throw new RpcUnreachableError(`${node.label}: the answer is not a quantity`)
  return hexToBigInt(value)
}

/** A hash, or part of one. @throws RpcUnreachableError */
export function wordOf(node: RpcNode, value: unknown): Hex {
  if (!isWord(value)) throw new RpcUnreachableError(`${node.label}: the answer is not a hash`)
  return value
}

/** Of any length. @throws RpcUnreachableError */
export function hexOf(node: RpcNode, value: unknown): Hex {
  if (!isHex(value)) throw new RpcUnreachableError(`${node.label}: the answer is not hexadecimal`)
  return value
}
