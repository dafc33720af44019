/** EIP-1559 fees: what a new transaction offers, and what its replacement offers when it was not included. */
import { greatest, least } from '../values/bigints.ts'

export type Fees = { maxFeePerGas: bigint; maxPriorityFeePerGas: bigint }

/** What a transfer of nothing, without call data, uses: such a one takes the place of a transaction that must not be, or of one that is missing. */
export const EMPTY_TRANSFER_GAS = 21_000n

/** Nodes replace a pooled transaction only for at least this much more, in both fee fields (geth: `--txpool.pricebump` 10). */
const BUMP_NUMERATOR = 1125n
const BUMP_DENOMINATOR = 1000n

/** The most that a unit of gas may cost, and the most of a suggested tip that counts, wei. */
type Caps = { maxFeePerGasWei: bigint; maxPriorityFeePerGasWei: bigint }

/**
 * Fees of a first attempt: room for the base fee to double (six full blocks), never above the cap.
 * @param baseFeePerGas of the newest block, wei
 * @param suggestedPriorityFee what nodes suggest, wei
 * @param caps the most that a unit of gas may cost, and the most of a suggestion that counts
 * @returns undefined when even the present base fee is above the cap, because such a transaction would only wait
 */
export function initialFees(
  baseFeePerGas: bigint,
  suggestedPriorityFee: bigint,
  { maxFeePerGasWei, maxPriorityFeePerGasWei }: Caps,
): Fees | undefined {
  if (baseFeePerGas > maxFeePerGasWei) return undefined
  const tip = least(suggestedPriorityFee, maxPriorityFeePerGasWei)
  const maxFeePerGas = least(2n * baseFeePerGas + tip, maxFeePerGasWei)
  return { maxFeePerGas, maxPriorityFeePerGas: least(tip, maxFeePerGas) }
}

/**
 * Fees of a replacement: at least 12.5 % more in both fields, more when the market asks for more, never above the cap.
 * @returns undefined when the cap leaves no room for a replacement that nodes would take
 */
export function bumpedFees(previous: Fees, market: Fees | undefined, capWei: bigint): Fees | undefined {
  const leastMaxFee = raised(previous.maxFeePerGas)
  const leastPriority = raised(previous.maxPriorityFeePerGas)
  if (leastMaxFee > capWei || leastPriority > capWei) return undefined
  const maxFeePerGas = least(greatest(leastMaxFee, market?.maxFeePerGas ?? 0n), capWei)
  const wantedPriority = greatest(leastPriority, market?.maxPriorityFeePerGas ?? 0n)
  return { maxFeePerGas, maxPriorityFeePerGas: least(wantedPriority, maxFeePerGas) }
}

/**
 * Fees of a replacement for somebody else's bytes under the same nonce, where the cap leaves no room for more than was offered: a pool that
 * keeps those, which offer less, has asked for a higher tip.
 * @returns undefined when the cap leaves no room for that either
 */
export function outbiddingFees({ maxPriorityFeePerGas }: Fees, capWei: bigint): Fees | undefined {
  const tip = raised(maxPriorityFeePerGas)
  return tip > capWei ? undefined : { maxFeePerGas: capWei, maxPriorityFeePerGas: tip }
}

/**
 * Fees of a replacement for what nodes refuse because of what it may cost: the base fee may grow by an eighth, that is, by one
 * full block.
 * @param previous the cheapest that they refuse
 * @returns undefined when that would not be a tenth less, because nodes would hardly take it sooner
 */
export function loweredFees(previous: Fees, baseFeePerGas: bigint, market: Fees): Fees | undefined {
  const maxFeePerGas = baseFeePerGas + baseFeePerGas / 8n + market.maxPriorityFeePerGas
  if (10n * maxFeePerGas > 9n * previous.maxFeePerGas) return undefined
  return { maxFeePerGas, maxPriorityFeePerGas: market.maxPriorityFeePerGas }
}

/** +12.5 %, rounded up, and always at least 1 wei more. */
function raised(fee: bigint): bigint {
  return greatest((fee * BUMP_NUMERATOR + BUMP_DENOMINATOR - 1n) / BUMP_DENOMINATOR, fee + 1n)
}
