/** What batches cost in gas: what they ask for, which is always enough, and what they are expected to use (pure). */
import type { PendingOrder } from '../tables/waiting.sql.ts'

/** The most gas of one transaction (EIP-7825). */
export const TRANSACTION_GAS_CAP = 16_777_216n

/** The most gas per instruction, from whole batches to fresh wallets (bench/results/gas.md). */
const WORST_GAS = { MINT: 27_000n, REDEEM: 13_000n, TRANSFER: 33_000n } as const
/** And apart from them: the first batch of a chain writes words that later ones only change. */
const WORST_BATCH_GAS = 180_000n

/** What the instructions of these orders cost at worst, whatever is in their wallets by then. */
export function worstGas(orders: readonly Pick<PendingOrder, 'direction'>[]): bigint {
  return orders.reduce((sum, { direction }) => sum + WORST_GAS[direction], WORST_BATCH_GAS)
}

/**
 * The gas of a batch, at least as much as its instructions cost at worst: what comes before it may link, fund or empty
 * its wallets, which changes what they do, and a first credit costs more. A low estimate alone never counts.
 */
export function atWorst(estimate: bigint, { orders }: { orders: readonly Pick<PendingOrder, 'direction'>[] }): bigint {
  const worst = worstGas(orders)
  return estimate > worst ? estimate : worst
}

/** The most that a transaction may ask for so that a block takes it. */
export function mostGas(blockGasLimit: bigint): bigint {
  return blockGasLimit < TRANSACTION_GAS_CAP ? blockGasLimit : TRANSACTION_GAS_CAP
}

/** A gas limit of before, as far as a block takes it now. */
export function withinBlockGas(gasLimit: bigint, blockGasLimit: bigint): bigint {
  const most = mostGas(blockGasLimit)
  return gasLimit < most ? gasLimit : most
}

/** The gas limit, with a margin, wherever there is room for it. */
export function gasLimitWanted(gas: bigint): bigint {
  return (gas * 104n) / 100n + 40_000n
}

/** The gas limit, with a margin, within what a block and a transaction may have. */
export function gasLimitFor(gas: bigint, blockGasLimit: bigint): bigint {
  return withinBlockGas(gasLimitWanted(gas), blockGasLimit)
}

/** The gas per order, from batches large enough for an average; undefined for smaller ones. */
export function perOrder(gas: bigint, count: number): bigint | undefined {
  return count < 50 ? undefined : gas / BigInt(count) + 1n
}

/** A batch without its instructions, and for each kind of instruction in it (test/settlement/gas-used.test.ts compares all of these with the chain). */
const BATCH_GAS = 112_500n
const KIND_GAS = 6_000n
/** An instruction whose wallets the batch has touched before. */
const WARM_GAS = { MINT: 3_500n, REDEEM: 3_530n, TRANSFER: 4_470n } as const
/** The first time that a batch touches a wallet, and when it credits one that has no coin. */
const TOUCH_GAS = 4_800n
const FIRST_COIN_GAS = 17_100n

type Moving = Pick<PendingOrder, 'direction' | 'walletAddress' | 'debitAddress'>

/**
 * What a batch is expected to use if all its instructions succeed. It asks for more, so nothing depends on this but how well blocks
 * are filled.
 * @param isEmpty whether a wallet, in lower case, has no coin
 */
export function expectedGas(orders: readonly Moving[], isEmpty: (wallet: string) => boolean): bigint {
  const kinds = new Set(orders.map(({ direction }) => direction))
  const touched = new Set<string>()
  let gas = BATCH_GAS + KIND_GAS * BigInt(kinds.size)
  const touch = (address: string, isCredited: boolean) => {
    const wallet = address.toLowerCase()
    if (touched.has(wallet)) return
    touched.add(wallet)
    gas += TOUCH_GAS + (isCredited && isEmpty(wallet) ? FIRST_COIN_GAS : 0n)
  }
  for (const { direction, walletAddress, debitAddress } of orders) {
    gas += WARM_GAS[direction]
    if (debitAddress !== null) touch(debitAddress, false)
    if (direction !== 'REDEEM') touch(walletAddress, true)
  }
  return gas
}
