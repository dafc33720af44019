/**
 * What lost batches ask for when they are signed once more. Their instructions cost at worst what Ethereum's chains count for them; another chain, or the
 * same one after an upgrade, may count more, so whatever nodes estimate now counts where it is more, as when a batch is formed. What asked for too little
 * would revert, take its nonce, and be signed again, each time at our cost.
 */
import { decodeSettle, unpackInstructions } from '../../chain/instructions.ts'
import type { AgreedHead } from '../../chain/quorum.ts'
import { ChainError } from '../../chain-errors.ts'
import { greatest } from '../../values/bigints.ts'
import { gasLimitWanted, mostGas } from '../form/gas.ts'
import { estimateBehind } from '../form/simulate.ts'
import type { Work } from '../work.ts'
import type { Carried } from './sign-for.ts'

/** The lost batch that the chain executes next, and what that is estimated to use. */
export type Next = { batchId: bigint; estimate: bigint }

/**
 * Raises their gas limits to what nodes estimate: of the next one as it is, of the others as what the coin says of their instructions.
 * @returns those that may be signed, from the first on; what cannot be estimated, or what no block can take, is left out with all that is behind it
 */
export async function withEnoughGas<Batch extends Carried>(
  work: Work,
  at: AgreedHead,
  next: Next,
  batches: readonly Batch[],
): Promise<Batch[]> {
  const enough: Batch[] = []
  const most = mostGas(at.head.gasLimit)
  for (const batch of batches) {
    const isNext = batch.batchId === next.batchId
    const estimate = isNext ? next.estimate : await estimateWhole(work, at, batch).catch(toUnknown)
    if (estimate === undefined) break
    if (estimate > most) {
      noteUnsigned(work, batch, `it needs ${estimate} gas, and a transaction may have ${most}`)
      break
    }
    enough.push({ ...batch, gasLimit: greatest(batch.gasLimit, gasLimitWanted(estimate)) })
  }
  return enough
}

/** Says why a lost batch is not signed again, and keeps it for whoever asks what holds the chain (form/form-batches). */
export function noteUnsigned({ chain, logger, memory }: Work, { batchId }: { batchId: bigint }, why: string): void {
  memory.recheck.unsigned = { batchId: String(batchId), why }
  logger.error(
    { chainId: chain.config.chainId, ...memory.recheck.unsigned },
    'a final batch that the chain has lost is not signed again now: it would not be executed',
  )
}

async function estimateWhole(work: Work, at: AgreedHead, { data }: Carried): Promise<bigint | undefined> {
  const { packed } = decodeSettle(data) ?? {}
  if (packed === undefined) return undefined
  const count = unpackInstructions(packed)?.length ?? 0
  return await estimateBehind(work, at.nodes, { packed, count })
}

function toUnknown(error: unknown): undefined {
  if (!(error instanceof ChainError)) throw error
}
