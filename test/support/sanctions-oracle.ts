/** A sanctions oracle that says of an address what is stored under it: 1, it is listed; 2, it reverts; 3, it says nothing. */
import { type Address, getAddress, type Hex, padHex } from 'viem'

export const ORACLE: Address = getAddress('0x00000000000000000000000000000000000000aa')
const ORACLE_CODE: Hex = '0x6004355480600214601a5780600314601f5760005260206000f35b600080fd5b00'

export const LISTED = 1
export const REVERTS = 2
export const SILENT = 3

type Ask = (method: string, ...params: unknown[]) => Promise<unknown>

export const placeOracle = (ask: Ask, code: Hex = ORACLE_CODE) => ask('hardhat_setCode', ORACLE, code)

/** Lets the oracle say this of an address from now on; 0, that it is clean. */
export const say = (ask: Ask, address: Address, word: number) =>
  ask('hardhat_setStorageAt', ORACLE, padHex(address, { size: 32 }).toLowerCase(), padHex(`0x${word}`, { size: 32 }))
