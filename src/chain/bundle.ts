/**
 * Several calls of contracts as one `eth_call`, because providers bill each request, and each of a JSON-RPC batch: creation code
 * that is never sent makes the calls one after the other and returns what they returned (pure).
 */
import { type Address, concat, type Hex, numberToHex, size, slice } from 'viem'

export type PlainCall = { to: Address; data: Hex }

/** Nodes refuse longer creation code (EIP-3860). */
const LONGEST_CODE = 49_152
const WORD = 32
/** `PUSH1 0`: where the next answer is written stays on the stack. */
const BEGIN: Hex = '0x6000'
const LENGTH_OF_PART = 57
/** `PUSH1 0 RETURN`: everything that was written. */
const END: Hex = '0x6000f3'
/** `JUMPDEST PUSH1 0 PUSH1 0 REVERT`: where a call that failed leads. */
const FAIL: Hex = '0x5b60006000fd'

/** The creation code; undefined when it would be too long. */
export function bundleOf(calls: readonly PlainCall[]): Hex | undefined {
  const fail = size(BEGIN) + calls.length * LENGTH_OF_PART + size(END)
  let offset = fail + size(FAIL)
  if (calls.reduce((sum, { data }) => sum + size(data), offset) > LONGEST_CODE) return undefined
  const parts = calls.map(({ to, data }) => {
    const part = partOf(to, { offset, length: size(data) }, fail)
    offset += size(data)
    return part
  })
  return concat([BEGIN, ...parts, END, FAIL, ...calls.map(({ data }) => data)])
}

/** Copies a call's data, makes the call, and writes the length of its answer and the answer behind what is written. */
function partOf(to: Address, { offset, length }: { offset: number; length: number }, fail: number): Hex {
  // DUP3 CODECOPY
  const copy: Hex[] = [push2(length), push2(offset), '0x8239']
  // PUSH1 0 PUSH1 0 … DUP4 PUSH20 … GAS STATICCALL ISZERO … JUMPI
  const call: Hex[] = ['0x60006000', push2(length), '0x8373', to, '0x5afa15', push2(fail), '0x57']
  // RETURNDATASIZE DUP2 MSTORE PUSH1 32 ADD, RETURNDATASIZE PUSH1 0 DUP3 RETURNDATACOPY RETURNDATASIZE ADD
  const write: Hex[] = ['0x3d8152602001', '0x3d6000823e3d01']
  return concat([...copy, ...call, ...write])
}

function push2(value: number): Hex {
  return concat(['0x61', numberToHex(value, { size: 2 })])
}

/** The answers in the sequence of the calls; undefined when a node has answered anything but `count` of them. */
export function answersIn(result: Hex, count: number): Hex[] | undefined {
  const answers: Hex[] = []
  const length = size(result)
  let at = 0
  while (at + WORD <= length && answers.length < count) {
    const end = at + WORD + Number(BigInt(slice(result, at, at + WORD)))
    if (end > length) return undefined
    answers.push(end === at + WORD ? '0x' : slice(result, at + WORD, end))
    at = end
  }
  return at === length && answers.length === count ? answers : undefined
}
