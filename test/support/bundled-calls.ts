/** The calls in what `src/chain/bundle.ts` sends, so that fakes and bad nodes can treat each as they would by itself. */
import { type Address, type Hex, hexToNumber, size, slice } from 'viem'
import type { PlainCall } from '../../src/chain/bundle.ts'

const BEGIN = 2
const PART = 57
/** Where a part has the length of the call's data, where that begins, and the contract. */
const [LENGTH_AT, OFFSET_AT, TO_AT] = [1, 4, 17]

/** Undefined for what is no bundle. */
export function callsIn(call: unknown): PlainCall[] | undefined {
  const { to, data } = call as Partial<PlainCall>
  if (to !== undefined || data === undefined || !data.startsWith('0x600061')) return undefined
  const calls: PlainCall[] = []
  for (let at = BEGIN; at + PART < size(data) && slice(data, at, at + 1) === '0x61'; at += PART) {
    const word = (from: number) => hexToNumber(slice(data, at + from, at + from + 2))
    const offset = word(OFFSET_AT)
    const own: Hex = word(LENGTH_AT) === 0 ? '0x' : slice(data, offset, offset + word(LENGTH_AT))
    calls.push({ to: slice(data, at + TO_AT, at + TO_AT + 20) as Address, data: own })
  }
  return calls
}
