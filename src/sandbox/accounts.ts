/** The sandbox's keys: the development accounts of anvil, which everybody knows. Live refuses every one of them. */
import { pbkdf2Sync } from 'node:crypto'
import { toHex } from 'viem'
import { type HDAccount, HDKey, hdKeyToAccount } from 'viem/accounts'
import type { SignerConfig } from '../config.ts'

const MNEMONIC = 'test test test test test test test test test test test junk'

/** The seed of the mnemonic (BIP-39), stretched once and natively: in JavaScript, for every account anew, it would cost 200 ms of each start. */
const MASTER = HDKey.fromMasterSeed(pbkdf2Sync(MNEMONIC, 'mnemonic', 2048, 64, 'sha512'))

/** The n-th development account. */
export function developmentAccount(addressIndex: number): HDAccount {
  return hdKeyToAccount(MASTER, { addressIndex })
}

export const ADMIN = 0
export const SIGNER = 1
export const LINKER = 2
export const PAUSER = 3
export const FREEZER = 4
/** The first account that belongs to a demo customer. */
export const FIRST_WALLET = 5
export const UNPAUSER = 10
export const LIMITER = 11
/** How many development accounts the sandbox's chain funds. */
export const FUNDED_ACCOUNTS = 12

/** How the service signs with the n-th development account. */
export function signerOf(addressIndex: number): SignerConfig {
  const key = developmentAccount(addressIndex).getHdKey().privateKey
  if (key === null) throw new Error(`development account ${addressIndex} has no private key`)
  return { type: 'key', privateKey: toHex(key) }
}
