/** What the chain has lost, or done otherwise than orders were told, as journal entries (pure). */
import { accountOf } from './accounts.ts'
import type { Entry } from './postings.ts'

/** An order of which the chain has done something else than its partner was told. */
type Differing = {
  integrationId: string
  chainId: number
  /** The batch that did it, or had done it. */
  batchId: bigint
  orderId: bigint
  effectiveAt: Date
}

/**
 * The coin that is there now and was not before, as if minted: its integration owes the ringgit. Below zero: coin that is there no more, whose ringgit is
 * owed to the integration.
 */
function entryOf(reference: string, { integrationId, chainId, effectiveAt }: Differing, moreMicro: bigint): Entry {
  const lines = [
    { account: accountOf('mint_receivable', integrationId), amountMicro: moreMicro },
    { account: accountOf('coins', chainId), amountMicro: -moreMicro },
  ]
  return { reference, effectiveAt, lines }
}

/** `isTakenBack`: what it had been paid came back since, and it is never paid. */
type LostBurn = Differing & { amountMicro: bigint; isTakenBack: boolean }

/** The entry of a redeem that was paid and whose burn the chain has lost: its coin is there again. */
export function entryOfLostBurn({ amountMicro, isTakenBack, ...redeem }: LostBurn): Entry {
  const { chainId, batchId, orderId } = redeem
  return entryOf(`lost/${chainId}/${batchId}/${orderId}${isTakenBack ? '/unpaid' : ''}`, redeem, amountMicro)
}

/** The entry of a mint that had failed, and that the chain has executed after all: its coin is there. */
export function entryOfExecuted({ amountMicro, ...mint }: Differing & { amountMicro: bigint }): Entry {
  const { chainId, batchId, orderId } = mint
  return entryOf(`executed/${chainId}/${batchId}/${orderId}`, mint, amountMicro)
}

/** The entry of an order that was made good, and of which the chain has then done the contrary. `turns`: how often that was so before. */
export function entryOfTurn({ moreMicro, turns, ...order }: Differing & { moreMicro: bigint; turns: number }): Entry {
  const { chainId, batchId, orderId } = order
  return entryOf(`turn/${chainId}/${batchId}/${orderId}/${turns + 1}`, order, moreMicro)
}

/**
 * The entry of coin that a batch has moved for an order which had not taken that outcome, or no longer has. Named by when it was said, because that may
 * come again.
 */
export function entryOfBeside({ moreMicro, ...order }: Differing & { moreMicro: bigint }): Entry {
  const { chainId, batchId, orderId, effectiveAt } = order
  return entryOf(`beside/${chainId}/${batchId}/${orderId}/${effectiveAt.getTime()}`, order, moreMicro)
}
