/** The calls that operators' keys make, each with the view that shows its effect. */
import { type Address, type Hex, zeroHash } from 'viem'
import type { ChainConfig } from '../config.ts'
import { encodeCall } from './call-data.ts'
import { coinAbi } from './generated/coin.ts'
import type { KeyAction } from './key-action.ts'
import type { Consent, WalletLink } from './links.ts'

/** The keys of operators' commands. */
export type KeyName = 'linker' | 'freezer' | 'pauser' | 'unpauser'

type Contracts = Pick<ChainConfig, 'coin' | 'settlement'>

const TRUE: Hex = `0x${'1'.padStart(64, '0')}`
const FALSE: Hex = zeroHash

/** Links a wallet to an account; without a consent where the coin demands none. */
export function linkCall(
  { coin }: Contracts,
  { wallet, account }: WalletLink,
  consent: Consent | undefined,
): KeyAction {
  const { signature, deadline } = consent ?? { signature: '0x', deadline: 0n }
  return {
    name: `link ${wallet}`,
    to: coin.address,
    data: encode('linkWallet', wallet, account, deadline, signature),
    effect: { data: encode('isLinkedTo', wallet, account), expected: TRUE },
  }
}

/** Ends the link of a wallet to an account. */
export function unlinkCall({ coin }: Contracts, { wallet, account }: WalletLink): KeyAction {
  return {
    name: `unlink ${wallet}`,
    to: coin.address,
    data: encode('unlinkWallet', wallet, account),
    effect: { data: encode('isLinkedTo', wallet, account), expected: FALSE },
    stops: true,
  }
}

/** Freezes or unfreezes a wallet. */
export function freezeCall({ coin }: Contracts, verb: 'freeze' | 'unfreeze', wallet: Address): KeyAction {
  return {
    name: `${verb} ${wallet}`,
    to: coin.address,
    data: encode(verb, wallet),
    effect: { data: encode('isFrozen', wallet), expected: verb === 'freeze' ? TRUE : FALSE },
    stops: verb === 'freeze',
  }
}

/** Pauses or unpauses one of the two contracts, which use the same names for it. */
export function pauseCall(contracts: Contracts, verb: 'pause' | 'unpause', what: 'coin' | 'settlement'): KeyAction {
  return {
    name: `${verb} the ${what}`,
    to: what === 'coin' ? contracts.coin.address : contracts.settlement,
    data: encode(verb),
    effect: { data: encode('paused'), expected: verb === 'pause' ? TRUE : FALSE },
    once: verb === 'unpause',
  }
}

function encode(functionName: string, ...args: unknown[]): Hex {
  return encodeCall(coinAbi, functionName, args)
}
