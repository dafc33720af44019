/** Confirms a mint. The API answers with the order as it is, even when it submitted nothing. */
import { toMicro } from './amounts.ts'
import { CoinMintNotConfirmedError } from './errors.ts'
import type { MintRequest } from './generated/api.ts'
import type { Order, WriteOptions } from './types.ts'

export type MintConfirmation = Omit<MintRequest, 'fiatConfirmed'>

/**
 * Submits a recorded mint, or records and submits a new one.
 * @param create posts a mint
 * @returns the order, which was submitted now or before
 * @throws CoinMintNotConfirmedError when it was not, or when the mint submitted before has different details
 */
export async function confirmMint(
  create: (mint: MintRequest, call?: WriteOptions) => Promise<Order>,
  mint: MintConfirmation,
  call?: WriteOptions,
): Promise<Order> {
  const order = await create({ ...mint, fiatConfirmed: true }, call)
  if (order.status === 'cancelled') throw new CoinMintNotConfirmedError(order, 'cancelled', call?.idempotencyKey)
  // The order does not name the customer: a different customer shows only in that the order still waits.
  if (order.status === 'payment_pending' || !isSameMint(order, mint)) {
    throw new CoinMintNotConfirmedError(order, 'details_differ', call?.idempotencyKey)
  }
  return order
}

function isSameMint(order: Order, { amountMyr, walletAddress, chainId }: MintConfirmation): boolean {
  return (
    toMicro(order.amounts.coin) === toMicro(amountMyr) &&
    order.walletAddress === walletAddress &&
    (chainId === undefined || order.chainId === chainId)
  )
}
