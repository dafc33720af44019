/**
 * What the issuer says about its reserves, and how that is signed (pure). A stranger needs this file, viem and the
 * signer's address to check it.
 */
import { type Address, type Hex, recoverTypedDataAddress } from 'viem'

/** Coin in existence at the end of a block. Amounts are decimal strings in micro units, as they are signed. */
export type StatedSupply = {
  chainId: number
  coin: Address
  blockNumber: string
  blockHash: Hex
  supplyMicro: string
}

/** What the bank said last of an account, and credits that it has notified since. */
export type StatedAccount = {
  account: string
  closedOn: string
  closingMicro: string
  creditsSinceMicro: string
}

export type StatedReserves = {
  /** ISO 8601, whole seconds. */
  madeAt: string
  supplies: readonly StatedSupply[]
  statements: readonly StatedAccount[]
  /** Owed for burnt coin: whole sen, and parts of a sen. */
  payableMicro: string
  residualMicro: string
  /** With the rail, and not yet on a statement; or come from another account whose statement does not show that it left. */
  clearingMicro: string
}

export type SignedReserves = StatedReserves & { signer: Address; signature: Hex }

const DOMAIN = { name: 'Stablecoin reserves', version: '1' } as const

const TYPES = {
  Supply: [
    { name: 'chainId', type: 'uint256' },
    { name: 'coin', type: 'address' },
    { name: 'blockNumber', type: 'uint256' },
    { name: 'blockHash', type: 'bytes32' },
    { name: 'supplyMicro', type: 'uint256' },
  ],
  Statement: [
    { name: 'account', type: 'string' },
    { name: 'closedOn', type: 'string' },
    { name: 'closingMicro', type: 'int256' },
    { name: 'creditsSinceMicro', type: 'int256' },
  ],
  Reserves: [
    { name: 'madeAt', type: 'uint256' },
    { name: 'supplies', type: 'Supply[]' },
    { name: 'statements', type: 'Statement[]' },
    { name: 'payableMicro', type: 'int256' },
    { name: 'residualMicro', type: 'int256' },
    { name: 'clearingMicro', type: 'int256' },
  ],
} as const

/** What is signed (EIP-712). */
export function typedDataOf(stated: StatedReserves) {
  return {
    domain: DOMAIN,
    types: TYPES,
    primaryType: 'Reserves',
    message: {
      madeAt: BigInt(Math.floor(Date.parse(stated.madeAt) / 1_000)),
      supplies: stated.supplies.map(({ chainId, coin, blockNumber, blockHash, supplyMicro }) => ({
        chainId: BigInt(chainId),
        coin,
        blockHash,
        blockNumber: BigInt(blockNumber),
        supplyMicro: BigInt(supplyMicro),
      })),
      statements: stated.statements.map(({ account, closedOn, closingMicro, creditsSinceMicro }) => ({
        account,
        closedOn,
        closingMicro: BigInt(closingMicro),
        creditsSinceMicro: BigInt(creditsSinceMicro),
      })),
      payableMicro: BigInt(stated.payableMicro),
      residualMicro: BigInt(stated.residualMicro),
      clearingMicro: BigInt(stated.clearingMicro),
    },
  } as const
}

/** Who has signed it. @throws Error when what is said or its signature is malformed */
export function signerOf(signed: SignedReserves): Promise<Address> {
  return recoverTypedDataAddress({ ...typedDataOf(signed), signature: signed.signature })
}

/** What the reserve comes to and must cover, by what is said. */
export function coverOf({ supplies, statements, payableMicro, residualMicro, clearingMicro }: StatedReserves): {
  availableMicro: bigint
  owedMicro: bigint
} {
  const sum = (amounts: readonly string[]) => amounts.reduce((total, amount) => total + BigInt(amount), 0n)
  const bank = statements.flatMap(({ closingMicro, creditsSinceMicro }) => [closingMicro, creditsSinceMicro])
  return {
    availableMicro: sum(bank) - BigInt(clearingMicro),
    owedMicro: sum([...supplies.map(({ supplyMicro }) => supplyMicro), payableMicro, residualMicro]),
  }
}
