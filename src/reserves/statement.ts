/**
 * What the issuer says about its reserves, and how that is signed (pure). A stranger needs this file, viem and the
 * signer's address to check it.
 */
import { type Address, type Hex, recoverTypedDataAddress, type TypedDataDefinition } from 'viem'

/** Coin in existence at the end of a block. Amounts are decimal strings in micro units, as they are signed. */
export type StatedSupply = {
  chainId: number
  coin: Address
  blockNumber: string
  blockHash: Hex
  supplyMicro: string
}

/** Coin on a chain that is gone for good: as the books have it, for no node shows it. It is owed to its holders as any other. */
export type StatedLost = {
  chainId: number
  coin: Address
  /** ISO 8601, whole seconds: when it was called lost. */
  lostAt: string
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
  /** Only where there is any: then it is signed as version 2, so that whoever knows of none does not take `supplies` for the whole. */
  lost?: readonly StatedLost[]
  statements: readonly StatedAccount[]
  /** Owed for burnt coin: whole sen, and parts of a sen. */
  payableMicro: string
  residualMicro: string
  /**
   * Coin that is gone from a chain, and for which the books owe nothing yet. Only where there is any: then it is signed as version 3, so that whoever knows of
   * none does not take what is said beside it for the whole.
   */
  missingMicro?: string
  /** With the rail, and not yet on a statement; or come from another account whose statement does not show that it left. */
  clearingMicro: string
}

export type SignedReserves = StatedReserves & { signer: Address; signature: Hex }

const NAME = 'Stablecoin reserves'

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

const [MADE_AT, SUPPLIES, ...SUMS] = TYPES.Reserves

const TYPES_WITH_LOST = {
  ...TYPES,
  Lost: [
    { name: 'chainId', type: 'uint256' },
    { name: 'coin', type: 'address' },
    { name: 'lostAt', type: 'uint256' },
    { name: 'supplyMicro', type: 'uint256' },
  ],
  Reserves: [MADE_AT, SUPPLIES, { name: 'lost', type: 'Lost[]' }, ...SUMS],
} as const

const TYPES_WITH_MISSING = {
  ...TYPES_WITH_LOST,
  Reserves: [...TYPES_WITH_LOST.Reserves, { name: 'missingMicro', type: 'int256' }],
} as const

const secondsOf = (instant: string) => BigInt(Math.floor(Date.parse(instant) / 1_000))

/** What is signed (EIP-712). */
export function typedDataOf(stated: StatedReserves): TypedDataDefinition {
  const [message, primaryType] = [messageOf(stated), 'Reserves'] as const
  const { lost, missingMicro } = stated
  if (lost === undefined && missingMicro === undefined)
    return { domain: { name: NAME, version: '1' }, types: TYPES, primaryType, message } as const
  const withLost = { ...message, lost: (lost ?? []).map(lostMessageOf) }
  if (missingMicro === undefined)
    return { domain: { name: NAME, version: '2' }, types: TYPES_WITH_LOST, primaryType, message: withLost } as const
  return {
    domain: { name: NAME, version: '3' },
    types: TYPES_WITH_MISSING,
    primaryType,
    message: { ...withLost, missingMicro: BigInt(missingMicro) },
  } as const
}

const lostMessageOf = ({ chainId, coin, lostAt, supplyMicro }: StatedLost) => ({
  chainId: BigInt(chainId),
  coin,
  lostAt: secondsOf(lostAt),
  supplyMicro: BigInt(supplyMicro),
})

function messageOf(stated: StatedReserves) {
  return {
    madeAt: secondsOf(stated.madeAt),
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
  }
}

/** Who has signed it. @throws Error when what is said or its signature is malformed */
export function signerOf(signed: SignedReserves): Promise<Address> {
  return recoverTypedDataAddress({ ...typedDataOf(signed), signature: signed.signature })
}

/** What the reserve comes to and must cover, by what is said. */
export function coverOf({
  supplies,
  lost = [],
  statements,
  payableMicro,
  residualMicro,
  missingMicro = '0',
  clearingMicro,
}: StatedReserves): {
  availableMicro: bigint
  owedMicro: bigint
} {
  const sum = (amounts: readonly string[]) => amounts.reduce((total, amount) => total + BigInt(amount), 0n)
  const bank = statements.flatMap(({ closingMicro, creditsSinceMicro }) => [closingMicro, creditsSinceMicro])
  return {
    availableMicro: sum(bank) - BigInt(clearingMicro),
    owedMicro: sum([
      ...[...supplies, ...lost].map(({ supplyMicro }) => supplyMicro),
      payableMicro,
      residualMicro,
      missingMicro,
    ]),
  }
}
