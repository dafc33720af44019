/** The transaction that a signer is asked to sign, and the check that its bytes are exactly that. */
import {
  type Address,
  type Hex,
  isAddressEqual,
  keccak256,
  parseTransaction,
  recoverTransactionAddress,
  type TransactionSerializedEIP1559,
} from 'viem'

/** An EIP-1559 transaction to sign; everything that decides what it can do. */
export type UnsignedTransaction = {
  chainId: number
  nonce: bigint
  to: Address
  data: Hex
  value: bigint
  gas: bigint
  maxFeePerGas: bigint
  maxPriorityFeePerGas: bigint
}

export type SignedTransaction = { raw: Hex; hash: Hex }

/** A signer returned something other than the transaction it was asked to sign. The bytes must not be used. */
export class SignatureRefusedError extends Error {
  override readonly name = 'SignatureRefusedError'
}

/**
 * Checks signed bytes against the request: type, sender, chain id, nonce, recipient, call data, value, gas, both fees, and
 * no access list. A signer is never trusted: a nonce or fee of its own choosing could jam or drain the account.
 * @throws SignatureRefusedError naming what differs
 */
export async function verifySigned(raw: Hex, asked: UnsignedTransaction, sender: Address): Promise<SignedTransaction> {
  const difference = await differenceOf(raw, asked, sender)
  if (difference !== undefined) throw new SignatureRefusedError(`the signed transaction has another ${difference}`)
  return { raw, hash: keccak256(raw) }
}

async function differenceOf(raw: Hex, asked: UnsignedTransaction, sender: Address): Promise<string | undefined> {
  if (!raw.startsWith('0x02')) return 'type'
  try {
    const signed = parseTransaction(raw as TransactionSerializedEIP1559)
    if (signed.chainId !== asked.chainId) return 'chain id'
    if (BigInt(signed.nonce ?? 0) !== asked.nonce) return 'nonce'
    if (!signed.to || !isAddressEqual(signed.to, asked.to)) return 'recipient'
    if ((signed.data ?? '0x').toLowerCase() !== asked.data.toLowerCase()) return 'call data'
    if ((signed.value ?? 0n) !== asked.value) return 'value'
    if (signed.gas !== asked.gas) return 'gas limit'
    if ((signed.maxFeePerGas ?? 0n) !== asked.maxFeePerGas) return 'fee'
    if ((signed.maxPriorityFeePerGas ?? 0n) !== asked.maxPriorityFeePerGas) return 'priority fee'
    if ((signed.accessList?.length ?? 0) > 0) return 'access list'
    const actual = await recoverTransactionAddress({ serializedTransaction: raw as TransactionSerializedEIP1559 })
    return isAddressEqual(actual, sender) ? undefined : 'sender'
  } catch {
    return 'form'
  }
}

/** The call data in the bytes of an EIP-1559 transaction. */
export function callDataOf(raw: Hex): Hex {
  return parseTransaction(raw as TransactionSerializedEIP1559).data ?? '0x'
}
