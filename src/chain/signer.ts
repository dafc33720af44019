/** Keys that sign: in this process, or behind a Web3Signer-compatible service whose answers are checked field by field. */
import { type Address, getAddress, type Hex, isHex, numberToHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { SignerConfig } from '../config.ts'
import { connectNode } from './node.ts'
import { type SignedTransaction, type UnsignedTransaction, verifySigned } from './signed-transaction.ts'

export type Signer = {
  /** EIP-55 checksummed. */
  address: Address
  /**
   * Signs an EIP-1559 transaction.
   * @throws SignatureRefusedError when the returned transaction is not exactly the one that was asked for
   * @throws RpcAnswerError, RpcUnreachableError from a remote signer
   */
  sign(transaction: UnsignedTransaction): Promise<SignedTransaction>
}

const REMOTE_TIMEOUT_MS = 10_000

/** Makes the signer that a configuration describes. Nothing is asked of a remote signer yet. */
export function createSigner(config: SignerConfig): Signer {
  return config.type === 'key' ? localSigner(config.privateKey) : remoteSigner(config.url, getAddress(config.address))
}

function localSigner(privateKey: Hex): Signer {
  const account = privateKeyToAccount(privateKey)
  return {
    address: account.address,
    async sign(transaction) {
      const raw = await account.signTransaction({ type: 'eip1559', ...transaction, nonce: Number(transaction.nonce) })
      return verifySigned(raw, transaction, account.address)
    },
  }
}

function remoteSigner(url: string, address: Address): Signer {
  const node = connectNode(url)
  return {
    address,
    async sign(transaction) {
      const answer = await node.request('eth_signTransaction', [remoteRequest(address, transaction)], REMOTE_TIMEOUT_MS)
      return verifySigned(rawOf(answer), transaction, address)
    },
  }
}

/** The parameter of `eth_signTransaction` as Web3Signer documents it. */
function remoteRequest(from: Address, transaction: UnsignedTransaction) {
  const { chainId, nonce, to, data, value, gas, maxFeePerGas, maxPriorityFeePerGas } = transaction
  return {
    from,
    to,
    data,
    value: numberToHex(value),
    gas: numberToHex(gas),
    nonce: numberToHex(nonce),
    chainId: numberToHex(chainId),
    maxFeePerGas: numberToHex(maxFeePerGas),
    maxPriorityFeePerGas: numberToHex(maxPriorityFeePerGas),
  }
}

/** Web3Signer answers the raw bytes; clef and geth answer `{ raw, tx }`. */
function rawOf(answer: unknown): Hex {
  const raw = typeof answer === 'object' && answer !== null ? (answer as { raw?: unknown }).raw : answer
  return isHex(raw) ? raw : '0x'
}
