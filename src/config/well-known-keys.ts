/** Keys that development chains hand to everybody. Whoever uses one in live gives the coin away. */
import { mnemonicToAccount, privateKeyToAccount } from 'viem/accounts'

/** The mnemonic of anvil and hardhat. */
export const DEVELOPMENT_MNEMONIC = 'test test test test test test test test test test test junk'
const ACCOUNTS = 50

/** Whether a private key belongs to the first accounts of the development mnemonic. */
export function isWellKnownKey(privateKey: string): boolean {
  const { address } = privateKeyToAccount(privateKey as `0x${string}`)
  return Array.from(
    { length: ACCOUNTS },
    (_, addressIndex) => mnemonicToAccount(DEVELOPMENT_MNEMONIC, { addressIndex }).address,
  ).includes(address)
}
