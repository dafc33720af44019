/** Links of wallets to accounts: what a holder signs, and what the coin says about them. */
import type { Address, Hex } from 'viem'
import type { ChainConfig } from '../config.ts'
import { coinAbi } from './generated/coin.ts'
import type { RpcNode } from './node.ts'
import { readView } from './reads.ts'

/** A holder's signature, good until `deadline` (seconds since 1970). */
export type Consent = { signature: Hex; deadline: bigint }

/** `account`: 32 bytes, `linkAccount` of an integration and its customer. */
export type WalletLink = { wallet: Address; account: Hex }

/** `nonce`: the one that the next consent has to name. */
export type LinkState = { isLinked: boolean; nonce: bigint; consentRequired: boolean }

/**
 * What the holder of a wallet signs to have it linked to an account: EIP-712 typed data as `eth_signTypedData_v4` takes it, with numbers as decimal
 * strings, so that it is plain JSON.
 */
export function consentTypedData(
  { chainId, coin }: Pick<ChainConfig, 'chainId' | 'coin'>,
  { wallet, account }: WalletLink,
  { nonce, deadline }: { nonce: bigint; deadline: bigint },
) {
  return {
    types: {
      EIP712Domain: [
        { name: 'name', type: 'string' },
        { name: 'version', type: 'string' },
        { name: 'chainId', type: 'uint256' },
        { name: 'verifyingContract', type: 'address' },
      ],
      Link: [
        { name: 'wallet', type: 'address' },
        { name: 'account', type: 'bytes32' },
        { name: 'nonce', type: 'uint256' },
        { name: 'deadline', type: 'uint256' },
      ],
    },
    primaryType: 'Link',
    domain: { name: coin.name, version: '1', chainId, verifyingContract: coin.address },
    message: { wallet, account, nonce: nonce.toString(), deadline: deadline.toString() },
  } as const
}

/** Whether a wallet is linked to an account, and what a consent to it would have to name. */
export async function readLinkState(node: RpcNode, coin: Address, { wallet, account }: WalletLink): Promise<LinkState> {
  const ofCoin = (functionName: string, ...args: unknown[]) =>
    readView(node, { address: coin, abi: coinAbi, functionName, args })
  const [isLinked, nonce, consentRequired] = await Promise.all([
    ofCoin('isLinkedTo', wallet, account),
    ofCoin('linkNonce', wallet),
    ofCoin('consentRequired'),
  ])
  return { isLinked: isLinked as boolean, nonce: nonce as bigint, consentRequired: consentRequired as boolean }
}
