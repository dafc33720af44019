/**
 * Call data of contracts, made and read. A function's selector is the hash of its signature; viem makes it for every call, and for every
 * function of an ABI to read one. Here each is made once.
 */
import {
  type Abi,
  type AbiFunction,
  AbiFunctionSignatureNotFoundError,
  type DecodeFunctionDataReturnType,
  decodeAbiParameters,
  type EncodeFunctionDataParameters,
  encodeFunctionData,
  type Hex,
  type PrepareEncodeFunctionDataReturnType,
  prepareEncodeFunctionData,
  slice,
  toFunctionSelector,
} from 'viem'

type Prepared = PrepareEncodeFunctionDataReturnType<Abi, string>

/** By the ABI, then by the name and the number of arguments: `permit` of the coin has two forms. */
const prepared = new WeakMap<Abi, Map<string, Prepared>>()
const bySelector = new WeakMap<Abi, ReadonlyMap<Hex, AbiFunction>>()

/** @throws AbiFunctionNotFoundError and others of viem, for arguments that the function does not take */
export function encodeCall(abi: Abi, functionName: string, args: readonly unknown[] = []): Hex {
  const known = prepared.get(abi) ?? new Map<string, Prepared>()
  prepared.set(abi, known)
  const form = `${functionName}/${args.length}`
  const call = known.get(form) ?? prepareEncodeFunctionData({ abi, functionName, args })
  known.set(form, call)
  return encodeFunctionData({ ...call, args } as EncodeFunctionDataParameters)
}

/** @throws AbiFunctionSignatureNotFoundError for a call of no function of the ABI; others of viem for arguments that cannot be read */
export function decodeCall<const abi extends Abi>(abi: abi, data: Hex): DecodeFunctionDataReturnType<abi> {
  const selector = slice(data, 0, 4)
  const called = functionsOf(abi).get(selector)
  if (called === undefined)
    throw new AbiFunctionSignatureNotFoundError(selector, { docsPath: '/docs/contract/decodeFunctionData' })
  const { name, inputs } = called
  const args = inputs.length === 0 ? undefined : decodeAbiParameters(inputs, slice(data, 4))
  return { functionName: name, args } as DecodeFunctionDataReturnType<abi>
}

function functionsOf(abi: Abi): ReadonlyMap<Hex, AbiFunction> {
  const known = bySelector.get(abi)
  if (known !== undefined) return known
  const functions = new Map(
    abi.flatMap((item) => (item.type === 'function' ? [[toFunctionSelector(item), item] as const] : [])),
  )
  bySelector.set(abi, functions)
  return functions
}
