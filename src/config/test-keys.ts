/** Keys that development tools give to everybody. */
import { mnemonicToAccount, privateKeyToAddress } from 'viem/accounts'

/** Anvil, Hardhat and Ganache (`--deterministic`). */
const MNEMONICS = [
  'test test test test test test test test test test test junk',
  'myth like bonus scare over problem client lizard pioneer submit female collect',
]
const ACCOUNTS_PER_MNEMONIC = 20
const SMALL_KEYS = 16

let known: ReadonlySet<string> | undefined

/** Whether an EIP-55 address belongs to a tool's default account, or to one of the private keys 1 to 16. */
export function isKnownTestAddress(address: string): boolean {
  known ??= new Set(listKnown())
  return known.has(address)
}

function listKnown(): string[] {
  const fromMnemonics = MNEMONICS.flatMap((mnemonic) =>
    Array.from(
      { length: ACCOUNTS_PER_MNEMONIC },
      (_, index) => mnemonicToAccount(mnemonic, { addressIndex: index }).address,
    ),
  )
  const small = Array.from({ length: SMALL_KEYS }, (_, index) =>
    privateKeyToAddress(`0x${(index + 1).toString(16).padStart(64, '0')}`),
  )
  return [...fromMnemonics, ...small]
}
