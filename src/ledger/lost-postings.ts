/** What the chain has lost, or done otherwise than orders were told, as journal entries (pure). */
import { accountOf } from './accounts.ts'
import type { Entry } from './postings.ts'

export type LostBurn = {
  integrationId: string
  chainId: number
  /** The batch that had burnt it. */
  batchId: bigint
  orderId: bigint
  amountMicro: bigint
  effectiveAt: Date
}

/** The entry of a redeem that was paid and whose burn the chain has lost: its coin is there again, as if minted, and its ringgit is owed. */
export function entryOfLostBurn({
  integrationId,
  chainId,
  batchId,
  orderId,
  amountMicro,
  effectiveAt,
}: LostBurn): Entry {
  const lines = [
    { account: accountOf('mint_receivable', integrationId), amountMicro },
    { account: accountOf('coins', chainId), amountMicro: -amountMicro },
  ]
  return { reference: `lost/${chainId}/${batchId}/${orderId}`, effectiveAt, lines }
}

/** The entry of a mint that had failed, and that the chain has executed after all: its coin is there, and its ringgit is owed. */
export function entryOfExecuted(mint: LostBurn): Entry {
  const { chainId, batchId, orderId } = mint
  return { ...entryOfLostBurn(mint), reference: `executed/${chainId}/${batchId}/${orderId}` }
}

/**
 * The entry of an order that was made good, and of which the chain has then done the contrary: `moreMicro` is the coin that is there now and was not
 * before; less than zero, that was there. Its integration owes that, or is owed it. `turns`: how often that was so before.
 */
export function entryOfTurn({
  moreMicro,
  turns,
  ...order
}: Omit<LostBurn, 'amountMicro'> & { moreMicro: bigint; turns: number }): Entry {
  const { chainId, batchId, orderId } = order
  return {
    ...entryOfLostBurn({ ...order, amountMicro: moreMicro }),
    reference: `turn/${chainId}/${batchId}/${orderId}/${turns + 1}`,
  }
}

/**
 * The entry of a redeem that had left its batch as not burnt, and that this has burnt after all, or has not once more: `moreMicro` as of what has
 * turned. Named by when it was said, because that may come again.
 */
export function entryOfBeside({ moreMicro, ...order }: Omit<LostBurn, 'amountMicro'> & { moreMicro: bigint }): Entry {
  const { chainId, batchId, orderId, effectiveAt } = order
  return {
    ...entryOfLostBurn({ ...order, amountMicro: moreMicro }),
    reference: `beside/${chainId}/${batchId}/${orderId}/${effectiveAt.getTime()}`,
  }
}
